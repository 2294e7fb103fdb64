"""Searching: tasks run concurrently, each with its own status and its own bound in time."""

from __future__ import annotations

import asyncio
import enum
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from typing import Literal

import numpy as np
import structlog

from services.common.domain.document import Chunk
from services.common.domain.question import Span
from services.common.errors import FailedPrecondition, InvalidInput, NotFound, TriragError, Unavailable
from services.common.offload import BlockingPool
from services.retrieval.adapters.catalogue import Catalogue
from services.retrieval.domain.documents import chunk_id, split_chunk_id
from services.retrieval.domain.embedding import Vectors
from services.retrieval.domain.filters import ChunkFilter
from services.retrieval.domain.fusion import reciprocal_rank_fusion, weighted_fusion
from services.retrieval.domain.lexical import WordSegmenter, analyze
from services.retrieval.domain.ports import ChunkRow, ScoredChunk, VectorStore
from services.retrieval.service.caches import LruCache
from services.retrieval.service.index_guard import IndexGuard
from services.retrieval.service.monitor import observe_best_cosine, observe_task
from services.retrieval.service.query_log import QueryRecorder
from services.retrieval.service.query_vectors import QueryVectors
from services.retrieval.service.reranking import Candidate, Reranker
from services.retrieval.service.snapshot import Snapshot, Snapshots

log = structlog.get_logger("search")

DEFAULT_TOP_K = 10
# Candidates that each component list contributes to a fusion, at least.
_FUSION_DEPTH = 50
# Shares of weighted fusion: embeddings carry paraphrase and the other language, words carry names and codes.
_FUSION_WEIGHTS = {"dense": 0.7, "keyword": 0.3}
# Keyword candidates that two-stage search re-scores.
_TWO_STAGE_DEPTH = 200
# Rows asked for beyond what is needed, so that rows of a revision being replaced cost no hit.
_SPARE = 16
# How often a search starts again because a document was replaced under it.
_MAX_RESTARTS = 3
# Left to answer in, of the caller's deadline, in seconds.
_MARGIN = 0.05


class SearchType(enum.StrEnum):
    """How a task searches."""

    DENSE = "dense"
    KEYWORD = "keyword"
    HYBRID = "hybrid"
    TWO_STAGE = "two_stage"


class TaskStatus(enum.StrEnum):
    """Outcome of one task."""

    OK = "ok"
    NOT_FOUND = "not_found"
    UNAVAILABLE = "unavailable"
    TIMEOUT = "timeout"
    INVALID = "invalid"
    FAILED_PRECONDITION = "failed_precondition"


@dataclass(frozen=True, slots=True)
class SearchTask:
    """One search. ``condition`` has no access keys yet: they come from the caller's identity.

    ``every_version`` lifts the default of what is in force today.
    """

    task_id: str
    query: str
    knowledge_base: str
    condition: ChunkFilter
    type: SearchType = SearchType.HYBRID
    top_k: int = DEFAULT_TOP_K
    every_version: bool = False
    rerank: bool = False
    expand_parent: bool = False


@dataclass(frozen=True, slots=True)
class Component:
    """One part of a hit's score; ``rank`` counts from 1, 0 where there is none."""

    name: str
    score: float
    rank: int = 0


@dataclass(frozen=True, slots=True)
class Hit:
    """A found passage with what its score is made of."""

    chunk: Chunk
    score: float
    rank: int
    components: tuple[Component, ...]
    version_choice: str


@dataclass(frozen=True, slots=True)
class TaskResult:
    """Result of one task; ``message`` says why where the status is not OK."""

    task_id: str
    status: TaskStatus
    message: str = ""
    hits: tuple[Hit, ...] = ()
    latency_ms: float = 0.0
    filter_description: str = ""
    cached: bool = False


