"""Two services on one catalogue: one stands still or dies in the middle of an ingest, the other goes on with it.

Leases are long, so that a busy machine costs nobody who is alive his own; that of the one who is not is ended by hand.
"""

from __future__ import annotations

import random
import signal
import sqlite3
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field

import grpc
import pytest
from sqlalchemy import create_engine, text

from tests.integration.retrieval.parts import EmbeddingEndpoint, MilvusServer, RetrievalProcess, document, rows_of
from tests.stack import until
from trirag.retrieval.v1 import knowledge_base_pb2 as kb_pb2

DOCUMENTS = 60
# Also the longest time for which a transaction that stands still holds up PostgreSQL.
LEASE_SECONDS = 10
# A bound, not a measurement: the machine may be busy.
PATIENCE_SECONDS = 300.0
FILLER = "and of much else that makes it long enough to stand alone " * 4
ITEMS = [
    document(
        "\n\n".join(f"Article {k} of document {n} has words w{n * k} {FILLER}." for k in range(1, 6)),
        document_id=f"d{n:03}",
        title=f"D{n}",
    )
    for n in range(DOCUMENTS)
]


@dataclass
class Running:
    """An ingest in a thread of its own."""

    stream: Iterator[kb_pb2.IngestResponse]
    events: list[kb_pb2.IngestResponse] = field(default_factory=list)
    error: grpc.RpcError | None = None

    def __post_init__(self) -> None:
        self._thread = threading.Thread(target=self._take)
        self._thread.start()

    def _take(self) -> None:
        try:
            for event in self.stream:
                self.events.append(event)
        except grpc.RpcError as error:
            self.error = error

    @property
    def job_id(self) -> str:
        """Its job, once it has begun."""
        self.until_events(1)
        return self.events[0].started.job_id

    def until_events(self, count: int) -> None:
        """Returns when so many have come."""
        until(lambda: len(self.events) >= count, f"the ingest tells {len(self.events)} events")

    def end(self) -> None:
        """Returns when it has ended."""
        self._thread.join(PATIENCE_SECONDS)
        assert not self._thread.is_alive()


@dataclass
class Pair:
    """Two services with one store and one catalogue."""

    milvus: MilvusServer
    first: RetrievalProcess
    second: RetrievalProcess
    url: str

    def query(self, statement: str) -> list[tuple[object, ...]]:
        """Rows of the catalogue."""
        engine = create_engine(self.url)
        try:
            with engine.connect() as connection:
                return [tuple(row) for row in connection.execute(text(statement))]
        finally:
            engine.dispose()

    def stop_first(self) -> None:
        """Stops the first one; with SQLite not in the middle of a transaction, in which it would hold up all others."""
        for _ in range(50):
            self.first.process.send(signal.SIGSTOP)
            if not self.url.startswith("sqlite") or _writable(self.url.removeprefix("sqlite:///")):
                return
            self.first.process.send(signal.SIGCONT)
            time.sleep(0.01)
        raise AssertionError("it never stops writing")

    def end_lease(self, job_id: str) -> None:
        """Lets the lease of the process that runs a job run out now; it does not renew it, for it stands still."""
        engine = create_engine(self.url)
        owner = "SELECT owner FROM ingest_jobs WHERE job_id = :job"
        with engine.begin() as connection:
            connection.execute(text(f"UPDATE leases SET expires_at = 0 WHERE owner = ({owner})"), {"job": job_id})
        engine.dispose()

    def awake(self) -> None:
        """Returns when both hold their leases again."""
        until(lambda: not self.query("SELECT owner FROM leases WHERE expires_at = 0"), "a lease is not renewed")

    def state_of(self, job_id: str) -> int:
        """State of a job of `kb` as the second one tells it."""
        request = kb_pb2.ListIngestJobsRequest(knowledge_base="kb")
        [job] = [job for job in self.second.bases.ListIngestJobs(request, timeout=10).jobs if job.job_id == job_id]
        return job.state

    def taken_over(self, job_id: str) -> None:
        """The second one goes on with the job and ends it."""
        assert self.state_of(job_id) == kb_pb2.INGEST_JOB_STATE_RUNNING
        self.end_lease(job_id)
        assert self.state_of(job_id) == kb_pb2.INGEST_JOB_STATE_INTERRUPTED
        events = list(self.second.ingest_stream("kb", ITEMS, PATIENCE_SECONDS, job_id))
        assert events[0].started.job_id == job_id
        assert not events[-1].summary.rejected
        assert sum(event.HasField("document") for event in events) == DOCUMENTS

    def forget(self) -> None:
        """Deletes `kb`."""
        self.second.bases.DeleteKnowledgeBase(kb_pb2.DeleteKnowledgeBaseRequest(name="kb"), timeout=30)

    def settled(self) -> None:
        """Nothing is lost, nothing is there twice, and nothing is left to be swept."""
        until(lambda: not self.query("SELECT revision FROM leftover_revisions"), "not all is swept")
        assert rows_of(self.milvus, "kb") == rows_of(self.milvus, "calm")
        assert self.query("SELECT count(*) FROM documents WHERE knowledge_base = 'kb'") == [(DOCUMENTS,)]


def _writable(path: str) -> bool:
    connection = sqlite3.connect(path, timeout=0.2, isolation_level=None)
    try:
        connection.execute("BEGIN IMMEDIATE")
        connection.execute("ROLLBACK")
    except sqlite3.OperationalError:
        return False
    finally:
        connection.close()
    return True


