"""The graph search under a filter that takes away everything near the query."""

from __future__ import annotations

import time
from collections.abc import Iterator
from datetime import date

import numpy as np
import pytest
from pymilvus import MilvusClient, MilvusException

from services.retrieval.adapters.milvus_store import MilvusStore
from services.retrieval.domain.embedding import EmbedderIdentity
from services.retrieval.domain.filters import PUBLIC_ACCESS_KEY, ChunkFilter
from services.retrieval.domain.ports import ChunkRow
from services.retrieval.domain.versions.families import Window
from tests.integration.retrieval.parts import MilvusServer, RetrievalProcess

DIMENSION = 32
NEAR, FAR = 6000, 600
TODAY = date(2026, 1, 1)
PAST = Window(1, TODAY.toordinal() - 1)


def _row(number: int, window: Window) -> ChunkRow:
    return ChunkRow(
        f"d{number}", f"r{number}", 0, "text", "text", (), 0, 4, 0, 4, 0, 1, 0.0, (), "manual", "en", 3, "", 0,
        window, PUBLIC_ACCESS_KEY,
    )  # fmt: skip


def _load_again(milvus: MilvusServer, collection: str) -> None:
    """The local server writes its indexes in the background and cannot load a file that is not written to its end.

    Each kind of index says so in words of its own, so every refusal is waited out; one that lasts is raised.
    """
    client = MilvusClient(milvus.uri)
    give_up = time.monotonic() + 60
    while True:
        client.release_collection(collection)
        try:
            client.load_collection(collection)
            break
        except MilvusException:
            if time.monotonic() > give_up:
                raise
            time.sleep(0.5)
    client.close()


@pytest.fixture
def store(milvus: MilvusServer, service: RetrievalProcess) -> Iterator[MilvusStore]:
    """The store, which answers when the service does."""
    opened = MilvusStore(milvus.uri, timeout=30.0)
    yield opened
    opened.close()


def test_what_is_in_force_is_found_behind_a_cloud_of_what_is_not(store: MilvusStore, milvus: MilvusServer) -> None:
    rng = np.random.default_rng(3)
    query = np.eye(DIMENSION, dtype=np.float32)[0]
    # Superseded passages around the query, as those in its own language would be; those in force are far from it.
    near = query + 0.05 * rng.normal(size=(NEAR, DIMENSION))
    far = np.eye(DIMENSION)[1] + 0.3 * rng.normal(size=(FAR, DIMENSION))
    vectors = np.concatenate([near, far]).astype(np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    rows = [_row(number, PAST if number < NEAR else Window()) for number in range(NEAR + FAR)]
    collection = "cloud"
    store.create_collection(collection, EmbedderIdentity("made-up", "1", DIMENSION, 512))
    store.insert(collection, rows, vectors)
    store.seal(collection)
    # Rows just written are scanned; loading the collection again attaches the index that was built of them.
    _load_again(milvus, collection)
    condition = ChunkFilter((PUBLIC_ACCESS_KEY,), in_force_on=TODAY)
    found = store.search_dense(collection, query, condition, 20, 10.0)
    best = NEAR + np.argsort(-(vectors[NEAR:] @ query))[:20]
    assert len(found) == 20
    assert len({item.row.document_id for item in found} & {f"d{number}" for number in best}) >= 19
