"""Values of a sentence under one unit: "Revenue in 2024 (USD million): Instruments 212.4; Services 61.7"."""

from __future__ import annotations

import re
from dataclasses import replace

from services.validation.domain.analysis import Analysis
from services.validation.domain.patterns import Pattern
from services.validation.domain.quantity import Quantity
from services.validation.domain.tables import Scan, declared_unit, in_unit
from services.validation.domain.units import COUNT

_CAPTION = Pattern(
    r"[(（\[][^()（）\[\]\d]{1,30}[)）\]]\s*[:：]|单位\s*[：:为]?\s*[^，。；:：\d]{1,10}[)）]?\s*[:：，]"
)
_ALONE = re.compile(r"\s*(?:[;；,，、.。)）]|$)")


def under_caption(analysis: Analysis, scan: Scan) -> Analysis:
    """The text with the bare numbers that follow a unit in brackets and a colon read in that unit."""
    caption = _CAPTION.search(analysis.text)
    if caption is None:
        return analysis
    one = declared_unit(caption.group().rstrip(" :：，"), scan)
    if one is None:
        return analysis
    read = tuple(_read(analysis.text, q, caption.end(), one) for q in analysis.quantities)
    return replace(analysis, quantities=read)


def _read(text: str, quantity: Quantity, start: int, one: Quantity) -> Quantity:
    bare = quantity.unit.dimension == COUNT and not quantity.is_range and quantity.surface[-1:].isdigit()
    return in_unit(quantity, one) if bare and quantity.start >= start and _ALONE.match(text, quantity.end) else quantity
