"""How far apart the two sides of a comparison are told to be, which tells their values from others of the kind."""

from __future__ import annotations

import re

from services.validation.domain.analysis import Analysis
from services.validation.domain.values.compare import comparable, tolerance
from services.validation.domain.values.quantity import Quantity
from services.validation.domain.values.units import RATIO

# "36,000 visitors more than", "more by 26 m"; 多收22公斤, 高约4.1%.
_BEFORE, _AFTER = 28, 10
_STOPS = re.compile(r"[,;，。；]|\bat\b|\bwith\b|\bto\b|\b(?:is|are|was|were|has|had|have)\b|为|达|是")
# Sums of binary fractions differ by less.
_ROUNDING = 1e-6


def difference_told(analysis: Analysis, word: str, start: int) -> Quantity | None:
    """The quantity right before or right after the word of a comparison (searched from ``start``), if any."""
    at = analysis.low.find(word, start)
    if at < 0:
        return None
    for quantity in analysis.quantities:
        before = quantity.end <= at and at - quantity.end <= _BEFORE
        after = quantity.start >= at + len(word) and quantity.start - at - len(word) <= _AFTER
        gap = analysis.low[quantity.end : at] if before else analysis.low[at + len(word) : quantity.start]
        if (before or after) and not (quantity.weak or quantity.interval or quantity.is_range or _STOPS.search(gap)):
            return quantity
    return None


def are_apart(difference: Quantity, a: Quantity, b: Quantity) -> bool:
    """The values differ by the difference told, or by that share of the second."""
    if a.is_range or b.is_range or not comparable(a, b):
        return False
    if a.amount is not None and b.amount is not None and difference.amount is None:
        a, b = a.amount, b.amount  # a difference of daily amounts, told without the day
    gap, slack = abs(a.low - b.low), tolerance(difference) if difference.approx else 0.0
    if difference.unit.dimension == RATIO and difference.unit.kind != "point" and a.unit.dimension != RATIO:
        return b.low != 0 and abs(gap / abs(b.low) - difference.low) <= max(slack, difference.step / 2)
    offset = a.unit.offset or b.unit.offset
    if offset:
        size = abs(difference.figure) * a.unit.factor  # degrees differ without the zero of their scale
    elif comparable(difference, a) or (difference.unit.kind == "point" and a.unit.dimension == RATIO):
        size = abs(difference.low)
    else:
        return False
    return abs(gap - size) <= slack + _ROUNDING * max(size, abs(a.low), abs(b.low))
