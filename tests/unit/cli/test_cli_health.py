"""The health report as text, JSON and a page; the jobs of ingests; retirement."""

from __future__ import annotations

import re
from collections.abc import Callable
from html.parser import HTMLParser
from pathlib import Path

import pytest
from cli_fakes import FakeEdge, Result, created_each
from google.type import date_pb2

from services.common.errors import Internal, NotFound
from trirag.common.v1 import types_pb2
from trirag.retrieval.v1 import knowledge_base_pb2 as pb

Trirag = Callable[..., Result]
EVIL = "<script>alert('x')</script> & \u202etxt\x07"


def side(document_id: str, sentence: str) -> pb.ConflictSide:
    return pb.ConflictSide(document_id=document_id, title="T", heading_path=["Leave"], sentence=sentence, values=["15"])


def conflict(kind: int, word: str) -> pb.Conflict:
    return pb.Conflict(
        kind=kind,
        first=side("a", f"{word} 15 days"),
        second=side("b", f"{word} 20 days"),
        remedy="correct one of them",
        reason="15 days against 20 days",
    )


@pytest.fixture
def report() -> pb.GetHealthReportResponse:
    return pb.GetHealthReportResponse(
        knowledge_base=pb.KnowledgeBase(name="fleet", document_count=1, chunk_count=2, embedding_model=EVIL),
        figures={"documents": 1, "with_any_date": 0.5, "language.zh": 1, "findings.CONFLICT": 1},
        findings=[pb.HealthFinding(kind="MISSING_DATE", document_ids=[EVIL], message=f"no date in {EVIL}")],
        documents=[
            pb.DocumentHealth(
                document_id=EVIL, title=EVIL, language="zh", content_health=0.4, findings=["MISSING_DATE"],
                figures={"characters": 1200, "table_cells": 8, "table_cells_lost": 2},
            )
        ],
        rejected=[
            pb.RejectedDocument(origin=f"{EVIL}.pdf", reason="NO_TEXT_LAYER", message="a scan; run it through OCR")
        ],
        conflicts=[
            conflict(pb.CONFLICT_KIND_CONFLICT, "Employees get"),
            conflict(pb.CONFLICT_KIND_SUPERSEDED, "Staff had"),
        ],
    )  # fmt: skip


