"""What words mean, for comparing two sentences: which are near-synonyms, and what Chinese ones are in English."""

from __future__ import annotations

import enum
from collections.abc import Sequence
from functools import lru_cache
from typing import Protocol

from services.retrieval.domain.conflict.wording import Wording


class Meanings(Protocol):
    """A dictionary. English words are stems of ``wording.stem``. Safe for several threads."""

    def words(self, text: str) -> Sequence[str]:
        """The words of a run of Chinese characters, in order."""
        ...

    def senses(self, word: str) -> frozenset[str]:
        """What a Chinese word is in English: stems, and for two words together both with a plus between, sorted."""
        ...

    def heads(self, word: str) -> frozenset[str]:
        """The main word of what a Chinese word is in English, where that is two: cabin of passenger cabin."""
        ...

    def near(self, word: str) -> frozenset[str]:
        """Near-synonyms of an English stem."""
        ...

    def is_verb(self, word: str) -> bool:
        """Whether a word tells what is done and hardly ever names a thing; an English one as its stem."""
        ...

    def is_name(self, word: str) -> bool:
        """Whether a word is the name of a place or a person and nothing else; an English one as its stem."""
        ...


class NoMeanings:
    """Knows no word; Chinese is taken by its characters."""

    def words(self, text: str) -> Sequence[str]:
        """Each character."""
        return tuple(text)

    def senses(self, word: str) -> frozenset[str]:
        """Nothing."""
        return frozenset()

    def heads(self, word: str) -> frozenset[str]:
        """Nothing."""
        return frozenset()

    def near(self, word: str) -> frozenset[str]:
        """Nothing."""
        return frozenset()

    def is_verb(self, word: str) -> bool:
        """No."""
        return False

    def is_name(self, word: str) -> bool:
        """No."""
        return False


class Language(enum.Enum):
    """Of two sentences that are compared."""

    ENGLISH = "en"
    CHINESE = "zh"
    BOTH = "both"


def related(first: str, second: str, meanings: Meanings, language: Language) -> bool:
    """Whether two different words are held to mean the same.

    Within a language only by that language's words: what one Chinese word may mean in English, as 文件 a file and a
    document, is no reason to take these for one another.
    """
    if language is not Language.CHINESE:
        if first.isascii() and second.isascii() and same_root(first, second):
            return True
        if second in meanings.near(first) or first in meanings.near(second):
            return True
    if language is Language.ENGLISH:
        return False
    senses = meanings.senses(first), meanings.senses(second)
    if language is Language.BOTH and (second in senses[0] or first in senses[1]):
        return True
    # One meaning of several in common is little: 变更 and 更换 are both "to change", a plan and a tyre.
    common = len(senses[0] & senses[1])
    if common > 1 or 2 * common > min(len(sense) for sense in senses):
        return True
    # 罚款 and 罚款金额; a single character is in too many words.
    shorter, longer = sorted((first, second), key=len)
    return not first.isascii() and not second.isascii() and len(shorter) > 1 and shorter in longer


def same_head(first: str, second: str, meanings: Meanings) -> bool:
    """Whether one is the main word of what the other, a Chinese word, is in English."""
    return second in meanings.heads(first) or first in meanings.heads(second)


_ENDINGS_TEXT = "e y ity ion ment al anc enc ation ition ur ness ly iv ed ing ag"
_ENDINGS = frozenset(["", *_ENDINGS_TEXT.split()])
_LEAST_ROOT = 4


def same_root(first: str, second: str) -> bool:
    """Whether two English stems differ in an ending that makes a noun, an adjective or an adverb: departure.

    Those who do something and those whom it is done to are no such (employer, employee).
    """
    length = next(
        (n for n, (a, b) in enumerate(zip(first, second, strict=False)) if a != b), min(len(first), len(second))
    )
    return length >= _LEAST_ROOT and first[length:] in _ENDINGS and second[length:] in _ENDINGS


class GroupedMeanings:
    """A dictionary that knows the groups of a wording as well: a group means what any of its words means."""

    def __init__(self, meanings: Meanings, wording: Wording) -> None:
        self._meanings = meanings
        self._members = wording.members
        self.words = meanings.words
        self.heads = meanings.heads
        self.is_name = meanings.is_name
        self.senses = lru_cache(maxsize=65_536)(self._senses)
        self.near = lru_cache(maxsize=65_536)(self._near)
        self.is_verb = lru_cache(maxsize=65_536)(self._is_verb)

    def _is_verb(self, word: str) -> bool:
        return any(self._meanings.is_verb(member) for member in self._members(word))

    def _senses(self, word: str) -> frozenset[str]:
        members = (member for member in self._members(word) if not member.isascii())
        return frozenset[str]().union(*(self._meanings.senses(member) for member in members))

    def _near(self, word: str) -> frozenset[str]:
        english = [member for member in self._members(word) if member.isascii()]
        return frozenset(english).union(*(self._meanings.near(member) for member in english)) - {word}
