"""Seasons, fortnights, ranges of days: words that need the day on which they are said."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date

import pytest

from services.common.domain.question import ParsedQuestion

Parse = Callable[..., ParsedQuestion]


@pytest.mark.parametrize(
    ("question", "today", "start", "end"),
    [
        ("How many tickets came last winter?", date(2026, 1, 15), date(2024, 12, 1), date(2025, 2, 28)),
        ("How many tickets came last winter?", date(2026, 11, 30), date(2025, 12, 1), date(2026, 2, 28)),
        ("How many tickets came this winter?", date(2026, 1, 15), date(2025, 12, 1), date(2026, 2, 28)),
        ("How many tickets came this winter?", date(2026, 11, 30), date(2026, 12, 1), date(2027, 2, 28)),
        ("How many tickets came last summer?", date(2026, 7, 15), date(2025, 6, 1), date(2025, 8, 31)),
        ("How many tickets came this summer?", date(2026, 7, 15), date(2026, 6, 1), date(2026, 8, 31)),
        ("Who was hired in fall 2021?", date(2026, 7, 15), date(2021, 9, 1), date(2021, 11, 30)),
        ("Did prices fall last year?", date(2026, 7, 15), date(2025, 1, 1), date(2025, 12, 31)),
        ("Will demand spring this year?", date(2026, 7, 15), date(2026, 1, 1), date(2026, 12, 31)),
        ("What was deployed a fortnight ago?", date(2026, 7, 15), date(2026, 6, 29), date(2026, 7, 5)),
        ("What was deployed over the past two fortnights?", date(2026, 7, 15), date(2026, 6, 17), date(2026, 7, 15)),
        ("What was deployed two fortnights ago?", date(2026, 7, 15), date(2026, 6, 15), date(2026, 6, 21)),
        ("What was deployed the week before last?", date(2026, 7, 15), date(2026, 6, 29), date(2026, 7, 5)),
        ("Meetings on 3-7 May 2024", date(2026, 7, 15), date(2024, 5, 3), date(2024, 5, 7)),
        ("What was sold from March 2 to 9?", date(2026, 7, 15), date(2026, 3, 2), date(2026, 3, 9)),
        ("Which firms were founded in the nineties?", date(2026, 7, 15), date(1990, 1, 1), date(1999, 12, 31)),
        ("去年冬天停电几次？", date(2026, 7, 15), date(2025, 12, 1), date(2026, 2, 28)),
    ],
)
def test_days_meant(parse: Parse, question: str, today: date, start: date, end: date) -> None:
    found = parse(question, today).time
    assert found is not None
    assert found.interval is not None
    assert (found.interval.start, found.interval.end) == (start, end)


@pytest.mark.parametrize(
    "question",
    ["Why are temperatures in the nineties a risk?", "员工离职要提前几天通知公司？", "When does the ladder fall?"],
)
def test_no_time(parse: Parse, question: str) -> None:
    assert parse(question, date(2026, 7, 15)).time is None


@pytest.mark.parametrize("unit", ["fortnight", "day", "week", "month", "quarter", "year", "decade"])
@pytest.mark.parametrize("form", ["in the last 2 {}s", "2 {}s ago", "within the next 2 {}s", "the last {}", "a {} ago"])
def test_every_unit_goes_through_every_form(parse: Parse, unit: str, form: str) -> None:
    parse(f"Which sites were audited {form.format(unit)}?", date(2026, 7, 15))
