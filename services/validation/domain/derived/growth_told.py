"""Growth in per cent where the evidence tells a value and by how much it has changed: 180, 20 more than before."""

from __future__ import annotations

from collections.abc import Iterator

from services.validation.domain.case import Case, Reading
from services.validation.domain.config import Lexicon
from services.validation.domain.derived.derivation import alike, fits
from services.validation.domain.derived.operands import Pool
from services.validation.domain.times.relative_years import YEAR_BEFORE, told_relatively
from services.validation.domain.values.quantity import Quantity
from services.validation.domain.values.units import CALENDAR, RATIO, TIME

_NEAR = 8


def grows_by(case: Case, reading: Reading, quantity: Quantity, pool: Pool) -> bool:
    """The percentage is the told change over the value before it, in the direction of the change."""
    if quantity.unit.dimension != RATIO or quantity.unit.kind == "point":
        return False
    lexicon, low = case.config.lexicon, reading.analysis.low
    up, down = lexicon.increase.search(low) is not None, lexicon.decrease.search(low) is not None
    return any(
        earlier > 0 and ((sign > 0 and up) or (sign < 0 and down)) and fits(quantity, change / earlier)
        for sign, change, earlier in _changes(lexicon, pool)
    )


def was_before(case: Case, reading: Reading, quantity: Quantity, pool: Pool) -> bool:
    """The value of the year before, told of that year by its number or as such: 52 where it is 50 now, 2 fewer."""
    year_before = YEAR_BEFORE.search(reading.analysis.low) is not None
    if not year_before and not any(told_relatively(case, reading, m) for m in reading.analysis.moments):
        return False
    same = [(unit, q) for unit, q in pool if q.unit.dimension == quantity.unit.dimension]
    return any(fits(quantity, earlier) for _, _, earlier in _changes(case.config.lexicon, same))


def _changes(lexicon: Lexicon, pool: Pool) -> Iterator[tuple[int, float, float]]:
    """The changes that the evidence tells: their sign, how much, and the value before each."""
    for unit, change in pool:
        if change.unit.dimension in (RATIO, TIME, CALENDAR) or change.is_range:
            continue
        before = unit.analysis.low[max(0, change.start - _NEAR) : change.start]
        rose, fell = lexicon.increase.search(before) is not None, lexicon.decrease.search(before) is not None
        if rose == fell:
            continue
        sign = 1 if rose else -1
        for other, value in pool:
            if other.citation == unit.citation and value is not change and alike(value, change):
                yield sign, change.low, value.low - sign * change.low
