"""Exclusions, measures, rankings, open last days, whose law: kinds of constraint in both languages."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from services.common.converters.question import from_proto_question, to_proto_question
from services.common.domain.question import ParsedQuestion
from services.perception.adapters.rule_packs import load_layers
from services.perception.scoring import to_scorer_form

Parse = Callable[..., ParsedQuestion]


@pytest.mark.parametrize(
    ("question", "excluded"),
    [
        ("How do I log in without using the token?", "token"),
        ("Can I start the pump without the key?", "key"),
        ("Which sites do not have a crane?", "crane"),
        ("不用扳手怎么拆滤芯？", "扳手"),
        ("哪些厂区没有消防栓？", "消防栓"),
        ("How do I log in?", None),
        ("有没有办法恢复数据？", None),
    ],
)
def test_what_is_left_out(parse: Parse, question: str, excluded: str | None) -> None:
    assert [mention.text for mention in parse(question).exclusions] == ([excluded] if excluded else [])


@pytest.mark.parametrize(
    ("question", "measure"), [("公司有多少员工？", "员工"), ("一共有多少名司机参加了培训？", "司机")]
)
def test_what_is_counted(parse: Parse, question: str, measure: str) -> None:
    quantity = parse(question).quantity
    assert quantity is not None
    assert quantity.measure == measure


@pytest.mark.parametrize("question", ["Who are our top three suppliers?", "列出最高的三个报价的供应商"])
def test_a_ranking_that_asks_for_no_number(parse: Parse, question: str) -> None:
    parsed = from_proto_question(to_proto_question(parse(question)))
    assert parsed.quantity is not None
    assert (parsed.quantity.superlative, parsed.quantity.top_n, parsed.quantity.ranks_only) == ("max", 3, True)
    assert not parsed.asks_number
    assert to_scorer_form(parsed)["quantitative"] is False


def test_a_period_that_may_be_in_or_out_is_reported(parse: Parse) -> None:
    parsed = parse("Which permits were valid until 2023?")
    assert [(a.text, a.options) for a in parsed.ambiguities] == [("until 2023", ("2022-12-31", "2023-12-31"))]
    assert not parse("Which permits were valid until 3 May 2023?").ambiguities
    assert not parse("Which permits were valid before 2023?").ambiguities


@pytest.mark.parametrize(
    ("question", "country"),
    [
        ("Is a works council mandatory in Germany?", "de"),
        ("Which taxes apply in Hong Kong?", "hk"),
        ("日本的劳动法怎么规定加班？", "jp"),
        ("Where is our office in Germany?", None),
        ("日本有几个工厂？", None),
    ],
)
def test_whose_law(parse: Parse, question: str, country: str | None) -> None:
    found = [label.value for label in parse(question).labels if label.name == "jurisdiction"]
    assert found == ([country] if country else [])


@pytest.mark.parametrize(
    ("question", "language"),
    [("Umsatz im Oktober 2023", "de"), ("Ventas de enero 2024", "es"), ("Sales in March 2024", "en")],
)
def test_a_month_gives_a_short_phrase_away(parse: Parse, question: str, language: str) -> None:
    assert parse(question).language == language


def test_files_of_one_name_in_two_layers_are_told_apart(tmp_path: Path) -> None:
    rule = """pack: own
language: en
rules:
- id: {id}
  about: A word of our own.
  sets: action
  value: compare
  pattern: '\\bzork\\b'
"""
    layers = [tmp_path / "perception" / kind / "rail" for kind in ("domains", "tenants")]
    for layer in layers:
        layer.mkdir(parents=True)
        (layer / "words.yaml").write_text(rule.format(id=f"own.{layer.parent.name}"), encoding="utf-8")
    assert [r.file for r in load_layers(layers).rules] == ["domains/rail/words.yaml", "tenants/rail/words.yaml"]
