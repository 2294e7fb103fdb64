"""Every question of examples/questions.jsonl, asked of the whole stack, quoted and (where installed) generated."""

from __future__ import annotations

import json
import re
from pathlib import Path

import grpc
import pytest
from google.type import date_pb2

from tests.stack import LocalStack
from trirag.orchestrator.v1 import orchestrator_pb2 as pb
from trirag.orchestrator.v1 import orchestrator_pb2_grpc

EXAMPLES = Path(__file__).resolve().parents[2] / "examples" / "questions.jsonl"
QUESTIONS = [json.loads(line) for line in EXAMPLES.read_text(encoding="utf-8").splitlines() if line.strip()]
pytestmark = pytest.mark.stack


def squeezed(text: str) -> str:
    return re.sub(r"\s+", "", text).casefold()


def ask(stack: LocalStack, row: dict, extractive: bool) -> pb.AskResponse:
    request = pb.AskRequest(
        question=row["question"], knowledge_bases=[row["kb"]] if row.get("kb") else [], extractive_only=extractive
    )
    if row.get("as_of"):
        year, month, day = map(int, row["as_of"].split("-"))
        request.as_of.CopyFrom(date_pb2.Date(year=year, month=month, day=day))
    metadata = ()
    if row.get("groups"):
        # A name and a group that no HTTP header holds as they are.
        metadata = (("authorization", f"Bearer {stack.token('张三', '财务部', *row['groups'])}"),)
    with grpc.insecure_channel(stack.url) as channel:
        stub = orchestrator_pb2_grpc.OrchestratorServiceStub(channel)
        return stub.Ask(request, timeout=60, metadata=metadata)


def faults(row: dict, response: pb.AskResponse) -> list[str]:
    """What is wrong with an answer; empty if it shows what it must."""
    answer = response.answer
    if row["expect"] == "refuse":
        refused = answer.status == pb.ANSWER_STATUS_REFUSED
        return [] if refused else [f"answered instead of refusing: {answer.text}"]
    if answer.status != pb.ANSWER_STATUS_ANSWERED:
        return [f"{pb.AnswerStatus.Name(answer.status)}: {answer.text}"]
    found = []
    if not any(squeezed(accepted) in squeezed(answer.text) for accepted in row["answers"]):
        found.append(f"none of {row['answers']} in {answer.text!r}")
    cited = {s.chunk.document.document_id for s in answer.sources if s.cited}
    wanted = set(row["must_cite"])
    if not (wanted <= cited if row.get("cite") == "all" else wanted & cited):
        found.append(f"cites {sorted(cited)}, must cite {sorted(wanted)}")
    if forbidden := cited & set(row.get("must_not_cite", ())):
        found.append(f"cites {sorted(forbidden)}")
    return found


@pytest.mark.parametrize("row", QUESTIONS, ids=[q["id"] for q in QUESTIONS])
def test_a_question_is_answered_by_quotation_or_refused(stack: LocalStack, row: dict):
    response = ask(stack, row, extractive=True)
    assert faults(row, response) == []
    assert response.usage.calls == 0


@pytest.mark.vllm
@pytest.mark.parametrize("row", [q for q in QUESTIONS if q.get("demo")], ids=lambda q: q["id"])
def test_with_the_model_nothing_unverified_leaves(stack: LocalStack, row: dict, vllm_installed: bool):
    if not vllm_installed:
        pytest.skip("vLLM is not installed; `python -m cli.local vllm` installs it")
    response = ask(stack, row, extractive=False)
    answer = response.answer
    if answer.status == pb.ANSWER_STATUS_ANSWERED:
        assert answer.verdict.valid
        assert all(s.citations for s in answer.verdict.statements if s.is_claim)
    if row["expect"] == "refuse":
        assert answer.status == pb.ANSWER_STATUS_REFUSED
