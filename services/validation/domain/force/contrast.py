"""Words that exclude one another, found on the two sides of an aligned pair of clauses."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from services.validation.domain.analysis import Analysis
from services.validation.domain.config import ContrastSet, Lexicon
from services.validation.domain.reading.clauses import Pair
from services.validation.domain.reading.patterns import any_of
from services.validation.domain.reading.text import has_han


@dataclass(frozen=True, slots=True)
class Contrast:
    """A word of the answer and its rival in the evidence."""

    set: ContrastSet
    answer: str
    evidence: str
    start: int
    end: int


Sides = dict[int, dict[int, tuple[int, int]]]


class ContrastIndex:
    """Finds the words of every contrast set in one pass over a text."""

    def __init__(self, lexicon: Lexicon) -> None:
        self._owners: dict[str, list[tuple[int, int]]] = {}
        for number, contrast in enumerate(lexicon.contrasts):
            for side, words in enumerate(contrast.words):
                for word in words.split("|"):
                    if len(word) > 1:
                        self._owners.setdefault(word, []).append((number, side))
        latin = any_of(w for w in self._owners if not has_han(w))
        han = sorted((_ordinal(re.escape(w)) for w in self._owners if has_han(w)), key=len, reverse=True)
        self._pattern = re.compile(rf"(?<![a-z-]){latin}(?![a-z-])|{'|'.join(han)}")
        self._cache: dict[str, Sides] = {}
        self.of_single_characters = [(c, sides) for c in lexicon.contrasts if (sides := _single_characters(c))]
        self.single_characters = frozenset(w for _, sides in self.of_single_characters for side in sides for w in side)

    def sides(self, low: str) -> Sides:
        """For each set that a lower-case text names: the sides named, with the place of the first mention."""
        found = self._cache.get(low)
        if found is None:
            found = {}
            for match in self._pattern.finditer(low):
                for number, side in self._owners[match.group()]:
                    found.setdefault(number, {}).setdefault(side, (match.start(), match.end()))
            if len(self._cache) >= _CACHE_SIZE:
                self._cache.clear()
            self._cache[low] = found
        return found


def _ordinal(word: str) -> str:
    """第五 as a pattern, which is no ordinal where it numbers an article (第五条)."""
    return rf"{word}(?![条章节款项编页])" if word.startswith("第") else word


_CACHE_SIZE = 8192
_INDEXES: dict[int, tuple[Lexicon, ContrastIndex]] = {}


def _index(lexicon: Lexicon) -> ContrastIndex:
    """The index of a lexicon, built once."""
    known = _INDEXES.get(id(lexicon))
    if known is None or known[0] is not lexicon:
        known = _INDEXES[id(lexicon)] = (lexicon, ContrastIndex(lexicon))
    return known[1]


def rivals(answer: str, evidence: str, lexicon: Lexicon, *, polar: bool) -> list[Contrast]:
    """Sets of which the answer names one side and the evidence another, and neither names both."""
    index = _index(lexicon)
    mine = index.sides(answer)
    if not mine:
        return []
    theirs = index.sides(evidence)
    found: list[Contrast] = []
    for number in mine.keys() & theirs.keys():
        contrast = lexicon.contrasts[number]
        if contrast.polar != polar or mine[number].keys() & theirs[number].keys():
            continue
        start, end = min(mine[number].values())
        other = min(theirs[number].values())
        found.append(Contrast(contrast, answer[start:end], evidence[other[0] : other[1]], start, end))
    return found


def opposed(pair: Pair, lexicon: Lexicon) -> list[Contrast]:
    """Polar opposites between the two clauses of a pair."""
    return rivals(pair.answer.low, pair.evidence.low, lexicon, polar=True)


def modifier_swaps(answer: Analysis, evidence: Analysis, lexicon: Lexicon) -> list[Contrast]:
    """One-character Chinese rivals before or after the same word: 区民政局 and 市民政局, 上限 and 下限."""
    if not (answer.han and evidence.han):
        return []
    found: list[Contrast] = []
    index = _index(lexicon)
    written = index.single_characters.intersection(answer.low)
    for contrast, singles in index.of_single_characters if written else ():
        for i, side in enumerate(singles):
            mine = [character for character in side if character in written]
            if not mine:
                continue
            for j, theirs in enumerate(singles):
                if i != j:
                    found.extend(_swapped(contrast, mine, theirs, answer.low, evidence.low))
    return found


def _single_characters(contrast: ContrastSet) -> tuple[tuple[str, ...], ...]:
    """The one-character Chinese words of each side; empty if fewer than two sides have any."""
    sides = tuple(tuple(w for w in words.split("|") if len(w) == 1 and has_han(w)) for words in contrast.words)
    return sides if sum(map(bool, sides)) > 1 else ()


@lru_cache(maxsize=512)
def _beside(character: str) -> tuple[re.Pattern[str], ...]:
    """The character before and after a word of two."""
    return (
        re.compile(rf"{character}(?P<rest>[\u4e00-\u9fff]{{2}})"),
        re.compile(rf"(?P<rest>[\u4e00-\u9fff]{{2}}){character}"),
    )


def _swapped(
    contrast: ContrastSet, mine: Sequence[str], theirs: Sequence[str], answer: str, evidence: str
) -> list[Contrast]:
    found: list[Contrast] = []
    for a in mine:
        for pattern in _beside(a):
            for match in pattern.finditer(answer):
                first = match.start("rest") > match.start()
                here = match.group()
                for b in theirs:
                    there = b + match["rest"] if first else match["rest"] + b
                    if there in evidence and here not in evidence and there not in answer:
                        found.append(Contrast(contrast, here, there, match.start(), match.end()))
    return found
