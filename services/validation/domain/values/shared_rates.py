"""Amounts that share the denominator of a rate beside them: what is mixed and spread over an area together."""

from __future__ import annotations

import re
from dataclasses import replace

from services.validation.domain.values.quantity import Quantity
from services.validation.domain.values.units import Dimension, Unit, combine

# "250 ml of X per hectare in 400 litres of water".
_MIXED_IN = re.compile(
    r"[^,;.\d]{0,40}\b(?:in|with|mixed (?:in|with)|diluted (?:in|with)|dissolved in)\s+(?:at least |about |up to )?$"
)
# "A quarter of a litre of X and 400 litres of water per hectare".
_TOGETHER = re.compile(r"\s*(?:of\s+(?:[\w-]+\s+){1,3})?(?:and|in|with|plus)\s+(?:at least |about |up to )?$", re.I)
_AREA: Dimension = (("length", 2),)


def share_areas(text: str, found: list[Quantity]) -> list[Quantity]:
    """The quantities, in which an amount mixed with one that is told per area is per area too."""
    shared = list(found)
    for i in range(len(shared) - 1):
        first, second = shared[i], shared[i + 1]
        if _of_area(first) and _plain(second, first) and _MIXED_IN.fullmatch(text, first.end, second.start):
            shared[i + 1] = _per_area(second, first)
        elif _of_area(second) and _plain(first, second) and _TOGETHER.fullmatch(text, first.end, second.start):
            shared[i] = _per_area(first, second)
    return shared


def _of_area(quantity: Quantity) -> bool:
    return _area(quantity) is not None


def _area(quantity: Quantity) -> Unit | None:
    """The unit of area that the quantity is told for."""
    amount = quantity.amount
    if (
        amount is None
        or not quantity.unit.factor
        or combine(amount.unit.dimension, _AREA, -1) != quantity.unit.dimension
    ):
        return None
    return Unit(quantity.unit.unit_id.rsplit("/", 1)[-1], _AREA, amount.unit.factor / quantity.unit.factor)


def _plain(quantity: Quantity, rate: Quantity) -> bool:
    """An amount of a kind with the rate's, without a denominator of its own."""
    amount = rate.amount
    return quantity.amount is None and amount is not None and quantity.unit.dimension == amount.unit.dimension


def _per_area(quantity: Quantity, rate: Quantity) -> Quantity:
    area = _area(rate)
    if area is None:
        return quantity
    factor = 1.0 / area.factor
    return replace(
        quantity, low=quantity.low * factor, high=quantity.high * factor, step=quantity.step * factor,
        unit=quantity.unit.per(area), amount=quantity,
    )  # fmt: skip
