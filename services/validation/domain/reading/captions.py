"""Values of a sentence under one unit: "Revenue in 2024 (USD million): Instruments 212.4; Services 61.7"."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from services.validation.domain.analysis import Analysis
from services.validation.domain.reading.patterns import Pattern
from services.validation.domain.reading.tables import Scan, declared_unit, in_unit
from services.validation.domain.values.quantity import Quantity
from services.validation.domain.values.units import COUNT

_CAPTION = Pattern(
    r"[(（\[][^()（）\[\]\d]{1,30}[)）\]]\s*[:：]|单位\s*[：:为]?\s*[^，。；:：\d]{1,10}[)）]?\s*[:：，]"
)
# A unit with its value right behind it does not reach the value of another label: "Cost (EUR): 12; Staff: 5".
_OWN_LABEL = re.compile(r"\s*-?\d.*[:：]", re.DOTALL)
_ALONE = re.compile(r"\s*(?:[;；,，、.。)）]|$)")


def under_caption(analysis: Analysis, scan: Scan) -> Analysis:
    """The text with the bare numbers that follow a unit in brackets and a colon read in that unit.

    A row told with its header has one such unit for each value: "Cost (EUR): 12; Weight (kg): 5".
    """
    captions = [
        (match.end(), one)
        for match in _CAPTION.finditer(analysis.text)
        if (one := declared_unit(match.group().rstrip(" :：，"), scan)) is not None
    ]
    if not captions:
        return analysis
    return replace(analysis, quantities=tuple(_read(analysis.text, q, captions) for q in analysis.quantities))


def _read(text: str, quantity: Quantity, captions: Sequence[tuple[int, Quantity]]) -> Quantity:
    bare = quantity.unit.dimension == COUNT and not quantity.is_range and quantity.surface[-1:].isdigit()
    above = [one for end, one in captions if end <= quantity.start and not _OWN_LABEL.match(text[end : quantity.start])]
    return in_unit(quantity, above[-1]) if bare and above and _ALONE.match(text, quantity.end) else quantity
