"""The edges of Validation: rows, configuration, policy, servicer, second opinion."""

from __future__ import annotations

import asyncio
import shutil
from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from services.common.config_file import ConfigError
from services.common.domain.document import Chunk, DocumentMetadata
from services.common.domain.verdict import IssueType, Severity, SufficiencyLabel
from services.common.offload import BlockingPool
from services.validation.adapters.config import (
    DEFAULT_DIRECTORY,
    default_config,
    load_config,
)
from services.validation.adapters.config_files import JudgePolicy
from services.validation.adapters.rows import (
    RowError,
    sufficiency_row,
    validation_row,
)
from services.validation.adapters.second_opinion import SecondOpinion
from services.validation.domain.checks import all_checks, register
from services.validation.servicer import ValidationServicer
from services.validation.validator import check_sufficiency, validate_answer
from trirag.common.v1 import types_pb2
from trirag.validation.v1 import validation_pb2

TODAY = date(2026, 11, 30)
DOCS = Path(__file__).parents[3] / "docs/validation.md"
PUMP = Chunk("c1", DocumentMetadata("d1", title="Pump P-7"), "Pump P-7 delivers 35 litres per minute.")


def _judge(answer: str, *chunks: Chunk, config: Any = None, question: str = "What does pump P-7 deliver?") -> Any:
    return validate_answer(question, None, answer, chunks or (PUMP,), None, TODAY, config or default_config())


@pytest.mark.parametrize(
    ("row", "words"),
    [
        ({"answer": "a", "chunks": []}, "question: missing"),
        ({"question": "", "answer": "a", "chunks": []}, "question: empty"),
        ({"question": 5, "answer": "a", "chunks": []}, "question: text is expected"),
        ({"question": "q", "answer": "a", "chunks": {}}, "chunks: a list"),
        ({"question": "q", "answer": "a", "chunks": ["x"]}, "chunks[0]: an object"),
        ({"question": "q", "answer": "a", "chunks": [{"chunk_id": "c"}]}, "chunks[0].text: missing"),
        ({"question": "q", "answer": "a", "as_of": "1.5.2024", "chunks": []}, "as_of: '1.5.2024' is no date"),
        (
            {"question": "q", "answer": "a", "chunks": [{"text": "t", "metadata": {"authority": 9}}]},
            "chunks[0].metadata.authority: 9",
        ),
        (
            {"question": "q", "answer": "a", "chunks": [{"text": "t", "metadata": {"effective_from": "soon"}}]},
            "chunks[0].metadata.effective_from",
        ),
    ],
)
def test_a_bad_row_names_field_and_reason(row: dict[str, Any], words: str) -> None:
    with pytest.raises(RowError, match=words.replace("[", r"\[").replace("]", r"\]")):
        validation_row(row)


def test_rows_keep_what_they_say() -> None:
    row = validation_row(
        {
            "id": "v1",
            "question": "q",
            "answer": "a [1]",
            "as_of": "2024-05-01",
            "chunks": [
                {"chunk_id": "c", "text": "t", "metadata": {"document_id": "d", "version": 3, "supersedes": "e"}}
            ],
        }
    )
    assert (row.row_id, row.as_of, row.chunks[0].document.version) == ("v1", date(2024, 5, 1), "3")
    assert sufficiency_row({"question": "q", "chunks": []}).chunks == ()


def test_a_file_that_is_not_utf8_stops_with_its_name(tmp_path: Path) -> None:
    shutil.copytree(DEFAULT_DIRECTORY, tmp_path / "validation")
    (tmp_path / "validation" / "lexicon.yaml").write_bytes(b"\xff\xfe")
    with pytest.raises(ConfigError, match=r"lexicon\.yaml: is not UTF-8"):
        load_config(tmp_path / "validation")


