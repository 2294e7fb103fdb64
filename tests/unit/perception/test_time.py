from __future__ import annotations

from collections.abc import Callable
from datetime import date

import pytest

from services.common.domain.question import ParsedQuestion
from services.perception.adapters.rule_packs import load_layers
from services.perception.bootstrap import Models, assemble

Parse = Callable[..., ParsedQuestion]

# Asked on Friday, 14 March 2025.
CASES = [
    ("tickets closed in March 2024", "in 2024-03-01 2024-03-31"),
    ("added since March 2024", "since 2024-03-01 -"),
    ("between May and August 2023", "between 2023-05-01 2023-08-31"),
    ("revenue in Q4 2024", "in 2024-10-01 2024-12-31"),
    ("revenue in Q2", "in 2024-04-01 2024-06-30"),
    ("revenue in Q1", "in 2025-01-01 2025-03-31"),
    ("H1 2024", "in 2024-01-01 2024-06-30"),
    ("by the end of 2023", "as_of - 2023-12-31"),
    ("the last 30 days", "in 2025-02-12 2025-03-14"),
    ("last month", "in 2025-02-01 2025-02-28"),
    ("last week", "in 2025-03-03 2025-03-09"),
    ("two years ago", "in 2023-01-01 2023-12-31"),
    ("before 2022", "before - 2021-12-31"),
    ("after March 2023", "after 2023-04-01 -"),
    ("from 2018 to 2020", "between 2018-01-01 2020-12-31"),
    ("2018-2020", "between 2018-01-01 2020-12-31"),
    ("compare 2021 and 2023 sales", "between 2021-01-01 2023-12-31"),
    ("between 2009 and now", "between 2009-01-01 2025-03-14"),
    ("the latest edition", "latest - -"),
    ("what was current as of March 2024", "as_of - 2024-03-31"),
    ("sales year to date", "since 2025-01-01 -"),
    ("in the 1990s", "in 1990-01-01 1999-12-31"),
    ("on 25/12/2023", "in 2023-12-25 2023-12-25"),
    ("2023年3月至5月", "between 2023-03-01 2023-05-31"),
    ("二〇二三年的报告", "in 2023-01-01 2023-12-31"),
    ("去年底的库存", "in 2024-12-01 2024-12-31"),
    ("截至去年底", "as_of - 2024-12-31"),
    ("今年以来", "since 2025-01-01 -"),
    ("近三年的增长率", "in 2022-03-14 2025-03-14"),
    ("上上周", "in 2025-02-24 2025-03-02"),
    ("上周三", "in 2025-03-05 2025-03-05"),
    ("四个月前", "in 2024-11-01 2024-11-30"),
    ("半年前", "in 2024-09-01 2024-09-30"),
    ("两年前6月", "in 2023-06-01 2023-06-30"),
    ("五年前10月25日", "in 2020-10-25 2020-10-25"),
    ("2020年8月20号之前", "before - 2020-08-19"),
    ("2023年前三季度", "in 2023-01-01 2023-09-30"),
    ("2021年和2023年的利润", "between 2021-01-01 2023-12-31"),
    ("20世纪90年代", "in 1990-01-01 1999-12-31"),
    ("现行的标准", "latest - -"),
    ("上個月的報告", "in 2025-02-01 2025-02-28"),
]
NO_TIME = [
    "the Companies Act of 2006",
    "Regulation (EU) 2016/679",
    "Does ISO 27001:2013 require it?",
    "must be reported within 72 hours",
    "a fee of 2000 dollars",
    "2000 employees",
    "B737-800 and A320",
    "工龄满十年的员工",
    "第十二条第二款",
    "三年以上工作经验",
    "you may ask the bank",
    "13/13/2023",
    "on 31 February 2023 style",
]


def told(parsed: ParsedQuestion) -> str:
    time = parsed.time
    if time is None:
        return ""
    ends = (d.isoformat() if d else "-" for d in (time.interval.start, time.interval.end))
    return " ".join((time.relation.value, *ends))


@pytest.mark.parametrize(("question", "expected"), CASES)
def test_constraint(parse: Parse, question: str, expected: str) -> None:
    assert told(parse(question)) == expected


@pytest.mark.parametrize("question", NO_TIME[:11])
def test_figures_that_are_no_time(parse: Parse, question: str) -> None:
    assert told(parse(question)) == ""


@pytest.mark.parametrize("question", NO_TIME[11:])
def test_days_that_do_not_exist_are_not_read_as_days(parse: Parse, question: str) -> None:
    time = parse(question).time
    assert time is None or time.interval.start != time.interval.end


def test_both_readings_of_a_figure_date_are_reported(parse: Parse) -> None:
    parsed = parse("signed on 03/04/2024")
    assert told(parsed) == "in 2024-04-03 2024-04-03"
    assert [a.options for a in parsed.ambiguities if a.field == "time"] == [("day/month/year", "month/day/year")]


def test_leap_day_without_a_year_is_the_last_one(parse: Parse) -> None:
    assert told(parse("the outage on 29 February")) == "in 2024-02-29 2024-02-29"


def test_fiscal_years_begin_where_the_setting_says(packs: object, models: Models) -> None:
    shifted = assemble(load_layers([packs]), models, fiscal_start_month=7)  # type: ignore[list-item]
    assert told(shifted.parse("budget for FY2024", date(2025, 3, 14))) == "in 2023-07-01 2024-06-30"
    assert told(shifted.parse("sales in 2024", date(2025, 3, 14))) == "in 2024-01-01 2024-12-31"
