"""What a value is told per, where that is no unit: 4.2 kWh per cycle, 15 元 a copy."""

from __future__ import annotations

import re
from collections.abc import Sequence

from services.validation.domain.analysis import Analysis
from services.validation.domain.case import Reading
from services.validation.domain.quantity import Quantity
from services.validation.domain.text import stem
from services.validation.domain.value_findings import Candidate

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
