"""Words that exclude one another, found on the two sides of an aligned pair of clauses."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from services.validation.domain.analysis import Analysis
from services.validation.domain.clauses import Pair
from services.validation.domain.config import ContrastSet, Lexicon
from services.validation.domain.text import has_han


@dataclass(frozen=True, slots=True)
class Contrast:
    """A word of the answer and its rival in the evidence."""

    set: ContrastSet
    answer: str
    evidence: str
    start: int
    end: int


@lru_cache(maxsize=4096)
def _pattern(words: str) -> re.Pattern[str]:
    """Words of one side: English at word borders; Chinese words of two characters and more anywhere."""
    latin = [re.escape(w) for w in words.split("|") if not has_han(w)]
    han = [re.escape(w) for w in words.split("|") if has_han(w) and len(w) > 1]
    parts = [rf"(?<![a-z-])(?:{'|'.join(latin)})(?![a-z-])"] if latin else []
    parts += ["|".join(han)] if han else []
    return re.compile("|".join(parts) or r"(?!)")


def side_of(contrast: ContrastSet, low: str) -> dict[int, tuple[int, int]]:
    """The sides of a set that a lower-case text names, with the place of the first mention."""
    found: dict[int, tuple[int, int]] = {}
    for number, words in enumerate(contrast.words):
        match = _pattern(words).search(low)
        if match:
            found[number] = (match.start(), match.end())
    return found


def rivals(answer: str, evidence: str, lexicon: Lexicon, *, polar: bool) -> list[Contrast]:
    """Sets of which the answer names one side and the evidence another, and neither names both."""
    found: list[Contrast] = []
    for contrast in lexicon.contrasts:
        if contrast.polar != polar:
            continue
        mine = side_of(contrast, answer)
        if not mine:
            continue
        theirs = side_of(contrast, evidence)
        if theirs and not set(mine) & set(theirs):
            side, (start, end) = next(iter(mine.items()))
            other = next(iter(theirs.values()))
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
    for contrast in lexicon.contrasts:
        singles = [[w for w in words.split("|") if len(w) == 1 and has_han(w)] for words in contrast.words]
        for i, mine in enumerate(singles):
            for j, theirs in enumerate(singles):
                if i != j:
                    found.extend(_swapped(contrast, mine, theirs, answer.low, evidence.low))
    return found


def _swapped(contrast: ContrastSet, mine: list[str], theirs: list[str], answer: str, evidence: str) -> list[Contrast]:
    found: list[Contrast] = []
    for a in mine:
        for pattern in (rf"{a}(?P<rest>[\u4e00-\u9fff]{{2}})", rf"(?P<rest>[\u4e00-\u9fff]{{2}}){a}"):
            for match in re.finditer(pattern, answer):
                first = match.start("rest") > match.start()
                here = match.group()
                for b in theirs:
                    there = b + match["rest"] if first else match["rest"] + b
                    if there in evidence and here not in evidence:
                        found.append(Contrast(contrast, here, there, match.start(), match.end()))
    return found
