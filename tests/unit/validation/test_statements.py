"""Cutting answers into statements, by the rules of the labelled data."""

from __future__ import annotations

import pytest

from services.validation.domain.reading.citation_marks import citation_numbers
from services.validation.domain.reading.statements import split_statements


def _texts(answer: str) -> list[str]:
    return [statement.text for statement in split_statements(answer)]


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        ("It weighs 3.5 kg [1]. See No. 5 for it [2].", ["It weighs 3.5 kg [1].", "See No. 5 for it [2]."]),
        (
            "The U.S. recall, e.g. for Art. 5, ends at 5 p.m. today.",
            ["The U.S. recall, e.g. for Art. 5, ends at 5 p.m. today."],
        ),
        (
            "She took a B.S. in physics and joined the F.A. when it began. The A.V. Club liked it.",
            ["She took a B.S. in physics and joined the F.A. when it began.", "The A.V. Club liked it."],
        ),
        (
            "In Brown v. Board the court ruled. Warner Bros. filmed it.",
            ["In Brown v. Board the court ruled.", "Warner Bros. filmed it."],
        ),
        ("Kai (b. 2001) sold Yahoo! shares [..] and left.", ["Kai (b. 2001) sold Yahoo! shares [..] and left."]),
        ("It is rated at 12 V. Use a fuse.", ["It is rated at 12 V.", "Use a fuse."]),
        ("Section V-3.2 holds. It is new.", ["Section V-3.2 holds.", "It is new."]),
        ("Is it open? Yes! It is.", ["Is it open?", "Yes!", "It is."]),
        ("水价上涨。自第3.2条起施行！是吗？", ["水价上涨。", "自第3.2条起施行！", "是吗？"]),
        ("他说：“可以。”然后离开。", ["他说：“可以。”", "然后离开。"]),
        ("他喊“停！”并跑开[1]。", ["他喊“停！”并跑开[1]。"]),
        ("他喊“停！”[1]之后跑开。", ["他喊“停！”[1]", "之后跑开。"]),
        ("Steps:\n1. Drain [1]\n2. Restart [2].", ["Steps:", "1. Drain [1]", "2. Restart [2]."]),
        ("- One. Two.\n- Three", ["- One. Two.", "- Three"]),
        ("It belongs to Yahoo! Inc. and sells. Wow! Nice.", ["It belongs to Yahoo! Inc. and sells.", "Wow!", "Nice."]),
        ("A colon: one; two.", ["A colon: one; two."]),
        ("Done. [1] Next. [2]", ["Done. [1]", "Next. [2]"]),
        ("材料如下：\n（1）身份证[1]；\n（2）照片[1]。", ["材料如下：", "（1）身份证[1]；", "（2）照片[1]。"]),
    ],
)
def test_split(answer: str, expected: list[str]) -> None:
    assert _texts(answer) == expected


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("a [1][3] b", (1, 3)),
        ("a [1, 3]", (1, 3)),
        ("a [2-4]", (2, 3, 4)),
        ("a 【1】", (1,)),
        ("a（来源1）", (1,)),
        ("a (source 2)", (2,)),
        ("a [2–4]", (2, 3, 4)),
        ("a [2]–[4]", (2, 3, 4)),
        ("a [2 to 4], b [7]", (2, 3, 4, 7)),
        ("a [1 and 3]", (1, 3)),
        ("a [^1]", (1,)),
        ("a [Source 1]", (1,)),
        ("a (sources 1 and 3)", (1, 3)),
        ("a (Source 1, Source 3)", (1, 3)),
        ("a [1] and b [3]", (1, 3)),
        ("a【2】至【4】", (2, 3, 4)),
        ("a【2—4】", (2, 3, 4)),
        ("a[2～4]", (2, 3, 4)),
        ("a（来源1和3）", (1, 3)),
        ("a（来源1，来源3）", (1, 3)),
        ("a（见来源1）", (1,)),
        ("a【来源1】", (1,)),
        ("a[来源：1、2]", (1, 2)),
        ("a（见第1条） (rule 2) [Table 3] [2 m]", ()),
        ("a〔1〕", (1,)),
        ("a【1†source】【3†L5-L9】", (1, 3)),
        ("a [0]", (0,)),
        ("a [x] b [12", ()),
    ],
)
def test_citation_notations(text: str, numbers: tuple[int, ...]) -> None:
    assert citation_numbers(text) == numbers


def test_spans_are_offsets_in_the_answer_and_bodies_keep_their_length() -> None:
    answer = "First [1].\n- 第二条 [2]\nLast. [3]"
    for statement in split_statements(answer):
        assert answer[statement.span.start : statement.span.end] == statement.text
        assert len(statement.body) == len(statement.text)
        assert "[" not in statement.body


def test_the_list_marker_is_no_quantity() -> None:
    assert split_statements("1. Photos [1]")[0].body.strip() == "Photos"


def test_marks_before_each_sentence_of_a_line_belong_to_what_follows() -> None:
    statements = split_statements("[1] A is 3 m long. [2][3] B is 4. [1] C is 5.")
    assert [s.citations for s in statements] == [(1,), (2, 3), (1,)]
    assert [s.citations for s in split_statements("[1] A is 3. B is 4. [2]")] == [(1,), (2,)]


def test_a_quotation_of_several_sentences_has_one_source() -> None:
    statements = split_statements("The manual says: “Close it. Open the drain.” [2] Wait.")
    assert [s.citations for s in statements] == [(2,), (2,), ()]
