"""Chinese words with part-of-speech flags, from jieba's dictionary cut down to what questions need.

jieba keeps its whole dictionary, every prefix of every word and, for tagging, the dictionary again and large
emission tables: more than 100 MB a process. Rare common nouns, verbs and person names are left out here, places,
organisations and other names are kept, and the flag of a word comes from the dictionary itself. Words that the
dictionary lacks are put together by jieba's hidden Markov model and flagged ``x``.
"""

from __future__ import annotations

import importlib.resources
import sys
from collections.abc import Iterable, Iterator

import jieba

from services.perception.domain.tokens import Token

UNKNOWN_FLAG = "x"
# Words rarer than this are of no use for segmenting questions, unless they name something.
_MIN_FREQUENCY = 8
_NAME_FLAGS = frozenset({"ns", "nt", "nz", "nrt", "j"})
# A listed domain word must win over its parts whatever they are.
_DOMAIN_FREQUENCY = 20_000
_FUNCTION_CHARS = frozenset("日月年号时的在是能会可要了着过和与条个位家只于被将有也都就不没从到对向把因以已为给")


class JiebaSegmenter:
    """Segments and tags text. One instance may be used by several threads: it only reads."""

    def __init__(self, words: Iterable[tuple[str, str]] = ()) -> None:
        self._flags: dict[str, str] = {}
        frequencies: dict[str, int] = {}
        for word, frequency, flag in _dictionary():
            frequencies[word] = frequency
            self._flags[word] = flag
        for word, flag in words:
            frequencies[word] = _DOMAIN_FREQUENCY
            self._flags[word] = flag
        total = sum(frequencies.values())
        for word in tuple(frequencies):
            for length in range(1, len(word)):
                frequencies.setdefault(word[:length], 0)
        # Setting these fields is what Tokenizer.initialize() does, without its cache file in /tmp,
        # which a read-only root file system would refuse.
        self._tokenizer = jieba.Tokenizer()
        self._tokenizer.FREQ = frequencies
        self._tokenizer.total = total
        self._tokenizer.initialized = True

    def tokens(self, text: str, offset: int = 0) -> list[Token]:
        """The words of ``text``, blanks left out; places are shifted by ``offset``."""
        found = []
        at = offset
        for word in self._tokenizer.cut(text, HMM=True):
            for piece in self._pieces(word):
                if not piece.isspace():
                    found.append(Token(piece, at, at + len(piece), self._flag(piece), "zh"))
                at += len(piece)
        return found

    def _pieces(self, word: str) -> list[str]:
        """A word the model put together, without function characters that it swallowed at the ends."""
        if len(word) < 2 or word in self._flags or word.isascii():
            return [word]
        start, end = 0, len(word)
        while start < end - 1 and word[start] in _FUNCTION_CHARS:
            start += 1
        while end - 1 > start and word[end - 1] in _FUNCTION_CHARS:
            end -= 1
        return [*word[:start], word[start:end], *word[end:]]

    def _flag(self, word: str) -> str:
        known = self._flags.get(word)
        if known is not None:
            return known
        if word.isascii():
            return "m" if word[0].isdigit() else ("eng" if word[0].isalpha() else "w")
        return UNKNOWN_FLAG if word.isalnum() else "w"


def _dictionary() -> Iterator[tuple[str, int, str]]:
    with importlib.resources.files("jieba").joinpath("dict.txt").open(encoding="utf-8") as lines:
        for line in lines:
            word, frequency, flag = line.split()
            count = int(frequency)
            if count >= _MIN_FREQUENCY or flag in _NAME_FLAGS or len(word) == 1:
                yield sys.intern(word), count, sys.intern(flag)
