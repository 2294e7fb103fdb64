"""Values that a statement tells a second time in another unit (600 litres a minute, that is 0.6 cubic metres), and the
one of something of which the evidence tells a value each."""

from __future__ import annotations

from services.validation.domain.case import Case, Reading
from services.validation.domain.derived.derivation import EQUATES
from services.validation.domain.values.compare import close
from services.validation.domain.values.quantity import Quantity
from services.validation.domain.values.units import COUNTS, RATIO


def restates_own(reading: Reading, quantity: Quantity) -> bool:
    """The value is that of another one of the statement, the denominator of a rate left out, behind "that is".

    The other one is judged by itself.
    """
    if quantity.unit.dimension in (*COUNTS, RATIO):
        return False
    low = reading.analysis.low
    for other in reading.analysis.quantities:
        told = other.amount or other
        if other is quantity or told.unit.dimension != quantity.unit.dimension or told.unit == quantity.unit:
            continue
        same = close(told.low, quantity.low) and close(told.high, quantity.high)
        if same and other.end <= quantity.start and EQUATES.search(low, other.end, quantity.start):
            return True
    return False


def one_of_each(case: Case, reading: Reading, quantity: Quantity) -> bool:
    """一个班补80元, where the evidence gives 80 for each: 每班."""
    noun = reading.analysis.low[quantity.end : quantity.end + 1]
    return "\u4e00" <= noun <= "\u9fff" and any("每" + noun in u.analysis.low for u in case.units(reading.cited))
