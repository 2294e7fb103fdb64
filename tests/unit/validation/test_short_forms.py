"""Short forms that the evidence defines, and questions of several parts."""

from __future__ import annotations

from datetime import date

import pytest

from services.common.domain.document import Chunk, DocumentMetadata
from services.common.domain.verdict import IssueType
from services.validation.adapters.config import default_config
from services.validation.domain.reading.short_forms import alias_spans
from services.validation.validator import validate_answer

AGENCY = "中国民用航空局（以下简称“民航局”）负责审批。"
TRADER = "网络平台经营者（下称经营者）可以收取押金。"
CAA = "The Civil Aviation Authority (CAA) is responsible for approvals."


def _types(question: str, answer: str, text: str) -> set[IssueType]:
    chunk = Chunk("c", DocumentMetadata("d"), text)
    verdict = validate_answer(question, None, answer, (chunk,), None, date(2026, 11, 30), default_config())
    return {issue.type for issue in verdict.issues}


@pytest.mark.parametrize(
    ("text", "right", "wrong"),
    [
        (AGENCY, "民航局负责审批[1]。", "民航局不负责审批[1]。"),
        (AGENCY.replace("以下简称", ""), "民航局负责审批[1]。", "民航局不负责审批[1]。"),
        (TRADER, "经营者可以收取押金[1]。", "经营者不得收取押金[1]。"),
        (TRADER, "Operators may charge a deposit [1].", "Operators must not charge a deposit [1]."),
        (CAA, "The CAA is responsible for approvals [1].", "The CAA is not responsible for approvals [1]."),
    ],
)
def test_what_is_told_under_a_short_form_is_judged(text: str, right: str, wrong: str) -> None:
    assert not _types("", right, text)
    assert _types("", wrong, text)


@pytest.mark.parametrize(
    ("text", "short"),
    [
        ("辅助动力装置（APU）耗油", ["（APU）"]),
        ("北京某公司（以下简称甲方）应当", ["（以下简称甲方）"]),
        ("中国民用航空局（民航局）负责", ["（民航局）"]),
        ("不得存放燃料（密封罐除外）。", []),
        ("费用为40元（含税）。", []),
    ],
)
def test_brackets_with_a_short_form(text: str, short: list[str]) -> None:
    assert [text[a:b] for a, b in alias_spans(text)] == short


@pytest.mark.parametrize(
    ("question", "text", "half", "whole"),
    [
        (
            "What is the fee and what is the deadline?",
            "The fee is 40 euros. The deadline is 5 May.",
            "The fee is 40 euros [1].",
            "The fee is 40 euros [1]. The deadline is 5 May [1].",
        ),
        (
            "What are the fee and the deadline?",
            "The fee is 40 euros. The deadline is 5 May.",
            "The fee is 40 euros [1].",
            "The fee is 40 euros and the deadline is 5 May [1].",
        ),
        (
            "费用是多少，截止日期是哪天？",
            "费用为40元。截止日期为5月5日。",
            "费用为40元[1]。",
            "费用为40元[1]。截止日期为5月5日[1]。",
        ),
    ],
)
def test_every_part_of_a_question_is_answered(question: str, text: str, half: str, whole: str) -> None:
    assert _types(question, half, text) == {IssueType.INCOMPLETE_ANSWER}
    assert not _types(question, whole, text)
