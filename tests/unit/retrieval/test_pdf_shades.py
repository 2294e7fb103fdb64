"""Borders between shaded cells are those of every pair of them, found without a look at every pair."""

from __future__ import annotations

import random

import pytest

from services.retrieval.adapters.parsers import pdf_shades
from services.retrieval.adapters.parsers.pdf_drawn import Drawn
from services.retrieval.adapters.parsers.pdf_shades import Box, borders_between


def _grid(columns: int, rows: int, size: float = 10.0) -> tuple[Box, ...]:
    return tuple(
        (x * size, y * size, (x + 1) * size, (y + 1) * size) for y in range(rows) for x in range(columns)
    )  # fmt: skip


def _of_every_pair(shades: tuple[Box, ...], top: float, bottom: float) -> list[float]:
    near = [box for box in shades if box[1] < bottom + 45 and box[3] > top - 45]
    met = {
        round((one[2] + other[0]) / 2)
        for one in near
        for other in near
        if max(abs(one[2] - other[0]), abs(one[1] - other[1]), abs(one[3] - other[3])) < 1.5
    }
    return [border for border in sorted(met) if border - 1 not in met]


@pytest.mark.parametrize("seed", range(20))
def test_borders_near_a_line_are_those_of_every_pair(seed: int) -> None:
    dice = random.Random(seed)
    shades = tuple(
        (left + dice.uniform(-1, 1), top + dice.uniform(-1, 1), right + dice.uniform(-1, 1), low + dice.uniform(-1, 1))
        for left, top, right, low in dice.sample(_grid(6, 30), 120)
    )
    for top in range(0, 300, 25):
        assert Drawn(shades).borders(top, top + 9) == _of_every_pair(shades, top, top + 9)


def test_a_grid_has_its_borders() -> None:
    assert Drawn(_grid(4, 20)).borders(100, 110) == [10, 20, 30]


@pytest.mark.parametrize(
    "shades",
    [
        _grid(50, 40),
        tuple((0.0, 0.0, 1.4 - n / 2000, 9.0 + n / 2000) for n in range(2000)),
        tuple((n / 2000, n / 4000, 1.0 + n / 2000, 9.0) for n in range(2000)),
    ],
)
def test_a_page_full_of_boxes_is_compared_once_and_box_by_neighbour(
    monkeypatch: pytest.MonkeyPatch, shades: tuple[Box, ...]
) -> None:
    compared = 0
    honest = pdf_shades._meet

    def counted(one: Box, other: Box) -> bool:
        nonlocal compared
        compared += 1
        return honest(one, other)

    monkeypatch.setattr(pdf_shades, "_meet", counted)
    borders_between.cache_clear()
    drawn = Drawn(shades)
    for top in range(0, 400, 10):
        drawn.borders(top, top + 9)
    assert 0 < compared <= 200 * len(shades)
