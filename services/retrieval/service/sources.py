"""What is written of a document, and how it gets into a collection. Blocking."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from services.common.domain.document import DocumentMetadata
from services.retrieval.adapters.catalogue import Catalogue
from services.retrieval.domain.documents import (
    PreparedDocument,
    StoredDocument,
    renewed_fingerprint,
    settings_label,
)
from services.retrieval.domain.embedding import Embedder, EmbedderIdentity
from services.retrieval.domain.ingest_config import IngestConfig
from services.retrieval.domain.passages.chunking import chunk_document
from services.retrieval.domain.passages.chunks import ChunkDraft, PageStart
from services.retrieval.domain.ports import ChunkRow, VectorStore
from services.retrieval.domain.quality.minhash import signature
from services.retrieval.domain.ranking.lexical import WordSegmenter
from services.retrieval.domain.versions.families import Window
from services.retrieval.service.rows import build_rows, embedding_texts

# Chunks of one insertion: some tenths of a second of segmenting and writing, about 2 MiB of vectors.
_PART = 256


@dataclass(frozen=True, slots=True)
class Source:
    """Everything needed to write one document, cut for the embedder ``cut_for``; its text's MinHash ``signature``."""

    metadata: DocumentMetadata
    text: str
    pages: tuple[PageStart, ...]
    chunks: tuple[ChunkDraft, ...]
    fingerprint: str
    figures: dict[str, float]
    ingested_at: float
    cut_for: EmbedderIdentity
    signature: bytes


@dataclass(frozen=True, slots=True)
class Placed:
    """A source with the revision and the window that its rows get."""

    source: Source
    window: Window
    revision: str


class Sources:
    """Makes sources and inserts their rows. Thread-safe."""

    def __init__(
        self, catalogue: Catalogue, store: VectorStore, segmenter: WordSegmenter, config: IngestConfig
    ) -> None:
        self._catalogue = catalogue
        self._store = store
        self._segmenter = segmenter
        self._config = config

    def of_prepared(self, prepared: PreparedDocument, cut_for: EmbedderIdentity) -> Source:
        """A document that has just passed every check; ``cut_for`` is the embedder that its chunks were cut for."""
        return Source(
            prepared.metadata, prepared.text, prepared.pages, prepared.chunks, prepared.fingerprint,
            dict(prepared.figures), time.time(), cut_for, signature(prepared.text),
        )  # fmt: skip

    def of_stored(self, knowledge_base: str, document: StoredDocument, embedder: Embedder) -> Source:
        """A stored document, cut again for ``embedder``."""
        found = self._catalogue.text(knowledge_base, document.metadata.document_id)
        text, pages = (found.text, found.pages) if found else ("", ())
        chunks = self.chunks(document.metadata, text, pages, embedder)
        return Source(
            document.metadata, text, pages, chunks, document.fingerprint, dict(document.figures),
            document.ingested_at, embedder.identity, found.signature if found else b"",
        )  # fmt: skip

    def cut_for(self, source: Source, embedder: Embedder) -> Source:
        """``source`` for another embedder, which counts tokens in its own way; the same if it is cut for it already."""
        if source.cut_for.agrees_with(embedder.identity):
            return source
        return replace(
            source,
            chunks=self.chunks(source.metadata, source.text, source.pages, embedder),
            fingerprint=self.renewed(
                source.fingerprint, source.metadata, source.pages, source.cut_for, embedder.identity
            ),
            cut_for=embedder.identity,
        )

    def renewed(
        self,
        mark: str,
        metadata: DocumentMetadata,
        pages: Sequence[PageStart],
        before: EmbedderIdentity,
        after: EmbedderIdentity,
    ) -> str:
        """The fingerprint of a document that moves from one embedder to another."""
        return renewed_fingerprint(mark, metadata, pages, self._settings(before), self._settings(after))

    def _settings(self, embedder: EmbedderIdentity) -> str:
        return settings_label(self._config.for_model(embedder.max_tokens).chunking_label, embedder.label)

    def insert(self, collection: str, placed: Sequence[Placed], embedder: Embedder, check: Callable[[], None]) -> None:
        """Embeds and inserts, part by part; none of the keys may be in the collection.

        ``check`` is called before each part and ends the work by raising: what was inserted until then stays.

        Raises:
            Unavailable: the store or the embedder does not answer.
        """
        rows: list[ChunkRow] = []
        texts: list[str] = []
        for item in placed:
            source = item.source
            for start in range(0, len(source.chunks), _PART):
                part = source.chunks[start : start + _PART]
                check()
                rows += build_rows(source.metadata, source.text, part, item.revision, item.window, self._segmenter)
                texts += embedding_texts(source.text, part)
                if len(rows) >= _PART:
                    self._store.insert(collection, rows, embedder.embed_passages(texts))
                    rows, texts = [], []
        check()
        if rows:
            self._store.insert(collection, rows, embedder.embed_passages(texts))

    def chunks(
        self, metadata: DocumentMetadata, text: str, pages: tuple[PageStart, ...], embedder: Embedder
    ) -> tuple[ChunkDraft, ...]:
        """A text cut for ``embedder``."""
        return tuple(
            chunk_document(
                text,
                title=metadata.title,
                count_tokens=embedder.count_tokens,
                rules=self._config.chunking.within(embedder.identity.max_tokens),
                pages=pages,
            )
        )
