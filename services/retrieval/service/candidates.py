"""Finding candidates: the component searches of a task, of one state of the knowledge base, combined."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from typing import Literal, NamedTuple

import numpy as np

from services.common.errors import Unavailable
from services.common.offload import BlockingPool
from services.retrieval.domain.embedding import Vectors
from services.retrieval.domain.filters import ChunkFilter
from services.retrieval.domain.ports import ChunkRow, ScoredChunk, VectorStore
from services.retrieval.domain.ranking.fusion import reciprocal_rank_fusion, weighted_fusion
from services.retrieval.domain.ranking.lexical import WordSegmenter, analyze
from services.retrieval.domain.search import Component, Diversity, SearchTask, SearchType
from services.retrieval.service.index_guard import IndexGuard
from services.retrieval.service.monitor import observe_best_cosine
from services.retrieval.service.query_log import QueryRecorder
from services.retrieval.service.query_vectors import QueryVectors
from services.retrieval.service.snapshot import Snapshot, Snapshots

# Candidates that each component list contributes to a fusion, at least.
_FUSION_DEPTH = 50
# The same where a reranker will order them: it finds what neither list has near its top. Keyword hits further down
# share little with the query, and each costs its vector, which gives it a cosine.
_RERANK_DEPTH = 100
_RERANK_KEYWORD_DEPTH = 66
# Shares of weighted fusion: embeddings carry paraphrase and the other language, words carry names and codes.
_FUSION_WEIGHTS = {"dense": 0.7, "keyword": 0.3}
# Keyword candidates that two-stage search re-scores.
_TWO_STAGE_DEPTH = 200
# Candidates that hits which must differ are chosen from, at least.
_DIVERSE_DEPTH = 100
# Rows asked for beyond what is needed, so that rows of a revision being replaced cost no hit.
_SPARE = 16
# How often a search starts again because a document was replaced under it.
_MAX_RESTARTS = 3


@dataclass(slots=True)
class Scored:
    """A candidate and what is known of it so far."""

    row: ChunkRow
    vector: Vectors | None
    components: dict[str, Component] = field(default_factory=dict)
    score: float = 0.0

    def component(self, name: str) -> Component:
        """A component's score and rank; zeros where it has none."""
        return self.components.get(name) or Component(name, 0.0)


@dataclass(frozen=True, slots=True)
class Found:
    """Candidates, best first, the state of the knowledge base they are of, and the filter that let them in."""

    candidates: list[Scored]
    snapshot: Snapshot
    condition: ChunkFilter


