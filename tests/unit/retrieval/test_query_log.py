"""Queries are noted at no cost to the search, and written later."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import pytest

from services.common.errors import Unavailable
from services.common.offload import BlockingPool
from services.retrieval.domain.embedding import EmbedderIdentity
from services.retrieval.domain.filters import ChunkFilter
from services.retrieval.domain.ports import ChunkRow, KnowledgeBaseRecord, RecordedQuery, ScoredChunk
from services.retrieval.domain.versions.families import Window
from services.retrieval.service.query_log import QueryRecorder

BASE = KnowledgeBaseRecord("kb", "c", EmbedderIdentity("m", "1", 2, 512), 7.0, 7.0, 1)
PUBLIC = ChunkFilter(("public",))


class Records:
    """What would be written; fails as long as ``down``."""

    def __init__(self) -> None:
        self.down = False
        self.saved: list[tuple[str, float, list[RecordedQuery], int]] = []

    def save(self, knowledge_base: str, born: float, queries: Sequence[RecordedQuery], limit: int) -> None:
        if self.down:
            raise Unavailable("CATALOGUE_DOWN", "no answer")
        self.saved.append((knowledge_base, born, list(queries), limit))


@pytest.fixture
def pool() -> Iterator[BlockingPool]:
    made = BlockingPool(1, "test")
    yield made
    made.close()


def hit(ordinal: int) -> ScoredChunk:
    row = ChunkRow(
        "d", "r", ordinal, "text", "text", (), 10 * ordinal, 10 * ordinal + 10, 0, 1, 0, 1, 0.0, (), "", "en", 1, "", 0,
        Window(1, 2), "public",
    )  # fmt: skip
    return ScoredChunk(row, 0.5)


async def test_each_query_is_kept_once_as_it_was_last_asked(pool: BlockingPool) -> None:
    records: Any = Records()
    recorder = QueryRecorder(records, pool, limit=5, depth=2)
    recorder.note(BASE, "a", PUBLIC, [hit(1)])
    recorder.note(BASE, "b", PUBLIC, [hit(2)])
    recorder.note(BASE, "a", PUBLIC, [hit(3), hit(4), hit(5)])
    recorder.note(replace(BASE, name="other"), "a", PUBLIC, [hit(1)])
    assert records.saved == []
    await recorder.flush()
    [(name, born, queries, limit), (other, *_)] = records.saved
    assert (name, born, limit, other) == ("kb", 7.0, 5, "other")
    assert [query.query for query in queries] == ["b", "a"]
    assert [passage.start for passage in queries[1].passages] == [30, 40]
    await recorder.flush()
    assert len(records.saved) == 2


async def test_what_cannot_be_written_is_written_later(pool: BlockingPool) -> None:
    records: Any = Records()
    recorder = QueryRecorder(records, pool, limit=5, depth=2)
    records.down = True
    recorder.note(BASE, "a", PUBLIC, [hit(1)])
    await recorder.flush()
    recorder.note(BASE, "b", PUBLIC, [hit(1)])
    records.down = False
    await recorder.flush()
    assert [query.query for query in records.saved[0][2]] == ["a", "b"]


async def test_nothing_is_kept_where_that_is_switched_off(pool: BlockingPool) -> None:
    records: Any = Records()
    recorder = QueryRecorder(records, pool, limit=0, depth=2)
    recorder.note(BASE, "a", PUBLIC, [hit(1)])
    await recorder.flush()
    assert records.saved == []
