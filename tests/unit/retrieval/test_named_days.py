"""Periods that a text names, in both languages."""

from __future__ import annotations

import time
from datetime import date

import pytest

from services.retrieval.domain.values.named_days import asked_days, named_days


def _told(text: str) -> list[tuple[str, str]]:
    return [(str(days.start), str(days.end)) for days in named_days(text)]


@pytest.mark.parametrize(
    ("text", "start", "end"),
    [
        ("It was sold in 1994.", "1994-01-01", "1994-12-31"),
        ("in March 2017", "2017-03-01", "2017-03-31"),
        ("on Sept. 5, 2018", "2018-09-05", "2018-09-05"),
        ("on the 5th of May 2018", "2018-05-05", "2018-05-05"),
        ("as of 2017-03-05", "2017-03-05", "2017-03-05"),
        ("in Q3 2018", "2018-07-01", "2018-09-30"),
        ("in the 1990s", "1990-01-01", "1999-12-31"),
        ("in the 1700s", "1700-01-01", "1799-12-31"),
        ("19th-century art", "1800-01-01", "1899-12-31"),
        ("from 2010 to 2015", "2010-01-01", "2015-12-31"),
        ("the war (1914–1918)", "1914-01-01", "1918-12-31"),
        ("between 1914 and 1918", "1914-01-01", "1918-12-31"),
        ("2024年3月的时候", "2024-03-01", "2024-03-31"),
        ("2000 年成立", "2000-01-01", "2000-12-31"),
        ("自2024年1月1日起施行", "2024-01-01", "2024-01-01"),
        ("二〇一七年三月一日公布", "2017-03-01", "2017-03-01"),
        ("2017年第三季度", "2017-07-01", "2017-09-30"),
        ("20世纪90年代", "1990-01-01", "1999-12-31"),
        ("十九世纪的艺术", "1800-01-01", "1899-12-31"),
        ("2011年至2013年", "2011-01-01", "2013-12-31"),
    ],
)
def test_a_period_is_read(text: str, start: str, end: str) -> None:
    assert _told(text) == [(start, end)]


@pytest.mark.parametrize(
    "text",
    [
        "It costs $1500.",
        "1,500 people",
        "2000% more",
        "RFC-1918",
        "x1999",
        "1200元",
        "1800米",
        "2017-13-45x",
        "§1013.2",
    ],
)
def test_numbers_that_are_no_years_are_left(text: str) -> None:
    assert not [days for days in named_days(text) if days.start and days.start.year != 2017]


def test_two_years_with_and_between_are_two_periods() -> None:
    assert len(named_days("The figures of 2011 and 2013 differ.")) == 2
    assert len(named_days("from 2015 to 2010")) == 2


@pytest.mark.parametrize(
    ("question", "start", "end"),
    [
        ("What has changed since 2015?", date(2015, 1, 1), None),
        ("Who ruled before July 21, 2011?", None, date(2011, 7, 21)),
        ("2015年以后有哪些变化？", date(2015, 1, 1), None),
        ("2020年8月20日之前的借款", None, date(2020, 8, 20)),
        ("How did it grow from 2010 to 2015?", date(2010, 1, 1), date(2015, 12, 31)),
    ],
)
def test_a_question_may_leave_an_end_open(question: str, start: date | None, end: date | None) -> None:
    [days] = asked_days(question)
    assert (days.start, days.end) == (start, end)


def test_the_periods_of_one_text_are_bounded_and_so_is_the_work() -> None:
    assert len(named_days("1999, " * 5_000)) == 64
    began = time.process_time()
    named_days("the of 5 5th st 19th " * 20_000)
    named_days("1" * 100_000)
    assert time.process_time() - began < 2.0