class Page(HTMLParser):
    """Tags and text of a page."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.text = ""

    def handle_starttag(self, tag: str, attrs: object) -> None:
        self.tags.append(tag)

    def handle_data(self, data: str) -> None:
        self.text += data


def test_the_page_holds_everything_escaped_and_needs_nothing_else(
    edge: FakeEdge, trirag: Trirag, tmp_path: Path, report: pb.GetHealthReportResponse
) -> None:
    edge.answers["GetHealthReport"] = report
    file = tmp_path / "health.html"
    result = trirag("kb", "health", "fleet", "--html", str(file))
    assert (result.status, result.out) == (0, "")
    source = file.read_text("utf-8")
    page = Page()
    page.feed(source)
    assert "script" not in page.tags and "img" not in page.tags and "link" not in page.tags
    assert not re.search(r"(?:src|href)\s*=\s*[\"'](?!#)|url\(|@import", source)
    assert "\u202e" not in source and "\x07" not in source
    for words in ("alert('x')", "NO_TEXT_LAYER", "run it through OCR", "Employees get 20 days", "Staff had 15 days",
                  "MISSING_DATE", "1,200", "50%"):  # fmt: skip
        assert words in page.text, words
    assert page.text.index("Employees get 15") < page.text.index("Staff had 15")
    assert "prefers-color-scheme: dark" in source and source.startswith("<!doctype html>")


def test_the_page_of_an_empty_knowledge_base_has_no_empty_tables(
    edge: FakeEdge, trirag: Trirag, tmp_path: Path
) -> None:
    edge.answers["GetHealthReport"] = pb.GetHealthReportResponse(knowledge_base=pb.KnowledgeBase(name="new"))
    file = tmp_path / "health.html"
    result = trirag("kb", "health", "new", "--html", str(file), "--json")
    assert result.json["knowledge_base"]["name"] == "new"
    assert "<table" not in file.read_text("utf-8")


def test_a_page_that_cannot_be_written_is_one_line(
    edge: FakeEdge, trirag: Trirag, tmp_path: Path, report: pb.GetHealthReportResponse
) -> None:
    edge.answers["GetHealthReport"] = report
    result = trirag("kb", "health", "fleet", "--html", str(tmp_path / "no" / "such.html"))
    assert result.status == 1
    assert "such.html" in result.complaint


def test_the_report_on_a_terminal_shows_refusals_and_both_sentences(
    edge: FakeEdge, trirag: Trirag, report: pb.GetHealthReportResponse
) -> None:
    edge.answers["GetHealthReport"] = report
    out = trirag("kb", "health", "fleet").out
    assert "NO_TEXT_LAYER: a scan; run it through OCR" in out
    assert "≠ conflict: correct one of them" in out
    assert "T (a) > Leave: Employees get 15 days" in out
    assert "T (b) > Leave: Employees get 20 days" in out
    assert "why: 15 days against 20 days" in out
    assert "≠ superseded by version" in out


def test_a_finding_names_its_document_where_the_message_has_only_the_title(
    edge: FakeEdge, trirag: Trirag, report: pb.GetHealthReportResponse
) -> None:
    message = "'Travel policy' has no date; give effective_from or published_at"
    finding = pb.HealthFinding(kind="MISSING_DATE", document_ids=["travel_v2"], message=message)
    edge.answers["GetHealthReport"] = pb.GetHealthReportResponse(
        knowledge_base=report.knowledge_base, findings=[finding]
    )
    assert f"! MISSING_DATE: travel_v2: {message}" in trirag("kb", "health", "fleet").out


def test_an_ingest_tells_its_conflicts(edge: FakeEdge, trirag: Trirag, tmp_path: Path) -> None:
    def answer(received: list[pb.IngestRequest]) -> list[pb.IngestResponse]:
        *events, summary = created_each(received)
        summary.summary.conflicts.append(conflict(pb.CONFLICT_KIND_CONFLICT, "Employees get"))
        summary.summary.conflict_counts.update({"conflict": 3, "superseded": 4})
        return [*events, summary]

    edge.answers["Ingest"] = answer
    (tmp_path / "a.md").write_text("x")
    out = trirag("ingest", str(tmp_path), "--kb", "docs").out
    assert "Employees get 15 days" in out and "Employees get 20 days" in out
    assert "and 6 more pairs (3 conflict, 4 superseded in all)" in out
    [sent] = [m.file for m in edge.requests["Ingest"][-1] if m.HasField("file")]
    assert sent.modified_at.seconds == int((tmp_path / "a.md").stat().st_mtime)


def job(state: int, **counts: int) -> pb.IngestJob:
    return pb.IngestJob(job_id="j1", knowledge_base="docs", state=state, counts=counts)


def test_jobs_are_listed_and_cancelled(edge: FakeEdge, trirag: Trirag) -> None:
    running = job(pb.INGEST_JOB_STATE_RUNNING, created=3, chunks=7)
    edge.answers["ListIngestJobs"] = pb.ListIngestJobsResponse(jobs=[running])
    edge.answers["CancelIngestJob"] = pb.CancelIngestJobResponse()
    line = trirag("kb", "jobs", "docs").out.splitlines()[-1]
    assert line.split() == ["j1", "running", "3", "0", "0", "0", "7"]
    assert trirag("kb", "jobs", "docs", "--json").json["jobs"][0]["counts"] == {"chunks": "7", "created": "3"}
    assert "j1 was asked to end" in trirag("kb", "cancel", "j1").out
    assert edge.requests["CancelIngestJob"][0].job_id == "j1"


@pytest.mark.parametrize(
    ("state", "status", "words"),
    [
        (pb.INGEST_JOB_STATE_DONE, 0, "done, 5 created"),
        (pb.INGEST_JOB_STATE_CANCELLED, 1, "cancelled, 5 created"),
        (pb.INGEST_JOB_STATE_FAILED, 1, "run the same ingest again"),
    ],
)
def test_watching_ends_with_the_job_and_tells_how(
    edge: FakeEdge, trirag: Trirag, state: int, status: int, words: str
) -> None:
    states = [job(pb.INGEST_JOB_STATE_RUNNING, created=2, expected=5), job(state, created=5, expected=5, chunks=9)]
    edge.answers["WatchIngestJob"] = [pb.WatchIngestJobResponse(job=one) for one in states]
    result = trirag("kb", "watch", "j1")
    assert result.status == status
    assert words in result.out
    assert trirag("kb", "watch", "j1", "--json").json["state"] == pb.IngestJobState.Name(state)


def test_a_watch_that_is_cut_goes_on_silently(edge: FakeEdge, trirag: Trirag, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("cli.resume.PAUSE_SECONDS", 0.0)
    cut = Internal("", "Stream removed (RST_STREAM (Received RST_STREAM with error code 2))")
    running = pb.WatchIngestJobResponse(job=job(pb.INGEST_JOB_STATE_RUNNING, created=2))
    done = pb.WatchIngestJobResponse(job=job(pb.INGEST_JOB_STATE_DONE, created=5))
    edge.answers["WatchIngestJob"] = lambda _: [running, cut if len(edge.requests["WatchIngestJob"]) < 3 else done]
    result = trirag("kb", "watch", "j1", "--json")
    assert (result.status, result.err, result.json["state"]) == (0, "", "INGEST_JOB_STATE_DONE")
    assert [request.job_id for request in edge.requests["WatchIngestJob"]] == ["j1"] * 3


def test_an_unknown_job_is_one_line(edge: FakeEdge, trirag: Trirag) -> None:
    edge.answers["WatchIngestJob"] = NotFound("INGEST_JOB_NOT_FOUND", "there is no ingest 'j9'; `kb jobs` lists them")
    result = trirag("kb", "watch", "j9")
    assert (result.status, result.complaint) == (1, "trirag: there is no ingest 'j9'; `kb jobs` lists them")


def test_retirement_sends_the_day_and_tells_it(edge: FakeEdge, trirag: Trirag) -> None:
    metadata = types_pb2.DocumentMetadata(document_id="d")
    day = date_pb2.Date(year=2026, month=3, day=1)
    edge.answers["RetireDocument"] = pb.RetireDocumentResponse(document=pb.Document(metadata=metadata, retired_at=day))
    assert trirag("kb", "retire", "docs", "d", "--from", "2026-03-01").out == "d is out of force from 2026-03-01 on\n"
    assert edge.requests["RetireDocument"][0] == pb.RetireDocumentRequest(
        knowledge_base="docs", document_id="d", retired_at=day
    )
    assert trirag("kb", "retire", "docs", "d", "--undo").out == "d is no longer retired\n"
    assert edge.requests["RetireDocument"][1].undo
    assert trirag("kb", "retire", "docs", "d", "--undo", "--from", "2026-03-01").status == 2
    edge.answers["ListDocuments"] = pb.ListDocumentsResponse(
        documents=[
            pb.Document(metadata=metadata, retired_at=day, in_force_to=date_pb2.Date(year=2026, month=2, day=28))
        ]
    )
    assert "retired from 2026-03-01 on" in trirag("kb", "documents", "docs").out
