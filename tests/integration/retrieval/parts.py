"""The real parts that the tests drive: a Milvus server, an embedding endpoint, the service's process."""

from __future__ import annotations

import hashlib
import itertools
import json
import os
import re
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

import grpc
import numpy as np
from google.type import date_pb2
from grpc_health.v1 import health_pb2, health_pb2_grpc
from pymilvus import MilvusClient

from tests.loopback import LoopbackServer, Request
from trirag.retrieval.v1 import knowledge_base_pb2 as kb_pb2
from trirag.retrieval.v1 import knowledge_base_pb2_grpc, migration_pb2, retrieval_pb2, retrieval_pb2_grpc

ROOT = Path(__file__).resolve().parents[3]
_READY_SECONDS = 150.0


class Process:
    """A child process with its log in a file."""

    def __init__(self, arguments: Sequence[str], log: Path, environment: Mapping[str, str] | None = None) -> None:
        self.log = log
        with log.open("ab") as stream:
            self._process = subprocess.Popen(
                [sys.executable, *arguments],
                stdout=stream,
                stderr=stream,
                cwd=ROOT,
                env=dict(environment or os.environ),
            )

    def send(self, number: signal.Signals) -> None:
        """Sends a signal if the process still runs."""
        if self._process.poll() is None:
            self._process.send_signal(number)

    def kill(self) -> None:
        """SIGKILL, and waits until it is gone."""
        self.send(signal.SIGCONT)
        self.send(signal.SIGKILL)
        self._process.wait()

    def wait(self, seconds: float) -> int:
        """Exit status, once it ends."""
        return self._process.wait(seconds)

    @property
    def running(self) -> bool:
        """Whether it still runs."""
        return self._process.poll() is None


class MilvusServer:
    """The local Milvus server on one port; may be killed and started again on the same data."""

    def __init__(self, folder: Path, port: int) -> None:
        self._folder = folder
        self.port = port
        self.uri = f"http://127.0.0.1:{port}"
        self.process = self.start()

    def start(self) -> Process:
        """Starts it (again)."""
        arguments = ["-m", "milvus_lite", "server", "--host", "127.0.0.1", "--port", str(self.port)]
        self.process = Process([*arguments, "--data-dir", str(self._folder / "milvus")], self._folder / "milvus.log")
        return self.process


class EmbeddingEndpoint:
    """An OpenAI-compatible endpoint whose vectors are hashed bags of words.

    With ``nonsense`` each text has a vector of its own that says nothing about its words. While ``gate`` is closed
    requests wait.
    """

    def __init__(self, dimension: int = 96, nonsense: bool = False) -> None:
        self.gate = gate = threading.Event()
        self.asked = asked = threading.Event()
        gate.set()
        vector = vector_of_its_own if nonsense else bag_of_words

        def answer(request: Request) -> tuple[int, bytes]:
            body = json.loads(request.body)
            asked.set()
            gate.wait(60)
            data = [
                {"object": "embedding", "index": index, "embedding": vector(text, dimension)}
                for index, text in enumerate(body["input"])
            ]
            return 200, json.dumps({"object": "list", "model": body["model"], "data": data, "usage": {}}).encode()

        self._server = LoopbackServer(answer)
        self.url = f"{self._server.url}/v1"

    def close(self) -> None:
        """Stops it."""
        self.gate.set()
        self._server.close()


def bag_of_words(text: str, dimension: int) -> list[float]:
    """A unit vector in which each word (or Chinese character) adds one to a place of its own."""
    vector = np.zeros(dimension)
    for word in re.findall(r"[a-z0-9]+|[\u4e00-\u9fff]", text.lower()):
        vector[int.from_bytes(hashlib.sha256(word.encode()).digest()[:4], "big") % dimension] += 1.0
    return [float(value) for value in vector / (np.linalg.norm(vector) or 1.0)]


def vector_of_its_own(text: str, dimension: int) -> list[float]:
    """A unit vector drawn from the text's hash."""
    seed = int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "big")
    vector = np.random.default_rng(seed).normal(size=dimension)
    return [float(value) for value in vector / np.linalg.norm(vector)]


