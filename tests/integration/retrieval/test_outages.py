"""The store stops, dies and returns; the service dies in the middle of an ingest; the embedder is swapped."""

from __future__ import annotations

import itertools
import random
import signal
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import grpc
import pytest
from pymilvus import MilvusClient

from tests.integration.retrieval.parts import EmbeddingEndpoint, MilvusServer, RetrievalProcess, document, ids, rows_of
from tests.stack import until
from trirag.retrieval.v1 import knowledge_base_pb2 as kb_pb2
from trirag.retrieval.v1 import retrieval_pb2

DOWN = (retrieval_pb2.TASK_STATUS_UNAVAILABLE, retrieval_pb2.TASK_STATUS_TIMEOUT)


@pytest.fixture
def own(
    tmp_path: Path, free_port: Callable[[], int], endpoint: EmbeddingEndpoint
) -> Iterator[tuple[MilvusServer, RetrievalProcess]]:
    """A Milvus server and a service that a test may break."""
    server = MilvusServer(tmp_path, free_port())
    service = RetrievalProcess(tmp_path, free_port(), server, endpoint)
    try:
        service.wait_serving()
        yield server, service
    finally:
        service.stop()
        server.process.kill()


def _until_ok(service: RetrievalProcess) -> retrieval_pb2.TaskResult:
    ends = time.monotonic() + 30
    for attempt in itertools.count():
        result = service.search("kb", f"zebras {attempt} {ends}")
        if result.status == retrieval_pb2.TASK_STATUS_OK or time.monotonic() > ends:
            return result
        time.sleep(0.1)
    raise AssertionError("never asked")


def test_a_store_that_stops_or_dies_is_reported_and_comes_back(own: tuple[MilvusServer, RetrievalProcess]) -> None:
    server, service = own
    service.ingest("kb", [document("zebras and lions", document_id="z")])

    server.process.send(signal.SIGSTOP)
    stopped = service.search("kb", "zebras while stopped")
    assert stopped.status in DOWN
    assert stopped.message
    server.process.send(signal.SIGCONT)
    assert ids(_until_ok(service)) == ["z"]

    server.process.kill()
    # A question asked before is still answered, from the cache; a new one cannot be.
    assert service.search("kb", "zebras while dead").status == retrieval_pb2.TASK_STATUS_UNAVAILABLE
    summary = service.ingest("kb", [document("lost", document_id="lost")], timeout=90)
    assert summary.rejected[0].reason == "STORE_UNAVAILABLE"
    server.start()
    assert ids(_until_ok(service)) == ["z"]
    listed = service.bases.ListDocuments(kb_pb2.ListDocumentsRequest(knowledge_base="kb"), timeout=5)
    assert [entry.metadata.document_id for entry in listed.documents] == ["z"]


