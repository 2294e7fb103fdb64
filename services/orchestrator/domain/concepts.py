"""What a question asks for as concepts, matched within a language by words and across by a dictionary."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from services.orchestrator.domain.sentences import WORD, is_chinese, terms


@dataclass(frozen=True, slots=True)
class GlossedWord:
    """A Chinese word of a text, English terms for it, and the dictionary's own ``words``, the most usual first."""

    word: str
    meanings: frozenset[str]
    words: tuple[str, ...] = ()


# How often an English text that speaks of a Chinese word uses one of the dictionary's words for it.
DICTIONARY_COVERAGE = 0.5
# Of the dictionary's words for one Chinese word, in a search: later ones are the rarer senses.
MOST_WORDS = 6

# What is asked, and no thing asked about: the dictionary has "time" for 什么时候 and "long" for 多久, which stand in
# any English sentence, and 可以 is no more telling than can and may.
ASKING = re.compile(
    r"可不可以|能不能|可以|可否|能够|应该|应当|会不会|要不要|需不需要|是不是|有没有|几个?[天日周月年次]|什么时[候间]|什么|何时|几时|几点|多[长久](?:时间)?|多少|怎么样?|怎样|如何|为何|哪[里些个种]|是否|能否|请问"
)

# Left over between the words of a question they name nothing; 能 in 能源 and 功能 is part of a word.
FUNCTION_CHARACTERS = frozenset(
    "能会要可有在和与或及到为时后前中上下里内外不没被把将让给对从向以其之则就都也还又再才只个几多每各"
)

# The Chinese words of a text that a dictionary knows, in their order.
Gloss = Callable[[str], list[GlossedWord]]


def no_gloss(_text: str) -> list[GlossedWord]:
    """For use without a dictionary: matching stays within each language."""
    return []


def translation(text: str, gloss: Gloss) -> str:
    """English keywords for the Chinese words of a text, and its codes and numbers; empty for an English text.

    Words as the dictionary has them, not their stems, which an index does not know; the first meanings of each: a
    keyword search is content with any of them.
    """
    text = ASKING.sub(" ", text)
    glossed = gloss(text) if is_chinese(text) else []
    latin = [w for w in WORD.findall(text) if w.isascii()]
    return " ".join(dict.fromkeys([*latin, *(w for g in glossed for w in g.words[:MOST_WORDS])])) if glossed else ""


@dataclass(frozen=True, slots=True)
class TermSet:
    """The terms of a text. ``meanings`` are the English terms of its Chinese words, empty for an English text."""

    own: frozenset[str]
    meanings: frozenset[str]
    chinese: bool

    def __or__(self, other: TermSet) -> TermSet:
        return TermSet(self.own | other.own, self.meanings | other.meanings, self.chinese)

    @property
    def everything(self) -> frozenset[str]:
        """Both together."""
        return self.own | self.meanings

    @property
    def characters(self) -> str:
        """The Chinese characters of the text, in no order."""
        return "".join(t for t in self.own if not t.isascii())


def term_set(text: str, gloss: Gloss) -> TermSet:
    """Reads a text."""
    chinese = is_chinese(text)
    meanings = frozenset[str]().union(*(g.meanings for g in gloss(text))) if chinese else frozenset[str]()
    return TermSet(terms(text), meanings, chinese)


@dataclass(frozen=True, slots=True)
class Concept:
    """One thing asked for: the terms of its word, and English terms where the word is Chinese."""

    own: frozenset[str]
    meanings: frozenset[str]

    @property
    def is_chinese(self) -> bool:
        """True for a Chinese word."""
        return any(not t.isascii() for t in self.own)

    def match(self, given: TermSet) -> float:
        """Share of the concept that a text speaks of, in [0, 1].

        A Chinese word meets Chinese text as it is written: its meanings would make New Year of every festival.
        """
        if self.meanings:
            if given.chinese:
                return len(self.own & given.own) / len(self.own)
            return 1.0 if self.meanings & given.own else 0.0
        if self.own <= given.everything:
            return 1.0
        # A word of one character stands in longer ones: 坐 in 乘坐.
        return 1.0 if self.is_chinese and len(self._character) == 1 and self._character in given.characters else 0.0

    @property
    def _character(self) -> str:
        """The word itself if it is a single term."""
        return next(iter(self.own)) if len(self.own) == 1 else ""


@dataclass(frozen=True, slots=True)
class Concepts:
    """The concepts of a text."""

    members: tuple[Concept, ...]

    def reachable(self, given: TermSet) -> float:
        """Number of the concepts that a text in this language could speak of.

        A Chinese word without a known meaning cannot be found in English text, and one whose dictionary meanings
        are not there may be there in other words: neither says much against the text.
        """
        return sum(self._expectation(c, given) for c in self.members)

    @staticmethod
    def _expectation(concept: Concept, given: TermSet) -> float:
        if given.chinese or not concept.is_chinese or concept.match(given):
            return 1.0
        return DICTIONARY_COVERAGE if concept.meanings else 0.0

    def matched(self, given: TermSet) -> float:
        """Number of the concepts that a text speaks of; parts of one count in part."""
        return sum(c.match(given) for c in self.members)


def concepts_of(text: str, gloss: Gloss) -> Concepts:
    """The concepts of a question or a part of one.

    A Chinese word that the dictionary knows is one concept; everything else is one term by term. All weigh the same:
    the passages were retrieved for the question, so its topic is common in them and its asides are rare, and a weight
    by rarity would take the asides for the topic.
    """
    found: dict[frozenset[str], Concept] = {}
    rest = text = ASKING.sub(" ", text)
    for glossed in gloss(text):
        rest = rest.replace(glossed.word, " ")
        own = terms(glossed.word)
        if own:
            found[own] = Concept(own, glossed.meanings)
    for term in terms(rest, parts=False) - FUNCTION_CHARACTERS:
        own = frozenset({term})
        found.setdefault(own, Concept(own, frozenset()))
    return Concepts(tuple(found.values()))
