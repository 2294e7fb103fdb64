"""What a deleted document leaves besides its rows: in other collections, in the embedding cache, in databases' files.

Blocking, thread-safe. A document is gone for readers before any of this begins; what fails here is logged, and tried
again where that can help.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass

import structlog

from services.common.domain.document import DocumentMetadata
from services.common.errors import Unavailable
from services.retrieval.adapters.catalogue import Catalogue
from services.retrieval.domain.documents import StoredDocument
from services.retrieval.domain.embedding import EmbedderIdentity, KeepsPassages
from services.retrieval.domain.ports import KnowledgeBaseRecord, SideCollection, StoredText, VectorStore
from services.retrieval.service.index_guard import IndexGuard
from services.retrieval.service.rows import embedding_texts
from services.retrieval.service.sources import Sources

log = structlog.get_logger("erasure")


@dataclass(frozen=True, slots=True)
class Traces:
    """Where a document that is about to be deleted has left something. ``text`` is None if it has none."""

    record: KnowledgeBaseRecord
    metadata: DocumentMetadata
    text: StoredText | None
    sides: tuple[SideCollection, ...]


class Erasure:
    """Removes traces."""

    def __init__(self, catalogue: Catalogue, store: VectorStore, guard: IndexGuard, sources: Sources) -> None:
        self._catalogue = catalogue
        self._store = store
        self._guard = guard
        self._sources = sources
        self._lock = threading.Lock()
        self._begun: list[Traces] = []
        self._open: dict[str, Callable[[], bool]] = {}

    def traces(self, record: KnowledgeBaseRecord, document: StoredDocument) -> Traces:
        """To be called while the document is still there. Raises Unavailable."""
        text = self._catalogue.text(record.name, document.metadata.document_id)
        return Traces(record, document.metadata, text, self._catalogue.sides(record.name))

    def erase(self, traces: Traces) -> None:
        """To be called when the document is gone; what takes long is left to ``finish``."""
        for side in traces.sides:
            try:
                self._store.delete_document(side.collection, traces.metadata.document_id)
            except Unavailable as error:
                log.warning("rows of a deleted document left", collection=side.collection, reason=error.message)
        with self._lock:
            self._begun.append(traces)
        self.empty_log()

    def empty_log(self) -> None:
        """To be called when something is gone from the catalogue, whose log still has it."""
        with self._lock:
            self._open["catalogue"] = self._catalogue.database.checkpoint
        self._checkpoint()

    def finish(self) -> None:
        """Takes the vectors of deleted documents out of the embedding cache, asks the store to merge away their rows.

        What was in use by somebody is tried again.
        """
        with self._lock:
            begun, self._begun = self._begun, []
        for traces in begun:
            for identity in (traces.record.embedder, *(side.embedder for side in traces.sides)):
                self._forget(traces, identity)
        collections = {c for t in begun for c in (t.record.collection, *(side.collection for side in t.sides))}
        for collection in sorted(collections):
            self._store.merge(collection)
        self._checkpoint()

    def _forget(self, traces: Traces, identity: EmbedderIdentity) -> None:
        try:
            model = self._guard.embedders.find(identity)
            if isinstance(model, KeepsPassages) and traces.text is not None:
                text = traces.text
                chunks = self._sources.chunks(traces.metadata, text.text, text.pages, model)
                model.forget_passages(embedding_texts(text.text, chunks))
                with self._lock:
                    self._open[f"embeddings of {identity.label}"] = model.checkpoint
        except Unavailable as error:
            log.warning("vectors left in the cache", model=identity.label, reason=error.message)

    def _checkpoint(self) -> None:
        with self._lock:
            todo, self._open = self._open, {}
        left = {name: checkpoint for name, checkpoint in todo.items() if not _done(name, checkpoint)}
        with self._lock:
            self._open = {**left, **self._open}


def _done(name: str, checkpoint: Callable[[], bool]) -> bool:
    try:
        return checkpoint()
    except Unavailable as error:
        log.warning("log of a database not emptied yet", database=name, reason=error.message)
        return False
