"""An amount told for another period than the evidence's: a daily amount for a dose, a monthly one for a quarter."""

from __future__ import annotations

import re
from collections.abc import Sequence

from services.common.domain.verdict import IssueType
from services.validation.domain.case import Finding, Reading
from services.validation.domain.values.compare import close, same_interval
from services.validation.domain.values.quantity import Quantity
from services.validation.domain.values.units import Dimension
from services.validation.domain.values.value_findings import Candidate, told_as


def other_period(reading: Reading, quantity: Quantity, right: Sequence[Candidate]) -> str | None:
    """The words that give an amount a day for a dose, or an amount a month for a quarter."""
    rates = [c.quantity.amount for c in right if c.quantity.amount is not None and quantity.amount is None]
    if len(rates) < len(right):
        return None
    text = reading.analysis.text
    occasion = _PER_OCCASION.match(text, quantity.end) or _PER_OCCASION_BEFORE.search(text[: quantity.start])
    if occasion is not None:
        return occasion.group().strip()
    start, end = reading.analysis.clause_at(quantity.start)
    spoken = [q for q in reading.analysis.quantities if q.interval and start <= q.start < end]
    periods = [
        c.quantity.amount.low / c.quantity.low for c in right if c.quantity.amount is not None and c.quantity.low
    ]
    if len(spoken) != 1 or not _DISTRIBUTES.match(spoken[0].surface.lower()):
        return None
    differs = all(
        not close(spoken[0].low, p) or spoken[0].unit.dimension != _period_of(c)
        for p, c in zip(periods, right, strict=True)
    )
    return spoken[0].surface if differs and not any(_spoken_of(c, spoken[0]) for c in right) else None


def _period_of(told: Candidate) -> Dimension:
    return tuple((base, -exponent) for base, exponent in told.quantity.unit.dimension if exponent < 0)


def _spoken_of(told: Candidate, spoken: Quantity) -> bool:
    return any(q.interval and same_interval(q, spoken) for q in told.unit.analysis.quantities)


_PER_OCCASION = re.compile(
    r"\s*(?:per|each|every|a|at each|for each)\s+(?:single\s+)?(?:dose|intake|application|administration|time"
    r"|visit|occasion)\b",
    re.I,
)
_PER_OCCASION_BEFORE = re.compile(r"(?:每次|每剂|一次|单次)[\u4e00-\u9fff]{0,4}$")
_DISTRIBUTES = re.compile(r"each|every|per|每")


def of_period(reading: Reading, quantity: Quantity, told: Candidate, period: str) -> Finding:
    """The value stands in the evidence, for another period than the statement's ``period``."""
    message = f" ({period}): the evidence says {told.quantity.surface} for another period"
    return told_as(reading, quantity, told.unit, told.quantity, IssueType.UNIT_MISMATCH, message)
