"""What is drawn behind the words of a PDF page: shading and rules."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from services.retrieval.adapters.parsers.pdf_shades import Box, borders_between

_PATH_OBJECT = 2
# A drawn box that is thinner is a rule, one that is higher and wider than a line of small print is shading.
_RULE_THICKNESS = 2.0
_LEAST_SHADE = 5.0
_LEAST_RULE = 20.0
# Shaded cells tell the columns of lines this far above and below, in points.
_NEAR = 45.0
# A page with more drawn paths is a picture, whose paths say nothing about tables.
_MOST_PATHS = 20_000

Seen = Callable[[float, float, float, float], Box]
"""From left, bottom, right, top in the file's coordinates to a box as the page is seen."""


@dataclass(frozen=True, slots=True)
class Drawn:
    """Filled boxes and horizontal rules of a page, and how many paths there are in all."""

    shades: tuple[Box, ...] = ()
    rules: tuple[Box, ...] = ()
    paths: int = 0

    def borders(self, top: float, bottom: float) -> list[float]:
        """Where shaded cells meet side by side near a stretch of the page: borders of columns, from left to right."""
        met = {
            border
            for border, upper, lower in borders_between(self.shades)
            if upper < bottom + _NEAR and lower > top - _NEAR
        }
        return [border for border in sorted(met) if border - 1 not in met]


def drawn_on(page: Any, seen: Seen, height: float) -> Drawn:
    """Shading and horizontal rules of a page, top to bottom; ``seen``: from a box in the file to one as it is seen."""
    boxes, paths = [], 0
    for item in page.get_objects(filter=[_PATH_OBJECT], max_depth=2):
        paths += 1
        if paths > _MOST_PATHS:
            return Drawn(paths=paths)
        left, bottom, right, top = item.get_bounds()
        boxes.append((seen(left, bottom, right, top), _filled(item)))
    shades = [box for box, filled in boxes if filled and min(_size(box)) >= _LEAST_SHADE]
    # A box behind the whole page is its background.
    shades = [box for box in shades if _size(box)[1] < 0.7 * height]
    rules = [box for box, _ in boxes if _size(box)[1] <= _RULE_THICKNESS and _size(box)[0] >= _LEAST_RULE]
    return Drawn(tuple(sorted(shades, key=_top)), tuple(sorted(rules, key=_top)), paths)


def _filled(item: Any) -> bool:
    import pypdfium2.raw as pdfium

    mode, stroke = ctypes.c_int(), ctypes.c_int()
    pdfium.FPDFPath_GetDrawMode(item.raw, mode, stroke)
    return bool(mode.value)


def _size(box: Box) -> tuple[float, float]:
    return box[2] - box[0], box[3] - box[1]


def _top(box: Box) -> float:
    return box[1]
