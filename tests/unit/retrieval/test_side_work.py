"""A migration says that it is alive while it copies what takes minutes, and leaves nothing when it was overtaken."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from unittest.mock import Mock

import pytest

from services.common.errors import FailedPrecondition
from services.retrieval.adapters.catalogue import Catalogue
from services.retrieval.adapters.migration_records import MigrationRecords
from services.retrieval.domain.embedding import EmbedderIdentity
from services.retrieval.domain.ports import KnowledgeBaseRecord
from services.retrieval.service.rows import WARM_CHUNKS
from services.retrieval.service.side_work import SideWorks

OLD, NEW, NEWER = (EmbedderIdentity(name, "1", 8, 512) for name in ("old", "new", "newer"))


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


class Overtaken:
    """A migration that stands still before it makes its collection, and another process."""

    def __init__(self, url: str) -> None:
        self.mine, self.other = Catalogue(url), Catalogue(url)
        self.mine.add_knowledge_base("kb", "kb_c0", OLD)
        self.store = Mock()
        self.store.describe.return_value = None
        self.store.new_collection_name.return_value = "kb_c1"
        self.works = SideWorks(self.mine, Mock(), self.store, Mock(), Mock())
        self.records = MigrationRecords(self.other)

    def record(self) -> KnowledgeBaseRecord:
        found = self.mine.knowledge_base("kb")
        assert found is not None
        return found

    def claim(self) -> str:
        """The reason why it fails."""
        with pytest.raises(FailedPrecondition) as lost:
            self.works.claim(self.record(), Mock(identity=NEW))
        return lost.value.reason


@pytest.fixture
def overtaken(tmp_path: Path) -> Iterator[Overtaken]:
    made = Overtaken(f"sqlite:///{tmp_path / 'catalogue.db'}")
    yield made
    made.mine.close()
    made.other.close()


def test_a_collection_that_another_process_has_given_up_meanwhile_is_removed(overtaken: Overtaken) -> None:
    def stand_still(*_: object) -> None:
        overtaken.mine.leases.release()
        _, given_up = overtaken.records.claim_shadow(overtaken.record(), NEWER, "kb_c2")
        overtaken.other.leftovers.forget(given_up)  # swept: it was not there yet
        overtaken.mine.leases.renew()

    overtaken.store.create_collection.side_effect = stand_still
    assert overtaken.claim() == "MIGRATION_LOST"
    overtaken.store.drop_collection.assert_called_once_with("kb_c1")


@pytest.mark.parametrize("switched", [False, True])
def test_a_collection_that_another_process_goes_on_with_stays(overtaken: Overtaken, switched: bool) -> None:
    def stand_still(*_: object) -> None:
        overtaken.mine.leases.release()
        side, _ = overtaken.records.claim_shadow(overtaken.record(), NEW, "unused")
        if switched:
            overtaken.records.switch(side, overtaken.mine.write_count("kb"), {}, keep_former=False)
        overtaken.mine.leases.renew()

    overtaken.store.create_collection.side_effect = stand_still
    assert overtaken.claim() == "MIGRATION_LOST"
    overtaken.store.drop_collection.assert_not_called()


def test_the_collection_of_a_knowledge_base_that_was_deleted_meanwhile_is_removed(overtaken: Overtaken) -> None:
    overtaken.store.create_collection.side_effect = lambda *_: overtaken.other.remove_knowledge_base("kb")
    assert overtaken.claim() == "KNOWLEDGE_BASE_DELETED"
    overtaken.store.drop_collection.assert_called_once_with("kb_c1")
