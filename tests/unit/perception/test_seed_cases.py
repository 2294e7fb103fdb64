from __future__ import annotations

from collections.abc import Callable
from datetime import date

from services.common.domain.question import Action, ParsedQuestion
from services.common.domain.time import TimeRelation

Parse = Callable[..., ParsedQuestion]


def texts(mentions: object) -> list[str]:
    return [m.text for m in mentions]  # type: ignore[attr-defined]


def test_english_comparison_with_a_report_year(parse: Parse) -> None:
    parsed = parse("Compare the fuel efficiency of A320 and B737, focusing on data from 2023 reports.")
    assert parsed.action is Action.COMPARE
    assert texts(parsed.entities) == ["A320", "B737"]
    assert texts(parsed.sides) == ["A320", "B737"]
    assert texts(parsed.attributes) == ["fuel efficiency"]
    assert parsed.time is not None
    assert parsed.time.relation is TimeRelation.IN
    assert (parsed.time.interval.start, parsed.time.interval.end) == (date(2023, 1, 1), date(2023, 12, 31))


def test_chinese_comparison_under_a_condition(parse: Parse) -> None:
    parsed = parse("对比A320和B737在高原机场的起降性能差异")
    assert parsed.action is Action.COMPARE
    assert texts(parsed.entities) == ["A320", "B737"]
    assert texts(parsed.sides) == ["A320", "B737"]
    assert set(texts(parsed.attributes)) == {"高原机场", "起降性能"}
    assert parsed.time is None


def test_comparison_with_the_attribute_after_the_models(parse: Parse) -> None:
    parsed = parse("Compare A320 and B737 engine reliability")
    assert parsed.action is Action.COMPARE
    assert texts(parsed.sides) == ["A320", "B737"]
    assert texts(parsed.attributes) == ["engine reliability"]
