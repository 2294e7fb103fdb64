"""Where shaded cells of a PDF page meet side by side."""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterator
from functools import lru_cache
from itertools import islice, product

Box = tuple[float, float, float, float]
"""left, top, right, bottom"""

# Cells meet within this distance, in points.
_MEET = 1.5
# More boxes that begin where one ends are a pattern and no cells.
_MOST_BESIDE = 20


@lru_cache(maxsize=4)
def borders_between(shades: tuple[Box, ...]) -> tuple[tuple[int, float, float], ...]:
    """Borders between two cells of the same height beside each other: x, the lower of their tops, the higher of their
    bottoms; each once."""
    rows = _rows(shades)
    found = {
        (round((one[2] + other[0]) / 2), max(one[1], other[1]), min(one[3], other[3]))
        for one in set(shades)
        for other in _beside(one, rows)
        if _meet(one, other)
    }
    return tuple(sorted(found))


def _rows(shades: tuple[Box, ...]) -> dict[tuple[int, int], list[Box]]:
    """The boxes, each once, from left to right, by where about their tops and bottoms are."""
    rows: dict[tuple[int, int], list[Box]] = defaultdict(list)
    for box in sorted(set(shades)):
        rows[_row(box)].append(box)
    return rows


def _beside(one: Box, rows: dict[tuple[int, int], list[Box]]) -> Iterator[Box]:
    """Boxes that begin about where ``one`` ends, in its row or in one so near that they may be level with it."""
    top, bottom = _row(one)
    for step in product((-1, 0, 1), repeat=2):
        row = rows.get((top + step[0], bottom + step[1]))
        if row is not None:
            first = bisect_right(row, one[2] - _MEET, key=lambda box: box[0])
            yield from islice(row, first, first + _MOST_BESIDE)


def _meet(one: Box, other: Box) -> bool:
    return abs(one[2] - other[0]) < _MEET and abs(one[1] - other[1]) < _MEET and abs(one[3] - other[3]) < _MEET


def _row(box: Box) -> tuple[int, int]:
    return int(box[1] // _MEET), int(box[3] // _MEET)