@dataclass(slots=True)
class _Candidate:
    row: ChunkRow
    vector: Vectors | None
    components: dict[str, Component] = field(default_factory=dict)
    score: float = 0.0


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
        self._catalogue = catalogue
        self._snapshots = snapshots
        self._store = store
        self._guard = guard
        self._segmenter = segmenter
        self._pool = pool
        self._timeout = timeout
        self._reranker = reranker
        self._today = today
        self._fusion = fusion
        self._recorder = recorder
        self._vectors = QueryVectors(embed_pool)
        self._results: LruCache[tuple[tuple[Hit, ...], str]] = LruCache("results", cached_results)

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
        snapshot = await self._pool.run(self._checked, knowledge_base, self._timeout)
        keys = []
        for identifier in chunk_ids:
            parts = split_chunk_id(identifier)
            document = snapshot.documents.get(parts[0]) if parts else None
            if parts and document is not None:
                keys.append((document.revision, parts[1]))
        condition = ChunkFilter(access_keys=snapshot.readable(groups))
        rows = await self._pool.run(self._store.fetch_rows, snapshot.record.collection, keys, condition, self._timeout)
        found = [self._chunk(item.row, snapshot, item.row.text) for item in rows]
        return {chunk.chunk_id: chunk for chunk in found}

    async def _guarded(self, task: SearchTask, groups: frozenset[str], bound: float) -> TaskResult:
        began = time.perf_counter()
        status, message = TaskStatus.UNAVAILABLE, ""
        try:
            (hits, description), cached = await asyncio.wait_for(self._cached(task, groups, bound), bound)
            spent = (time.perf_counter() - began) * 1000
            return TaskResult(task.task_id, TaskStatus.OK, "", hits, spent, description, cached)
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

    async def _cached(
        self, task: SearchTask, groups: frozenset[str], bound: float
    ) -> tuple[tuple[tuple[Hit, ...], str], bool]:
        """Hits and the filter in words, and whether they came from the cache.

        The key holds all that decides about the hits: the state of the knowledge base, what the caller may
        read, the day, and the task but for its id.
        """
        ends = time.monotonic() + bound
        snapshot = await self._pool.run(self._snapshots.get, task.knowledge_base)
        condition = self._condition(task, snapshot, groups)
        key = (snapshot.record.collection, snapshot.write_count, condition, replace(task, task_id=""))
        found = self._results.get(key)
        if found is not None:
            return found, True
        await self._pool.run(self._guard.check, snapshot.record, bound)
        result, fresh = await self._run(task, groups, snapshot, ends)
        if fresh:
            self._results.put(key, result)
        return result, False

    def _checked(self, knowledge_base: str, timeout: float) -> Snapshot:
        """The knowledge base as it is now, its index known to fit its embedder."""
        snapshot = self._snapshots.get(knowledge_base)
        self._guard.check(snapshot.record, timeout)
        return snapshot

    async def _run(
        self, task: SearchTask, groups: frozenset[str], snapshot: Snapshot, ends: float
    ) -> tuple[tuple[tuple[Hit, ...], str], bool]:
        """The result, and whether it is that of the snapshot given."""
        asked = snapshot.write_count
        ranked, snapshot, condition = await self._found(task, groups, snapshot, ends)
        if task.rerank and ranked:
            ranked = await self._pool.run(self._reranked, task.query, ranked, snapshot)
        ranked = ranked[: task.top_k]
        texts = await self._texts(task, [candidate.row for candidate in ranked])
        hits = tuple(
            Hit(
                chunk=self._chunk(candidate.row, snapshot, text),
                score=candidate.score,
                rank=rank,
                components=tuple(candidate.components.values()),
                version_choice=_version_choice(task, snapshot, candidate.row),
            )
            for rank, (candidate, text) in enumerate(zip(ranked, texts, strict=True), start=1)
        )
        return (hits, condition.describe()), snapshot.write_count == asked

    async def candidates(self, task: SearchTask, groups: frozenset[str]) -> tuple[list[Candidate], list[Chunk]]:
        """What a task finds before it is reranked and cut, for learning and measuring.

        Raises NotFound, Unavailable.
        """
        snapshot = await self._pool.run(self._checked, task.knowledge_base, self._timeout)
        ends = time.monotonic() + self._timeout
        ranked, snapshot, _ = await self._found(task, groups, snapshot, ends)
        return _views(ranked, snapshot), [self._chunk(item.row, snapshot, item.row.text) for item in ranked]

    async def _found(
        self, task: SearchTask, groups: frozenset[str], snapshot: Snapshot, ends: float
    ) -> tuple[list[_Candidate], Snapshot, ChunkFilter]:
        """Candidates, best first, all of one state of the knowledge base, and that state."""
        vector, tokens = await asyncio.gather(self._vector(task, snapshot), self._tokens(task))
        for _ in range(_MAX_RESTARTS):
            condition = self._condition(task, snapshot, groups)
            try:
                lists = await self._lists(task, snapshot, condition, vector, tokens, ends)
            except Unavailable:
                # The collection may be gone because the knowledge base has moved to another one.
                self._guard.forget(snapshot.record.collection)
                newer = await self._pool.run(self._snapshots.get, task.knowledge_base)
                if newer.record.collection == snapshot.record.collection:
                    raise
                await self._pool.run(self._guard.check, newer.record, max(0.01, ends - time.monotonic()))
                snapshot, vector = newer, await self._vector(task, newer)
                continue
            if all(
                snapshot.is_current(item.row.document_id, item.row.revision) for rows in lists.values() for item in rows
            ):
                break
            left = max(0.01, ends - time.monotonic())
            newer = await self._pool.run(self._checked, task.knowledge_base, left)
            if newer.write_count == snapshot.write_count:
                break
            if newer.record.collection != snapshot.record.collection:
                vector = await self._vector(task, newer)
            snapshot = newer
        lists = {
            name: [item for item in rows if snapshot.is_current(item.row.document_id, item.row.revision)]
            for name, rows in lists.items()
        }
        if self._recorder is not None and lists.get("dense"):
            self._recorder.note(snapshot.record, task.query, condition, lists["dense"])
        return self._rank(task, lists, vector), snapshot, condition

    def _condition(self, task: SearchTask, snapshot: Snapshot, groups: frozenset[str]) -> ChunkFilter:
        given = task.condition
        day = given.in_force_on or (None if task.every_version else self._today())
        return ChunkFilter(
            access_keys=snapshot.readable(groups),
            in_force_on=day,
            doc_types=given.doc_types,
            languages=given.languages,
            document_ids=given.document_ids,
            min_authority=given.min_authority,
            published=given.published,
            heading=given.heading,
            versions=given.versions,
        )

    async def _vector(self, task: SearchTask, snapshot: Snapshot) -> Vectors | None:
        if task.type is SearchType.KEYWORD:
            return None
        return await self._vectors.get(self._guard.embedders.of(snapshot.record), task.query)

    async def _tokens(self, task: SearchTask) -> list[str]:
        if task.type is SearchType.DENSE:
            return []
        return await self._pool.run(analyze, task.query, self._segmenter)

    async def _lists(
        self,
        task: SearchTask,
        snapshot: Snapshot,
        condition: ChunkFilter,
        vector: Vectors | None,
        tokens: Sequence[str],
        ends: float,
    ) -> dict[str, list[ScoredChunk]]:
        left = max(0.01, ends - time.monotonic())
        collection = snapshot.record.collection
        depth = task.top_k + _SPARE
        if task.type is SearchType.HYBRID or task.rerank:
            depth = max(depth, _FUSION_DEPTH)
        elif task.type is SearchType.TWO_STAGE:
            depth = max(depth, _TWO_STAGE_DEPTH)
        searches: dict[str, asyncio.Future[list[ScoredChunk]]] = {}
        if vector is not None and task.type is not SearchType.TWO_STAGE:
            searches["dense"] = asyncio.ensure_future(
                self._pool.run(self._store.search_dense, collection, vector, condition, depth, left)
            )
        if task.type is not SearchType.DENSE:
            searches["keyword"] = asyncio.ensure_future(
                self._pool.run(
                    self._store.search_keyword, collection, tokens, condition, depth, left, vector is not None
                )
            )
        results = await asyncio.gather(*searches.values())
        return dict(zip(searches, results, strict=True))

    def _rank(
        self, task: SearchTask, lists: Mapping[str, Sequence[ScoredChunk]], vector: Vectors | None
    ) -> list[_Candidate]:
        candidates: dict[str, _Candidate] = {}
        for name, rows in lists.items():
            for rank, item in enumerate(rows, start=1):
                candidate = candidates.setdefault(_key(item.row), _Candidate(item.row, item.vector))
                candidate.components[name] = Component(name, item.score, rank)
        if vector is not None:
            _add_cosine(candidates.values(), vector)
        if lists.get("dense"):
            observe_best_cosine(lists["dense"][0].score, task.knowledge_base)
        if task.type is SearchType.HYBRID:
            for position, (key, score) in enumerate(self._fuse(lists), start=1):
                candidates[key].score = score
                candidates[key].components[self._fusion] = Component(self._fusion, score, position)
        else:
            by = "keyword" if task.type is SearchType.KEYWORD else "dense"
            for candidate in candidates.values():
                component = candidate.components.get(by)
                candidate.score = component.score if component else 0.0
        return sorted(candidates.values(), key=lambda c: (-c.score, c.row.document_id, c.row.ordinal))

    def _fuse(self, lists: Mapping[str, Sequence[ScoredChunk]]) -> list[tuple[str, float]]:
        if self._fusion == "weighted":
            scored = {name: {_key(item.row): item.score for item in rows} for name, rows in lists.items()}
            return weighted_fusion(scored, _FUSION_WEIGHTS)
        return reciprocal_rank_fusion({name: [_key(item.row) for item in rows] for name, rows in lists.items()})

    def _reranked(self, query: str, ranked: Sequence[_Candidate], snapshot: Snapshot) -> list[_Candidate]:
        views = _views(ranked, snapshot)
        for candidate, result in zip(ranked, self._reranker.rerank(query, views), strict=True):
            candidate.score = result.score
            candidate.components["rerank"] = Component("rerank", result.score)
            for name, value in result.parts.items():
                candidate.components[f"rerank.{name}"] = Component(f"rerank.{name}", value)
        return sorted(ranked, key=lambda c: (-c.score, c.row.document_id, c.row.ordinal))

    async def _texts(self, task: SearchTask, rows: Sequence[ChunkRow]) -> list[str]:
        if not task.expand_parent:
            return [row.text for row in rows]
        return await self._pool.run(self._parent_texts, task.knowledge_base, rows)

    def _parent_texts(self, knowledge_base: str, rows: Sequence[ChunkRow]) -> list[str]:
        whole: dict[str, str] = {}
        for document_id in {row.document_id for row in rows}:
            stored = self._catalogue.text(knowledge_base, document_id)
            if stored is not None:
                whole[document_id] = stored.text
        return [
            whole[row.document_id][row.parent_start : row.parent_end] if row.document_id in whole else row.text
            for row in rows
        ]

    @staticmethod
    def _chunk(row: ChunkRow, snapshot: Snapshot, text: str) -> Chunk:
        expanded = text != row.text
        return Chunk(
            chunk_id=chunk_id(row.document_id, row.ordinal),
            document=snapshot.documents[row.document_id].metadata,
            text=text,
            ordinal=row.ordinal,
            heading_path=row.heading_path,
            span=Span(row.parent_start, row.parent_end) if expanded else Span(row.start, row.end),
            page=row.page,
            entities=row.entities,
            number_density=row.number_density,
            token_count=row.token_count,
            parent_id=f"{row.document_id}@{row.parent_start}-{row.parent_end}",
        )


