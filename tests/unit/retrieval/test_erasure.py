"""Nothing of a deleted document is left in the bytes of the data directory."""

from __future__ import annotations

import hashlib
import sqlite3
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import numpy as np
import pytest
from sqlalchemy import insert

from services.common.domain.document import DocumentMetadata
from services.retrieval.adapters import catalogue_schema as t
from services.retrieval.adapters.catalogue import Catalogue
from services.retrieval.adapters.embedders.truncated import TruncatedEmbedder
from services.retrieval.adapters.embedding_cache import CachedEmbedder
from services.retrieval.adapters.query_records import QueryRecords
from services.retrieval.adapters.side_rows import side_row
from services.retrieval.domain.documents import PreparedDocument
from services.retrieval.domain.embedding import EmbedderIdentity, Vectors, passage_key
from services.retrieval.domain.filters import ChunkFilter
from services.retrieval.domain.ingest_config import IngestConfig
from services.retrieval.domain.passages.chunking import chunk_document
from services.retrieval.domain.ports import FORMER, RecordedQuery
from services.retrieval.domain.ranking.replay import Passage
from services.retrieval.service.embedders import Embedders
from services.retrieval.service.snapshot import Snapshots
from services.retrieval.service.writing import make_writers

MODEL = EmbedderIdentity("m", "1", 8, 512)
SECRETS = ("ZQX-4711-UNIQUE", "绝密配方甲乙丙丁")
CONFIG = IngestConfig()


class Model:
    """Vectors that tell their text."""

    identity = MODEL

    def embed_passages(self, texts: Sequence[str]) -> Vectors:
        return np.stack([vector(text) for text in texts])

    def embed_query(self, text: str) -> Vectors:
        return vector(text)

    def count_tokens(self, text: str) -> int:
        return len(text) // 4


def vector(text: str) -> Vectors:
    return np.frombuffer(hashlib.sha256(text.encode()).digest(), np.uint32).astype(np.float32)


class Base:
    """A catalogue, an embedding cache and a store that remembers what it was asked for."""

    def __init__(self, folder: Path, new: bool = True) -> None:
        self.folder = folder
        self.catalogue = Catalogue(f"sqlite:///{folder / 'catalogue.db'}")
        self.cache = CachedEmbedder(Model(), folder / "embeddings.db")
        guard: Any = Mock()
        guard.check.return_value = self.cache
        guard.embedders = Embedders.only(self.cache)
        segmenter: Any = Mock()
        segmenter.stem = lambda word: word
        segmenter.segment = list
        self.store: Any = Mock()
        self.writers = make_writers(self.catalogue, Snapshots(self.catalogue), self.store, guard, segmenter, CONFIG)
        if new:
            self.catalogue.add_knowledge_base("kb", "c", MODEL)

    def put(self, document_id: str, text: str, title: str = "") -> None:
        record = self.catalogue.knowledge_base("kb")
        assert record is not None
        metadata = DocumentMetadata(document_id, "kb", title or f"Title {document_id}", checksum=text)
        chunks = tuple(
            chunk_document(
                text, title=metadata.title, count_tokens=Model().count_tokens, rules=CONFIG.chunking, pages=()
            )
        )
        prepared = PreparedDocument(document_id, metadata, text, (), chunks, text, (), {})
        self.writers.documents.write("kb", [prepared], MODEL, record.created_at)

    def files_with(self, needle: bytes) -> list[str]:
        return sorted(path.name for path in self.folder.rglob("*") if needle in path.read_bytes())

    def vectors(self) -> int:
        connection = sqlite3.connect(self.folder / "embeddings.db")
        count = connection.execute("SELECT count(*) FROM passage").fetchone()[0]
        connection.close()
        return int(count)


@pytest.fixture
def base(tmp_path: Path) -> Iterator[Base]:
    made = Base(tmp_path)
    yield made
    made.catalogue.close()


def text_with(secret: str) -> str:
    return "\n\n".join(
        f"## Part {n}\n\n{secret} stands in part {n} of this text, {'and more ' * 40}." for n in range(9)
    )


