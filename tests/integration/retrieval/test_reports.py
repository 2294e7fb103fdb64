"""What ingests refuse, contradict and leave to watch, through the service's contract."""

from __future__ import annotations

import io
import threading
import time
import zipfile
from collections.abc import Iterator

import grpc
import pytest

from tests.integration.retrieval.parts import RetrievalProcess, day, document, file, finished, ids
from trirag.retrieval.v1 import knowledge_base_pb2 as kb_pb2


def _health(service: RetrievalProcess, base: str, groups: str = "") -> kb_pb2.GetHealthReportResponse:
    metadata = (("x-trirag-groups", groups),) if groups else ()
    request = kb_pb2.GetHealthReportRequest(knowledge_base=base)
    return service.bases.GetHealthReport(request, timeout=10, metadata=metadata)


def _retire(service: RetrievalProcess, base: str, document_id: str, **fields: object) -> kb_pb2.Document:
    request = kb_pb2.RetireDocumentRequest(knowledge_base=base, document_id=document_id, **fields)  # type: ignore[arg-type]
    return service.bases.RetireDocument(request, timeout=10).document


LEAVE_15 = "Employees get 15 days of annual leave per year."
LEAVE_20 = "Employees get 20 days of annual leave per year."


def test_conflicts_are_told_by_the_ingest_that_makes_them_and_by_the_report(service: RetrievalProcess) -> None:
    old = document(LEAVE_15, document_id="old", title="Leave policy", effective_from="2020-01-01")
    assert not service.ingest("conflicts", [old]).conflicts
    new = document(LEAVE_20, document_id="new", title="Leave policy", supersedes="old", effective_from="2024-01-01")
    faq = document(LEAVE_15, document_id="faq", title="Questions of newcomers")
    secret = document(
        "Employees get 30 days of annual leave per year.", document_id="board", title="Board", access_groups="board"
    )
    summary = service.ingest("conflicts", [new, faq, secret])
    told = {(c.first.document_id, c.second.document_id): c for c in summary.conflicts}
    assert {pair: c.kind for pair, c in told.items()} == {
        ("faq", "new"): kb_pb2.CONFLICT_KIND_CONFLICT,
        ("new", "old"): kb_pb2.CONFLICT_KIND_SUPERSEDED,
    }
    assert told["faq", "new"].first.sentence == LEAVE_15 and told["faq", "new"].second.sentence == LEAVE_20
    assert told["faq", "new"].second.title == "Leave policy"
    assert dict(summary.conflict_counts) == {"conflict": 1, "superseded": 1}
    report = _health(service, "conflicts")
    assert [c.kind for c in report.conflicts] == [kb_pb2.CONFLICT_KIND_CONFLICT, kb_pb2.CONFLICT_KIND_SUPERSEDED]
    assert not service.ingest("conflicts", [new, faq]).conflicts  # unchanged documents bring no news
    seen = {side.document_id for c in _health(service, "conflicts", "board").conflicts for side in (c.first, c.second)}
    assert "board" in seen


def test_refusals_stay_in_the_report_until_they_are_mended(service: RetrievalProcess) -> None:
    items = [
        file("a.md", b"good words here"),
        file("b.md", b"", access_groups="hr"),
        file("c.xyz", b"x"),
        document("text", document_id="a", authority="9"),
    ]
    service.ingest("refused", items)
    report = _health(service, "refused")
    found = {entry.origin: entry for entry in report.rejected}
    assert {origin: entry.reason for origin, entry in found.items()} == {
        "c.xyz": "UNSUPPORTED_FORMAT", "a": "INVALID_METADATA",
    }  # fmt: skip
    assert found["a"].earlier_version_stored and not found["c.xyz"].earlier_version_stored
    assert report.figures["rejected"] == 2
    assert {entry.origin for entry in _health(service, "refused", "hr").rejected} == {"a", "b.md", "c.xyz"}
    service.ingest("refused", [file("b.md", b"mended", access_groups="hr"), document("text", document_id="a")])
    assert {entry.origin for entry in _health(service, "refused", "hr").rejected} == {"c.xyz"}
    service.bases.DeleteKnowledgeBase(kb_pb2.DeleteKnowledgeBaseRequest(name="refused"), timeout=10)
    service.ingest("refused", [file("a.md", b"good words here")])
    assert not _health(service, "refused").rejected


def test_each_document_has_its_figures(service: RetrievalProcess) -> None:
    table = b"name,value\nvalve,12\npump,13\n"
    dirty = "zero\u200bwidth and H P L C words".encode()
    service.ingest("figures", [file("t.csv", table), file("d.md", dirty, published_at="2024-01-31")])
    health = {entry.document_id: entry for entry in _health(service, "figures").documents}
    assert health["t"].figures["table_cells"] == 6 and health["t"].figures["table_cells_lost"] == 0
    assert (health["d"].figures["repaired_invisible"], health["d"].figures["spaced_out_runs"]) == (1, 1)
    assert (health["d"].dated, health["t"].dated) == (True, False)
    assert "SPACED_OUT_WORDS" in health["d"].findings


