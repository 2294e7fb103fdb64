"""Every Ask as a stored trail: SQLAlchemy, SQLite by default, PostgreSQL by URL.

Writing happens behind the answer: a slow or dead store never delays or spoils one. What cannot be written is
counted (``trirag_trace_lost_total``) and logged.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

import structlog
from prometheus_client import REGISTRY, CollectorRegistry, Counter
from sqlalchemy import (
    Boolean,
    Column,
    DateTime,
    Engine,
    Float,
    LargeBinary,
    MetaData,
    RowMapping,
    String,
    Table,
    Text,
    UniqueConstraint,
    create_engine,
    event,
    insert,
    select,
    tuple_,
)
from sqlalchemy.exc import DataError, IntegrityError, SQLAlchemyError

from services.common.background import in_background
from services.common.offload import BlockingPool

log = structlog.get_logger("trace_store")
METADATA = MetaData()
TRACES = Table(
    "traces",
    METADATA,
    Column("trace_id", String(64), primary_key=True),
    Column("subject", String(256), nullable=False),
    Column("groups", Text, nullable=False),
    Column("request_id", String(128)),
    Column("question", Text, nullable=False),
    Column("started_at", DateTime(timezone=True), nullable=False, index=True),
    Column("status", String(32), nullable=False),
    Column("degraded", Boolean, nullable=False),
    Column("latency_ms", Float, nullable=False),
    Column("policy_version", String(32), nullable=False),
    Column("payload", LargeBinary, nullable=False),
    UniqueConstraint("subject", "request_id", name="uq_traces_subject_request_id"),
)
BATCH = 64
RETRY_PAUSES = (0.2, 1.0, 3.0)
CONNECT_SECONDS = 3
# For what is still queued when the service stops; a store that is down must not hold it up.
CLOSE_SECONDS = 5.0


@dataclass(frozen=True, slots=True)
class TraceRecord:
    """One trail. ``payload`` is a serialised trirag.orchestrator.v1.Trace; ``groups`` are the asker's."""

    trace_id: str
    subject: str
    groups: tuple[str, ...]
    request_id: str
    question: str
    started_at: datetime
    status: str
    degraded: bool
    latency_ms: float
    policy_version: str
    payload: bytes

    def readable_by(self, groups: Sequence[str]) -> bool:
        """A trail holds passages that its asker's groups let in: a reader needs all of them."""
        return set(self.groups) <= set(groups)