@pytest.mark.parametrize(
    ("file", "old", "new", "words"),
    [
        ("policy.yaml", "  support: block", "  support: maybe", "policy.yaml:.*checks.support"),
        (
            "policy.yaml",
            "  quantities: block",
            "  quantites: warn",
            r"policy.yaml:\d+: checks.quantites: .*quantities",
        ),
        ("policy.yaml", "  chunks: 100", "  chunks: none", "limits.chunks"),
        ("units.yaml", "\nunits:\n", "\nunits: [\n", "not valid YAML"),
        ("lexicon.yaml", "    en: [unless,", "    en: ['(',", "patterns.unless: not a regular expression"),
        ("word_counts.tsv", "the\t", "the\tmany", "word_counts.tsv"),
    ],
)
def test_a_bad_file_stops_with_its_name_and_place(tmp_path: Path, file: str, old: str, new: str, words: str) -> None:
    shutil.copytree(DEFAULT_DIRECTORY, tmp_path / "validation")
    path = tmp_path / "validation" / file
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new, 1), encoding="utf-8")
    with pytest.raises(ConfigError, match=words):
        load_config(tmp_path / "validation")


@pytest.mark.parametrize(("policy", "valid", "issues"), [("block", False, 1), ("warn", True, 1), ("off", True, 0)])
def test_the_policy_decides_what_a_finding_does(policy: str, valid: bool, issues: int) -> None:
    config = replace(default_config(), checks={**default_config().checks, "quantities": policy})
    verdict = _judge("Pump P-7 delivers 36 litres per minute [1].", config=config)
    assert (verdict.valid, len(verdict.issues)) == (valid, issues)


def test_every_check_has_a_policy_and_says_what_it_sees() -> None:
    for check in all_checks():
        assert check.sees and check.blind
        assert check.check_id in default_config().checks
        assert f"\n| {check.check_id} " in DOCS.read_text(encoding="utf-8")
    with pytest.raises(ValueError, match="two checks"):
        register("support", all_checks()[0].lock, sees="", blind="")(lambda case: ())


def test_a_wrong_passage_is_to_be_cited_anew() -> None:
    other = Chunk("c2", DocumentMetadata("d2", title="Pump P-9"), "Lime trees flower in June.")
    verdict = _judge("Pump P-7 delivers 35 litres per minute [2].", PUMP, other)
    recite = [i.remedy.citation for i in verdict.issues if i.remedy.kind.value == "recite"]
    assert recite == [1]


def test_growth_computed_from_two_passages_is_not_sent_to_a_third() -> None:
    notes = [
        Chunk(f"q{n}", DocumentMetadata(f"q{n}", title=f"Revenue note, Q{n} 2024"), text)
        for n, text in (
            (3, "The revenue in Q3 2024 was EUR 130.0 million."),
            (4, "The revenue in Q4 2024 was EUR 143.0 million."),
            (2, "From Q1 2024 to Q2 2024 this is an increase of 6.0%, the revenue note says."),
        )
    ]
    derived = "From Q3 2024 to Q4 2024 this is an increase of {} [1][2]."
    question = "By how much did the revenue grow from Q3 to Q4 2024?"
    quoted = "".join(f"{note.text} [{number}] " for number, note in enumerate(notes[:2], start=1))
    assert _judge(quoted + derived.format("10.0%"), *notes, question=question).valid
    assert not _judge(quoted + derived.format("12.0%"), *notes, question=question).valid


def test_evidence_points_at_the_sentence_and_the_matched_parts() -> None:
    text = "Read this first. Pump P-7 delivers 35 litres per minute."
    verdict = _judge("Pump P-7 delivers 35 litres per minute [1].", replace(PUMP, text=text))
    link = verdict.statements[0].evidence[0]
    assert text[link.span.start : link.span.end] == "Pump P-7 delivers 35 litres per minute."
    assert any("35 litres" in text[m.start : m.end] for m in link.matched)
    assert link.contributions


def test_missing_sides_come_back_as_searches() -> None:
    judged = check_sufficiency("Compare the range of the A320 and the B737.", None, (
        Chunk("a", DocumentMetadata("a", title="A320"), "The A320 has a range of 6,100 km."),
    ), None, TODAY, default_config())  # fmt: skip
    covered = {need.description.split(":")[0]: need for need in judged.needs}
    assert covered["A320"].covered_by == (1,)
    assert not covered["B737"].covered_by
    assert covered["B737"].queries and "B737" in covered["B737"].queries[0]


