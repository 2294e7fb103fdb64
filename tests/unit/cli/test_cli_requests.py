"""Every command sends what was typed and prints what came back."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import cli_samples as samples
import pytest
from cli_fakes import FakeEdge, Result
from google.protobuf.timestamp_pb2 import Timestamp
from google.type import date_pb2

from trirag.orchestrator.v1 import orchestrator_pb2
from trirag.perception.v1 import perception_pb2
from trirag.retrieval.v1 import knowledge_base_pb2, retrieval_pb2
from trirag.validation.v1 import validation_pb2

Trirag = Callable[..., Result]


def test_ask_sends_what_was_typed(edge: FakeEdge, trirag: Trirag, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TRIRAG_TOKEN", "abc.def.ghi")
    edge.answers["Ask"] = samples.response()
    result = trirag("ask", "How fast?", "--kb", "fleet", "--kb", "faq", "--as-of", "2024-05-01", "--extractive")
    request = edge.requests["Ask"][0]
    assert result.status == 0, result.err
    assert request == orchestrator_pb2.AskRequest(
        question="How fast?",
        knowledge_bases=["fleet", "faq"],
        as_of=date_pb2.Date(year=2024, month=5, day=1),
        extractive_only=True,
    )
    assert edge.metadata["Ask"]["authorization"] == "Bearer abc.def.ghi"


def test_ask_shows_answer_sources_confidence_and_warnings(edge: FakeEdge, trirag: Trirag) -> None:
    edge.answers["Ask"] = samples.response()
    out = trirag("ask", "How fast?").out
    assert "The A320 cruises at 447 kt [1]." in out
    assert "[1] Fleet Handbook (version 2025, in force from 2025-07-01 on)" in out
    assert "0.83" in out and "2 rounds" in out and "812 ms" in out
    assert "LLM_UNAVAILABLE: the language model is down" in out
    assert "degraded" in out
    assert "1 more passage was read" in out
    assert "trirag trace tr-1" in out


def test_ask_json_is_the_response_and_nothing_else(edge: FakeEdge, trirag: Trirag) -> None:
    edge.answers["Ask"] = samples.response()
    document = trirag("ask", "How fast?", "--json").json
    assert document["answer"]["status"] == "ANSWER_STATUS_ANSWERED"
    assert document["answer"]["partial"] is False
    assert document["trace_id"] == "tr-1"


def test_ask_stream_tells_the_steps_on_stderr_and_the_answer_on_stdout(edge: FakeEdge, trirag: Trirag) -> None:
    edge.answers["AskStream"] = samples.events()
    result = trirag("ask", "How fast?", "--stream", "--json")
    assert result.status == 0
    assert result.json["trace_id"] == "tr-1"
    steps = [line.split()[2] for line in result.err.splitlines()]
    assert steps == ["parsed", "planned", "searched", "sufficiency", "attempt", "validated"]
    assert "faq UNAVAILABLE (the store is down)" in result.err
    assert "NUMBER_MISMATCH in statement 0 → compose" in result.err


def test_a_stream_without_an_answer_is_a_failure(edge: FakeEdge, trirag: Trirag) -> None:
    edge.answers["AskStream"] = samples.events()[:2]
    result = trirag("ask", "How fast?", "--stream")
    assert result.status == 1
    assert "ended before the answer" in result.err


def test_a_refusal_is_shown_as_one_and_succeeds(edge: FakeEdge, trirag: Trirag) -> None:
    answer = orchestrator_pb2.Answer(
        status=orchestrator_pb2.ANSWER_STATUS_REFUSED,
        text="The documents do not say.",
        missing=["the price of fuel"],
        contact="fleet office",
    )
    edge.answers["Ask"] = orchestrator_pb2.AskResponse(answer=answer)
    result = trirag("ask", "What does fuel cost?")
    assert result.status == 0
    assert "No verified answer" in result.out
    assert "missing: the price of fuel" in result.out
    assert "ask: fleet office" in result.out


def test_explain_shows_parse_plan_and_conditions(edge: FakeEdge, trirag: Trirag) -> None:
    edge.answers["ExplainPlan"] = orchestrator_pb2.ExplainPlanResponse(
        parsed=samples.parsed(), plan=samples.plan(), policy_version="f00d"
    )
    out = trirag("explain", "Compare A320 and B737 in 2023").out
    assert "compare 0.90" in out
    assert "keyword 10" in out and "in force on 2024-05-01" in out and "0.45" in out
    assert "a code is named" in out and "size(codes) > 0" in out


def test_perceive_explains_every_field(edge: FakeEdge, trirag: Trirag) -> None:
    edge.answers["Parse"] = perception_pb2.ParseResponse(parsed=samples.parsed())
    plain = trirag("perceive", "Compare A320 and B737 in 2023", "--reference-date", "2026-11-30").out
    explained = trirag("perceive", "Compare A320 and B737 in 2023", "--explain").out
    assert edge.requests["Parse"][0].reference_date == date_pb2.Date(year=2026, month=11, day=30)
    assert "in 2023-01-01 to 2023-12-31" in plain
    assert "en.yaml:12" not in plain
    assert "rule en.compare.verb (en.yaml:12) “Compare”" in explained


def test_search_sends_type_filter_and_count(edge: FakeEdge, trirag: Trirag) -> None:
    hit = retrieval_pb2.Hit(
        chunk=samples.chunk(),
        score=0.5,
        rank=1,
        components=[retrieval_pb2.ScoreComponent(name="dense", score=0.7, rank=2)],
    )
    edge.answers["Search"] = retrieval_pb2.SearchResponse(
        results=[retrieval_pb2.TaskResult(task_id="cli", status=retrieval_pb2.TASK_STATUS_OK, hits=[hit])],
        embedding_model="e5",
    )
    result = trirag("search", "speed", "--kb", "fleet", "--type", "two_stage", "--top-k", "3", "--as-of", "2024-05-01")
    task = edge.requests["Search"][0].tasks[0]
    assert (task.type, task.top_k, task.knowledge_base) == (retrieval_pb2.SEARCH_TYPE_TWO_STAGE, 3, "fleet")
    assert task.filter.in_force_on.year == 2024
    assert "dense 0.7000 (rank 2)" in result.out
    assert "handbook-1#0" in result.out


def test_a_search_in_an_unknown_knowledge_base_fails(edge: FakeEdge, trirag: Trirag) -> None:
    task = retrieval_pb2.TaskResult(
        status=retrieval_pb2.TASK_STATUS_NOT_FOUND, message="there is no knowledge base fleat; did you mean fleet?"
    )
    edge.answers["Search"] = retrieval_pb2.SearchResponse(results=[task])
    result = trirag("search", "speed", "--kb", "fleat", "--json")
    assert (result.status, result.out) == (1, "")
    assert result.complaint == "trirag: there is no knowledge base fleat; did you mean fleet?"


def test_validate_draws_the_verdict(edge: FakeEdge, trirag: Trirag, tmp_path: Path) -> None:
    edge.answers["ValidateAnswer"] = validation_pb2.ValidateAnswerResponse(verdict=samples.verdict())
    case = tmp_path / "case.json"
    metadata = {"title": "Fleet Handbook", "effective_from": "2025-07-01", "authority": 4}
    case.write_text(
        json.dumps(
            {
                "question": "How fast?",
                "as_of": "2025-08-01",
                "answer": "The A320 cruises at 440 kt [1]. Ask the fleet office for more.",
                "chunks": [{"chunk_id": "handbook-1#0", "text": samples.CHUNK_TEXT, "metadata": metadata}],
            }
        )
    )
    result = trirag("validate", str(case))
    request = edge.requests["ValidateAnswer"][0]
    assert request.chunks[0].document.document_id == "handbook-1#0"
    assert request.chunks[0].document.authority == 4
    assert request.as_of == date_pb2.Date(year=2025, month=8, day=1)
    assert result.status == 0
    lines = [line.strip() for line in result.out.splitlines()]
    assert lines[0].startswith("The answer is invalid")
    assert lines[2].startswith("✗ 0  The A320 cruises at 440 kt [1].")
    assert "The typical «cruise speed» of the A320 is 447 kt." in lines[3]
    assert lines[4] == "✗ NUMBER_MISMATCH: 440 kt is not what [1] says"
    assert lines[5] == "answer: 440 kt   evidence: 447 kt"
    assert lines[6] == "→ write this statement again from its source"
    assert lines[8].startswith("· 1  Ask the fleet office")


def test_sufficiency_names_needs_and_searches(edge: FakeEdge, trirag: Trirag, tmp_path: Path) -> None:
    edge.answers["CheckSufficiency"] = samples.events()[3].sufficiency.sufficiency
    case = tmp_path / "case.json"
    case.write_text(json.dumps({"question": "How fast?", "chunks": []}))
    out = trirag("sufficiency", str(case)).out
    assert "insufficient" in out
    assert "✗ side  speed of the B737" in out
    assert "→ search: B737 speed" in out


def test_trace_is_a_tree_of_every_step(edge: FakeEdge, trirag: Trirag) -> None:
    trail = orchestrator_pb2.Trace(
        trace_id="tr-1",
        started_at=Timestamp(seconds=1_796_000_000),
        request=orchestrator_pb2.AskRequest(question="How fast?", knowledge_bases=["fleet"]),
        events=samples.events(),
        subject="anonymous",
    )
    edge.answers["GetTrace"] = orchestrator_pb2.GetTraceResponse(trace=trail)
    out = trirag("trace", "tr-1").out
    for word in (
        "How fast?",
        "in fleet",
        "parsed",
        "1. fleet keyword 10 weight 0.45",
        "the store is down",
        "440 kt [1].",
    ):
        assert word in out
    assert "answered by extractive, confidence 0.83" in out
    assert trirag("trace", "tr-1", "--json").json["events"][0]["trace_id"] == "tr-1"


def test_trace_list_follows_the_pages(edge: FakeEdge, trirag: Trirag) -> None:
    def page(request: orchestrator_pb2.ListTracesRequest) -> orchestrator_pb2.ListTracesResponse:
        number = int(request.page_token or "0")
        made = [orchestrator_pb2.TraceSummary(trace_id=f"tr-{number}", question="How fast?")]
        return orchestrator_pb2.ListTracesResponse(traces=made, next_page_token=str(number + 1) if number < 2 else "")

    edge.answers["ListTraces"] = page
    assert [t["trace_id"] for t in trirag("trace", "list", "--json").json["traces"]] == ["tr-0", "tr-1", "tr-2"]
    assert "tr-2" in trirag("trace", "list").out


def test_kb_commands(edge: FakeEdge, trirag: Trirag) -> None:
    pb = knowledge_base_pb2
    base = pb.KnowledgeBase(name="fleet", document_count=3, chunk_count=12, embedding_model="e5", dimension=384)
    edge.answers["ListKnowledgeBases"] = pb.ListKnowledgeBasesResponse(knowledge_bases=[base])
    edge.answers["DeleteKnowledgeBase"] = pb.DeleteKnowledgeBaseResponse(deleted_documents=3)
    edge.answers["DeleteDocument"] = pb.DeleteDocumentResponse(deleted_chunks=4)
    finding = pb.HealthFinding(kind="MISSING_DATE", document_ids=["a"], message="no date; add published_at")
    edge.answers["GetHealthReport"] = pb.GetHealthReportResponse(
        knowledge_base=base, figures={"documents": 3.0}, findings=[finding]
    )
    edge.answers["ListDocuments"] = pb.ListDocumentsResponse(documents=[pb.Document(metadata=samples.chunk().document)])
    assert "e5 (384 d)" in trirag("kb", "list").out
    assert trirag("kb", "list", "--json").json["knowledge_bases"][0]["chunk_count"] == "12"
    assert "MISSING_DATE: a: no date; add published_at" in trirag("kb", "health", "fleet").out
    assert "handbook-1" in trirag("kb", "documents", "fleet").out
    assert trirag("kb", "delete-document", "fleet", "handbook-1").out == "handbook-1 deleted with 4 chunk(s)\n"
    assert trirag("kb", "delete", "fleet", "--yes").out == "fleet deleted with 3 document(s)\n"