class TraceStore:
    """Writes behind, reads through. Use as an async context manager."""

    def __init__(self, url: str, queue_size: int, registry: CollectorRegistry = REGISTRY) -> None:
        self._engine = open_engine(url)
        self._pool = BlockingPool(2, "trace-store")
        self._queue: asyncio.Queue[TraceRecord] = asyncio.Queue(queue_size)
        self._pending: dict[str, TraceRecord] = {}
        self._stored = Counter("trirag_trace_stored_total", "Trails written.", registry=registry)
        self._lost = Counter("trirag_trace_lost_total", "Trails that could not be written.", registry=registry)
        self._registry = registry
        self._running = contextlib.AsyncExitStack()

    async def __aenter__(self) -> TraceStore:
        await self._running.enter_async_context(in_background({"trace-writer": self._write_forever}, self._registry))
        return self

    async def __aexit__(self, *_: object) -> None:
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(self._queue.join(), CLOSE_SECONDS)
        await self._running.aclose()
        left = [self._queue.get_nowait() for _ in range(self._queue.qsize())]
        if left:
            self._lose(left, "the service stopped before they were written")
        self._pool.close()
        self._engine.dispose()

    def put(self, record: TraceRecord) -> None:
        """Takes a trail to write; never blocks and never raises."""
        try:
            self._queue.put_nowait(record)
            self._pending[record.trace_id] = record
        except asyncio.QueueFull:
            self._lose([record], "the queue is full")

    async def get(self, trace_id: str) -> TraceRecord | None:
        """One trail. Raises SQLAlchemyError if the store is down."""
        if trace_id in self._pending:
            return self._pending[trace_id]
        found = await self._read(select(TRACES).where(TRACES.c.trace_id == trace_id))
        return _record(found[0]) if found else None

    async def by_request_id(self, subject: str, request_id: str) -> TraceRecord | None:
        """The trail of an earlier Ask with the same request id by the same subject."""
        for record in self._pending.values():
            if (record.subject, record.request_id) == (subject, request_id):
                return record
        query = select(TRACES).where(TRACES.c.subject == subject, TRACES.c.request_id == request_id)
        found = await self._read(query)
        return _record(found[0]) if found else None

    async def page(self, size: int, before: tuple[datetime, str] | None) -> list[TraceRecord]:
        """Trails without payload, newest first, older than ``before`` (start, id)."""
        order = (TRACES.c.started_at, TRACES.c.trace_id)
        columns = [c for c in TRACES.c if c.name != "payload"]
        query = select(*columns).order_by(*(c.desc() for c in order)).limit(size)
        if before is not None:
            query = query.where(tuple_(*order) < tuple_(*before))
        # What is not written yet is listed, too; a trail that is written meanwhile must not be listed twice.
        unwritten = [r for r in self._pending.values() if before is None or (r.started_at, r.trace_id) < before]
        found = {r.trace_id: r for r in (*unwritten, *(_record(row) for row in await self._read(query)))}
        return sorted(found.values(), key=lambda r: (r.started_at, r.trace_id), reverse=True)[:size]

    async def _read(self, query: Any) -> Sequence[RowMapping]:
        def run() -> Sequence[RowMapping]:
            with self._engine.connect() as connection:
                return connection.execute(query).mappings().all()

        return await self._pool.run(run)

    async def _write_forever(self) -> None:
        while True:
            batch = [await self._queue.get()]
            while len(batch) < BATCH and not self._queue.empty():
                batch.append(self._queue.get_nowait())
            try:
                await self._write(batch)
            except (Exception, asyncio.CancelledError) as error:
                self._lose(batch, repr(error))
                raise
            finally:
                for record in batch:
                    self._pending.pop(record.trace_id, None)
                    self._queue.task_done()

    async def _write(self, batch: list[TraceRecord]) -> None:
        problem = ""
        for pause in (0.0, *RETRY_PAUSES):
            await asyncio.sleep(pause)
            try:
                refused = await self._pool.run(self._insert, batch)
            except SQLAlchemyError as error:
                problem = str(error.__cause__ or error).splitlines()[0]
            else:
                self._stored.inc(len(batch) - len(refused))
                if refused:
                    self._lose(refused, "a value does not fit its column")
                return
        self._lose(batch, problem)

    def _insert(self, batch: list[TraceRecord]) -> list[TraceRecord]:
        """Writes all it can; the result is those that the store does not take, such as one of a subject too long."""
        refused = []
        try:
            with self._engine.begin() as connection:
                connection.execute(insert(TRACES), [_row(r) for r in batch])
        except (IntegrityError, DataError):
            for record in batch:
                try:
                    self._insert_alone(_row(record))
                except DataError:
                    refused.append(record)
        return refused

    def _insert_alone(self, row: dict[str, Any]) -> None:
        """The first trail of a request id keeps it; a later one (of a stream, of another process) goes by trace id."""
        try:
            with self._engine.begin() as connection:
                connection.execute(insert(TRACES), [row])
        except IntegrityError:
            # A trail that an interrupted try had written already fails here, too, and is there.
            with contextlib.suppress(IntegrityError), self._engine.begin() as connection:
                connection.execute(insert(TRACES), [{**row, "request_id": None}])

    def _lose(self, batch: Sequence[TraceRecord], problem: str) -> None:
        self._lost.inc(len(batch))
        log.error("traces_lost", count=len(batch), problem=problem, trace_ids=[r.trace_id for r in batch[:10]])


def open_engine(url: str) -> Engine:
    """An engine for SQLite (write-ahead log, so that readers do not wait) or PostgreSQL."""
    if url.startswith("sqlite"):
        engine = create_engine(url, connect_args={"timeout": CONNECT_SECONDS})

        @event.listens_for(engine, "connect")
        def _pragmas(connection: Any, _record: object) -> None:
            connection.execute("PRAGMA journal_mode=WAL")
            connection.execute("PRAGMA synchronous=NORMAL")

        return engine
    return create_engine(url, pool_pre_ping=True, connect_args={"connect_timeout": CONNECT_SECONDS})


def _row(record: TraceRecord) -> dict[str, Any]:
    return {
        "trace_id": record.trace_id,
        "subject": record.subject,
        "groups": " ".join(record.groups),
        "request_id": record.request_id or None,
        # PostgreSQL's texts hold no NUL; the payload has the question as it came.
        "question": record.question.replace("\0", ""),
        "started_at": record.started_at,
        "status": record.status,
        "degraded": record.degraded,
        "latency_ms": record.latency_ms,
        "policy_version": record.policy_version,
        "payload": record.payload,
    }


def _record(row: RowMapping) -> TraceRecord:
    started = row["started_at"]
    return TraceRecord(
        trace_id=row["trace_id"],
        subject=row["subject"],
        groups=tuple(row["groups"].split()),
        request_id=row["request_id"] or "",
        question=row["question"],
        started_at=started if started.tzinfo else started.replace(tzinfo=UTC),
        status=row["status"],
        degraded=row["degraded"],
        latency_ms=row["latency_ms"],
        policy_version=row["policy_version"],
        payload=row.get("payload", b""),
    )
