"""Vectors of queries: kept, and never made twice at once."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass

import numpy as np

from services.common.offload import BlockingPool
from services.retrieval.domain.embedding import Embedder, Vectors
from services.retrieval.service.caches import LruCache
from services.retrieval.service.monitor import observe_query_vector

# About 1.5 KiB each.
_CACHED_VECTORS = 4096


@dataclass(slots=True)
class _Running:
    task: asyncio.Task[Vectors]
    waiting: int = 0


class QueryVectors:
    """One question is searched in many knowledge bases at once: they share one embedding of it."""

    def __init__(self, embedder: Embedder, pool: BlockingPool) -> None:
        self._embedder = embedder
        self._pool = pool
        self._kept: LruCache[Vectors] = LruCache("query_vectors", _CACHED_VECTORS)
        self._running: dict[str, _Running] = {}

    async def get(self, query: str) -> Vectors:
        """The unit vector of ``query``. Raises Unavailable if the embedder does."""
        known = self._kept.get(query)
        if known is not None:
            return known
        running = self._running.get(query)
        if running is None:
            running = self._running[query] = _Running(asyncio.create_task(self._embed(query)))
        running.waiting += 1
        try:
            return await asyncio.shield(running.task)
        finally:
            running.waiting -= 1
            if not running.waiting:
                # Work that nobody waits for any more is dropped while it is still queued.
                running.task.cancel()
                if self._running.get(query) is running:
                    del self._running[query]

    async def _embed(self, query: str) -> Vectors:
        vector = await self._pool.run(self._embedder.embed_query, query)
        observe_query_vector(float(np.linalg.norm(vector)))
        self._kept.put(query, vector)
        return vector
