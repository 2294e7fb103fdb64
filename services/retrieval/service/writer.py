"""Makes prepared documents part of a knowledge base: embeds them, settles windows, publishes atomically.

Blocking: runs in a thread. Several writers may work on one knowledge base, in this process and in others:
a write that another one overtook reads the new state and is decided anew.
"""

from __future__ import annotations

import contextlib
import threading
import time
import uuid
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

import structlog

from services.common.domain.document import DocumentMetadata
from services.common.errors import AlreadyExists, FailedPrecondition, NotFound, Unavailable
from services.retrieval.adapters.catalogue import Catalogue, StaleWrite
from services.retrieval.domain.chunking import ChunkDraft, PageStart, chunk_document
from services.retrieval.domain.documents import PreparedDocument, StoredDocument
from services.retrieval.domain.embedding import Embedder, EmbedderIdentity
from services.retrieval.domain.families import Window, validity_windows
from services.retrieval.domain.family_index import FamilyIndex
from services.retrieval.domain.ingest_config import IngestConfig
from services.retrieval.domain.lexical import WordSegmenter
from services.retrieval.domain.minhash import signature
from services.retrieval.domain.ports import ChunkRow, KnowledgeBaseRecord, Publication, RevisionRef, VectorStore
from services.retrieval.service.items import DocumentOutcome, Outcome
from services.retrieval.service.rows import build_rows, embedding_texts
from services.retrieval.service.snapshot import Snapshots

log = structlog.get_logger("writer")

# A writer that is overtaken this often gives up; each time another one has made progress.
_MAX_OVERTAKEN = 50


@dataclass(frozen=True, slots=True)
class _Source:
    """Everything needed to write one document."""

    metadata: DocumentMetadata
    text: str
    pages: tuple[PageStart, ...]
    chunks: tuple[ChunkDraft, ...]
    fingerprint: str
    figures: dict[str, float]
    ingested_at: float


