"""Chinese words with part-of-speech flags.

jieba's algorithm over a dictionary of our own (``chinese_dictionary``), for jieba keeps its whole dictionary, every
prefix of every word and, for tagging, the dictionary again and large emission tables: more than 100 MB a process. The
flag of a word comes from the dictionary itself; words that it lacks are put together by jieba's hidden Markov model
and flagged ``x``.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable
from dataclasses import replace
from typing import Generic, Protocol, TypeVar

import jieba

from services.perception.adapters.chinese_dictionary import KIND_MARK, ChineseDictionary
from services.perception.adapters.name_shapes import surname_size
from services.perception.adapters.word_table import WordTable
from services.perception.domain.tokens import Token

V = TypeVar("V")
V_co = TypeVar("V_co", covariant=True)
UNKNOWN_FLAG = "x"
# A word that is listed without a flag is a common noun.
_COMMON_FLAG = "n"
# By how much a name must be likelier than the words it was cut into (log), than characters in a row, and by how much
# its characters must be likelier in transcribed names than in words.
_PERSON_ODDS, _UNKNOWN_PERSON_ODDS = 3.0, 7.3
_FOREIGN, _SHORT_FOREIGN, _JOINED_FOREIGN = 1.0, 1.8, 2.2
# What the first character of such a name may be taken for.
_FIRST_SYLLABLE = frozenset({"nr", "nrt", "ns", "j", "zg", UNKNOWN_FLAG})
_SHORTEST_NAME = 3
# Flags of words that are names or that nobody knows.
_MAY_NAME = frozenset({UNKNOWN_FLAG, "nr", "nrt", "nrfg"})
_HAN = re.compile("[\u4e00-\u9fff]+")
# What a person's name looks like by the length of its surname; 0 for none, which nothing matches.
_WHOLE_NAME = (re.compile("(?!)"), re.compile("[\u4e00-\u9fff]{3}"), re.compile("[\u4e00-\u9fff]{3,4}"))
_LOST_LAST_ODDS = 5.0
# Words that begin no name of a person: places, organisations, other names.
_NO_PERSON = frozenset({"ns", "nt", "nz"})
_FUNCTION_TAGS = frozenset("pcurfymdtq")
_PARTICLE_TAGS = frozenset("pcury")
# A listed domain word must win over its parts whatever they are.
_DOMAIN_FREQUENCY = 20_000
_FUNCTION_CHARS = frozenset(
    "日月年号时的在是能会可要了着过和与条个位家只于被将有也都就不没从到对向把因以已为给比跟同孰谁哪吗呢"
)


class JiebaSegmenter:
    """Segments and tags text. One instance may be used by several threads: it only reads."""

    def __init__(self, dictionary: ChineseDictionary) -> None:
        self._shapes, table = dictionary.shapes, dictionary.words
        self._use(_Frequencies(table), _Flags(table), table.total)

    def with_words(self, words: Iterable[tuple[str, str]]) -> JiebaSegmenter:
        """This segmenter with further (word, flag) pairs, the dictionary shared: nothing is copied."""
        own_frequencies: dict[str, int] = {}
        own_flags: dict[str, str] = {}
        for word, flag in words:
            own_frequencies[word] = _DOMAIN_FREQUENCY
            own_flags[word] = flag
        for word in tuple(own_frequencies):
            for length in range(1, len(word)):
                # jieba walks a word character by character and gives up at a beginning that it does not know.
                if word[:length] not in self._frequencies:
                    own_frequencies.setdefault(word[:length], 0)
        segmenter = JiebaSegmenter.__new__(JiebaSegmenter)
        segmenter._shapes = self._shapes
        segmenter._use(
            _Layered(own_frequencies, self._frequencies), _Layered(own_flags, self._flags), self._tokenizer.total
        )
        return segmenter

    def _use(self, frequencies: _Words[int], flags: _Words[str], total: int) -> None:
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
                    flag, _, kind = self._flag(piece).partition(KIND_MARK)
                    found.append(Token(piece, at, at + len(piece), flag, "zh", kind and f"cedict.{kind}"))
                at += len(piece)
        return self._with_names(found)

    def _with_names(self, tokens: list[Token]) -> list[Token]:
        """Tokens, those put together that are a person's name cut to pieces (董 明珠), and unknown names marked."""
        found: list[Token] = []
        at = 0
        while at < len(tokens):
            ways = ((self._person, 3), (self._person, 2), (self._foreign, 2))
            token, size = next(((t, n) for way, n in ways if (t := way(tokens[at : at + n], n))), (tokens[at], 1))
            found.append(token if size > 1 else self._unknown_name(token))
            at += size
        return found

    def _person(self, pieces: list[Token], size: int) -> Token | None:
        """The person whose surname and given name the pieces are, where that is likelier than words in a row."""
        name = "".join(piece.text for piece in pieces)
        surname = surname_size(name)
        if (
            len(pieces) < size
            or not _WHOLE_NAME[surname].fullmatch(name)
            or pieces[-1].end - pieces[0].start != len(name)
        ):
            return None
        cut_behind_surname = len(pieces[0].text) == surname and not any(p.names.startswith("shape") for p in pieces[1:])
        if not cut_behind_surname and not (size == 2 and _lost_last(*pieces)):
            return None
        if len(pieces[-1].text) == 1 and pieces[-1].tag[:1] in _PARTICLE_TAGS:
            return None
        if any(p.names for p in pieces[1:]) and pieces[0].tag not in _FIRST_SYLLABLE:
            return None  # 和梦露 is no 沈梦露
        words = sum(math.log((self._frequencies.get(p.text) or 1) / self._tokenizer.total) for p in pieces)
        # 王楠 may be all of the name before 赢; 许家, which is listed as no name, is not.
        may_be_whole = not cut_behind_surname and pieces[0].tag in _MAY_NAME
        if self._shapes.person(name) - words < (_LOST_LAST_ODDS if may_be_whole else _PERSON_ODDS):
            return None
        return Token(name, pieces[0].start, pieces[-1].end, "nr", "zh", "shape.person")

    def _foreign(self, pieces: list[Token], size: int) -> Token | None:
        """A transcribed name that lost its first character to a word of one (布 林肯, 泽 连斯基)."""
        if len(pieces) < size or len(pieces[0].text) > 1 or pieces[0].tag not in _FIRST_SYLLABLE:
            return None
        name, start, end = pieces[0].text + pieces[1].text, pieces[0].start, pieces[1].end
        foreign = end - start == len(name) >= _SHORTEST_NAME and pieces[1].tag in _MAY_NAME and _HAN.fullmatch(name)
        if not foreign or self._shapes.foreign(name) < _JOINED_FOREIGN:
            return None
        return Token(name, start, end, UNKNOWN_FLAG, "zh", "shape.name")

    def _unknown_name(self, token: Token) -> Token:
        """``token``, marked as a name if the dictionary does not have it, or only as a name, and it looks like one."""
        word = token.text
        if token.names or token.tag not in _MAY_NAME or len(word) < _SHORTEST_NAME or not _HAN.fullmatch(word):
            return token
        if self._shapes.foreign(word) >= (_FOREIGN if len(word) > _SHORTEST_NAME else _SHORT_FOREIGN):
            return replace(token, names="shape.name")
        unknown = sum(math.log((self._frequencies.get(char) or 1) / self._tokenizer.total) for char in word)
        if token.tag == UNKNOWN_FLAG and self._shapes.person(word) - unknown >= _UNKNOWN_PERSON_ODDS:
            return replace(token, names="shape.person")
        return token

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


