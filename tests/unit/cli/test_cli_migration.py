"""trirag kb migrate and its kin: what is sent, what is shown, and how it ends."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from cli_fakes import FakeEdge, Result

from services.common.errors import FailedPrecondition
from trirag.retrieval.v1 import migration_pb2 as pb

Trirag = Callable[..., Result]

REPORT = pb.MigrationReport(
    queries=2, top_k=10, mean_overlap=0.625, minimum_overlap=0.25, same_first_share=0.5, required_mean_overlap=0.5,
    comparisons=[
        pb.QueryComparison(query="how fast\u202e\x1b[31m", overlap=0.25),
        pb.QueryComparison(query="how far", overlap=1.0, same_first=True),
    ],
)  # fmt: skip
RESULT = pb.MigrationResult(outcome=pb.MIGRATION_OUTCOME_SWITCHED, former_model="e5@1", model="bge@2", document_count=3)


def events(*more: object) -> list[object]:
    progress = pb.MigrationProgress(phase=pb.MIGRATION_PHASE_COPYING, done=3, total=3)
    return [
        pb.MigrateKnowledgeBaseResponse(progress=progress),
        pb.MigrateKnowledgeBaseResponse(report=REPORT),
        *more,
    ]


def test_migrate_sends_the_queries_of_a_file_and_shows_comparison_and_result(
    edge: FakeEdge, trirag: Trirag, tmp_path: Path
) -> None:
    queries = tmp_path / "queries.jsonl"
    queries.write_text('{"query": "how fast"}\n\n{"question": "多快"}\nplain words\nplain words\n', "utf-8")
    edge.answers["MigrateKnowledgeBase"] = events(pb.MigrateKnowledgeBaseResponse(result=RESULT))
    result = trirag("kb", "migrate", "fleet", "--embedder", "bge", "--queries", str(queries), "--force")
    assert result.status == 0, result.err
    [request] = edge.requests["MigrateKnowledgeBase"]
    assert request == pb.MigrateKnowledgeBaseRequest(
        name="fleet", embedder="bge", queries=["how fast", "多快", "plain words"], force=True
    )
    assert "2 queries compared, top 10" in result.out and "0.62" in result.out
    assert "fleet is searched with bge@2 now (3 documents), before with e5@1" in result.out
    assert "\x1b" not in result.out and "\u202e" not in result.out
    document = trirag("kb", "migrate", "fleet", "--embedder", "bge", "--json").json
    assert document["result"]["outcome"] == "MIGRATION_OUTCOME_SWITCHED"
    assert document["report"]["comparisons"][0]["overlap"] == 0.25


def test_a_refused_switch_shows_the_comparison_before_the_reason(edge: FakeEdge, trirag: Trirag) -> None:
    edge.answers["MigrateKnowledgeBase"] = events(FailedPrecondition("OVERLAP_TOO_LOW", "not switched: too low"))
    result = trirag("kb", "migrate", "fleet", "--embedder", "bge")
    assert result.status == 1
    assert "2 queries compared" in result.out
    assert result.complaint == "trirag: not switched: too low"
    quiet = trirag("kb", "migrate", "fleet", "--embedder", "bge", "--json")
    assert quiet.status == 1 and quiet.out == ""


def test_a_dry_run_says_whether_it_would_switch(edge: FakeEdge, trirag: Trirag) -> None:
    compared = pb.MigrationResult(outcome=pb.MIGRATION_OUTCOME_COMPARED, former_model="e5@1", model="bge@2")
    edge.answers["MigrateKnowledgeBase"] = events(pb.MigrateKnowledgeBaseResponse(result=compared))
    assert "it would switch" in trirag("kb", "migrate", "fleet", "--embedder", "bge", "--dry-run").out
    assert edge.requests["MigrateKnowledgeBase"][0].dry_run
    compared.objection = "too few queries"
    edge.answers["MigrateKnowledgeBase"] = events(pb.MigrateKnowledgeBaseResponse(result=compared))
    out = trirag("kb", "migrate", "fleet", "--embedder", "bge", "--dry-run").out
    assert "it would not switch: too few queries" in out


def test_rollback_status_and_drop(edge: FakeEdge, trirag: Trirag) -> None:
    edge.answers["RollbackKnowledgeBase"] = [pb.RollbackKnowledgeBaseResponse(result=RESULT)]
    assert "fleet is searched with bge@2 now" in trirag("kb", "rollback", "fleet").out
    edge.answers["GetMigration"] = pb.GetMigrationResponse(
        embedding_model="e5@1", dimension=384, embedders=["bge", "e5"], recorded_queries=7, report=REPORT,
        shadow=pb.SideCollection(
            embedding_model="bge@2", dimension=8, held_documents=2, missing_documents=1, running=True
        ),
    )  # fmt: skip
    out = trirag("kb", "migration", "fleet").out
    assert "e5@1 (384 d)" in out and "being filled, at work" in out and "bge@2 (8 d)" in out
    assert "7 queries recorded; embedders: bge, e5" in out
    edge.answers["DropMigration"] = pb.DropMigrationResponse(dropped_collections=2)
    assert trirag("kb", "migration-drop", "fleet", "--yes").out == "2 collection(s) of fleet dropped\n"


def test_a_stream_that_ends_early_is_an_error(edge: FakeEdge, trirag: Trirag) -> None:
    edge.answers["MigrateKnowledgeBase"] = events()
    result = trirag("kb", "migrate", "fleet", "--embedder", "bge", "--json")
    assert result.status == 1 and "run the command again" in result.complaint


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"\xff\xfe", "not UTF-8"),
        (b"\n \n", "no query"),
        (b'ok\n{"query": 5}', ":2: has no text"),
        (b'{"query"', ":1: begins like JSON"),
        (b"x" * 4001, "4001 characters"),
        (b"\n".join(b"q%d" % n for n in range(2001)), "2001 queries"),
    ],
)
def test_a_bad_file_of_queries_is_bad_usage(
    edge: FakeEdge, trirag: Trirag, tmp_path: Path, content: bytes, words: str
) -> None:
    path = tmp_path / "q.txt"
    path.write_bytes(content)
    result = trirag("kb", "migrate", "fleet", "--embedder", "bge", "--queries", str(path))
    assert result.status == 2 and words in result.complaint
    assert "MigrateKnowledgeBase" not in edge.requests