def test_a_retired_document_is_found_for_the_days_before_and_comes_back_only_by_its_owner(
    service: RetrievalProcess,
) -> None:
    item = document("The zebra rule holds.", document_id="rule", effective_from="2020-01-01")
    service.ingest("retired", [item])
    changed = _retire(service, "retired", "rule", retired_at=day("2023-06-01"))
    assert changed.retired_at == day("2023-06-01") and changed.in_force_to == day("2023-05-31")
    assert ids(service.search("retired", "zebra", "KEYWORD")) == []
    before = service.search("retired", "zebra", "KEYWORD", filter={"in_force_on": day("2023-05-31")})
    assert ids(before) == ["rule"]
    assert before.hits[0].chunk.document.effective_to == day("2023-05-31")
    assert ids(service.search("retired", "zebra", "KEYWORD", filter={"include_superseded": True})) == ["rule"]
    assert service.ingest("retired", [item]).unchanged == 1
    new_text = document("The zebra rule holds more.", document_id="rule", effective_from="2020-01-01")
    events = list(service.ingest_stream("retired", [new_text]))
    assert any("retired since 2023-06-01" in warning for warning in next(finished(iter(events))).warnings)
    assert ids(service.search("retired", "zebra", "KEYWORD")) == []
    assert not _retire(service, "retired", "rule", undo=True).HasField("retired_at")
    assert ids(service.search("retired", "zebra", "KEYWORD")) == ["rule"]
    with pytest.raises(grpc.RpcError) as early:
        _retire(service, "retired", "rule", retired_at=day("2019-01-01"))
    assert early.value.code() is grpc.StatusCode.INVALID_ARGUMENT
    with pytest.raises(grpc.RpcError) as unknown:
        _retire(service, "retired", "nothing")
    assert unknown.value.code() is grpc.StatusCode.NOT_FOUND
    service.ingest("retired", [document("The lion rule holds.", document_id="undated")])
    with pytest.raises(grpc.RpcError) as first_day:
        _retire(service, "retired", "undated", retired_at=day("0001-01-01"))
    assert first_day.value.code() is grpc.StatusCode.INVALID_ARGUMENT


def test_a_document_retired_while_an_ingest_runs_stays_retired(service: RetrievalProcess) -> None:
    service.ingest("meanwhile", [document("The zebra rule holds.", document_id="rule")])
    gate = threading.Event()

    def slow() -> Iterator[kb_pb2.IngestRequest]:
        yield document("first", document_id="first")
        gate.wait(60)
        yield document("The zebra rule holds more.", document_id="rule")

    stream = service.ingest_stream("meanwhile", slow())
    next(finished(stream))
    _retire(service, "meanwhile", "rule", retired_at=day("2023-06-01"))
    gate.set()
    events = list(stream)
    assert events[-1].summary.replaced == 1
    assert [w for event in events for w in event.document.warnings if "retired since 2023-06-01" in w]
    assert ids(service.search("meanwhile", "zebra", "KEYWORD")) == []
    before = service.search("meanwhile", "zebra more", "KEYWORD", filter={"in_force_on": day("2023-05-31")})
    assert ids(before) == ["rule"]


def test_file_names_order_versions_and_the_order_of_upload_does_not(service: RetrievalProcess) -> None:
    old, new = "# Visitor rules\n\nVisitors wear a zebra badge.", "# Visitor rules\n\nVisitors wear a lion badge."
    for base, names in (("marks_a", ("rules.md", "rules_v2.md")), ("marks_b", ("访客_修订.md", "访客.md"))):
        texts = (old, new) if base == "marks_a" else (new, old)
        for name, text in zip(names, texts, strict=True):
            service.ingest(base, [file(name, text.encode())])
        assert len(service.search(base, "visitors badge", "KEYWORD").hits) == 1
        assert "lion" in service.search(base, "visitors badge", "KEYWORD").hits[0].chunk.text


def test_an_archive_is_stored_file_by_file(service: RetrievalProcess) -> None:
    inner, outer = io.BytesIO(), io.BytesIO()
    with zipfile.ZipFile(inner, "w") as archive:
        archive.writestr("deep.md", "giraffes live here")
    with zipfile.ZipFile(outer, "w") as archive:
        archive.writestr("a.md", "zebras live here")
        archive.writestr("inner.zip", inner.getvalue())
        archive.writestr("broken.pdf", b"%PDF-1.4 nothing")
    summary = service.ingest("archive", [file("pack.zip", outer.getvalue())])
    assert summary.created == 2
    assert [(r.origin, r.reason) for r in summary.rejected] == [("pack.zip/broken.pdf", "UNREADABLE_FILE")]
    assert ids(service.search("archive", "giraffes", "KEYWORD")) == ["pack.zip/inner.zip/deep"]