def _lost_last(head: Token, last: Token) -> bool:
    """True if ``last`` may be the last character of the name that ``head`` begins: 李家 超, 许家 印."""
    name = len(head.text) == 2 and head.tag not in _NO_PERSON and len(last.text) == 1
    return name and last.text not in _FUNCTION_CHARS and last.tag[:1] not in _FUNCTION_TAGS


class _Words(Protocol[V_co]):
    """What jieba asks of its dictionary."""

    def __contains__(self, word: str) -> bool: ...

    def __getitem__(self, word: str) -> V_co: ...

    def get(self, word: str) -> V_co | None: ...


class _Frequencies:
    """Frequencies of a table's words and, 0, of their beginnings."""

    def __init__(self, table: WordTable) -> None:
        self._find = table.find

    def __contains__(self, word: str) -> bool:
        return self._find(word) is not None

    def __getitem__(self, word: str) -> int:
        found = self._find(word)
        if found is None:
            raise KeyError(word)
        return found.frequency

    def get(self, word: str) -> int | None:
        found = self._find(word)
        return None if found is None else found.frequency


class _Flags:
    """Flags of a table's words."""

    def __init__(self, table: WordTable) -> None:
        self._find = table.find

    def __contains__(self, word: str) -> bool:
        return self.get(word) is not None

    def __getitem__(self, word: str) -> str:
        flag = self.get(word)
        if flag is None:
            raise KeyError(word)
        return flag

    def get(self, word: str) -> str | None:
        found = self._find(word)
        return found.flag or None if found is not None else None


class _Layered(Generic[V]):
    """A few words over the whole dictionary."""

    def __init__(self, own: dict[str, V], base: _Words[V]) -> None:
        self._own, self._base = own, base

    def __getitem__(self, word: str) -> V:
        return self._own[word] if word in self._own else self._base[word]

    def __contains__(self, word: str) -> bool:
        return word in self._own or word in self._base

    def get(self, word: str) -> V | None:
        found = self._own.get(word)
        return self._base.get(word) if found is None else found