class CandidateFinder:
    """Runs the component searches of a task and combines them."""

    def __init__(
        self,
        snapshots: Snapshots,
        store: VectorStore,
        guard: IndexGuard,
        segmenter: WordSegmenter,
        pool: BlockingPool,
        vectors: QueryVectors,
        today: Callable[[], date],
        fusion: Literal["rrf", "weighted"],
        recorder: QueryRecorder | None,
    ) -> None:
        self._snapshots = snapshots
        self._store = store
        self._guard = guard
        self._segmenter = segmenter
        self._pool = pool
        self._vectors = vectors
        self._today = today
        self._fusion = fusion
        self._recorder = recorder

    def checked(self, knowledge_base: str, timeout: float) -> Snapshot:
        """The knowledge base as it is now, its index known to fit its embedder. Blocking.

        Raises NotFound, FailedPrecondition, Unavailable.
        """
        snapshot = self._snapshots.get(knowledge_base)
        self._guard.check(snapshot.record, timeout)
        return snapshot

    def condition(self, task: SearchTask, snapshot: Snapshot, groups: frozenset[str]) -> ChunkFilter:
        """The task's filter with what the caller may read, and today unless the task says otherwise."""
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

    async def find(self, task: SearchTask, groups: frozenset[str], snapshot: Snapshot, ends: float) -> Found:
        """Candidates of one state of the knowledge base, ``snapshot`` or a newer one.

        ``ends`` is a time of the monotonic clock. Raises NotFound, FailedPrecondition, Unavailable.
        """
        vector, tokens = await asyncio.gather(self._vector(task, snapshot), self._tokens(task))
        for attempt in range(_MAX_RESTARTS):
            condition = self.condition(task, snapshot, groups)
            try:
                lists = await self._lists(task, snapshot, condition, vector, tokens, ends)
            except Unavailable as error:
                if attempt == _MAX_RESTARTS - 1:
                    raise
                snapshot = await self._moved(task, snapshot, ends, error)
                vector = await self._vector(task, snapshot)
                continue
            if all(_is_current(snapshot, item) for rows in lists.values() for item in rows):
                break
            newer = await self._pool.run(self.checked, task.knowledge_base, _left(ends))
            if newer.write_count == snapshot.write_count:
                break
            if newer.record.collection != snapshot.record.collection:
                vector = await self._vector(task, newer)
            snapshot = newer
        lists = {name: [item for item in rows if _is_current(snapshot, item)] for name, rows in lists.items()}
        if self._recorder is not None and lists.get("dense"):
            self._recorder.note(snapshot.record, task.query, condition, lists["dense"])
        return Found(self._rank(task, lists, vector), snapshot, condition)

    async def _moved(self, task: SearchTask, snapshot: Snapshot, ends: float, error: Unavailable) -> Snapshot:
        """Where the knowledge base is now, if its collection is gone because it has moved to another one.

        Raises ``error`` if it has not.
        """
        self._guard.forget(snapshot.record.collection)
        newer = await self._pool.run(self._snapshots.get, task.knowledge_base)
        if newer.record.collection == snapshot.record.collection:
            raise error
        await self._pool.run(self._guard.check, newer.record, _left(ends))
        return newer

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
        collection, depths, left = snapshot.record.collection, depths_of(task), _left(ends)
        searches: dict[str, asyncio.Future[list[ScoredChunk]]] = {}
        if vector is not None and task.type is not SearchType.TWO_STAGE:
            searches["dense"] = asyncio.ensure_future(
                self._pool.run(self._store.search_dense, collection, vector, condition, depths.dense, left)
            )
        if task.type is not SearchType.DENSE:
            searches["keyword"] = asyncio.ensure_future(
                self._pool.run(
                    self._store.search_keyword, collection, tokens, condition, depths.keyword, left, vector is not None
                )
            )
        results = await asyncio.gather(*searches.values())
        return dict(zip(searches, results, strict=True))

    def _rank(
        self, task: SearchTask, lists: Mapping[str, Sequence[ScoredChunk]], vector: Vectors | None
    ) -> list[Scored]:
        candidates: dict[str, Scored] = {}
        for name, rows in lists.items():
            for rank, item in enumerate(rows, start=1):
                candidate = candidates.setdefault(_key(item.row), Scored(item.row, item.vector))
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
                candidate.score = candidate.component(by).score
        return sorted(candidates.values(), key=best_first)

    def _fuse(self, lists: Mapping[str, Sequence[ScoredChunk]]) -> list[tuple[str, float]]:
        if self._fusion == "weighted":
            scored = {name: {_key(item.row): item.score for item in rows} for name, rows in lists.items()}
            return weighted_fusion(scored, _FUSION_WEIGHTS)
        return reciprocal_rank_fusion({name: [_key(item.row) for item in rows] for name, rows in lists.items()})


class Depths(NamedTuple):
    """Rows that the component searches are asked for."""

    dense: int
    keyword: int


def depths_of(task: SearchTask) -> Depths:
    """How many candidates a task needs of each list."""
    depth = task.top_k + _SPARE
    if task.type is SearchType.TWO_STAGE:
        depth = max(depth, _TWO_STAGE_DEPTH)
    if task.type is SearchType.HYBRID:
        depth = max(depth, _FUSION_DEPTH)
    if task.expand_parent or task.diversity != Diversity():
        depth = max(depth, _DIVERSE_DEPTH)
    if not task.rerank:
        return Depths(depth, depth)
    beside_dense = task.type is SearchType.HYBRID
    return Depths(max(depth, _RERANK_DEPTH), max(depth, _RERANK_KEYWORD_DEPTH if beside_dense else _RERANK_DEPTH))


def best_first(candidate: Scored) -> tuple[float, str, int]:
    """Sort key: by score, then by place, so that the order is deterministic."""
    return (-candidate.score, candidate.row.document_id, candidate.row.ordinal)


def _left(ends: float) -> float:
    return max(0.01, ends - time.monotonic())


def _is_current(snapshot: Snapshot, item: ScoredChunk) -> bool:
    return snapshot.is_current(item.row.document_id, item.row.revision)


def _key(row: ChunkRow) -> str:
    return f"{row.revision}:{row.ordinal}"


def _add_cosine(candidates: Iterable[Scored], vector: Vectors) -> None:
    """Gives every candidate its cosine similarity, also those that only the keyword list brought."""
    for candidate in candidates:
        if "dense" not in candidate.components and candidate.vector is not None:
            norm = float(np.linalg.norm(candidate.vector)) or 1.0
            candidate.components["dense"] = Component("dense", float(candidate.vector @ vector) / norm)
