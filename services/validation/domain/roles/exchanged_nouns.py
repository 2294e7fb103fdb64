"""A statement that runs like a sentence of the evidence but for one noun, which the cited passages lack."""

from __future__ import annotations

from collections.abc import Sequence
from difflib import SequenceMatcher

from services.validation.domain.analysis import Term
from services.validation.domain.case import Aligned, Case, Reading
from services.validation.domain.reading.nouns import nominal
from services.validation.domain.wording.align import Bag, match
from services.validation.domain.wording.factless import structural

# Of two Chinese words that share a character (肾功能, 肝功能) one is not the other.
_FOUND, _ANY, _LONG_WORD = 0.5, 1e-9, 3


def bounds(terms: Sequence[Term]) -> tuple[int, int]:
    """From the first of some words to the last."""
    return min(t.start for t in terms), max(t.end for t in terms)


def exchanged_noun(case: Case, reading: Reading, bag: Bag) -> tuple[int, int] | None:
    """The sentence runs like the evidence but for one word, which the cited passages lack."""
    if reading.analysis.han != bag.han:
        return None
    answer = case.bags.said(reading.analysis)
    for aligned in case.align(reading, reading.cited)[:2]:
        found = _exchange(case, reading, aligned, bag, answer)
        if found is not None:
            return found
    return None


def _exchange(case: Case, reading: Reading, aligned: Aligned, bag: Bag, answer: Bag) -> tuple[int, int] | None:
    mine, theirs = list(reading.analysis.terms), list(aligned.unit.analysis.terms)
    unit_bag = case.bags.unit(aligned.unit)
    a = [_canonical(t, theirs, unit_bag) for t in mine]
    b = [t.key for t in theirs]
    if aligned.coverage.share < 0.55:
        return None
    matcher = SequenceMatcher(None, a, b, autojunk=False)
    if sum(block.size for block in matcher.get_matching_blocks()) < _RUNS_ALIKE * len(a):
        return None
    for op, i1, i2, j1, j2 in matcher.get_opcodes():
        if op != "replace" or i2 - i1 > 2 or j2 - j1 > 2:
            continue
        old, new = theirs[j1:j2], mine[i1:i2]
        if not (i1 > 0 and j1 > 0) and not (i2 < len(a) and j2 < len(b)):
            continue
        flanks = (i1 > 0 and j1 > 0) + (i2 < len(a) and j2 < len(b))
        edge = (i1 == 0 and j1 == 0) or (i2 == len(a) and j2 == len(b))
        if flanks < 2 and not edge:
            continue
        unknown = [
            t
            for t in new
            if match(t, bag) < _least(t)
            and t.weight >= 1
            and not structural(case, reading, t)
            and nominal(reading.analysis, t)
        ]
        lost = [t for t in old if match(t, answer) < _least(t) and t.weight >= 1 and nominal(aligned.unit.analysis, t)]
        if unknown and lost:
            return bounds(unknown)
    return None


# So much of the statement stands in the sentence in the same order; less is a retelling, where other words are no sign.
_RUNS_ALIKE = 0.66


def _least(term: Term) -> float:
    """The match at which a word counts as found."""
    return _FOUND if term.word.han and len(term.word.surface) >= _LONG_WORD else _ANY


def _canonical(term: Term, others: Sequence[Term], bag: Bag) -> str:
    """The key of the evidence word that a word of the answer stands for, else its own."""
    if term.key in bag.keys:
        return term.key
    for other in others:
        if term.groups & other.groups or (not term.glosses.isdisjoint(other.glosses) and term.word.han):
            return other.key
        if not term.word.han and (other.key in term.glosses or term.key in other.glosses):
            return other.key
    return term.key
