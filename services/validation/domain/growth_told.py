"""Growth in per cent where the evidence tells a value and by how much it has changed: 180, 20 more than before."""

from __future__ import annotations

from services.validation.domain.case import Case, Reading
from services.validation.domain.computed import Pool
from services.validation.domain.derivation import fits
from services.validation.domain.quantity import Quantity
from services.validation.domain.units import CALENDAR, RATIO, TIME

_NEAR = 8


def grows_by(case: Case, reading: Reading, quantity: Quantity, pool: Pool) -> bool:
    """The percentage is the told change over the value before it, in the direction of the change."""
    if quantity.unit.dimension != RATIO or quantity.unit.kind == "point":
        return False
    lexicon, low = case.config.lexicon, reading.analysis.low
    up, down = lexicon.increase.search(low) is not None, lexicon.decrease.search(low) is not None
    for unit, change in pool:
        if change.unit.dimension in (RATIO, TIME, CALENDAR) or change.is_range:
            continue
        before = unit.analysis.low[max(0, change.start - _NEAR) : change.start]
        rose, fell = lexicon.increase.search(before) is not None, lexicon.decrease.search(before) is not None
        if rose == fell or not ((rose and up) or (fell and down)):
            continue
        for other, value in pool:
            if other.citation != unit.citation or value is change or value.unit.dimension != change.unit.dimension:
                continue
            earlier = value.low - change.low if rose else value.low + change.low
            if earlier > 0 and fits(quantity, change.low / earlier):
                return True
    return False