def test_a_job_is_watched_to_its_end(service: RetrievalProcess) -> None:
    gate = threading.Event()

    def slow() -> Iterator[kb_pb2.IngestRequest]:
        yield document("one", document_id="w1")
        gate.wait(60)
        yield document("two", document_id="w2")

    stream = service.ingest_stream("watched", slow())
    next(finished(stream))
    [job] = service.bases.ListIngestJobs(kb_pb2.ListIngestJobsRequest(knowledge_base="watched"), timeout=5).jobs
    watched = service.bases.WatchIngestJob(kb_pb2.WatchIngestJobRequest(job_id=job.job_id), timeout=60)
    first = next(watched).job
    assert (first.state, first.knowledge_base) == (kb_pb2.INGEST_JOB_STATE_RUNNING, "watched")
    gate.set()
    list(stream)
    last = list(watched)[-1].job
    assert (last.state, last.counts["created"]) == (kb_pb2.INGEST_JOB_STATE_DONE, 2)
    with pytest.raises(grpc.RpcError) as unknown:
        list(service.bases.WatchIngestJob(kb_pb2.WatchIngestJobRequest(job_id="none"), timeout=5))
    assert unknown.value.code() is grpc.StatusCode.NOT_FOUND


def test_watchers_leave_places_to_searches_and_their_own_come_free(service: RetrievalProcess) -> None:
    gate = threading.Event()

    def slow() -> Iterator[kb_pb2.IngestRequest]:
        yield document("zebra", document_id="one")
        gate.wait(60)

    stream = service.ingest_stream("crowded", slow())
    next(finished(stream))
    [job] = service.bases.ListIngestJobs(kb_pb2.ListIngestJobsRequest(knowledge_base="crowded"), timeout=5).jobs
    request = kb_pb2.WatchIngestJobRequest(job_id=job.job_id)
    watchers = [service.bases.WatchIngestJob(request, timeout=60) for _ in range(16)]  # a quarter of max_in_flight
    for watcher in watchers:
        next(watcher)
    with pytest.raises(grpc.RpcError) as refused:
        next(service.bases.WatchIngestJob(request, timeout=5))
    assert refused.value.code() is grpc.StatusCode.RESOURCE_EXHAUSTED
    assert "16 watchers" in str(refused.value.details())
    assert ids(service.search("crowded", "zebra", "KEYWORD")) == ["one"]
    for watcher in watchers:
        watcher.cancel()
    give_up = time.monotonic() + 60
    while True:  # a cancelled call gives its place back as soon as the service has heard of it
        last = service.bases.WatchIngestJob(request, timeout=60)
        try:
            next(last)
            break
        except grpc.RpcError as error:
            assert error.code() is grpc.StatusCode.RESOURCE_EXHAUSTED
            assert time.monotonic() < give_up, "no place is given back"
    gate.set()
    list(stream)
    assert list(last)[-1].job.state == kb_pb2.INGEST_JOB_STATE_DONE


def test_a_large_document_can_be_cancelled_while_it_is_embedded(service: RetrievalProcess) -> None:
    text = "\n\n".join(f"## Section {n}\n\n" + f"Words of section {n} about tortoises. " * 30 for n in range(1500))
    stream = service.ingest_stream("large", [document(text, document_id="large")], timeout=120)
    failures: list[grpc.RpcError] = []

    def read() -> None:
        try:
            list(stream)
        except grpc.RpcError as error:
            failures.append(error)

    reader = threading.Thread(target=read)
    reader.start()
    listing = kb_pb2.ListIngestJobsRequest(knowledge_base="large")
    watched, asked = "", False
    while not watched:
        jobs = service.bases.ListIngestJobs(listing, timeout=5).jobs
        watched = jobs[0].job_id if jobs else ""
    for event in service.bases.WatchIngestJob(kb_pb2.WatchIngestJobRequest(job_id=watched), timeout=60):
        if event.job.state == kb_pb2.INGEST_JOB_STATE_RUNNING and not asked:
            asked = True
            service.bases.CancelIngestJob(kb_pb2.CancelIngestJobRequest(job_id=watched), timeout=5)
    reader.join()
    assert [error.code() for error in failures] == [grpc.StatusCode.FAILED_PRECONDITION]
    assert event.job.state == kb_pb2.INGEST_JOB_STATE_CANCELLED
    assert event.job.counts["created"] == 0
