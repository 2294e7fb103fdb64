"""A question inside a sentence that only leads over to it is read by itself."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from services.common.domain.question import Action, ParsedQuestion

Parse = Callable[..., ParsedQuestion]


@pytest.mark.parametrize(
    ("question", "action"),
    [
        ("Do you know who signs the release note?", Action.LOOKUP),
        ("Can you check when the audit takes place?", Action.LOOKUP),
        ("Any idea how a heat pump works?", Action.EXPLAIN),
        ("We were wondering what force majeure means.", Action.EXPLAIN),
        ("My boss asked whether pets are allowed on site.", Action.VERIFY),
        ("I'd like to know how I can reset the badge reader.", Action.HOW_TO),
        ("Does anyone know what pump you would recommend for slurry?", Action.RECOMMEND),
        ("Please clarify what the monthly fee is.", Action.LOOKUP),
        ("有没有人知道为什么押金不退？", Action.EXPLAIN),
        ("你知道假期有哪几种吗？", Action.LIST),
        ("你知道审核哪天开始吗？", Action.LOOKUP),
        ("Can you check the oil level?", Action.VERIFY),
        ("你知道怎么走吗？", Action.HOW_TO),
    ],
)
def test_the_clause_inside_says_what_is_wanted(parse: Parse, question: str, action: Action) -> None:
    assert parse(question).action is action


@pytest.mark.parametrize(
    ("question", "parts"),
    [
        ("请总结审计报告和说明退货流程", 2),
        ("列出所需材料，再解释原因", 2),
        ("几点截止，顺便给出时间表", 2),
        ("请问有没有优惠，周末开不开？", 2),
        ("想问两个问题：要不要签证，要带什么证件？", 2),
        ("请总结数据和分析报告", 1),
        ("我想知道，押金什么时候退", 1),
    ],
)
def test_each_task_and_each_question_is_a_part(parse: Parse, question: str, parts: int) -> None:
    assert len(parse(question).parts) == parts


def test_two_clauses_behind_one_lead_in(parse: Parse) -> None:
    assert parse("Tell me what a works permit is and when I need one.").action is Action.EXPLAIN
