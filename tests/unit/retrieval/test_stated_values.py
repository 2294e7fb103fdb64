"""Values are read with what they measure, however they are written; what names a thing or a place is none."""

from __future__ import annotations

import pytest

from services.retrieval.domain.values.stated_values import read_values
from services.retrieval.domain.values.value_matching import comparable, differing


@pytest.mark.parametrize(
    ("text", "kind", "normal"),
    [
        ("Answer within one hour.", "time", "60 min"),
        ("Answer within an hour.", "time", "60 min"),
        ("Leave half an hour earlier.", "time", "30 min"),
        ("It takes one and a half hours.", "time", "90 min"),
        ("The report is due after a fortnight.", "time", "20160 min"),
        ("Read the gauge at two-hourly intervals.", "time", "120 min"),
        ("Answer within forty-eight hours.", "time", "2880 min"),
        ("半天内答复。", "time", "720 min"),
        ("一个半小时内送达。", "time", "90 min"),
        ("十个工作日内办理。", "time", "working 14400 min"),
        ("The shop closes at 8 p.m.", "clock", "20:00"),
        ("商店下午3点半关门。", "clock", "15:30"),
        ("Rent is due on the third working day of each month.", "day of month", "day 3"),
        ("每月5日前支付。", "day of month", "day 5"),
        ("File by 31 May.", "day of year", "--05-31"),
        ("6月30日前申报。", "day of year", "--06-30"),
        ("百分之七十五的学生", "%", "75%"),
        ("滞纳金为万分之五。", "%", "0.05%"),
        ("处百分之三点五的罚款。", "%", "3.5%"),
        ("不超过百分之一百二十。", "%", "120%"),
        ("运输距离不超过三点五公里。", "length", "3.5 公里"),
        ("罚款三点五万元。", "¥", "35000 元"),
        ("罚款三万五千元。", "¥", "35000 元"),
        ("违约金为一千二百万元。", "¥", "12000000 元"),
        ("投资一点二亿元。", "¥", "120000000 元"),
        ("保存一二〇天。", "time", "172800 min"),
        ("三月一日前申报。", "day of year", "--03-01"),
        ("本法自二〇二四年三月一日起施行。", "date", "2024-03-01"),
        ("工本费一元五角。", "¥", "1.5 元"),
        ("罚款五万元。", "¥", "50000 元"),
        ("The fee is EUR 5,000.", "€", "€5000"),
        ("The account is locked after five failed attempts.", "", "5"),
        ("A test may be repeated twice.", "", "2"),
        ("连续失败五次后锁定。", "", "5"),
    ],
)
def test_what_a_value_measures(text: str, kind: str, normal: str) -> None:
    [value] = read_values(text).values
    assert (value.kind, value.text) == (kind, normal)


@pytest.mark.parametrize(
    ("text", "key"),
    [
        ("The Heinkel HD 40 was built in Germany.", "HD40"),
        ("Press 2 has a force that is shown.", "PRESS2"),
        ("We fly the Boeing 737.", "BOEING737"),
        ("2.1版支持集群。", "2.1版"),
        ("第二步之后等待。", "第二步"),
        ("These are films of the 1960s.", "1960S"),
        ("2024年的计划", "2024"),
        ("项目计划于2024年完工。", "2024"),
        ("项目计划于二〇二四年完工。", "2024"),
        ("二〇二四年度的计划", "2024"),
    ],
)
def test_what_names_a_thing_is_a_key(text: str, key: str) -> None:
    reading = read_values(text)
    assert not reading.values and key in reading.keys


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("10 kg", "22 pounds"),
        ("1 GB", "1024 MB"),
        ("90 days", "three months"),
        ("12 months", "one year"),
        ("5 working days", "a week and a half is too long, 7 days"),
        ("5千克", "10斤"),
        ("2立方米", "2000升"),
        ("10:00", "10 a.m."),
        ("one hundred percent", "100%"),
    ],
)
def test_the_same_value_in_other_units_does_not_differ(first: str, second: str) -> None:
    a, b = (read_values(text).values[-1:] for text in (first, second))
    assert comparable(a, b) and not differing(a, b)


def test_values_of_other_kinds_are_not_compared() -> None:
    assert not comparable(read_values("20 m").values, read_values("20 minutes").values)


def test_how_often_is_no_length_of_time() -> None:
    assert read_values("The filter is checked every 6 months.").often
    assert read_values("检查周期为6个月。").often
    assert not read_values("The check takes 6 months.").often


@pytest.mark.parametrize("text", ["三四天内办理。", "约有二三十人。"])
def test_three_or_four_of_something_is_no_value(text: str) -> None:
    assert read_values(text).values == ()
