"""Recent queries of each knowledge base with their nearest passages, kept for replay before a migration.

Noting one costs a search nothing: it waits in memory and is written in the background, some seconds later.
"""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass

import structlog

from services.common.errors import Unavailable
from services.common.offload import BlockingPool
from services.retrieval.adapters.query_records import QueryRecords, query_key
from services.retrieval.domain.filters import ChunkFilter
from services.retrieval.domain.ports import KnowledgeBaseRecord, RecordedQuery, ScoredChunk
from services.retrieval.domain.ranking.replay import Passage

log = structlog.get_logger("query_log")

# Between two writes, in seconds; a process that is killed loses what it noted since.
_WRITE_SECONDS = 5.0
# Notes kept in memory at most; while the catalogue is down the oldest are dropped.
_WAITING = 2000


@dataclass(frozen=True, slots=True)
class _Note:
    record: KnowledgeBaseRecord
    query: RecordedQuery


class QueryRecorder:
    """Keeps the latest ``limit`` queries of each knowledge base, each with its ``depth`` nearest passages."""

    def __init__(self, records: QueryRecords, pool: BlockingPool, limit: int, depth: int) -> None:
        self._records = records
        self._pool = pool
        self._limit = limit
        self._depth = depth
        self._waiting: dict[tuple[str, str], _Note] = {}
        self._lock = threading.Lock()

    def note(
        self, record: KnowledgeBaseRecord, query: str, condition: ChunkFilter, nearest: Sequence[ScoredChunk]
    ) -> None:
        """Notes a query with the nearest passages by embedding, best first, under its filter."""
        if not self._limit:
            return
        passages = tuple(Passage(i.row.document_id, i.row.start, i.row.end) for i in nearest[: self._depth])
        noted = RecordedQuery(query, condition, record.embedder.label, passages, time.time())
        with self._lock:
            key = (record.name, query_key(query))
            self._waiting.pop(key, None)
            self._waiting[key] = _Note(record, noted)
            while len(self._waiting) > _WAITING:
                del self._waiting[next(iter(self._waiting))]

    async def run(self) -> None:
        """Writes what was noted, every few seconds, for ever."""
        while True:
            await asyncio.sleep(_WRITE_SECONDS)
            await self.flush()

    async def flush(self) -> None:
        """Writes what was noted; what cannot be written now is written later."""
        with self._lock:
            notes, self._waiting = self._waiting, {}
        by_base: dict[tuple[str, float], list[RecordedQuery]] = {}
        for note in notes.values():
            by_base.setdefault((note.record.name, note.record.created_at), []).append(note.query)
        for (name, born), queries in by_base.items():
            try:
                await self._pool.run(self._records.save, name, born, queries, self._limit)
            except Unavailable as error:
                log.warning("queries not recorded yet", knowledge_base=name, reason=error.message)
                with self._lock:
                    missed = {key: note for key, note in notes.items() if key[0] == name}
                    self._waiting = {**missed, **self._waiting}
