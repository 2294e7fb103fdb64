"""Vectors of queries: kept, and never made twice at once."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass

import numpy as np

from services.common.offload import BlockingPool
from services.retrieval.domain.embedding import Embedder, EmbedderIdentity, Vectors
from services.retrieval.service.caches import LruCache
from services.retrieval.service.monitor import observe_query_vector

_Key = tuple[EmbedderIdentity, str]

# About 1.5 KiB each.
_CACHED_VECTORS = 4096


@dataclass(slots=True)
class _Running:
    task: asyncio.Task[Vectors]
    waiting: int = 0


class QueryVectors:
    """One question is searched in many knowledge bases at once: those of one embedder share one embedding of it."""

    def __init__(self, pool: BlockingPool) -> None:
        self._pool = pool
        self._kept: LruCache[Vectors] = LruCache("query_vectors", _CACHED_VECTORS)
        self._running: dict[_Key, _Running] = {}

    async def get(self, embedder: Embedder, query: str) -> Vectors:
        """The unit vector of ``query``. Raises Unavailable if the embedder does."""
        key = (embedder.identity, query)
        known = self._kept.get(key)
        if known is not None:
            return known
        running = self._running.get(key)
        if running is None:
            running = self._running[key] = _Running(asyncio.create_task(self._embed(embedder, key)))
        running.waiting += 1
        try:
            return await asyncio.shield(running.task)
        finally:
            running.waiting -= 1
            if not running.waiting:
                # Work that nobody waits for any more is dropped while it is still queued.
                running.task.cancel()
                if self._running.get(key) is running:
                    del self._running[key]

    async def _embed(self, embedder: Embedder, key: _Key) -> Vectors:
        vector = await self._pool.run(embedder.embed_query, key[1])
        observe_query_vector(float(np.linalg.norm(vector)), embedder.identity.label)
        self._kept.put(key, vector)
        return vector
