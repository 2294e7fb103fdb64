"""Values that a statement does not quote but may give: they follow from the cited values, or restate what is there."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import date
from itertools import combinations

from services.validation.domain import binding
from services.validation.domain.align import Bag, match
from services.validation.domain.binding import Binding
from services.validation.domain.case import Case, Reading
from services.validation.domain.compare import close, equal
from services.validation.domain.derive import Operand, derive
from services.validation.domain.evidence import Unit
from services.validation.domain.moments import Moment
from services.validation.domain.quantity import Quantity
from services.validation.domain.units import CALENDAR, COUNT, RATIO, SECONDS_A_DAY, TIME, Dimension

_MOST_PERIODS = 10
Pool = Sequence[tuple[Unit, Quantity]]


def follows(case: Case, reading: Reading, quantity: Quantity, pool: Pool) -> bool:
    """The value is recomputed from the cited values of the same items and periods."""
    if _between_clocks(case, reading, quantity):
        return True
    operands = _operands(case, reading, quantity, pool)
    if quantity.amount is None:
        operands += [Operand(amount, o.day) for o in operands if (amount := _numerator(o.quantity)) is not None]
    tries = [quantity] if quantity.amount is None else [quantity, quantity.amount]
    return any(derive(q, operands, reading.analysis, case.config.lexicon) is not None for q in tries)


def _between_clocks(case: Case, reading: Reading, quantity: Quantity) -> bool:
    """The time between two clock times of the cited passages, the days of a period told by its first and last."""
    moments = [m for u in case.units(reading.cited) for m in u.analysis.moments]
    if quantity.unit.dimension != TIME:
        return False
    clocks = sorted({m.sub for m in moments if m.kind == "clock"})
    if any(close((b - a) * 60, quantity.low) for a, b in combinations(clocks, 2)):
        return True
    days = sorted({i[0].toordinal() for m in moments if m.kind == "day" and (i := m.interval())})
    told = sorted({i[0].toordinal() for m in reading.analysis.moments if m.kind == "day" and (i := m.interval())})
    spans = [b - a for a, b in combinations(days, 2)] + [b - a + 1 for a, b in combinations(told, 2)]
    return any(close(span * SECONDS_A_DAY, quantity.low) for span in spans)


def _operands(case: Case, reading: Reading, quantity: Quantity, pool: Pool) -> list[Operand]:
    lexicon, low = case.config.lexicon, reading.analysis.low
    if lexicon.increase.search(low) or lexicon.decrease.search(low) or lexicon.difference.search(low):
        # A change has a value of another time by nature.
        operands = [Operand(q, _day(case.bind(u.analysis, q, u))) for u, q in pool]
    else:
        operands = []
        times = _times_meant(case, reading, quantity)
        names = [n for n in reading.analysis.names if n.strict]
        for unit, q in pool:
            other = case.bind(unit.analysis, q, unit)
            if binding.moments_agree(times, other.moments) >= 0 and binding.names_agree(names, other.names) >= 0:
                operands.append(Operand(q, _day(other)))
    operands = _related(case, reading, operands, pool)
    stated = [
        q
        for q in reading.analysis.quantities
        if q is not quantity and (q.unit.dimension in (TIME, CALENDAR) or any(equal(q, e) for _, e in pool))
    ]
    titles = [q for citation in reading.cited for q in case.analyser.quantities(case.passage(citation).title.text)]
    return [*operands, *(Operand(q, None) for q in (*stated, *titles))]


def _related(case: Case, reading: Reading, operands: list[Operand], pool: Pool) -> list[Operand]:
    """Of the operands of one dimension those of rows and measures that the statement names, where two or more are."""
    rows = case.rows_meant(reading, asked=False)
    asked = Bag.of([reading.analysis, case.question.analysis])
    owners = {id(q): unit for unit, q in pool}
    groups: dict[Dimension, list[tuple[Operand, bool]]] = {}
    for operand in operands:
        unit = owners[id(operand.quantity)]
        if unit.headers and rows:
            same_table = any(row.unit.citation == unit.citation for row in rows)
            related = any(row.unit is unit for row in rows) or not same_table
        else:
            own = case.bind(unit.analysis, operand.quantity, unit).own
            across = unit.analysis.han != reading.analysis.han
            related = not own or across or any(match(t, asked) >= _NAMED for t in own)
        groups.setdefault(operand.quantity.unit.dimension, []).append((operand, related))
    kept: list[Operand] = []
    for group in groups.values():
        named = [operand for operand, related in group if related]
        kept.extend(named if len(named) >= _LEAST_OPERANDS else [operand for operand, _ in group])
    return kept


_NAMED, _LEAST_OPERANDS = 0.5, 2


def _times_meant(case: Case, reading: Reading, quantity: Quantity) -> list[Moment]:
    """The times of the statement, for a share else the one period that the question names."""
    times = [m for m in reading.analysis.moments if m.kind not in ("clock", "weekday")]
    if times or quantity.unit.dimension != RATIO or case.config.lexicon.total.search(reading.analysis.low):
        return times
    asked = [m for m in case.question.analysis.moments if m.kind not in ("clock", "weekday")]
    return asked if len({m.key() for m in asked}) == 1 else []


def _numerator(quantity: Quantity) -> Quantity | None:
    """The amount of a rate without its denominator: tonnes of tonnes a hectare."""
    if quantity.amount is not None:
        return quantity.amount
    unit = quantity.unit.numerator
    if unit is None or not quantity.unit.factor:
        return None
    share = unit.factor / quantity.unit.factor
    return replace(
        quantity, low=quantity.low * share, high=quantity.high * share, step=quantity.step * share, unit=unit
    )


def dropped_unit(quantity: Quantity, pool: Sequence[tuple[Unit, Quantity]]) -> bool:
    """ "No older than 35": the bare figure of a value with a unit."""
    return (
        quantity.unit.dimension == COUNT
        and not quantity.noun
        and any(close(quantity.figure, q.figure) or (q.is_range and _end_of(quantity, q)) for _, q in pool)
    )


def _end_of(quantity: Quantity, other: Quantity) -> bool:
    scale = other.unit.factor or 1.0
    return close(quantity.figure * scale, other.low) or close(quantity.figure * scale, other.high)


def sums_its_own(reading: Reading, quantity: Quantity, pool: Sequence[tuple[Unit, Quantity]]) -> bool:
    """A total that the statement itself spells out: "EUR 500: EUR 320 for the flight and EUR 180 for the hotel"."""
    parts = [
        q
        for q in reading.analysis.quantities
        if q is not quantity and q.unit.dimension == quantity.unit.dimension and any(equal(q, e) for _, e in pool)
    ]
    return len(parts) > 1 and close(sum(q.low for q in parts), quantity.low)


def is_basis(case: Case, reading: Reading, quantity: Quantity, pool: Sequence[tuple[Unit, Quantity]]) -> bool:
    """ "In 24 hours": the span for which the statement gives a total that follows from a cited rate."""
    if quantity.unit.dimension not in (TIME, CALENDAR, (("count", 1),)):
        return False
    operands = [Operand(q, None) for _, q in pool if any(exponent < 0 for _, exponent in q.unit.dimension)]
    if not operands:
        return False
    others = [q for q in reading.analysis.quantities if q is not quantity]
    return any(derive(q, [*operands, Operand(quantity, None)], reading.analysis, case.config.lexicon) for q in others)


def _day(bound: Binding) -> date | None:
    """The first day of the time a quantity belongs to."""
    days = [i[0] for m in bound.moments if (i := m.interval()) is not None]
    return days[0] if days else None


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