def test_a_store_killed_while_it_wrote_its_indexes_gets_them_again(
    own: tuple[MilvusServer, RetrievalProcess], tmp_path: Path
) -> None:
    server, service = own
    service.ingest("kb", [document("zebras and lions", document_id="z")])
    client = MilvusClient(uri=server.uri, timeout=30)
    client.flush(client.list_collections()[0])
    indexes = set(client.list_indexes(client.list_collections()[0]))
    client.close()
    assert len(indexes) > 2
    kinds = ("*.sidx", "*.dense.*idx")

    def written() -> list[list[Path]]:
        return [[path for path in tmp_path.rglob(kind) if path.stat().st_size] for kind in kinds]

    until(lambda: all(written()), "not all indexes are written", seconds=30)
    server.process.kill()
    # What a kill leaves: files that are there and have nothing in them, or half of it.
    for number, files in enumerate(written()):
        for path in files:
            path.write_bytes(path.read_bytes()[: number * path.stat().st_size // 2])
    server.start()
    assert ids(_until_ok(service)) == ["z"]
    client = MilvusClient(uri=server.uri, timeout=30)
    assert set(client.list_indexes(client.list_collections()[0])) == indexes
    client.close()
    server.process.kill()
    server.start()
    assert ids(_until_ok(service)) == ["z"]


def test_what_is_deleted_while_the_store_is_stopped_is_gone_when_it_is_back(
    own: tuple[MilvusServer, RetrievalProcess],
) -> None:
    server, service = own
    service.ingest("kb", [document("zebras and lions", document_id="z")])
    client = MilvusClient(uri=server.uri, timeout=30)
    server.process.send(signal.SIGSTOP)
    deleted = service.bases.DeleteKnowledgeBase(kb_pb2.DeleteKnowledgeBaseRequest(name="kb"), timeout=30)
    assert deleted.deleted_documents == 1
    assert service.search("kb", "zebras").status == retrieval_pb2.TASK_STATUS_NOT_FOUND
    server.process.send(signal.SIGCONT)
    until(lambda: client.list_collections() == [], "the collection is still there", seconds=30)
    client.close()


def test_killed_ingests_continue_and_end_with_the_same_chunks(own: tuple[MilvusServer, RetrievalProcess]) -> None:
    server, service = own
    filler = "and of much else that makes it long enough to stand alone " * 4
    items = [
        document(
            "\n\n".join(f"Article {k} of document {n} has words w{n * k} {filler}." for k in range(1, 6)),
            document_id=f"d{n:03}", title=f"D{n}", effective_from=f"20{10 + n % 5}-01-01",
            supersedes=f"d{n - 1:03}" if n % 5 else "",
        )
        for n in range(120)
    ]  # fmt: skip
    service.ingest("calm", items, timeout=120)
    dice = random.Random(4)
    for _ in range(4):
        stream = service.ingest_stream("stormy", items, timeout=60)
        try:
            for _ in range(dice.randint(5, 60)):
                next(stream)
        except (grpc.RpcError, StopIteration):
            pass
        service.process.kill()
        service.spawn()
        service.wait_serving()
    summary = service.ingest("stormy", items, timeout=120)
    assert not summary.rejected
    assert summary.created + summary.unchanged + summary.replaced == 120
    calm, stormy = rows_of(server, "calm"), rows_of(server, "stormy")
    assert len(calm) == 600
    assert calm == stormy


def test_another_embedder_is_refused_in_words_while_others_are_served(
    own: tuple[MilvusServer, RetrievalProcess], tmp_path: Path, free_port: Callable[[], int]
) -> None:
    server, service = own
    service.ingest("kb", [document("zebras", document_id="z")])
    service.process.kill()
    other = EmbeddingEndpoint(dimension=32)
    swapped = RetrievalProcess(tmp_path, free_port(), server, other)
    try:
        swapped.wait_serving()
        refused = swapped.search("kb", "zebras")
        assert refused.status == retrieval_pb2.TASK_STATUS_FAILED_PRECONDITION
        assert "96 dimensions" in refused.message and "`trirag kb migrate kb --embedder openai`" in refused.message
        with pytest.raises(grpc.RpcError) as ingested:
            swapped.ingest("kb", [document("lions", document_id="l")])
        assert ingested.value.code() == grpc.StatusCode.FAILED_PRECONDITION
        swapped.ingest("fresh", [document("lions", document_id="l")])
        assert ids(swapped.search("fresh", "lions")) == ["l"]
        assert "Traceback" not in (tmp_path / "service.log").read_text("utf-8")
    finally:
        swapped.stop()
        other.close()


def test_a_collection_that_is_gone_or_strange_is_told_from_a_store_that_is_down(
    own: tuple[MilvusServer, RetrievalProcess],
) -> None:
    server, service = own
    service.ingest("kb", [document("zebras", document_id="z")])
    assert ids(service.search("kb", "zebras")) == ["z"]
    client = MilvusClient(uri=server.uri, timeout=10)
    [name] = [found for found in client.list_collections() if found.startswith("kb_kb_c")]
    client.drop_alias("kb_kb")
    client.drop_collection(name)
    assert service.search("kb", "zebras, first").status != retrieval_pb2.TASK_STATUS_OK  # noticed by the failure
    gone = service.search("kb", "zebras, again")
    assert gone.status == retrieval_pb2.TASK_STATUS_FAILED_PRECONDITION
    assert "trirag kb migrate kb" in gone.message
    client.create_collection(name, dimension=8, metric_type="L2", vector_field_name="dense")
    client.close()
    strange = service.search("kb", "zebras, once more")
    assert strange.status == retrieval_pb2.TASK_STATUS_FAILED_PRECONDITION
    assert "has 8 dimensions, not 96 and is indexed by L2, not by COSINE" in strange.message
