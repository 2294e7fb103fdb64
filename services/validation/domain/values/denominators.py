"""What a value is told per, where that is no unit: 4.2 kWh per cycle, 15 元 a copy."""

from __future__ import annotations

import re
from collections.abc import Sequence

from services.validation.domain.analysis import Analysis
from services.validation.domain.case import Case, Reading
from services.validation.domain.reading.text import stem
from services.validation.domain.values.quantity import Quantity
from services.validation.domain.values.units import ENERGY, SPANS, Dimension, combine, is_rate
from services.validation.domain.values.value_findings import Candidate

_PER = re.compile(
    r"\s*(?:of [a-z]+ )?(?:per|for each|for every)\s+(?:[a-z]+ )?"
    r"(?P<w>(?!and\b|or\b)[a-z]{3,})\b(?! (?:and|per|or|a)\b)"
)


def other_denominator(reading: Reading, quantity: Quantity, right: Sequence[Candidate]) -> Candidate | None:
    """A place of the value that is told per something, where the statement tells it per a unit, or the reverse."""
    found: Candidate | None = None
    for candidate in right:
        theirs = candidate.quantity
        if (quantity.amount is None) == (theirs.amount is None):
            return None
        plain, rate = (theirs, reading.analysis) if quantity.amount is not None else (quantity, candidate.unit.analysis)
        text = candidate.unit.analysis if quantity.amount is not None else reading.analysis
        thing = _thing(text, plain)
        unit = (quantity if quantity.amount is not None else theirs).unit.unit_id.rsplit("/", 1)[-1]
        if not thing or stem(thing) in rate.keys or unit in text.low:
            return None  # "for each day EUR 0.30 per book" is told per both
        found = candidate
    return found


def _thing(text: Analysis, quantity: Quantity) -> str:
    """The noun that a plain amount is told per; empty if it is told per nothing."""
    match = _PER.match(text.low, quantity.end)
    return match["w"] if match else ""


def dropped_time(case: Case, reading: Reading, quantity: Quantity, right: Sequence[Candidate]) -> Candidate | None:
    """A place of the value, if the passages tell it per a time everywhere (30 litres a minute) and the statement as an
    amount (30 litres); None where statement or question tell a time or a rate at all, and for money, time and counts,
    which are often told so."""
    if quantity.amount is not None or not right or is_rate(quantity.unit) or not _physical(quantity.unit.dimension):
        return None
    if any(not _by_time(c.quantity) for c in right):
        return None
    told = any(_tells_rate(analysis) for analysis in (reading.analysis, case.question.analysis))
    return None if told else right[0]


def _tells_rate(analysis: Analysis) -> bool:
    timed = any(q.interval or q.unit.dimension in SPANS for q in analysis.quantities)
    return timed or _TELLS_RATE.search(analysis.low) is not None


def _physical(dimension: Dimension) -> bool:
    bases = {base for base, _ in dimension}
    return dimension == ENERGY or (bool(bases) and bases <= {"length", "mass", "data"})


def _by_time(quantity: Quantity) -> bool:
    if quantity.amount is None or not is_rate(quantity.unit):
        return False
    gained = dict(combine(quantity.unit.dimension, quantity.amount.unit.dimension, -1))
    return gained in ({"time": -1}, {"calendar": -1})


_TELLS_RATE = re.compile(
    r"\b(?:per|each|every|hourly|daily|weekly|monthly|yearly|annual\w*|an? (?:second|minute|hour|day|week|month|year)"
    r"|speeds?|rates?|flows?|fast)\b|[每日天周月年时]|流[量速]|速[率度]"
)
