"""Who does what to what, as word order, prepositions and voice tell."""

from __future__ import annotations

import pytest

from services.validation.adapters.config import default_config
from services.validation.domain.analysis import Analyser
from services.validation.domain.roles.acts import Act
from services.validation.domain.roles.acts_chinese import chinese_acts
from services.validation.domain.roles.acts_english import english_acts

CONFIG = default_config()


def _read(text: str) -> list[tuple[str, dict[str, str]]]:
    analysis = Analyser(CONFIG).analyse(text)
    reader = chinese_acts if analysis.han else english_acts
    return [(_words(act.verbs), _parts(act)) for act in reader(analysis, CONFIG.glossary.is_verb)]


def _parts(act: Act) -> dict[str, str]:
    return {name: _words(terms) for name, terms in act.parts.items()}


def _words(terms: tuple[object, ...]) -> str:
    return " ".join(term.word.surface for term in terms)  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("text", "acts"),
    [
        (
            "The lifts are inspected twice a year by the lift contractor.",
            [("inspected", {"patient": "lifts", "agent": "lift contractor"})],
        ),
        (
            "The controller stops the supply fan and starts the exhaust fan.",
            [
                ("stops", {"agent": "controller", "patient": "supply fan"}),
                ("starts", {"agent": "controller", "patient": "exhaust fan"}),
            ],
        ),
        ("Then open the return valve.", [("open", {"patient": "return valve"})]),
        (
            "The bank, which informs the buyer, keeps the deed.",
            [("informs", {"agent": "bank", "patient": "buyer"})],
        ),
        (
            "Purchases are approved by the head of finance.",
            [("approved", {"patient": "purchases", "agent": "head", "agent of": "finance"})],
        ),
        (
            "The jury indicted Michael R. Halden in May.",
            [("indicted", {"agent": "jury", "patient": "michael halden"})],
        ),
        ("The spare keys of the depot hang in the lodge.", None),
        ("The fund had 6,215 deferred members and 9,145 pensioners.", None),
    ],
)
def test_english_acts(text: str, acts: list[tuple[str, dict[str, str]]] | None) -> None:
    found = _read(text)
    if acts is None:  # what is no verb is not taken for one
        assert {verb for verb, _ in found}.isdisjoint({"keys", "members"})
    else:
        assert found[: len(acts)] == acts


@pytest.mark.parametrize(
    ("text", "acts"),
    [
        ("补贴由市级农业部门审批。", [("审批", {"patient": "补贴", "agent": "市级 农业部门"})]),
        ("秘书把案卷交给调解员。", [("交给", {"agent": "秘书", "patient": "案卷", "to": "调解员"})]),
        ("基础版提供电话支持。", [("提供", {"agent": "基础 版", "patient": "电话 支持"})]),
        ("四肢手术后，患儿转入日间病房。", [("转入", {"agent": "患儿", "patient": "日间 病房", "when": "四肢 手术"})]),
    ],
)
def test_chinese_acts(text: str, acts: list[tuple[str, dict[str, str]]]) -> None:
    assert _read(text) == acts


def test_a_chinese_clause_that_begins_with_its_verb_goes_on() -> None:
    analysis = Analyser(CONFIG).analyse("受托人应当通知处理者，并配合调查。")
    told, goes_on = chinese_acts(analysis, CONFIG.glossary.is_verb)
    assert _parts(goes_on)["agent"] == _parts(told)["agent"] == "受托人"
    assert goes_on.inherited and not told.inherited
