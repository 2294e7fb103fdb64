"""Chinese words with part-of-speech flags, from jieba's dictionary cut down to what questions need.

jieba keeps its whole dictionary, every prefix of every word and, for tagging, the dictionary again and large
emission tables: more than 100 MB a process. Rare common nouns, verbs and person names are left out here, places,
organisations and other names are kept, and the flag of a word comes from the dictionary itself. Words that the
dictionary lacks are put together by jieba's hidden Markov model and flagged ``x``.
"""

from __future__ import annotations

import importlib.resources
import sys
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, TypeVar

import jieba

from services.perception.domain.tokens import Token

V = TypeVar("V")
UNKNOWN_FLAG = "x"
# Words rarer than this are of no use for segmenting questions, unless they name something.
_MIN_FREQUENCY = 12
_RARE = {"ns": 3, "nt": 2, "nz": 2, "nrt": 3, "nr": 8, "j": 2, "i": 60, "l": 30}
# The flag that most words have is not stored with each of them.
_COMMON_FLAG = "n"
# A listed domain word must win over its parts whatever they are.
_DOMAIN_FREQUENCY = 20_000
_FUNCTION_CHARS = frozenset(
    "日月年号时的在是能会可要了着过和与条个位家只于被将有也都就不没从到对向把因以已为给比跟同孰谁哪吗呢"
)


class JiebaSegmenter:
    """Segments and tags text. One instance may be used by several threads: it only reads."""

    def __init__(self) -> None:
        flags: dict[str, str] = {}
        frequencies: dict[str, int] = {}
        for word, frequency, flag in _dictionary():
            frequencies[word] = frequency
            if flag != _COMMON_FLAG:
                flags[word] = flag
        total = sum(frequencies.values())
        for word in tuple(frequencies):
            _add_prefixes(word, frequencies)
        self._use(frequencies, flags, total)

    def with_words(self, words: Iterable[tuple[str, str]]) -> JiebaSegmenter:
        """This segmenter with further (word, flag) pairs, the dictionary shared: nothing is copied."""
        own_frequencies: dict[str, int] = {}
        own_flags: dict[str, str] = {}
        for word, flag in words:
            own_frequencies[word] = _DOMAIN_FREQUENCY
            own_flags[word] = flag
        for word in tuple(own_frequencies):
            _add_prefixes(word, own_frequencies, self._frequencies)
        segmenter = JiebaSegmenter.__new__(JiebaSegmenter)
        segmenter._use(
            _Layered(own_frequencies, self._frequencies), _Layered(own_flags, self._flags), self._tokenizer.total
        )
        return segmenter

    def _use(self, frequencies: Mapping[str, int], flags: Mapping[str, str], total: int) -> None:
        self._frequencies, self._flags = frequencies, flags
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
        if len(word) < 2 or self._frequencies.get(word) or word.isascii():
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
        if self._frequencies.get(word):
            return _COMMON_FLAG
        if word.isascii():
            return "m" if word[0].isdigit() else ("eng" if word[0].isalpha() else "w")
        return UNKNOWN_FLAG if word.isalnum() else "w"


class _Layered(Mapping[str, V]):
    """A few words over the whole dictionary. Only what the segmenter asks for is quick: ``in``, ``get``, ``[]``."""

    def __init__(self, own: Mapping[str, V], base: Mapping[str, V]) -> None:
        self._own, self._base = own, base

    def __getitem__(self, key: str) -> V:
        return self._own[key] if key in self._own else self._base[key]

    def __contains__(self, key: object) -> bool:
        return key in self._own or key in self._base

    def get(self, key: str, default: Any = None) -> Any:
        found = self._own.get(key)
        return self._base.get(key, default) if found is None else found

    def __iter__(self) -> Iterator[str]:
        yield from self._own
        yield from (key for key in self._base if key not in self._own)

    def __len__(self) -> int:
        return sum(1 for _ in self)


def _add_prefixes(word: str, into: dict[str, int], base: Mapping[str, int] | None = None) -> None:
    """jieba walks a word character by character and gives up at a beginning that it does not know."""
    for length in range(1, len(word)):
        if base is None or word[:length] not in base:
            into.setdefault(word[:length], 0)


def _dictionary() -> Iterator[tuple[str, int, str]]:
    with importlib.resources.files("jieba").joinpath("dict.txt").open(encoding="utf-8") as lines:
        for line in lines:
            word, frequency, flag = line.split()
            count = int(frequency)
            if count >= _RARE.get(flag, _MIN_FREQUENCY) or len(word) == 1:
                yield sys.intern(word), count, sys.intern(flag)
