"""A migration says that it is alive while it copies a document that takes minutes to embed."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any
from unittest.mock import Mock

import pytest

from services.retrieval.service.rows import WARM_CHUNKS
from services.retrieval.service.side_work import SideWorks


@pytest.mark.parametrize(
    ("chunks", "parts"),
    [(1, []), (WARM_CHUNKS, []), (WARM_CHUNKS + 1, [WARM_CHUNKS]), (3 * WARM_CHUNKS, [WARM_CHUNKS] * 2)],
)
def test_a_large_document_is_embedded_in_parts(chunks: int, parts: list[int], monkeypatch: pytest.MonkeyPatch) -> None:
    writers: Any = Mock()
    sources = writers.sources
    works = SideWorks(Mock(), Mock(), Mock(), Mock(), writers)
    works.records = Mock()
    draft = SimpleNamespace(context="", start=0, end=4)
    sources.of_stored.return_value = SimpleNamespace(text="text", chunks=[draft] * chunks)
    order: list[Any] = []
    monkeypatch.setattr(works, "alive", lambda _: order.append("alive"))
    sources.insert.side_effect = lambda *_: order.append("insert")
    embedder = Mock()
    embedder.embed_passages.side_effect = lambda texts: order.append(len(texts))
    work: Any = SimpleNamespace(record=Mock(), side=Mock(), embedder=embedder)
    works.copy(work, [Mock(revision="r")])
    expected: list[Any] = ["alive"]
    for part in parts:
        expected += [part, "alive"]
    assert order == [*expected, "insert"]