class DocumentWriter:
    """Writes into knowledge bases. Thread-safe."""

    def __init__(
        self,
        catalogue: Catalogue,
        snapshots: Snapshots,
        store: VectorStore,
        embedder: Embedder,
        segmenter: WordSegmenter,
        config: IngestConfig,
    ) -> None:
        self._catalogue = catalogue
        self._snapshots = snapshots
        self._store = store
        self._embedder = embedder
        self._segmenter = segmenter
        self._config = config
        self._in_progress: set[str] = set()
        self._lock = threading.Lock()
        self._turns: dict[str, threading.Lock] = {}

    def open(self, knowledge_base: str) -> KnowledgeBaseRecord:
        """The knowledge base, made if there is none.

        Raises:
            FailedPrecondition: it was made for another embedder.
            Unavailable: the store or the catalogue does not answer.
        """
        record = self._catalogue.knowledge_base(knowledge_base)
        if record is None:
            with self._turn(knowledge_base):
                record = self._catalogue.knowledge_base(knowledge_base) or self._create(knowledge_base)
        check_embedder(knowledge_base, record.embedder, self._embedder.identity)
        return record

    def create(self, knowledge_base: str) -> KnowledgeBaseRecord:
        """Makes a knowledge base. Raises AlreadyExists if there is one of that name."""
        if self._catalogue.knowledge_base(knowledge_base) is not None:
            raise AlreadyExists(
                "KNOWLEDGE_BASE_EXISTS", f"there is a knowledge base {knowledge_base!r} already; choose another name"
            )
        return self._create(knowledge_base)

    def _create(self, knowledge_base: str) -> KnowledgeBaseRecord:
        collection = self._store.create_collection(knowledge_base, self._embedder.identity)
        with contextlib.suppress(AlreadyExists):
            self._catalogue.add_knowledge_base(knowledge_base, collection, self._embedder.identity)
        record = self._catalogue.knowledge_base(knowledge_base)
        if record is None:
            raise NotFound("KNOWLEDGE_BASE_NOT_FOUND", f"{knowledge_base!r} was deleted meanwhile")
        if record.collection != collection:  # another writer was first: the alias is theirs
            self._store.point_alias(knowledge_base, record.collection)
            self._store.drop_collection(collection)
        return record

    def delete_knowledge_base(self, knowledge_base: str) -> int:
        """Removes one with all it holds; returns how many documents went.

        Nobody sees it from the first step on; rows that cannot be removed at once are swept later.

        Raises:
            NotFound: there is none of that name.
            Unavailable: the catalogue does not answer; nothing is changed.
        """
        with self._turn(knowledge_base):
            documents, whole = self._catalogue.remove_knowledge_base(knowledge_base)
        self._discard([whole])
        return documents

    def write(self, knowledge_base: str, prepared: Sequence[PreparedDocument]) -> list[DocumentOutcome]:
        """Stores documents, all of them or none, and returns what became of each.

        Versions whose window changes because of them are republished in the same step.

        Raises:
            Unavailable: the store or the catalogue does not answer; nothing is visible of the documents.
        """
        now = time.time()
        sources = {
            p.metadata.document_id: _Source(p.metadata, p.text, p.pages, p.chunks, p.fingerprint, dict(p.figures), now)
            for p in prepared
        }
        # Before the loop, which may run again: the cache then has them all, from one batch.
        self._embedder.embed_passages(
            [text for source in sources.values() for text in embedding_texts(source.text, source.chunks)]
        )
        for _ in range(_MAX_OVERTAKEN):
            with self._turn(knowledge_base):
                before = self._attempt(knowledge_base, sources, ())
            if before is not None:
                return [self._outcome(p, before) for p in prepared]
        raise Unavailable("BUSY", f"{knowledge_base!r} is being written by too many at once", retry_after=2.0)

    def delete(self, knowledge_base: str, document_id: str) -> int:
        """Removes a document with every trace; returns how many chunks went. Raises NotFound."""
        for _ in range(_MAX_OVERTAKEN):
            with self._turn(knowledge_base):
                before = self._attempt(knowledge_base, {}, (document_id,))
            if before is not None:
                return before[document_id].chunk_count
        raise Unavailable("BUSY", f"{knowledge_base!r} is being written by too many at once", retry_after=2.0)

    def sweep(self, knowledge_base: str | None = None) -> int:
        """Removes rows that broken-off writes left behind; returns of how many revisions."""
        with self._lock:
            active = frozenset(self._in_progress)
        refs = self._catalogue.leftovers(active, knowledge_base)
        for ref in refs:
            self._remove(ref)
            self._catalogue.forget([ref])
        return len(refs)

    def _remove(self, ref: RevisionRef) -> None:
        if ref.chunk_count < 0:
            self._store.drop_collection(ref.collection)
        else:
            self._store.delete_revision(ref)

    def _attempt(
        self, knowledge_base: str, sources: dict[str, _Source], removals: Sequence[str]
    ) -> dict[str, StoredDocument] | None:
        """One try at a write; the documents as they were before, or None if another writer was faster."""
        snapshot = self._snapshots.get(knowledge_base)
        record, count, stored = snapshot.record, snapshot.write_count, snapshot.documents
        for document_id in removals:
            if document_id not in stored:
                raise NotFound("DOCUMENT_NOT_FOUND", f"{knowledge_base!r} has no document {document_id!r}")
        windows, moved = self._windows(stored, sources, removals)
        todo = dict(sources)
        for document_id in moved:
            todo[document_id] = self._stored_source(knowledge_base, stored[document_id])
        publications = [self._publication(source, windows[document_id]) for document_id, source in todo.items()]
        refs = [RevisionRef(record.collection, p.document.revision, p.document.chunk_count) for p in publications]
        with self._progress(refs):
            self._catalogue.begin_write(knowledge_base, refs)
            self._insert(record.collection, publications, todo)
            try:
                replaced = self._catalogue.publish(knowledge_base, count, publications, removals)
            except StaleWrite:
                replaced = None
        self._discard(refs if replaced is None else replaced)
        return None if replaced is None else stored

    def _windows(
        self, stored: dict[str, StoredDocument], sources: dict[str, _Source], removals: Sequence[str]
    ) -> tuple[dict[str, Window], list[str]]:
        """Windows of all documents concerned, and which stored ones must be republished to get theirs."""
        index = FamilyIndex(document.metadata for document in stored.values())
        concerned = {*sources, *removals, *index.family([*sources, *removals])}
        for document_id in removals:
            index.remove(document_id)
        for source in sources.values():
            index.put(source.metadata)
        family = index.family(concerned)
        windows = validity_windows(list(family.values()))
        moved = [
            document_id
            for document_id, window in windows.items()
            if document_id not in sources and document_id in stored and stored[document_id].window != window
        ]
        return windows, moved

    def _stored_source(self, knowledge_base: str, document: StoredDocument) -> _Source:
        found = self._catalogue.text(knowledge_base, document.metadata.document_id)
        text, pages = (found.text, found.pages) if found else ("", ())
        chunks = chunk_document(
            text,
            title=document.metadata.title,
            count_tokens=self._embedder.count_tokens,
            rules=self._config.chunking,
            pages=pages,
        )
        return _Source(
            document.metadata, text, pages, tuple(chunks), document.fingerprint, dict(document.figures),
            document.ingested_at,
        )  # fmt: skip

    def _publication(self, source: _Source, window: Window) -> Publication:
        document = StoredDocument(
            metadata=source.metadata,
            revision=uuid.uuid4().hex,
            fingerprint=source.fingerprint,
            window=window,
            chunk_count=len(source.chunks),
            ingested_at=source.ingested_at,
            figures=source.figures,
        )
        return Publication(document, source.text, source.pages, signature(source.text))

    def _insert(self, collection: str, publications: Sequence[Publication], todo: dict[str, _Source]) -> None:
        rows: list[ChunkRow] = []
        texts: list[str] = []
        for publication in publications:
            document = publication.document
            source = todo[document.metadata.document_id]
            rows += build_rows(
                source.metadata, source.text, source.chunks, document.revision, document.window, self._segmenter
            )
            texts += embedding_texts(source.text, source.chunks)
        self._store.insert(collection, rows, self._embedder.embed_passages(texts))

    def _discard(self, refs: Sequence[RevisionRef]) -> None:
        """Sweeps rows that nobody can see; what fails here is swept later."""
        try:
            for ref in refs:
                self._remove(ref)
            self._catalogue.forget(refs)
        except Unavailable as error:
            log.warning("rows left to be swept later", revisions=len(refs), reason=error.message)

    def _turn(self, knowledge_base: str) -> threading.Lock:
        """Writers of this process take turns; those of other processes are met by the write count."""
        with self._lock:
            return self._turns.setdefault(knowledge_base, threading.Lock())

    @contextmanager
    def _progress(self, refs: Sequence[RevisionRef]) -> Iterator[None]:
        revisions = {ref.revision for ref in refs}
        with self._lock:
            self._in_progress |= revisions
        try:
            yield
        finally:
            with self._lock:
                self._in_progress -= revisions

    @staticmethod
    def _outcome(prepared: PreparedDocument, before: dict[str, StoredDocument]) -> DocumentOutcome:
        document_id = prepared.metadata.document_id
        outcome = Outcome.REPLACED if document_id in before else Outcome.CREATED
        return DocumentOutcome(prepared.origin, document_id, outcome, len(prepared.chunks), warnings=prepared.warnings)


def check_embedder(knowledge_base: str, made_for: EmbedderIdentity, current: EmbedderIdentity) -> None:
    """Refuses to mix the vectors of two models.

    Raises:
        FailedPrecondition: EMBEDDER_MISMATCH, naming both and the remedy.
    """
    if (made_for.name, made_for.revision, made_for.dimension) == (current.name, current.revision, current.dimension):
        return
    raise FailedPrecondition(
        "EMBEDDER_MISMATCH",
        f"knowledge base {knowledge_base!r} holds vectors of {made_for.label} with {made_for.dimension} dimensions, "
        f"but the service embeds with {current.label}, {current.dimension} dimensions; set TRIRAG_RETRIEVAL_EMBEDDER "
        "back to the former, or delete the knowledge base and ingest it again",
    )
