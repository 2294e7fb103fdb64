"""Ingestion through the service's contract: what is stored, what is refused and how."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator

import grpc
import pytest

from services.retrieval.adapters.milvus_store import MilvusStore
from tests.integration.retrieval import samples
from tests.integration.retrieval.parts import MilvusServer, RetrievalProcess, document, file, finished, ids
from trirag.retrieval.v1 import knowledge_base_pb2 as kb_pb2


def _stored(service: RetrievalProcess, base: str) -> list[str]:
    listed = service.bases.ListDocuments(kb_pb2.ListDocumentsRequest(knowledge_base=base), timeout=5)
    return [entry.metadata.document_id for entry in listed.documents]


def _jsonl(*lines: object) -> bytes:
    return "\n".join(line if isinstance(line, str) else json.dumps(line, ensure_ascii=False) for line in lines).encode()


def test_every_format_is_read(service: RetrievalProcess) -> None:
    html = b"<html><head><title>T</title></head><body><h1>Tyres</h1><p>htmlword pressure</p></body></html>"
    summary = service.ingest(
        "formats",
        [
            file("a.md", b"# A\n\nmarkdownword"),
            file("b.txt", "第一章 总则\n\n第一条 textword".encode()),
            file("c.html", html),
            file("d.pdf", samples.pdf([["first page words of pdfone here"], ["second page has pdftwo in it"]])),
            file("e.docx", samples.docx(["docxword in a paragraph"])),
            file("f.csv", b"name,value\ncsvword,12\n"),
            file("g.jsonl", _jsonl({"document_id": "j1", "title": "J", "text": "jsonword"})),
        ],
    )
    assert [(r.origin, r.message) for r in summary.rejected] == []
    assert summary.created == 7
    for word, expected in [
        ("markdownword", "a"), ("textword", "b"), ("htmlword", "c"), ("pdftwo", "d"), ("docxword", "e"),
        ("csvword", "f"), ("jsonword", "j1"),
    ]:  # fmt: skip
        assert ids(service.search("formats", word, "KEYWORD"))[:1] == [expected], word
    assert service.search("formats", "pdftwo", "KEYWORD").hits[0].chunk.page in (1, 2)


BAD_FILES = [
    ("empty.pdf", b"", {}, "EMPTY_FILE", ["0 bytes"]),
    ("empty.md", b"", {}, "EMPTY_FILE", ["0 bytes"]),
    ("locked.pdf", samples.encrypted_pdf(), {}, "ENCRYPTED_PDF", ["password"]),
    ("scan.pdf", samples.pdf([[], []]), {}, "NO_TEXT_LAYER", ["OCR"]),
    ("cut.pdf", samples.pdf([["x"]])[:200], {}, "UNREADABLE_FILE", ["damaged"]),
    ("picture.md", samples.png(), {}, "NOT_TEXT", ["PNG", "rename"]),
    ("picture.pdf", samples.png(), {}, "FORMAT_MISMATCH", ["PNG"]),
    ("picture.jsonl", samples.png(), {}, "NOT_TEXT", ["binary"]),
    ("blank.md", b" \n\n ", {}, "EMPTY_TEXT", ["no text"]),
    ("data.xyz", b"hello", {}, "UNSUPPORTED_FORMAT", [".xyz", ".pdf"]),
    ("noending", b"hello", {}, "UNSUPPORTED_FORMAT", ["ending"]),
    ("bomb.docx", samples.docx(["x"], padding=64 * 1024 * 1024), {}, "ARCHIVE_BOMB", ["unpacks"]),
    ("not.docx", b"PK\x03\x04garbage", {}, "UNREADABLE_FILE", ["damaged"]),
    ("date.md", b"text", {"effective_from": "2024-13-01"}, "INVALID_METADATA", ["effective_from", "2024-13-01"]),
    ("field.md", b"text", {"autority": "3"}, "INVALID_METADATA", ["autority", "authority"]),
    ("dirt.txt", ("word " * 50 + "\ue001" * 20).encode(), {}, "UNHEALTHY_TEXT", ["private-use"]),
]


@pytest.mark.parametrize(
    ("path", "content", "fields", "reason", "words"), BAD_FILES, ids=[case[0] for case in BAD_FILES]
)
def test_bad_files_are_refused_by_name(
    service: RetrievalProcess, path: str, content: bytes, fields: dict[str, str], reason: str, words: list[str]
) -> None:
    summary = service.ingest("bad", [file(path, content, **fields), file("good.md", b"good text")])
    assert [(r.origin, r.reason) for r in summary.rejected] == [(path, reason)]
    for word in words:
        assert word in summary.rejected[0].message
    assert "Traceback" not in summary.rejected[0].message
    assert _stored(service, "bad") == ["good"]


def test_an_ingest_of_nothing_but_bad_files_leaves_no_knowledge_base(service: RetrievalProcess) -> None:
    service.ingest("nothing", [file("empty.pdf", b"")])
    with pytest.raises(grpc.RpcError) as caught:
        _stored(service, "nothing")
    assert caught.value.code() is grpc.StatusCode.NOT_FOUND


def test_a_broken_line_is_named_by_number_and_the_others_are_stored(service: RetrievalProcess) -> None:
    content = _jsonl(
        {"document_id": "l1", "text": "one"},
        '{"document_id": "l2", "text": ',
        {"document_id": "l3", "text": "three"},
        {"document_id": "l4"},
        ["not", "an", "object"],
        {"document_id": "l6", "text": "six", "published_at": "yesterday"},
        {"text": "no id"},
    )
    summary = service.ingest("lines", [file("docs.jsonl", content)])
    assert _stored(service, "lines") == ["l1", "l3"]
    found = {r.origin: (r.reason, r.message) for r in summary.rejected}
    assert {origin: reason for origin, (reason, _) in found.items()} == {
        "docs.jsonl:2": "BROKEN_JSON", "docs.jsonl:4": "INVALID_METADATA", "docs.jsonl:5": "BROKEN_JSON",
        "docs.jsonl:6": "INVALID_METADATA", "docs.jsonl:7": "INVALID_METADATA",
    }  # fmt: skip
    assert "column" in found["docs.jsonl:2"][1]
    assert "'yesterday'" in found["docs.jsonl:6"][1]


def test_the_same_document_again_is_unchanged_and_a_new_text_replaces_it(
    service: RetrievalProcess, milvus: MilvusServer
) -> None:
    first = document("Old words about zebras.\n\n" + "Filler sentence here. " * 400, document_id="d", title="T")
    assert service.ingest("again", [first]).created == 1
    assert service.ingest("again", [first]).unchanged == 1
    summary = service.ingest("again", [document("New words about lions.", document_id="d", title="T")])
    assert (summary.replaced, summary.chunk_count) == (1, 1)
    assert ids(service.search("again", "lions", "KEYWORD")) == ["d"]
    assert ids(service.search("again", "zebras", "KEYWORD")) == []
    assert _rows(milvus, "again") == 1
    changed = service.ingest("again", [document("New words about lions.", document_id="d", title="T", authority="5")])
    assert changed.replaced == 1


def test_a_failed_replacement_keeps_the_old_document(service: RetrievalProcess) -> None:
    service.ingest("kept", [file("a.md", b"zebras live here")])
    summary = service.ingest("kept", [file("a.md", samples.png())])
    assert summary.rejected[0].reason == "NOT_TEXT"
    assert ids(service.search("kept", "zebras", "KEYWORD")) == ["a"]


def test_two_files_with_one_id_keep_the_first_and_name_both(service: RetrievalProcess) -> None:
    summary = service.ingest("twice", [file("a.md", b"alpha", document_id="x"), file("b.md", b"beta", document_id="x")])
    [rejected] = summary.rejected
    assert (rejected.origin, rejected.reason) == ("b.md", "DUPLICATE_DOCUMENT_ID")
    assert "'a.md'" in rejected.message and "'x'" in rejected.message
    assert ids(service.search("twice", "alpha", "KEYWORD")) == ["x"]


@pytest.mark.parametrize("encoding", ["gb18030", "big5"])
def test_legacy_chinese_encodings_are_read(service: RetrievalProcess, encoding: str) -> None:
    simplified = "公司应当遵守法律，法定代表人对公司的债务不承担个人责任，这是本法的规定。"
    traditional = "公司應當遵守法律，法定代表人對公司的債務不承擔個人責任，這是本法的規定。"
    text = simplified if encoding == "gb18030" else traditional
    base = f"enc_{encoding}"
    events = list(service.ingest_stream(base, [file("law.txt", text.encode(encoding))]))
    assert events[-1].summary.created == 1, events[-1].summary.rejected
    assert any(encoding in warning for warning in next(finished(iter(events))).warnings)
    stored = service.bases.GetDocument(kb_pb2.GetDocumentRequest(knowledge_base=base, document_id="law"), timeout=5)
    assert stored.text == text


def test_names_with_line_breaks_and_emoji_are_one_line_in_messages(service: RetrievalProcess) -> None:
    stream = service.ingest_stream("names", [file("new\nline 😀.md", b"body"), file("bad\r\n.md", b"")])
    origins = [done.origin for done in finished(stream)]
    assert sorted(origins) == ["bad\\r\\n.md", "new\\nline 😀.md"]
    assert _stored(service, "names") == ["new_line 😀"]


def test_a_file_comes_in_parts_and_a_file_without_its_end_is_named(service: RetrievalProcess) -> None:
    body = ("Sentence about tortoises. " * 60_000).encode()
    parts = [body[start : start + 1_000_000] for start in range(0, len(body), 1_000_000)]
    requests = [
        kb_pb2.IngestRequest(file=kb_pb2.IngestFile(path="big.txt", content=part, last_part=index == len(parts) - 1))
        for index, part in enumerate(parts)
    ]
    lonely = kb_pb2.IngestRequest(file=kb_pb2.IngestFile(path="half.txt", content=b"half"))
    summary = service.ingest("parts", [*requests, lonely], timeout=120)
    assert summary.created == 1
    assert [(r.origin, r.reason) for r in summary.rejected] == [("half.txt", "INCOMPLETE_FILE")]


def test_a_file_beyond_the_limit_is_refused_in_words(service: RetrievalProcess) -> None:
    part = b"<p>" + b"x" * 1_000_000
    requests = [
        kb_pb2.IngestRequest(file=kb_pb2.IngestFile(path="huge.html", content=part, last_part=index == 49))
        for index in range(50)
    ]
    [rejected] = service.ingest("huge", requests).rejected
    assert rejected.reason == "TOO_LARGE"
    assert "config/ingest.yaml" in rejected.message


def test_an_ingest_must_begin_with_its_start(service: RetrievalProcess) -> None:
    with pytest.raises(grpc.RpcError) as caught:
        list(service.bases.Ingest(iter([document("x", document_id="x")]), timeout=5))
    assert caught.value.code() is grpc.StatusCode.INVALID_ARGUMENT


def test_concurrent_ingests_of_one_knowledge_base_lose_nothing(service: RetrievalProcess, milvus: MilvusServer) -> None:
    failures: list[object] = []

    def run(worker: int) -> None:
        items = [
            document(f"Worker {worker} text {n}", document_id=f"w{worker}-{n}", supersedes="shared") for n in range(40)
        ]
        summary = service.ingest("busy", [*items, document("shared text", document_id="shared")], timeout=120)
        failures.extend(summary.rejected)

    threads = [threading.Thread(target=run, args=(worker,)) for worker in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []
    listed = service.bases.ListKnowledgeBases(kb_pb2.ListKnowledgeBasesRequest(), timeout=5).knowledge_bases
    [found] = [entry for entry in listed if entry.name == "busy"]
    assert (found.document_count, found.chunk_count) == (121, 121)
    assert _rows(milvus, "busy") == 121


def test_deleting_leaves_no_trace(service: RetrievalProcess, milvus: MilvusServer) -> None:
    service.ingest("gone", [document("alpha", document_id="a"), document("beta", document_id="b")])
    deleted = service.bases.DeleteDocument(
        kb_pb2.DeleteDocumentRequest(knowledge_base="gone", document_id="a"), timeout=5
    )
    assert deleted.deleted_chunks == 1
    assert _rows(milvus, "gone") == 1
    assert ids(service.search("gone", "alpha beta", "KEYWORD")) == ["b"]
    assert (
        service.bases.DeleteKnowledgeBase(kb_pb2.DeleteKnowledgeBaseRequest(name="gone"), timeout=5).deleted_documents
        == 1
    )
    assert not [name for name in MilvusStore(milvus.uri).collections() if name.startswith("kb_gone_")]
    again = service.ingest("gone", [document("gamma", document_id="c")])
    assert again.created == 1
    assert ids(service.search("gone", "alpha beta gamma")) == ["c"]


def test_creating_twice_is_refused_and_health_is_reported(service: RetrievalProcess) -> None:
    service.bases.CreateKnowledgeBase(kb_pb2.CreateKnowledgeBaseRequest(name="made"), timeout=5)
    with pytest.raises(grpc.RpcError) as caught:
        service.bases.CreateKnowledgeBase(kb_pb2.CreateKnowledgeBaseRequest(name="made"), timeout=5)
    assert caught.value.code() is grpc.StatusCode.ALREADY_EXISTS
    text = "The rule is old and of no date. " * 30
    service.ingest("made", [document(text, document_id="a", doc_type="regulation"), document(text, document_id="b")])
    report = service.bases.GetHealthReport(kb_pb2.GetHealthReportRequest(knowledge_base="made"), timeout=5)
    assert report.figures["documents"] == 2
    assert {finding.kind for finding in report.findings} == {"MISSING_DATE", "DUPLICATE"}


def _rows(milvus: MilvusServer, base: str) -> int:
    store = MilvusStore(milvus.uri)
    collections = [name for name in store.collections() if name.startswith(f"kb_{base}_c")]
    assert len(collections) == 1
    return store.count(collections[0])


def test_a_running_ingest_is_listed_and_can_be_cancelled_and_continued(service: RetrievalProcess) -> None:
    items = [document(f"Text number {n}.", document_id=f"j{n}") for n in range(50)]
    gate = threading.Event()

    def slow() -> Iterator[kb_pb2.IngestRequest]:
        yield from items[:10]
        gate.wait(60)
        yield from items[10:]

    listing = kb_pb2.ListIngestJobsRequest(knowledge_base="jobs")
    stream = service.ingest_stream("jobs", slow())
    next(finished(stream))
    [job] = service.bases.ListIngestJobs(listing, timeout=5).jobs
    assert job.state == kb_pb2.INGEST_JOB_STATE_RUNNING
    service.bases.CancelIngestJob(kb_pb2.CancelIngestJobRequest(job_id=job.job_id), timeout=5)
    gate.set()
    with pytest.raises(grpc.RpcError) as caught:
        list(stream)
    assert caught.value.code() is grpc.StatusCode.FAILED_PRECONDITION
    [job] = service.bases.ListIngestJobs(listing, timeout=5).jobs
    assert job.state == kb_pb2.INGEST_JOB_STATE_CANCELLED
    stored = len(_stored(service, "jobs"))
    assert 0 < stored < 50
    summary = service.ingest("jobs", items)
    assert (summary.unchanged, summary.created) == (stored, 50 - stored)
    # Who asks again may not have heard the first answer.
    service.bases.CancelIngestJob(kb_pb2.CancelIngestJobRequest(job_id=job.job_id), timeout=5)
    with pytest.raises(grpc.RpcError) as missing:
        service.bases.CancelIngestJob(kb_pb2.CancelIngestJobRequest(job_id="no-such-job"), timeout=5)
    assert missing.value.code() is grpc.StatusCode.NOT_FOUND
