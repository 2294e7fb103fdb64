"""Searching: tasks run concurrently, each with its own status and its own bound in time."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import date
from typing import Literal

import structlog

from services.common.domain.document import Chunk
from services.common.errors import FailedPrecondition, InvalidInput, NotFound, TriragError
from services.common.offload import BlockingPool
from services.retrieval.adapters.catalogue import Catalogue
from services.retrieval.domain.documents import split_chunk_id
from services.retrieval.domain.filters import ChunkFilter
from services.retrieval.domain.ports import VectorStore
from services.retrieval.domain.ranking.lexical import WordSegmenter
from services.retrieval.domain.search import Hit, SearchTask, TaskResult, TaskStatus
from services.retrieval.service.caches import LruCache
from services.retrieval.service.candidates import CandidateFinder
from services.retrieval.service.hits import HitMaker, make_chunk, rerank_views
from services.retrieval.service.index_guard import IndexGuard
from services.retrieval.service.monitor import observe_task
from services.retrieval.service.query_log import QueryRecorder
from services.retrieval.service.query_vectors import QueryVectors
from services.retrieval.service.reranking import Candidate, Reranker
from services.retrieval.service.snapshot import Snapshot, Snapshots

log = structlog.get_logger("search")

# Left to answer in, of the caller's deadline, in seconds.
_MARGIN = 0.05


_Found = tuple[tuple[Hit, ...], str, str]
"""Hits, the filter in words, and the label of the embedding model."""


class SearchService:
    """Searches knowledge bases. ``timeout`` bounds a task, in seconds, below the caller's deadline."""

    def __init__(
        self,
        catalogue: Catalogue,
        snapshots: Snapshots,
        store: VectorStore,
        guard: IndexGuard,
        segmenter: WordSegmenter,
        pool: BlockingPool,
        embed_pool: BlockingPool,
        timeout: float,
        reranker: Reranker,
        today: Callable[[], date] = date.today,
        cached_results: int = 2048,
        fusion: Literal["rrf", "weighted"] = "rrf",
        recorder: QueryRecorder | None = None,
    ) -> None:
        self._snapshots = snapshots
        self._store = store
        self._guard = guard
        self._pool = pool
        self._timeout = timeout
        self._finder = CandidateFinder(
            snapshots, store, guard, segmenter, pool, QueryVectors(embed_pool), today, fusion, recorder
        )
        self._hits = HitMaker(catalogue, reranker)
        self._results: LruCache[_Found] = LruCache("results", cached_results)

    async def search(
        self, tasks: Sequence[SearchTask], groups: frozenset[str], time_left: float | None = None
    ) -> list[TaskResult]:
        """Results in the order of the tasks; never raises for a task that fails."""
        bound = self._timeout if time_left is None else max(0.0, min(self._timeout, time_left - _MARGIN))
        results = await asyncio.gather(*(self._guarded(task, groups, bound) for task in tasks))
        for task, result in zip(tasks, results, strict=True):
            observe_task(task.type.value, result.status.value, result.latency_ms / 1000, len(result.hits))
        return list(results)

    async def chunks(self, knowledge_base: str, chunk_ids: Sequence[str], groups: frozenset[str]) -> dict[str, Chunk]:
        """Chunks by id; those that do not exist or may not be read are left out.

        Raises NotFound for an unknown knowledge base, FailedPrecondition if its index does not fit, Unavailable while
        the store is down.
        """
        snapshot = await self._pool.run(self._finder.checked, knowledge_base, self._timeout)
        keys = []
        for identifier in chunk_ids:
            parts = split_chunk_id(identifier)
            document = snapshot.documents.get(parts[0]) if parts else None
            if parts and document is not None:
                keys.append((document.revision, parts[1]))
        condition = ChunkFilter(access_keys=snapshot.readable(groups))
        rows = await self._pool.run(self._store.fetch_rows, snapshot.record.collection, keys, condition, self._timeout)
        found = [make_chunk(item.row, snapshot, item.row.text) for item in rows]
        return {chunk.chunk_id: chunk for chunk in found}

    async def _guarded(self, task: SearchTask, groups: frozenset[str], bound: float) -> TaskResult:
        began = time.perf_counter()
        status, message = TaskStatus.UNAVAILABLE, ""
        try:
            (hits, description, model), cached = await asyncio.wait_for(self._cached(task, groups, bound), bound)
            spent = (time.perf_counter() - began) * 1000
            return TaskResult(task.task_id, TaskStatus.OK, "", hits, spent, description, cached, model)
        except TimeoutError:
            status, message = TaskStatus.TIMEOUT, f"no answer within {bound:.1f} s"
        except NotFound as error:
            status, message = TaskStatus.NOT_FOUND, error.message
        except FailedPrecondition as error:
            status, message = TaskStatus.FAILED_PRECONDITION, error.message
        except InvalidInput as error:
            status, message = TaskStatus.INVALID, error.message
        except TriragError as error:
            message = error.message
        except Exception:
            log.exception("search task failed", task_id=task.task_id)
            message = "the search failed inside; the log has the details"
        return TaskResult(task.task_id, status, message, (), (time.perf_counter() - began) * 1000)

    async def _cached(self, task: SearchTask, groups: frozenset[str], bound: float) -> tuple[_Found, bool]:
        """Hits, the filter in words and the embedding model, and whether they came from the cache.

        The key holds all that decides about the hits: the state of the knowledge base, what the caller may
        read, the day, and the task but for its id.
        """
        ends = time.monotonic() + bound
        snapshot = await self._pool.run(self._snapshots.get, task.knowledge_base)
        condition = self._finder.condition(task, snapshot, groups)
        key = (snapshot.record.collection, snapshot.write_count, condition, replace(task, task_id=""))
        found = self._results.get(key)
        if found is not None:
            return found, True
        await self._pool.run(self._guard.check, snapshot.record, bound)
        result, fresh = await self._run(task, groups, snapshot, ends)
        if fresh:
            self._results.put(key, result)
        return result, False

    async def _run(
        self, task: SearchTask, groups: frozenset[str], snapshot: Snapshot, ends: float
    ) -> tuple[_Found, bool]:
        """The result, and whether it is that of the snapshot given."""
        found = await self._finder.find(task, groups, snapshot, ends)
        hits = await self._pool.run(self._hits.make, task, found)
        result = (hits, found.condition.describe(), found.snapshot.record.embedder.label)
        return result, found.snapshot.write_count == snapshot.write_count

    async def candidates(self, task: SearchTask, groups: frozenset[str]) -> tuple[list[Candidate], list[Chunk]]:
        """What a task finds before it is reranked and cut, for learning and measuring.

        Raises NotFound, FailedPrecondition, Unavailable.
        """
        snapshot = await self._pool.run(self._finder.checked, task.knowledge_base, self._timeout)
        found = await self._finder.find(task, groups, snapshot, time.monotonic() + self._timeout)
        chunks = [make_chunk(item.row, found.snapshot, item.row.text) for item in found.candidates]
        return rerank_views(found.candidates, found.snapshot), chunks
