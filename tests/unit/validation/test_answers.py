"""Whole answers: quotations, tables, statements that contradict each other, answers beside the point, streaming."""

from __future__ import annotations

import json
from datetime import date
from pathlib import Path

import pytest

from services.common.domain.document import Chunk, DocumentMetadata
from services.common.domain.verdict import IssueType, Severity, Verdict
from services.validation.adapters.config import default_config
from services.validation.adapters.rows import validation_row
from services.validation.domain.reading.evidence import read_chunks
from services.validation.domain.reading.quotation import QuotableText, squeeze
from services.validation.domain.reading.statements import split_statements
from services.validation.validator import analyser_for, validate_answer

TODAY = date(2026, 11, 30)
WHOLE_ANSWER = {IssueType.INCOMPLETE_ANSWER, IssueType.COMPARISON_MISSING_SIDE}
TABLE = """Rents, EUR thousand

| Hall | 2023 | 2022 |
| --- | --- | --- |
| Oak | 41.5 | 38.0 |
| Oak Annex | 12.0 | 11.5 |
"""


def _judge(answer: str, *texts: str, question: str = "What do the documents say?") -> Verdict:
    chunks = [Chunk(f"c{i}", DocumentMetadata(f"d{i}", title=f"Note {chr(65 + i)}"), t) for i, t in enumerate(texts)]
    return validate_answer(question, None, answer, chunks, None, TODAY, default_config())


def _found(verdict: Verdict) -> set[IssueType]:
    return {i.type for i in verdict.issues if i.severity is Severity.BLOCK}


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        (
            "(b) **Late fees.** The lessor must not charge more than 5%, except as provided in § 12(3), unless the"
            " lessee agreed to a higher rate than the one in Appendix C.",
            "The lessor must not charge more than 5%, except as provided in § 12(3), unless the lessee agreed to a"
            " higher rate than the one in Appendix C [1].",
        ),
        (
            "第九条 违反第四条规定的，由主管部门处以一万元以下罚款；情节严重的，依照第二十条处理。",
            "违反第四条规定的，由主管部门处以一万元以下罚款；情节严重的，依照第二十条处理[1]。",
        ),
    ],
)
def test_a_whole_sentence_word_for_word_is_true_to_its_passage(text: str, answer: str) -> None:
    body = text.removeprefix("第九条 ")
    assert _judge(answer, body).valid
    assert not _judge(answer.replace("5%", "6%").replace("一万元", "三万元"), body).valid


def test_half_a_sentence_is_no_quotation() -> None:
    text = "Nothing in this section means that the lessor may enter the flat. It is let unfurnished."
    config = default_config()
    chunk = Chunk("c", DocumentMetadata("d", title="Lease"), text)
    quotable = QuotableText(read_chunks([chunk], analyser_for(config), config.limits)[0])
    assert quotable.holds(squeeze("It is let unfurnished"))
    assert quotable.holds(squeeze(text).rstrip("."))
    assert not quotable.holds(squeeze("the lessor may enter the flat"))


@pytest.mark.parametrize(
    ("answer", "types"),
    [
        ("The rent of the Oak hall was EUR 41,500 in 2023 [1].", set()),
        ("From 2022 to 2023 the rent of Oak rose by EUR 3,500 [1].", set()),
        (
            "The rent of the Oak Annex was EUR 41,500 in 2023 [1].",
            {IssueType.ENTITY_MISMATCH, IssueType.NUMBER_MISMATCH},
        ),
        ("The rent of the Oak hall was EUR 38,000 in 2023 [1].", {IssueType.DATE_MISMATCH, IssueType.NUMBER_MISMATCH}),
        (
            "The rent of the Oak Annex was EUR 12,000 in 2023 [1]. It was EUR 38,000 in 2022 [1].",
            {IssueType.ENTITY_MISMATCH, IssueType.NUMBER_MISMATCH},
        ),
    ],
)
def test_tables_have_units_rows_and_periods(answer: str, types: set[IssueType]) -> None:
    verdict = _judge(answer, TABLE, question="What was the rent?")
    assert bool(_found(verdict) & types) == bool(types), [i.message for i in verdict.issues]
    assert verdict.valid is not bool(types)


@pytest.mark.parametrize(
    ("second", "agrees"),
    [
        ("The gate closes at a wind speed of 20 m/s [2].", True),
        ("The gate closes at a wind speed of 72 km/h [2].", True),
        ("The gate closes at a wind speed of 25 m/s [2].", False),
        ("The gate does not close at a wind speed of 20 m/s [2].", False),
    ],
)
def test_statements_agree_with_each_other(second: str, agrees: bool) -> None:
    first = "The gate closes at a wind speed of 20 m/s [1]."
    verdict = _judge(f"{first} {second}", "The gate closes at a wind speed of 20 m/s.", second.replace(" [2]", ""))
    raised = [i for i in verdict.issues if i.check_id == "consistency"]
    assert bool(raised) is not agrees
    assert all(i.statement_index == 1 for i in raised)


@pytest.mark.parametrize(
    ("question", "beside"),
    [("What does error E41 mean?", True), ("What does error E40 mean?", False), ("错误E41是什么意思？", True)],
)
def test_an_answer_about_something_else_is_told(question: str, beside: bool) -> None:
    text = "E40: the filter is blocked. Clean it with warm water."
    verdict = _judge("The filter is blocked [1].", text, question=question)
    assert any(i.check_id == "relevance" for i in verdict.issues) is beside


def _prefixes_agree(row: dict[str, object]) -> bool:
    """Each statement has, when it is the last one so far, the issues that it has in the whole answer."""
    item = validation_row(row)

    def issues(answer: str) -> set[tuple[int, IssueType, str]]:
        verdict = validate_answer(item.question, None, answer, item.chunks, item.as_of, TODAY, default_config())
        return {(i.statement_index, i.type, i.check_id) for i in verdict.issues if i.type not in WHOLE_ANSWER}

    whole = issues(item.answer)
    statements = split_statements(item.answer)
    for statement in statements[:-1]:
        so_far = issues(item.answer[: statement.span.end])
        if {i for i in so_far if i[0] == statement.index} != {i for i in whole if i[0] == statement.index}:
            return False
    return True


def test_as_text_arrives_the_verdicts_are_those_of_the_whole(shared_data: Path) -> None:
    rows = [json.loads(line) for line in (shared_data / "validation/dev.jsonl").read_text("utf-8").splitlines()]
    several = [row for row in rows if len(split_statements(row["answer"])) > 1]
    assert len(several) > 30
    different = [row["id"] for row in several if not _prefixes_agree(row)]
    assert not different


def test_the_thing_a_value_was_taken_from_is_told_by_its_whole_name() -> None:
    verdict = _judge("银杏卡含入场24次[1]。", "红枫卡年费120元，含入场24次；银杏卡年费200元，含入场60次。")
    assert ("银杏卡", "红枫卡") in {(i.found, i.expected) for i in verdict.issues if i.check_id == "siblings"}
