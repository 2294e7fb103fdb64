"""What a value may be computed from: the cited values of its time, names, rows and measures."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import date

from services.validation.domain.case import Case, Reading
from services.validation.domain.derived.derivation import Operand
from services.validation.domain.reading.evidence import Unit
from services.validation.domain.times.moments import Moment
from services.validation.domain.times.month_spans import with_between
from services.validation.domain.times.relative_years import YEAR_BEFORE
from services.validation.domain.values import binding
from services.validation.domain.values.binding import Binding
from services.validation.domain.values.quantity import Quantity
from services.validation.domain.values.units import RATIO, TIMES, Dimension
from services.validation.domain.wording.align import Bag, match

Pool = Sequence[tuple[Unit, Quantity]]


def operands_of(case: Case, reading: Reading, quantity: Quantity, pool: Pool) -> list[Operand]:
    """Operands in the order of the pool; a range stands for its ends."""
    lexicon, low = case.config.lexicon, reading.analysis.low
    changes = lexicon.increase.search(low) or lexicon.decrease.search(low) or lexicon.difference.search(low)
    if changes or (quantity.unit.dimension in (TIMES, RATIO) and YEAR_BEFORE.search(low)):
        # A change has a value of another time by nature.
        operands = [Operand(q, _day(case.bind(u.analysis, q, u)), column=column_of(u, q), row=u.index) for u, q in pool]
    else:
        operands = []
        times = _times_meant(case, reading, quantity)
        names = [n for n in reading.analysis.names if n.strict]
        for unit, q in pool:
            other = case.bind(unit.analysis, q, unit)
            if binding.moments_agree(times, other.moments) >= 0 and binding.names_agree(names, other.names) >= 0:
                operands.append(Operand(q, _day(other), column=column_of(unit, q), row=unit.index))
    operands = _related(case, reading, operands, pool)
    return [replace(o, quantity=end) for o in operands for end in ends(o.quantity)]


def column_of(unit: Unit, quantity: Quantity) -> tuple[int, int] | None:
    """The table (by its passage) and the column of a cell; None outside tables."""
    for i, (start, end, _) in enumerate(unit.headers):
        if start <= quantity.start < end:
            return unit.citation, i
    return None


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
        # What stands in one sentence with a value that is spoken of belongs to it.
        near = {id(owners[id(operand.quantity)]) for operand, related in group if related}
        named = [
            operand
            for operand, related in group
            if related or (id(owners[id(operand.quantity)]) in near and not owners[id(operand.quantity)].headers)
        ]
        kept.extend(named if len(named) >= _LEAST_OPERANDS else [operand for operand, _ in group])
    return kept


_NAMED, _LEAST_OPERANDS = 0.5, 2


def _times_meant(case: Case, reading: Reading, quantity: Quantity) -> list[Moment]:
    """The times of the statement, for a share else the one period that the question names."""
    times = [m for m in reading.analysis.moments if m.kind not in ("clock", "weekday")]
    times = with_between(reading.analysis.text, times)
    if times or quantity.unit.dimension != RATIO or case.config.lexicon.total.search(reading.analysis.low):
        return times
    asked = [m for m in case.question.analysis.moments if m.kind not in ("clock", "weekday")]
    return asked if len({m.key() for m in asked}) == 1 else []


def ends(quantity: Quantity) -> list[Quantity]:
    """A range gives both its ends to compute with."""
    if not quantity.is_range:
        return [quantity]
    return [replace(quantity, high=quantity.low), replace(quantity, low=quantity.high)]


def _day(bound: Binding) -> date | None:
    """The first day of the time a quantity belongs to."""
    days = [i[0] for m in bound.moments if (i := m.interval()) is not None]
    return days[0] if days else None