@pytest.mark.parametrize("secret", SECRETS)
def test_no_byte_of_a_deleted_text_is_left(base: Base, secret: str) -> None:
    base.put("kept", text_with("something else"))
    kept = base.vectors()
    base.put("gone", text_with(secret))
    base.put("gone", text_with(secret + " once more"))
    assert base.files_with(secret.encode()) and base.vectors() > kept
    base.writers.documents.delete("kb", "gone")
    assert base.files_with(secret.encode()) == []
    assert base.files_with(b"Title gone") == []
    base.writers.erasure.finish()
    assert base.files_with(secret.encode()) == []


def test_no_byte_of_a_deleted_knowledge_base_is_left(base: Base) -> None:
    base.put("gone", text_with(SECRETS[0]))
    base.writers.bases.delete("kb")
    assert base.files_with(SECRETS[0].encode()) == []


def test_its_vectors_leave_the_cache_and_those_of_others_stay(base: Base) -> None:
    base.put("kept", text_with("something else"))
    kept = base.vectors()
    base.put("gone", text_with(SECRETS[0]))
    assert base.vectors() == 2 * kept
    base.writers.documents.delete("kb", "gone")
    base.writers.erasure.finish()
    assert base.vectors() == kept
    before = base.cache.misses
    base.put("kept", text_with("something else") + "\n\nMore.")
    assert base.cache.misses - before <= 1
    base.put("gone", text_with(SECRETS[0]))
    assert base.cache.misses - before >= kept


def test_a_reader_who_holds_up_the_checkpoint_only_delays_it(base: Base, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("services.retrieval.adapters.catalogue_database._CHECKPOINT_MILLISECONDS", 1)
    base.put("gone", text_with(SECRETS[0]))
    reader = sqlite3.connect(base.folder / "catalogue.db", isolation_level=None)
    reader.execute("BEGIN")
    reader.execute("SELECT count(*) FROM documents").fetchone()
    base.writers.documents.delete("kb", "gone")
    assert base.files_with(SECRETS[0].encode())
    reader.execute("COMMIT")
    reader.close()
    base.writers.erasure.finish()
    assert base.files_with(SECRETS[0].encode()) == []


def test_the_store_is_asked_to_merge_and_former_collections_lose_it_too(base: Base) -> None:
    with base.catalogue.database.writing() as connection:
        connection.execute(insert(t.side_collections).values(side_row("kb", FORMER, "c_old", MODEL, time.time(), "")))
    base.put("gone", text_with(SECRETS[0]))
    gone = base.catalogue.document("kb", "gone")
    assert gone is not None
    base.writers.documents.delete("kb", "gone")
    beside = [call.args[0] for call in base.store.delete_revision.call_args_list if call.args[0].collection == "c_old"]
    assert [ref.revision for ref in beside] == [gone.revision]
    base.store.merge.assert_not_called()
    base.writers.erasure.finish()
    assert {call.args for call in base.store.merge.call_args_list} == {("c",), ("c_old",)}
    base.store.merge.reset_mock()
    base.writers.erasure.finish()
    base.store.merge.assert_not_called()


def test_recorded_queries_forget_its_passages(base: Base) -> None:
    base.put("kept", text_with("something else"))
    base.put("gone", text_with(SECRETS[0]))
    record = base.catalogue.knowledge_base("kb")
    assert record is not None
    records = QueryRecords(base.catalogue.database)
    passages = (Passage("gone", 0, 9), Passage("kept", 0, 9))
    records.save("kb", record.created_at, [RecordedQuery("what", ChunkFilter(()), "m", passages, 1.0)], 10)
    base.writers.documents.delete("kb", "gone")
    [query] = records.latest("kb", 10)
    assert query.passages == (Passage("kept", 0, 9),)


def test_a_shortened_model_forgets_what_the_whole_one_keeps(tmp_path: Path) -> None:
    cache = CachedEmbedder(Model(), tmp_path / "embeddings.db")
    short = TruncatedEmbedder(cache, 4)
    short.embed_passages(["one", "two"])
    short.forget_keys([passage_key(short.identity, "one")])
    assert short.checkpoint()
    before = cache.misses
    short.embed_passages(["one", "two"])
    assert cache.misses == before + 1
