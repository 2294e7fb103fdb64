"""A knowledge base moves to another embedder while it is searched and written, and back."""

from __future__ import annotations

import shutil
import signal
import sqlite3
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import grpc
import pytest
from google.rpc import error_details_pb2, status_pb2
from pymilvus import MilvusClient

from services.common.errors import STATUS_DETAILS_KEY
from tests.integration.retrieval.parts import (
    ROOT,
    EmbeddingEndpoint,
    MilvusServer,
    RetrievalProcess,
    document,
    finished,
    ids,
    rows_of,
)
from tests.stack import until
from trirag.retrieval.v1 import knowledge_base_pb2 as kb_pb2
from trirag.retrieval.v1 import migration_pb2, retrieval_pb2

# Thirty topics of five documents each: what is nearest to a question about a topic are its five documents.
TOPICS = [f"zebra{n} lion{n} otter{n} heron{n}" for n in range(30)]
TEXTS = {f"d{n:03}": f"{TOPICS[n // 5]} note {n % 5}" for n in range(150)}
QUERIES = TOPICS[:16]
SWITCHED = migration_pb2.MIGRATION_OUTCOME_SWITCHED


@dataclass
class Setting:
    """A service that knows three embedders besides its own: a small one, a slow one, and one that makes no sense."""

    milvus: MilvusServer
    service: RetrievalProcess
    small: EmbeddingEndpoint
    folder: Path

    def ingest(self, base: str) -> None:
        """Stores all texts."""
        self.service.ingest(base, [document(text, document_id=key) for key, text in TEXTS.items()])

    def stuck(self, base: str) -> Iterator[migration_pb2.MigrateKnowledgeBaseResponse]:
        """A migration to `small` that has begun to copy and waits for its embedder until the gate is opened."""
        stream = self.service.migrate(base, "small", QUERIES)
        next(stream)
        self.small.gate.clear()
        self.small.asked.clear()
        assert self.small.asked.wait(30)
        return stream

    def collections(self, base: str) -> list[str]:
        """Collections of a knowledge base in Milvus."""
        client = MilvusClient(uri=self.milvus.uri, timeout=10)
        found = [name for name in client.list_collections() if name.startswith(f"kb_{base}_c")]
        client.close()
        return found

    def catalogued(self, base: str) -> dict[str, int]:
        """Rows that the catalogue has about a knowledge base, by table; tables without any are left out."""
        connection = sqlite3.connect(self.folder / "data" / "catalogue.db")
        tables = [row[0] for row in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        counts = {}
        for table in tables:
            columns = {row[1] for row in connection.execute(f"PRAGMA table_info({table})")}
            column = "knowledge_base" if "knowledge_base" in columns else "name"
            if column in columns:
                [(count,)] = connection.execute(f"SELECT count(*) FROM {table} WHERE {column} = ?", (base,))
                counts[table] = count
        connection.close()
        return {table: count for table, count in counts.items() if count}


def write_config(folder: Path, embedders: dict[str, EmbeddingEndpoint]) -> Path:
    """A configuration folder with these embedders and small demands on a switch."""
    config = folder / "config"
    if not config.exists():
        shutil.copytree(ROOT / "config", config)
    entries = "".join(
        f"  {key}: {{kind: openai, url: '{endpoint.url}', model: {key}, revision: '1'}}\n"
        for key, endpoint in embedders.items()
    )
    rules = "migration: {recorded_queries: 50, compared_results: 5, minimum_mean_overlap: 0.4, minimum_queries: 10}\n"
    (config / "embedders.yaml").write_text(f"embedders:\n{entries}{rules}", "utf-8")
    return config


@pytest.fixture
def catalogue_url() -> str:
    """SQLite in the service's folder; the tests of PostgreSQL give another one."""
    return ""


@pytest.fixture
def setting(
    tmp_path: Path, free_port: Callable[[], int], endpoint: EmbeddingEndpoint, catalogue_url: str
) -> Iterator[Setting]:
    """Everything fresh: tests kill and stop it."""
    small, nonsense = EmbeddingEndpoint(64), EmbeddingEndpoint(96, nonsense=True)
    config = write_config(tmp_path, {"small": small, "nonsense": nonsense})
    server = MilvusServer(tmp_path, free_port())
    catalogue = {"TRIRAG_RETRIEVAL_CATALOGUE_URL": catalogue_url} if catalogue_url else {}
    service = RetrievalProcess(tmp_path, free_port(), server, endpoint, TRIRAG_CONFIG_DIR=str(config), **catalogue)
    try:
        service.wait_serving()
        yield Setting(server, service, small, tmp_path)
    finally:
        service.stop()
        server.process.kill()
        small.close()
        nonsense.close()


def reason_of(error: grpc.RpcError) -> tuple[grpc.StatusCode, str, bool]:
    """Code, reason, and whether the time of a retry is told."""
    [packed] = [value for key, value in error.trailing_metadata() if key == STATUS_DETAILS_KEY]
    info, retry = error_details_pb2.ErrorInfo(), error_details_pb2.RetryInfo()
    details = status_pb2.Status.FromString(packed).details
    next(one for one in details if one.Is(info.DESCRIPTOR)).Unpack(info)
    return error.code(), info.reason, any(one.Is(retry.DESCRIPTOR) for one in details)


def model_of(service: RetrievalProcess, base: str) -> tuple[str, int, int]:
    """Model, dimension and chunks as listed."""
    listed = service.bases.ListKnowledgeBases(kb_pb2.ListKnowledgeBasesRequest(), timeout=5).knowledge_bases
    [found] = [entry for entry in listed if entry.name == base]
    return found.embedding_model, found.dimension, found.chunk_count


def test_there_and_back_again_with_what_was_written_in_between(setting: Setting) -> None:
    service = setting.service
    setting.ingest("kb")
    before = rows_of(setting.milvus, "kb")
    first = ids(service.search("kb", TOPICS[2], "DENSE"))

    events = list(service.migrate("kb", "small", QUERIES))
    phases = [event.progress.phase for event in events if event.HasField("progress")]
    assert phases == sorted(phases) and len(set(phases)) == 3
    [report] = [event.report for event in events if event.HasField("report")]
    assert report.queries == len(QUERIES)
    assert 0.4 <= report.mean_overlap <= 1.0 and report.minimum_overlap == report.comparisons[0].overlap
    assert events[-1].result.outcome == SWITCHED
    assert events[-1].result.model == "small@1" and events[-1].result.document_count == len(TEXTS)
    assert model_of(service, "kb") == ("small@1", 64, len(TEXTS))
    assert rows_of(setting.milvus, "kb") == before
    result = service.search("kb", TOPICS[2], "DENSE")
    assert result.status == retrieval_pb2.TASK_STATUS_OK and not result.cached
    assert result.embedding_model == "small@1"
    assert set(first[:5]) == set(ids(result)[:5])

    # Unchanged documents are recognised after the move; new and deleted ones are there or not after the way back.
    again = service.ingest("kb", [document(TEXTS["d001"], document_id="d001")])
    assert again.unchanged == 1
    service.ingest("kb", [document("A quokka was seen.", document_id="new"), document("Otters.", document_id="d002")])
    service.bases.DeleteDocument(kb_pb2.DeleteDocumentRequest(knowledge_base="kb", document_id="d003"), timeout=10)
    status = service.migration("kb")
    assert status.former.missing_documents == 2 and not status.HasField("shadow")
    assert status.report.queries == len(QUERIES)
    back = service.rollback("kb")
    assert back.outcome == SWITCHED and back.model == "bag-of-words"
    assert model_of(service, "kb") == ("bag-of-words", 96, len(TEXTS))
    assert ids(service.search("kb", "quokka", "DENSE"))[0] == "new"
    stored = {row[0] for row in rows_of(setting.milvus, "kb")}
    assert stored == {*TEXTS, "new"} - {"d003"}
    assert service.ingest("kb", [document(TEXTS["d001"], document_id="d001")]).unchanged == 1

    assert len(setting.collections("kb")) == 2
    dropped = service.bases.DropMigration(migration_pb2.DropMigrationRequest(name="kb"), timeout=10)
    assert dropped.dropped_collections == 1 and len(setting.collections("kb")) == 1
    with pytest.raises(grpc.RpcError) as nothing_left:
        service.rollback("kb")
    assert reason_of(nothing_left.value)[:2] == (grpc.StatusCode.FAILED_PRECONDITION, "NO_FORMER_COLLECTION")
    same = list(service.migrate("kb", "openai"))
    assert [event.result.outcome for event in same] == [migration_pb2.MIGRATION_OUTCOME_UNCHANGED]


def test_results_that_differ_too_much_or_too_few_queries_do_not_switch(setting: Setting) -> None:
    service = setting.service
    setting.ingest("kb")
    with pytest.raises(grpc.RpcError) as unknown:
        list(service.migrate("kb", "elsewhere"))
    assert unknown.value.code() == grpc.StatusCode.INVALID_ARGUMENT
    assert "nonsense, openai, small" in unknown.value.details()
    with pytest.raises(grpc.RpcError) as few:
        list(service.migrate("kb", "small", QUERIES[:3]))
    assert reason_of(few.value)[:2] == (grpc.StatusCode.FAILED_PRECONDITION, "TOO_FEW_QUERIES")
    seen = []
    with pytest.raises(grpc.RpcError) as differ:
        seen.extend(event for event in service.migrate("kb", "nonsense", QUERIES))
    assert reason_of(differ.value)[:2] == (grpc.StatusCode.FAILED_PRECONDITION, "OVERLAP_TOO_LOW")
    assert model_of(service, "kb")[0] == "bag-of-words"
    assert len(setting.collections("kb")) == 2  # the shadow for `small` was given up for this one
    dry = list(service.migrate("kb", "nonsense", QUERIES, dry_run=True))
    assert dry[0].progress.done == len(TEXTS)  # what was copied before was kept
    assert dry[-1].result.outcome == migration_pb2.MIGRATION_OUTCOME_COMPARED and dry[-1].result.objection
    assert model_of(service, "kb")[0] == "bag-of-words"
    forced = list(service.migrate("kb", "nonsense", QUERIES, force=True))
    assert forced[-1].result.outcome == SWITCHED
    assert model_of(service, "kb")[0] == "nonsense@1"


def test_what_is_written_and_deleted_meanwhile_is_not_lost(setting: Setting) -> None:
    service, texts = setting.service, dict(TEXTS)
    setting.ingest("kb")
    late = {f"late{n:02}": f"note {n} about otter{n} of the year" for n in range(60)}
    results: list[migration_pb2.MigrateKnowledgeBaseResponse] = []
    stream = setting.stuck("kb")
    thread = threading.Thread(target=lambda: results.extend(stream))
    thread.start()
    with pytest.raises(grpc.RpcError) as second:
        list(service.migrate("kb", "nonsense"))
    assert reason_of(second.value) == (grpc.StatusCode.FAILED_PRECONDITION, "MIGRATION_RUNNING", True)
    assert service.migration("kb").shadow.running
    service.ingest("kb", [document("Rewritten: the ibex.", document_id="d000")])
    service.bases.DeleteDocument(kb_pb2.DeleteDocumentRequest(knowledge_base="kb", document_id="d149"), timeout=10)
    setting.small.gate.set()
    summary = service.ingest("kb", [document(text, document_id=key) for key, text in late.items()])
    thread.join(90)
    assert results[-1].result.outcome == SWITCHED
    assert summary.created == len(late) and not summary.rejected
    texts |= late | {"d000": "Rewritten: the ibex."}
    del texts["d149"]
    assert {row[0]: row[2] for row in rows_of(setting.milvus, "kb")} == texts
    assert ids(service.search("kb", "the ibex rewritten", "DENSE"))[0] == "d000"
    assert model_of(service, "kb") == ("small@1", 64, len(texts))


def test_killed_in_the_middle_readers_notice_nothing_and_the_next_run_goes_on(setting: Setting) -> None:
    service = setting.service
    setting.ingest("kb")
    before = rows_of(setting.milvus, "kb")
    done = 0
    for _ in range(2):
        stream = service.migrate("kb", "small", QUERIES)
        began = next(stream).progress
        assert began.done >= done
        done = next(stream).progress.done
        service.process.kill()
        service.spawn()
        service.wait_serving()
        assert model_of(service, "kb")[0] == "bag-of-words"
        assert ids(service.search("kb", TOPICS[2], "DENSE"))
    events = list(service.migrate("kb", "small", QUERIES))
    assert events[0].progress.done >= done > 0
    assert events[-1].result.outcome == SWITCHED
    assert rows_of(setting.milvus, "kb") == before


def test_a_call_that_is_cancelled_lets_the_next_one_in_when_its_last_step_has_ended(setting: Setting) -> None:
    service = setting.service
    setting.ingest("kb")
    stream = setting.stuck("kb")
    stream.cancel()  # type: ignore[attr-defined]
    with pytest.raises(grpc.RpcError) as running:  # what is under way still writes
        list(service.migrate("kb", "small", QUERIES))
    assert reason_of(running.value) == (grpc.StatusCode.FAILED_PRECONDITION, "MIGRATION_RUNNING", True)
    setting.small.gate.set()
    until(lambda: not service.migration("kb").shadow.running, "the cancelled migration never ends")
    events = list(service.migrate("kb", "small", QUERIES))
    assert events[0].progress.done > 0 and events[-1].result.outcome == SWITCHED
    assert len(rows_of(setting.milvus, "kb")) == len(TEXTS)


def test_deleting_ends_a_migration_and_an_ingest_and_leaves_no_trace(setting: Setting) -> None:
    service = setting.service
    setting.ingest("kb")
    service.search("kb", "the otter", "DENSE")
    stuck = setting.stuck("kb")
    service.bases.DeleteKnowledgeBase(kb_pb2.DeleteKnowledgeBaseRequest(name="kb"), timeout=30)
    setting.small.gate.set()
    with pytest.raises(grpc.RpcError) as broken_off:
        list(stuck)
    assert reason_of(broken_off.value)[:2] == (grpc.StatusCode.FAILED_PRECONDITION, "KNOWLEDGE_BASE_DELETED")
    assert setting.collections("kb") == []
    # Which vectors of the embedding cache are to be forgotten stands there until they are, at the next sweep.
    assert setting.catalogued("kb").keys() <= {"passage_keys"}
    until(lambda: setting.catalogued("kb") == {}, "the catalogue keeps what a deleted knowledge base used")

    def items() -> Iterator[kb_pb2.IngestRequest]:
        yield document("The first one stays.", document_id="first")
        assert deleted.wait(30)
        yield document("The second one comes too late.", document_id="second")

    deleted = threading.Event()
    stream = service.ingest_stream("kb", items())
    assert next(finished(stream)).document_id == "first"
    service.bases.DeleteKnowledgeBase(kb_pb2.DeleteKnowledgeBaseRequest(name="kb"), timeout=30)
    deleted.set()
    with pytest.raises(grpc.RpcError) as ended:
        list(stream)
    assert reason_of(ended.value)[:2] == (grpc.StatusCode.FAILED_PRECONDITION, "KNOWLEDGE_BASE_DELETED")
    assert setting.collections("kb") == []
    until(lambda: setting.catalogued("kb") == {}, "the catalogue keeps what a deleted knowledge base used")


def test_a_store_that_stops_ends_a_migration_in_words_and_the_next_run_needs_no_restart(setting: Setting) -> None:
    service = setting.service
    setting.ingest("kb")
    stream = service.migrate("kb", "small", QUERIES, timeout=150)
    next(stream)
    next(stream)
    setting.milvus.process.send(signal.SIGSTOP)
    with pytest.raises(grpc.RpcError) as stopped:
        list(stream)
    assert reason_of(stopped.value) == (grpc.StatusCode.UNAVAILABLE, "STORE_UNAVAILABLE", True)
    assert "goes on from here" in stopped.value.details()
    setting.milvus.process.send(signal.SIGCONT)
    events = list(service.migrate("kb", "small", QUERIES))
    assert events[-1].result.outcome == SWITCHED
    assert len(rows_of(setting.milvus, "kb")) == len(TEXTS)


def test_an_embedder_that_is_gone_is_left_by_what_was_recorded(setting: Setting, free_port: Callable[[], int]) -> None:
    service = setting.service
    setting.ingest("kb")
    assert list(service.migrate("kb", "small", QUERIES))[-1].result.outcome == SWITCHED
    for query in QUERIES:
        service.search("kb", query, "HYBRID")
    service.process.send(signal.SIGTERM)
    assert service.process.wait(30) == 0  # the last queries are written on the way out
    write_config(setting.folder, {"nonsense": EmbeddingEndpoint(96, nonsense=True)})
    service.spawn()
    service.wait_serving()
    refused = service.search("kb", "the otter")
    assert refused.status == retrieval_pb2.TASK_STATUS_FAILED_PRECONDITION and "small@1" in refused.message
    events = list(service.migrate("kb", "openai"))
    [report] = [event.report for event in events if event.HasField("report")]
    assert report.queries == len(QUERIES) and report.skipped_queries == 0
    assert all(comparison.recorded for comparison in report.comparisons) and report.mean_overlap > 0.4
    assert events[-1].result.outcome == SWITCHED
    assert service.search("kb", "the otter").status == retrieval_pb2.TASK_STATUS_OK
    with pytest.raises(grpc.RpcError) as back:
        service.rollback("kb")
    assert reason_of(back.value)[:2] == (grpc.StatusCode.FAILED_PRECONDITION, "EMBEDDER_MISMATCH")


def test_a_lost_collection_is_built_again_from_the_stored_texts(setting: Setting) -> None:
    service = setting.service
    setting.ingest("kb")
    before = rows_of(setting.milvus, "kb")
    [name] = setting.collections("kb")
    client = MilvusClient(uri=setting.milvus.uri, timeout=10)
    client.drop_alias("kb_kb")
    client.drop_collection(name)
    client.close()
    events = list(service.migrate("kb", "openai", force=True))
    assert events[-1].result.outcome == SWITCHED
    assert rows_of(setting.milvus, "kb") == before
    assert setting.collections("kb") != [name]
    assert not service.migration("kb").HasField("former")
    assert service.search("kb", "the otter").status == retrieval_pb2.TASK_STATUS_OK