@pytest.fixture(scope="module", params=["sqlite", "postgresql"])
def services(
    request: pytest.FixtureRequest,
    tmp_path_factory: pytest.TempPathFactory,
    free_port: Callable[[], int],
    endpoint: EmbeddingEndpoint,
) -> Iterator[Pair]:
    """Both with the documents in the knowledge base `calm`."""
    folder = tmp_path_factory.mktemp("leases")
    url = f"sqlite:///{folder / 'data' / 'catalogue.db'}"
    if request.param == "postgresql":
        url = request.getfixturevalue("new_database")()
    milvus = MilvusServer(folder, free_port())
    settings = {
        "TRIRAG_RETRIEVAL_CATALOGUE_URL": url,
        "TRIRAG_RETRIEVAL_LEASE_SECONDS": str(LEASE_SECONDS),
        "TRIRAG_RETRIEVAL_MILVUS_TIMEOUT_SECONDS": "60",  # what a stopped process waits for must not be too late for it
    }
    first, second = (RetrievalProcess(folder, free_port(), milvus, endpoint, **settings) for _ in range(2))
    try:
        first.wait_serving()
        second.wait_serving()
        second.ingest("calm", ITEMS)
        yield Pair(milvus, first, second, url)
    finally:
        first.stop()
        second.stop()
        milvus.process.kill()


@pytest.fixture
def pair(services: Pair) -> Iterator[Pair]:
    """Without the knowledge base `kb`, and both running."""
    yield services
    # Also after a test that failed: what it stopped must not make the others fail.
    services.milvus.process.send(signal.SIGCONT)
    if services.first.process.running:
        services.first.process.send(signal.SIGCONT)
    else:
        services.first.spawn()
        services.first.wait_serving()
    services.awake()
    services.forget()


def test_who_stands_still_in_the_middle_of_a_write_loses_the_ingest_and_does_no_harm(pair: Pair) -> None:
    pair.first.ingest("kb", ITEMS[:5])
    pair.milvus.process.send(signal.SIGSTOP)
    late = Running(pair.first.ingest_stream("kb", ITEMS, PATIENCE_SECONDS))
    job_id = late.job_id
    until(lambda: bool(pair.query("SELECT revision FROM leftover_revisions")), "it writes nothing")
    pair.stop_first()
    pair.milvus.process.send(signal.SIGCONT)  # what was on its way arrives
    pair.taken_over(job_id)
    pair.first.process.send(signal.SIGCONT)
    late.end()
    assert late.error is not None and late.error.code() is grpc.StatusCode.FAILED_PRECONDITION
    assert job_id in late.error.details() and "taken up by another call" in late.error.details()
    assert pair.state_of(job_id) == kb_pb2.INGEST_JOB_STATE_DONE
    pair.settled()
    # It lives on: what it is asked next it does.
    assert pair.first.ingest("kb", ITEMS).unchanged == DOCUMENTS


def test_rows_that_were_swept_while_their_writer_stood_still_are_not_lost(pair: Pair) -> None:
    """Nobody else writes: only the list of leftovers tells the writer that its rows are gone."""
    pair.first.ingest("kb", ITEMS[:5])
    pair.milvus.process.send(signal.SIGSTOP)
    late = Running(pair.first.ingest_stream("kb", ITEMS, PATIENCE_SECONDS))
    job_id = late.job_id
    leftovers = "SELECT revision FROM leftover_revisions"
    until(lambda: bool(pair.query(leftovers)), "it writes nothing")
    pair.stop_first()
    pair.milvus.process.send(signal.SIGCONT)
    pair.end_lease(job_id)
    until(lambda: not pair.query(leftovers), "nobody sweeps")
    pair.first.process.send(signal.SIGCONT)
    late.end()
    assert late.error is None and not late.events[-1].summary.rejected
    assert pair.state_of(job_id) == kb_pb2.INGEST_JOB_STATE_DONE
    pair.settled()


@pytest.mark.parametrize("services", ["postgresql"], indirect=True)
def test_who_stands_still_at_any_moment_does_no_harm(pair: Pair) -> None:
    """In the middle of a transaction, too: PostgreSQL ends it."""
    dice = random.Random(7)
    for attempt in range(4):
        if attempt:
            pair.forget()
        sent, go_on = dice.randrange(10, DOCUMENTS), threading.Event()
        late = Running(pair.first.ingest_stream("kb", _held(ITEMS, sent, go_on), PATIENCE_SECONDS))
        job_id = late.job_id
        late.until_events(dice.randrange(1, sent - 5))
        pair.stop_first()  # it works on what is left of what was sent, and cannot have done all
        pair.taken_over(job_id)
        go_on.set()
        pair.first.process.send(signal.SIGCONT)
        late.end()
        pair.settled()
        pair.awake()


def _held(items: Iterable[kb_pb2.IngestRequest], count: int, go_on: threading.Event) -> Iterator[kb_pb2.IngestRequest]:
    """The first ``count`` items, and the others when they may come."""
    for number, item in enumerate(items):
        if number == count:
            go_on.wait(PATIENCE_SECONDS)
        yield item


def test_a_job_whose_process_was_killed_goes_on_under_its_id(pair: Pair) -> None:
    late = Running(pair.first.ingest_stream("kb", ITEMS, PATIENCE_SECONDS))
    job_id = late.job_id
    pair.first.process.kill()
    late.end()
    # Before the lease has run out: the service waits for that itself.
    again = Running(pair.second.ingest_stream("kb", ITEMS, PATIENCE_SECONDS, job_id))
    pair.end_lease(job_id)
    again.end()
    assert again.events[0].started.job_id == job_id and not again.events[-1].summary.rejected
    pair.settled()
