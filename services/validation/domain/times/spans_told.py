"""Spans, ends and intervals that a statement gives and the evidence implies: the ends of a range, periods counted."""

from __future__ import annotations

import re
from collections.abc import Sequence

from services.validation.domain.case import Case, Reading
from services.validation.domain.derived.computed import GIVEN, follows
from services.validation.domain.derived.operands import Pool
from services.validation.domain.reading.evidence import in_force_days
from services.validation.domain.times.moments import Moment
from services.validation.domain.times.spans import implied
from services.validation.domain.values.compare import close, comparable, equal
from services.validation.domain.values.quantity import Quantity
from services.validation.domain.values.units import CALENDAR, COUNTS, TALLIES, TIME

_MOST_PERIODS = 10


def span_of_result(case: Case, reading: Reading, quantity: Quantity, pool: Pool) -> bool:
    """Three months, three nights: what the statement multiplies by to come to another of its values."""
    if quantity.unit.dimension not in GIVEN:
        return False
    known = [q for q in reading.analysis.quantities if any(equal(q, e) for _, e in pool)]
    for other in reading.analysis.quantities:
        amount = other.amount or other
        if other is quantity or other in known or amount.unit.dimension in (*GIVEN, *COUNTS):
            continue
        if follows(case, reading, other, pool, [*known, quantity], needs=(quantity,)):
            return True
    return False


def divided_interval(quantity: Quantity, pool: Pool) -> bool:
    """Twice a day, where the evidence divides the daily amount into two doses."""
    for unit, q in pool:
        if not (q.unit.dimension in TALLIES and q.low > 1 and quantity.low):
            continue
        period = quantity.low * q.low
        for other in unit.analysis.quantities:
            denominators = other.unit.factor and other.amount is not None and other.low
            every = other.amount.low / other.low if denominators and other.amount is not None else 0.0
            if close(every, period) or (other.interval and close(other.low, period)):
                return True
    return False


_BEFORE = 24
_SPREADS = re.compile(r"\brang\w+|\bvar(?:y|ies|ied)\b|\bbetween\b|\bfrom\b|\bdiffer\w*|介于|之间|不等|从|范围|区间")
# Who is to come "at the latest 20 minutes before" is told the low end: earliest and latest may name either.
_EITHER_END = "earliest|latest|soonest|starting|start|from|最早|最晚|最迟|起|从|到|至(?!少|多)"
_LOW_END = re.compile(
    rf"(?:{_EITHER_END}|minimum|lowest|least|shortest|lower limit|as (?:little|early|few) as|最少|最低|最短|至少|下限)"
    r"[^,，;；。]{0,14}$"
)
_HIGH_END = re.compile(
    rf"(?:{_EITHER_END}|maximum|highest|most|longest|up to|upper limit|as (?:much|late|many) as|最多|最高|最长|至多"
    r"|上限)[^,，;；。]{0,14}$"
)


def ends_told(case: Case, reading: Reading, quantity: Quantity, pool: Pool) -> bool:
    """A range whose ends are two values of the evidence, or one end of a range of the evidence, told as an end."""
    if quantity.is_range:
        spread = _SPREADS.search(reading.analysis.low) is not None
        groups: dict[object, list[Quantity]] = {}
        for unit, q in pool:
            if comparable(quantity, q):
                groups.setdefault("" if spread else (unit.citation, unit.index), []).append(q)
        return any(_has(group, quantity.low) and _has(group, quantity.high) for group in groups.values())
    before = reading.analysis.low[max(0, quantity.start - _BEFORE) : quantity.start]
    for _, q in pool:
        if not q.is_range or not comparable(quantity, q):
            continue
        at_low, at_high = close(quantity.low, q.low), close(quantity.low, q.high)
        others = [o for o in reading.analysis.quantities if o is not quantity and comparable(o, q)]
        both = any(close(o.low, q.high if at_low else q.low) for o in others)
        if (at_low or at_high) and both:
            return True
        if (at_low and _LOW_END.search(before)) or (at_high and _HIGH_END.search(before)):
            return True
    return False


def _has(group: Sequence[Quantity], value: float) -> bool:
    return any(close(q.low, value) or close(q.high, value) for q in group)


def spans_time(case: Case, reading: Reading, quantity: Quantity) -> bool:
    """A span that the dates of the evidence or of the statement imply, or as many days as are named."""
    if quantity.unit.dimension not in (TIME, CALENDAR):
        return False
    units = case.units(reading.cited)
    groups: list[tuple[Sequence[Moment], str]] = [(u.analysis.moments, u.analysis.text) for u in units]
    groups.append((reading.analysis.moments, reading.analysis.text))
    groups.append(([m for citation in reading.cited for m in in_force_days(case.passage(citation))], ""))
    if quantity.unit.dimension == CALENDAR:
        years = [m for u in units for m in u.moments if m.year]
        groups.append((list({m.key(): m for m in years}.values()), ""))
    return implied(quantity, groups)


def rate_as_interval(quantity: Quantity, pool: Pool) -> bool:
    """Two buses an hour, where the evidence says every 30 minutes."""
    if not any(base in ("time", "calendar") and exponent < 0 for base, exponent in quantity.unit.dimension):
        return False
    if (len(quantity.unit.dimension) > 1 and ("count", 1) not in quantity.unit.dimension) or not quantity.low:
        return False
    return any(q.interval and q.low and close(1 / quantity.low, q.low) for _, q in pool)


def counts_periods(case: Case, reading: Reading, quantity: Quantity) -> bool:
    """ "Over the two years", 前三个季度: as many periods as the cited passages name, or the span they cover."""
    if quantity.unit.dimension != CALENDAR or quantity.low > _MOST_PERIODS * 12:
        return False
    units = case.units(reading.cited)
    moments = {m.key() for u in units for m in u.analysis.moments if m.kind in ("year", "quarter", "half", "month")}
    kinds = {"year": 12, "half": 6, "quarter": 3, "month": 1}
    for kind, months in kinds.items():
        count = len({k for k in moments if k[0] == kind})
        years = sorted({k[1] for k in moments if k[0] == kind and k[1]})
        span = years[-1] - years[0] if years else 0
        if quantity.low in (count * months, span * 12 if span else -1):
            return True
    return False
