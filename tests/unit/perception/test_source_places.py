"""Where a question names the document or the body that its answer must come from, and where it only seems to."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from services.common.domain.question import ParsedQuestion

Parse = Callable[..., ParsedQuestion]


def source_of(parse: Parse, question: str) -> str | None:
    source = parse(question).source
    return source.text if source else None


@pytest.mark.parametrize(
    ("question", "source"),
    [
        ("How long must invoices be kept? Use the price list.", "price list"),
        ("Who may delete records? Source: the tender documents", "tender documents"),
        ("Who resets a locked account? I need the answer from contract.pdf.", "contract.pdf"),
        ("I have the QRH in front of me. Which flap setting applies?", "QRH"),
        ("How thick must a brake pad be (the service manual)?", "service manual"),
        ("In the tax office's view, what is a gift?", "tax office"),
        ("What is the FAA's position on drones?", "FAA"),
        ("What is the exact wording of the leave rules on overtime?", "leave rules"),
        ("Is overtime mentioned on page 12 of the works agreement?", "works agreement"),
        ("Who bears the delay under clause 14 of the charter party?", "charter party"),
        ("With reference to the Consumer Rights Act 2015, who pays for returns?", "Consumer Rights Act 2015"),
        ("In line with the asset register, what is pump P-3 worth?", "asset register"),
        ("Does WI-88 mention gloves?", "WI-88"),
        ("What does audit report AR-2024-09 conclude?", "audit report AR-2024-09"),
        ("Condense the findings of incident report INC-2231 into one page.", "incident report INC-2231"),
        ("tldr of ISO 14001 pls", "ISO 14001"),
        ("总结审计报告AR-2024-09的结论", "AR-2024-09"),
        ("疏散在应急预案里是怎么写的？", "应急预案"),
        ("按照SOP夜间几点必须停？", "SOP"),
        ("根据劳动合同法试用期最长多久？", "劳动合同法"),
        ("参照考勤规定，迟到扣多少？", "考勤规定"),
        ("滤网多久洗一次？见产品说明书。", "产品说明书"),
        ("运费由谁承担（采购管理办法）？", "采购管理办法"),
        ("运费由谁承担？来源：国家统计局", "国家统计局"),
        ("我手上有budget_2024.xlsx，差旅费是多少？", "budget_2024.xlsx"),
        ("央行对房价的看法是什么？", "央行"),
        ("延期怎么赔？根据工单INC-3391回答。", "工单INC-3391"),
        ("帮我看看更新日志里登录问题是谁修的", "更新日志"),
    ],
)
def test_the_place_says_what_the_source_is(parse: Parse, question: str, source: str) -> None:
    assert source_of(parse, question) == source


@pytest.mark.parametrize(
    "question",
    [
        "Are staff paid according to seniority?",
        "Did the launch happen according to schedule?",
        "Does the A320 require two pilots?",
        "How many households took part in the World Values Survey?",
        "Using Python, how do I read a CSV file?",
        "How many open tickets did the help desk have in May 2024?",
        "If I go by train, how long does it take?",
        "What is the position of the valve on the line?",
        "How tall is the tower (in metres)?",
        "按重量收费还是按体积收费？",
        "按照以往经验，多久能修好？",
        "员工手册是谁写的？",
        "我手上有两张票，怎么退？",
        "在我看来太贵了，是不是？",
        "港股打新跟A股打新比，流程上有啥不同",
        "王羲之的《兰亭集序》写于哪年？",
    ],
)
def test_what_only_looks_like_a_source_is_none(parse: Parse, question: str) -> None:
    assert source_of(parse, question) is None
