"""What a price is cut to, and by how much: 八五折 is 85% of it and 15% off."""

from __future__ import annotations

import re
from collections.abc import Sequence

from services.validation.domain.case import Reading
from services.validation.domain.reading.evidence import Unit
from services.validation.domain.values.compare import close
from services.validation.domain.values.quantity import Quantity
from services.validation.domain.values.units import RATIO

DISCOUNT = "discount"
_OFF = re.compile(r"\b(?:off|discounts?|reduc\w+|rebates?|cheaper|less|sav(?:e|es|ing)|lower)\b|优惠|减|降|便宜|省|少")


def tells_discount(reading: Reading, quantity: Quantity, pool: Sequence[tuple[Unit, Quantity]]) -> bool:
    """A share of a price, or a share off it, that the evidence tells in 折; or the reverse."""
    said = reading.analysis.low
    return any(
        _agree(quantity, said, q)
        if q.unit.unit_id == DISCOUNT
        else quantity.unit.unit_id == DISCOUNT and _agree(q, u.analysis.low, quantity)
        for u, q in pool
    )


def _agree(share: Quantity, text: str, discount: Quantity) -> bool:
    """``text`` tells the share as what is left of a price, or, with words of reducing, as what is taken off it."""
    if share.unit.dimension != RATIO or share.unit.kind == "point" or share.is_range:
        return False
    return close(share.low, 1 - discount.low if _OFF.search(text) else discount.low)
