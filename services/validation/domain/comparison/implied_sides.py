"""Comparisons that name one side only: the question names both. "Which is deeper, A or B?" "B is, and A is wider." """

from __future__ import annotations

import re
from collections.abc import Iterator

from services.validation.domain.analysis import Analysis
from services.validation.domain.case import Case, Reading
from services.validation.domain.comparison.sides import Side, clause_around
from services.validation.domain.config import Lexicon

Parsed = tuple[Side, Side, str, tuple[int, int]]

# Who compares with these words does not need "than", but may set a limit or tell a time.
_OTHERWISE = frozenset((
    "most", "least", "maximum", "minimum", "top", "latest", "above", "below", "under", "further", "ahead", "behind",
    "over", "better", "up", "down",
))  # fmt: skip
_TOLD_FULLY = re.compile(r"\b(?:than|compared|against|versus|as \w+ as|no|not|neither)\b|n't|比|不")
_HAN_MORE = re.compile(r"更|较为?")


def implied_sides(case: Case, reading: Reading) -> Iterator[Parsed]:
    """Each comparative of the statement with the side that its clause, or the one before, names, against the other."""
    sides, analysis = case.question.sides, reading.analysis
    if len(sides) != _PAIR or _TOLD_FULLY.search(analysis.low):
        return
    for word, place in _comparatives(case.config.lexicon, analysis):
        start, end = clause_around(analysis, place)
        named = [s for s in sides if s.lower() in analysis.low[start:end]]
        if not named:
            named = sorted((s for s in sides if s.lower() in analysis.low[:start]), key=analysis.low[:start].rfind)[-1:]
        if len(named) == 1:
            other = next(s for s in sides if s != named[0])
            yield _side(case, named[0]), _side(case, other), word, (start, end)


_PAIR = 2


def _comparatives(lexicon: Lexicon, analysis: Analysis) -> Iterator[tuple[str, int]]:
    if analysis.han:
        for mark in _HAN_MORE.finditer(analysis.low):
            found = lexicon.comparative_han.match(analysis.low, mark.end())
            if found is not None:
                yield found["word"], mark.start()
        return
    for m in lexicon.comparative.finditer(analysis.low):
        if m.group() in lexicon.more_words and m.group() not in _OTHERWISE and not m.group().endswith("est"):
            yield m.group(), m.start()


def _side(case: Case, name: str) -> Side:
    return Side(case.analyser.analyse(name).terms, (), ())