class RetrievalProcess:
    """The service in a process of its own, and stubs to call it."""

    def __init__(
        self, folder: Path, port: int, milvus: MilvusServer, endpoint: EmbeddingEndpoint, **settings: str
    ) -> None:
        self._folder = folder
        self.port = port
        self._environment = {
            **os.environ,
            "PYTHONPATH": f"{ROOT}{os.pathsep}{ROOT / 'gen'}",
            "TRIRAG_RETRIEVAL_PORT": str(port),
            "TRIRAG_RETRIEVAL_METRICS_PORT": "0",
            "TRIRAG_RETRIEVAL_MILVUS_URI": milvus.uri,
            "TRIRAG_RETRIEVAL_MILVUS_TIMEOUT_SECONDS": "5",
            "TRIRAG_RETRIEVAL_SEARCH_TIMEOUT_SECONDS": "2",
            "TRIRAG_RETRIEVAL_SWEEP_SECONDS": "1",
            "TRIRAG_RETRIEVAL_LEASE_SECONDS": "3",
            "TRIRAG_RETRIEVAL_DEPENDENCY_CHECK_SECONDS": "0.3",
            "TRIRAG_RETRIEVAL_DATA_DIR": str(folder / "data"),
            "TRIRAG_RETRIEVAL_EMBEDDER": "openai",
            "TRIRAG_RETRIEVAL_EMBEDDER_URL": endpoint.url,
            "TRIRAG_RETRIEVAL_EMBEDDER_MODEL": "bag-of-words",
            **settings,
        }
        # It is there before the service listens: gRPC's own waits would add up to five seconds to every start.
        waits = [("grpc.initial_reconnect_backoff_ms", 100), ("grpc.max_reconnect_backoff_ms", 200)]
        self.channel = grpc.insecure_channel(f"127.0.0.1:{port}", waits)
        self.bases = knowledge_base_pb2_grpc.KnowledgeBaseServiceStub(self.channel)
        self.retrieval = retrieval_pb2_grpc.RetrievalServiceStub(self.channel)
        self.process = self.spawn()

    def spawn(self) -> Process:
        """Starts the process (again) without waiting."""
        self.process = Process(["-m", "services.retrieval"], self._folder / "service.log", self._environment)
        return self.process

    def wait_serving(self) -> None:
        """Returns when the service reports SERVING."""
        stub = health_pb2_grpc.HealthStub(self.channel)
        ends = time.monotonic() + _READY_SECONDS
        request = health_pb2.HealthCheckRequest(service="trirag.retrieval.v1.RetrievalService")
        while time.monotonic() < ends:
            assert self.process.running, self.process.log.read_text("utf-8", "replace")[-2000:]
            try:
                if stub.Check(request, timeout=1).status == health_pb2.HealthCheckResponse.SERVING:
                    return
            except grpc.RpcError:
                pass
            time.sleep(0.05)
        raise AssertionError("not serving: " + self.process.log.read_text("utf-8", "replace")[-2000:])

    def ingest(self, base: str, items: Iterable[kb_pb2.IngestRequest], timeout: float = 60) -> kb_pb2.IngestSummary:
        """The summary of an ingest."""
        return list(self.ingest_stream(base, items, timeout))[-1].summary

    def ingest_stream(
        self, base: str, items: Iterable[kb_pb2.IngestRequest], timeout: float = 60, job_id: str = ""
    ) -> Iterator[kb_pb2.IngestResponse]:
        """All events of an ingest; with ``job_id`` of one that broke off and goes on."""
        start = kb_pb2.IngestRequest(start=kb_pb2.IngestStart(knowledge_base=base, job_id=job_id))
        return self.bases.Ingest(itertools.chain([start], items), timeout=timeout)

    def search(
        self, base: str, query: str, kind: str = "HYBRID", groups: str = "", **task: object
    ) -> retrieval_pb2.TaskResult:
        """The result of one task."""
        request = retrieval_pb2.SearchRequest(
            tasks=[
                retrieval_pb2.SearchTask(
                    task_id="t",
                    knowledge_base=base,
                    query=query,
                    type=f"SEARCH_TYPE_{kind}",
                    **task,  # type: ignore[arg-type]
                )
            ]
        )
        metadata = (("x-trirag-groups", groups),) if groups else ()
        return self.retrieval.Search(request, timeout=10, metadata=metadata).results[0]

    def migrate(
        self, base: str, embedder: str, queries: Sequence[str] = (), timeout: float = 90, **options: bool
    ) -> Iterator[migration_pb2.MigrateKnowledgeBaseResponse]:
        """All events of a migration."""
        request = migration_pb2.MigrateKnowledgeBaseRequest(name=base, embedder=embedder, queries=queries, **options)
        return self.bases.MigrateKnowledgeBase(request, timeout=timeout)

    def rollback(self, base: str) -> migration_pb2.MigrationResult:
        """The result of a rollback."""
        request = migration_pb2.RollbackKnowledgeBaseRequest(name=base)
        return list(self.bases.RollbackKnowledgeBase(request, timeout=90))[-1].result

    def migration(self, base: str) -> migration_pb2.GetMigrationResponse:
        """How a knowledge base stands."""
        return self.bases.GetMigration(migration_pb2.GetMigrationRequest(name=base), timeout=10)

    def stop(self) -> None:
        """Ends the process and the channel."""
        self.process.kill()
        self.channel.close()


def finished(stream: Iterator[kb_pb2.IngestResponse]) -> Iterator[kb_pb2.DocumentResult]:
    """The documents of an ingest as they are done."""
    return (event.document for event in stream if event.HasField("document"))


def document(text: str, **fields: str) -> kb_pb2.IngestRequest:
    """An ingest message with a document."""
    metadata = kb_pb2.IngestMetadata(fields=fields)
    return kb_pb2.IngestRequest(
        document=kb_pb2.IngestDocument(text=text, metadata=metadata, origin=fields.get("document_id", ""))
    )


def file(path: str, content: bytes, **fields: str) -> kb_pb2.IngestRequest:
    """An ingest message with a whole file."""
    metadata = kb_pb2.IngestMetadata(fields=fields)
    return kb_pb2.IngestRequest(file=kb_pb2.IngestFile(path=path, content=content, last_part=True, metadata=metadata))


def day(text: str) -> date_pb2.Date:
    """A date message from YYYY-MM-DD."""
    year, month, number = (int(part) for part in text.split("-"))
    return date_pb2.Date(year=year, month=month, day=number)


def ids(result: retrieval_pb2.TaskResult) -> list[str]:
    """Document ids of the hits in order."""
    return [hit.chunk.document.document_id for hit in result.hits]


def rows_of(server: MilvusServer, base: str) -> list[tuple[object, ...]]:
    """What Milvus holds of a knowledge base, sorted, but for the names of revisions."""
    fields = ["document_id", "ordinal", "text", "lexical", "window_start", "window_end"]
    client = MilvusClient(uri=server.uri, timeout=10)
    collection = client.describe_alias(f"kb_{base}")["collection_name"]
    client.load_collection(collection)
    rows = client.query(collection, filter="", output_fields=fields, limit=16_000)
    client.close()
    return sorted(tuple(row[name] for name in fields) for row in rows)