def test_undecided_contradiction_is_conflicting_and_a_newer_version_decides() -> None:
    def chunk(number: int, days: int, **metadata: Any) -> Chunk:
        return Chunk(f"c{number}", DocumentMetadata(f"d{number}", **metadata), f"The pass is valid for {days} days.")

    question = "How many days is the pass valid?"
    judged = check_sufficiency(question, None, (chunk(1, 3), chunk(2, 5)), None, TODAY, default_config())
    assert judged.label is SufficiencyLabel.CONFLICTING
    assert (judged.conflicts[0].value_a, judged.conflicts[0].value_b) == ("3 days", "5 days")
    newer = (chunk(1, 3), chunk(2, 5, supersedes="d1", effective_from=date(2024, 1, 1)))
    assert check_sufficiency(question, None, newer, None, TODAY, default_config()).conflicts[0].decided_by == "version"


def test_no_evidence_is_insufficient() -> None:
    judged = check_sufficiency("How long is the pass valid?", None, (), None, TODAY, default_config())
    assert (judged.label, judged.score) == (SufficiencyLabel.INSUFFICIENT, 0.0)
    assert judged.needs[0].queries


def test_the_servicer_speaks_protobuf() -> None:
    async def call() -> tuple[Any, Any]:
        pool = BlockingPool(1)
        servicer = ValidationServicer(default_config(), pool)
        chunk = types_pb2.Chunk(chunk_id="c1", text=PUMP.text, document=types_pb2.DocumentMetadata(document_id="d1"))
        request = validation_pb2.ValidateAnswerRequest(
            question="What does pump P-7 deliver?", answer="It delivers 36 litres per minute [1].", chunks=[chunk]
        )
        answer = await servicer.ValidateAnswer(request, None)  # type: ignore[arg-type]
        enough = await servicer.CheckSufficiency(
            validation_pb2.CheckSufficiencyRequest(question="What does pump P-7 deliver?", chunks=[chunk]),
            None,  # type: ignore[arg-type]
        )
        pool.close()
        return answer, enough

    answer, enough = asyncio.run(call())
    assert not answer.verdict.valid
    assert answer.verdict.issues[0].type == validation_pb2.ISSUE_TYPE_NUMBER_MISMATCH
    assert answer.verdict.issues[0].expected == "35 litres"
    assert 0 <= enough.score <= 1 and enough.needs


class _Voter:
    def __init__(self, vote: float | Exception) -> None:
        self.vote_given, self.asked = vote, 0

    def vote(self, statement: str, passage: str, timeout: float) -> float:
        self.asked += 1
        if isinstance(self.vote_given, Exception):
            raise self.vote_given
        return self.vote_given


def test_the_second_opinion_is_off_by_default_and_only_warns() -> None:
    assert SecondOpinion.of(JudgePolicy(), "") is None
    config = default_config()
    grey = replace(config, support=replace(config.support, thresholds={"reject": 0.0, "accept": 1.01}))
    verdict = _judge("Pump P-7 delivers 35 litres per minute [1].", config=grey)
    voter = _Voter(0.0)
    reviewed = SecondOpinion(voter, budget=1).review(verdict, (PUMP,), grey)
    assert voter.asked == 1
    assert reviewed.valid
    assert [(i.check_id, i.severity) for i in reviewed.issues] == [("second_opinion", Severity.WARN)]
    assert reviewed.statements[0].confidence < verdict.statements[0].confidence
    assert any(c.feature == "second_opinion" for c in reviewed.statements[0].evidence[0].contributions)
    silent = SecondOpinion(_Voter(OSError("down")), budget=1).review(verdict, (PUMP,), grey)
    assert silent == verdict


def test_uncited_and_invented_citations() -> None:
    verdict = _judge("Pump P-7 delivers 35 litres per minute. It weighs 12 kg [4].")
    assert {(i.type, i.statement_index) for i in verdict.issues} >= {
        (IssueType.UNCITED_STATEMENT, 0),
        (IssueType.CITATION_NOT_RETRIEVED, 1),
    }
