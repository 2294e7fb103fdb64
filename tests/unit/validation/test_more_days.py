"""Days of a month that is named once."""

from __future__ import annotations

import pytest

from services.validation.domain.times.moment_finder import find_moments


def days(text: str) -> list[tuple[int, int, int]]:
    return [(m.year, m.sub, m.day) for m in find_moments(text) if m.kind == "day"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "played on March 6-7, and again on March 13-14, 2018.",
            [(2018, 3, 6), (2018, 3, 7), (2018, 3, 13), (2018, 3, 14)],
        ),
        ("on 6-7 March 2018", [(2018, 3, 6), (2018, 3, 7)]),
        ("from March 6 to 7, 2018", [(2018, 3, 6), (2018, 3, 7)]),
        ("between 6 and 8 March 2020 it is closed", [(2020, 3, 6), (2020, 3, 8)]),
        ("on 3, 10 and 17 May", [(0, 5, 3), (0, 5, 10), (0, 5, 17)]),
        ("Meetings on May 3, 10, and 17.", [(0, 5, 3), (0, 5, 10), (0, 5, 17)]),
        ("from 30 to 31 December", [(0, 12, 30), (0, 12, 31)]),
    ],
)
def test_every_day_that_is_told_is_read(text: str, expected: list[tuple[int, int, int]]) -> None:
    assert days(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("On March 6 and 7 members left.", [(0, 3, 6)]),
        ("On June 4, 25 people came.", [(0, 6, 4)]),
        ("On June 4, 25.5 tonnes came.", [(0, 6, 4)]),
        ("April 5, 6 pm", [(0, 4, 5)]),
        ("Page 6 and 7 March", [(0, 3, 7)]),
        ("The report of 12 pages, 7 March 2024", [(2024, 3, 7)]),
    ],
)
def test_what_is_counted_is_no_day(text: str, expected: list[tuple[int, int, int]]) -> None:
    assert days(text) == expected
