"""Values that questions ask for and passages hold."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from services.common.errors import FailedPrecondition
from services.retrieval.adapters.segmenter import Segmenter
from services.retrieval.adapters.units_config import load_units
from services.retrieval.domain.ranking.lexical import analyze
from services.retrieval.domain.values.measures import Units, asked_measure, counts, holds, is_number, values


@pytest.fixture(scope="module")
def units() -> Units:
    return load_units(Path(__file__).resolve().parents[3] / "config" / "validation" / "units.yaml")


@pytest.mark.parametrize(
    ("question", "measures"),
    [
        ("How long does a transfer take?", {"time", "calendar", "workday", "night", "length"}),
        ("How old must an applicant be?", {"calendar"}),
        ("What percentage of users agreed?", {"ratio"}),
        ("What is the annual fee?", {"money"}),
        ("How many square kilometres burned?", {"area"}),
        ("At what temperature does it melt?", {"temperature"}),
        ("审计记录应当保存多久？", {"time", "calendar", "workday", "night", "length"}),
        ("应当多少天提前告知？", {"time"}),
        ("烧毁了多少平方公里？", {"area"}),
        ("录取的比例是多少？", {"ratio"}),
        ("豁免的金额是多少？", {"money"}),
        ("百分之几的人同意？", {"ratio"}),
        ("What is the total area of the park?", {"area"}),
        ("How many times did they win the cup?", {"occasion"}),
        ("他们赢过几次奖杯？", {"occasion"}),
        ("In which area of the continent is it?", set()),
        ("How many points did they score?", set()),
        ("Who approves a transfer?", set()),
        ("Which period of art is it?", set()),
        ("What is another term for it?", set()),
        ("产品质量应当符合什么要求？", set()),
        ("合伙期限应当如何确定？", set()),
    ],
)
def test_a_question_asks_for_a_measure(question: str, measures: set[str], units: Units) -> None:
    assert asked_measure(question, units).measures == measures


def test_a_question_for_a_number_tells_where_the_things_begin(units: Units) -> None:
    question = "How many points did they score?"
    assert [question[start:] for start in asked_measure(question, units).counted] == ["points did they score?"]
    question = "纽卡斯尔有多少所大学？"
    assert [question[start:] for start in asked_measure(question, units).counted] == ["所大学？"]


@pytest.mark.parametrize(
    ("text", "measure"),
    [
        ("within 30 days", "time"),
        ("thirty days", "time"),
        ("12,000 square kilometres", "area"),
        ("a pipe of 5 km.", "length"),
        ("It costs $5.3 million.", "money"),
        ("3.5 million dollars", "money"),
        ("about 20 %", "ratio"),
        ("112 bits of entropy", "data"),
        ("a man aged 39", "calendar"),
        ("outnumbered by 20:1", "ratio"),
        ("a ratio of 3 to 1", "ratio"),
        ("大约20比1", "ratio"),
        ("赢过5次", "occasion"),
        ("三十日内", "time"),
        ("六个月", "calendar"),
        ("百分之二十", "ratio"),
        ("200多万元", "money"),
        ("约 1.5 万平方公里", "area"),
    ],
)
def test_a_value_tells_its_measure(text: str, measure: str, units: Units) -> None:
    assert measure in set(values(text, units))


@pytest.mark.parametrize("text", ["第三十条", "1915 年", "于3月5日", "Chapter 12", "in 2015", "version 5"])
def test_places_dates_and_mere_numbers_are_no_values(text: str, units: Units) -> None:
    assert set(values(text, units)) <= {"count"}


def test_any_measure_will_do_where_none_is_named_but_no_mere_count(units: Units) -> None:
    [asked] = [asked_measure("How much entropy does a token need?", units).measures]
    assert holds("It has 64 bits.", asked, units)
    assert not holds("三个条件", asked, units)


def test_how_often_is_told_without_a_number(units: Units) -> None:
    for question, passage in (
        ("How often are keys changed?", "Keys change every year."),
        ("多久备份一次？", "每周备份一次。"),
    ):
        asked = asked_measure(question, units).measures
        assert holds(passage, asked, units)
        assert not holds("Keys change.", asked, units)


def test_things_are_counted_by_a_number_before_them() -> None:
    segmenter = Segmenter()
    assert counts(analyze("They gave up 308 points in all.", segmenter), frozenset({"point"}))
    assert counts(analyze("一共有三十二支球队", segmenter), frozenset(analyze("球队", segmenter)))
    assert not counts(analyze("Points of the year 308", segmenter), frozenset({"point"}))
    assert [is_number(token) for token in ("308", "twelve", "u4e09x5341", "point", "u7403")] == [
        True,
        True,
        True,
        False,
        False,
    ]


def test_a_wrong_file_of_units_is_named(tmp_path: Path) -> None:
    path = tmp_path / "units.yaml"
    path.write_text("units: [{id: m}]", "utf-8")
    with pytest.raises(FailedPrecondition) as caught:
        load_units(path)
    assert str(path) in caught.value.message
    assert "dim" in caught.value.message


def test_long_questions_and_passages_full_of_numbers_take_little_time(units: Units) -> None:
    began = time.process_time()
    for text in ("what is the " * 330, "how many 1,000 " * 260, "多少几" * 1_300, "what " + "a-" * 2_000):
        asked_measure(text, units)
    for text in ("1,000.0," * 2_000, "1" * 20_000, "三十" * 8_000, "five " * 4_000, "12 千" * 4_000):
        assert not holds(text, frozenset({"sound"}), units)
    assert time.process_time() - began < 2.0