def _views(ranked: Sequence[_Candidate], snapshot: Snapshot) -> list[Candidate]:
    nothing = Component("", 0.0)
    return [
        Candidate(
            row=candidate.row,
            title=snapshot.documents[candidate.row.document_id].metadata.title,
            dense=candidate.components.get("dense", nothing).score,
            dense_rank=candidate.components.get("dense", nothing).rank,
            keyword=candidate.components.get("keyword", nothing).score,
            keyword_rank=candidate.components.get("keyword", nothing).rank,
        )
        for candidate in ranked
    ]


def _key(row: ChunkRow) -> str:
    return f"{row.revision}:{row.ordinal}"


def _add_cosine(candidates: Iterable[_Candidate], vector: Vectors) -> None:
    """Gives every candidate its cosine similarity, also those that only the keyword list brought."""
    for candidate in candidates:
        if "dense" not in candidate.components and candidate.vector is not None:
            norm = float(np.linalg.norm(candidate.vector)) or 1.0
            candidate.components["dense"] = Component("dense", float(candidate.vector @ vector) / norm)


def _version_choice(task: SearchTask, snapshot: Snapshot, row: ChunkRow) -> str:
    if task.every_version or task.condition.in_force_on is not None:
        return "requested"
    return "in_force" if snapshot.has_versions(snapshot.documents[row.document_id]) else "only_version"
