"""Makes prepared documents part of a knowledge base: embeds them, settles windows, publishes atomically.

Blocking: runs in a thread. Several writers may work on one knowledge base, in this process and in others:
a write that another one overtook reads the new state and is decided anew.
"""

from __future__ import annotations

import threading
import uuid
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from datetime import date
from typing import Protocol

import structlog

from services.common.errors import AlreadyExists, FailedPrecondition, InvalidInput, NotFound, Unavailable
from services.retrieval.adapters.catalogue import Catalogue
from services.retrieval.adapters.leftovers import StaleWrite, SweptMeanwhile, whole_collection
from services.retrieval.domain.documents import PreparedDocument, StoredDocument, retired_warning
from services.retrieval.domain.embedding import EmbedderIdentity
from services.retrieval.domain.families import Window, validity_windows
from services.retrieval.domain.family_index import FamilyIndex
from services.retrieval.domain.ingest_config import IngestConfig
from services.retrieval.domain.leases import JobLease
from services.retrieval.domain.lexical import WordSegmenter
from services.retrieval.domain.minhash import signature
from services.retrieval.domain.ports import (
    KNOWLEDGE_BASE_DELETED,
    KnowledgeBaseRecord,
    Publication,
    RevisionRef,
    VectorStore,
)
from services.retrieval.service.index_guard import IndexGuard
from services.retrieval.service.items import DocumentOutcome, Outcome
from services.retrieval.service.rows import WARM_CHUNKS, embedding_texts
from services.retrieval.service.snapshot import Snapshot, Snapshots
from services.retrieval.service.sources import Placed, Source, Sources

log = structlog.get_logger("writer")

# Who waits for a turn looks so often whether its job was ended.
_LOOK_SECONDS = 0.5
# A writer that is overtaken this often gives up; each time another one has made progress.
_MAX_OVERTAKEN = 50


class WritingJob(Protocol):
    """The job that a write is for."""

    @property
    def lease(self) -> JobLease | None:
        """Its right to write; None for what is no job."""

    def check(self) -> None:
        """Raises FailedPrecondition if it was asked to end or is another's by now. From any thread."""


class _NoJob:
    lease: JobLease | None = None

    def check(self) -> None:
        """What is no job is never asked to end."""


NO_JOB: WritingJob = _NoJob()


class DocumentWriter:
    """Writes into knowledge bases. Thread-safe."""

    def __init__(
        self,
        catalogue: Catalogue,
        snapshots: Snapshots,
        store: VectorStore,
        guard: IndexGuard,
        segmenter: WordSegmenter,
        config: IngestConfig,
    ) -> None:
        self._catalogue = catalogue
        self._snapshots = snapshots
        self._store = store
        self._guard = guard
        self._sources = Sources(catalogue, store, segmenter, config)
        self._in_progress: set[str] = set()
        self._lock = threading.Lock()
        self._turns: dict[str, threading.Lock] = {}

    def open(self, knowledge_base: str, born: float | None = None) -> KnowledgeBaseRecord:
        """The knowledge base, made if there is none.

        ``born`` is when the one that is meant was created; it is never made again if it was deleted since.

        Raises:
            FailedPrecondition: its embedder is not at hand, its index does not fit, or it was deleted (and perhaps made
                again) since ``born``.
            Unavailable: the store or the catalogue does not answer.
        """
        record = self._catalogue.knowledge_base(knowledge_base)
        if born is not None and (record is None or record.created_at != born):
            raise deleted_meanwhile(knowledge_base)
        if record is None:
            with self._turn(knowledge_base):
                record = self._catalogue.knowledge_base(knowledge_base) or self._create(knowledge_base)
        self._guard.check(record)
        return record

    def create(self, knowledge_base: str) -> KnowledgeBaseRecord:
        """Makes a knowledge base. Raises AlreadyExists if there is one of that name."""
        if self._catalogue.knowledge_base(knowledge_base) is not None:
            raise AlreadyExists(
                "KNOWLEDGE_BASE_EXISTS", f"there is a knowledge base {knowledge_base!r} already; choose another name"
            )
        return self._create(knowledge_base)

    def _create(self, knowledge_base: str) -> KnowledgeBaseRecord:
        identity = self._guard.embedders.default.identity
        collection = self._store.new_collection_name(knowledge_base)
        # Noted before it is made, so that a process that dies in between leaves nothing that is not swept.
        whole = whole_collection(collection)
        with self._progress([whole]):
            self._catalogue.leftovers.note(knowledge_base, [whole])
            self._store.create_collection(collection, identity)
            try:
                self._catalogue.add_knowledge_base(knowledge_base, collection, identity, note=whole)
            except AlreadyExists:
                pass
            except SweptMeanwhile:
                raise Unavailable(
                    "BUSY", f"{knowledge_base!r} could not be made in time; make it again", retry_after=1.0
                ) from None
        record = self._catalogue.knowledge_base(knowledge_base)
        if record is None:
            raise deleted_meanwhile(knowledge_base)
        if record.collection == collection:
            self.point_alias(record)
        else:  # another writer was first
            self.discard([whole])
        return record

    def point_alias(self, record: KnowledgeBaseRecord) -> None:
        """The alias is for people and other programs; what is searched is what the catalogue says."""
        try:
            self._store.point_alias(record.name, record.collection)
        except Unavailable as error:
            log.warning(
                "alias not set; it will be at the next start", collection=record.collection, reason=error.message
            )

    def delete_knowledge_base(self, knowledge_base: str) -> int:
        """Removes one with all it holds; returns how many documents went.

        Nobody sees it from the first step on; rows that cannot be removed at once are swept later.

        Raises:
            NotFound: there is none of that name.
            Unavailable: the catalogue does not answer; nothing is changed.
        """
        with self._turn(knowledge_base):
            documents, collections = self._catalogue.remove_knowledge_base(knowledge_base)
        self.discard(collections)
        return documents

    def write(
        self,
        knowledge_base: str,
        prepared: Sequence[PreparedDocument],
        cut_for: EmbedderIdentity,
        born: float,
        job: WritingJob = NO_JOB,
    ) -> list[DocumentOutcome]:
        """Stores documents, all of them or none, and returns what became of each.

        Versions whose window changes because of them are republished in the same step. ``cut_for`` is the embedder that
        the documents were cut for; if the knowledge base has moved to another one, they are cut again.

        Raises:
            FailedPrecondition: the knowledge base that was created at ``born`` is no more, or ``job`` was ended or
                taken over; nothing is visible of the documents.
            Unavailable: the store or the catalogue does not answer; nothing is visible of the documents.
        """
        sources = {p.metadata.document_id: self._sources.of_prepared(p, cut_for) for p in prepared}
        warmed = ""
        for _ in range(_MAX_OVERTAKEN):
            snapshot = self._alive(knowledge_base, born)
            embedder = self._guard.check(snapshot.record)
            sources = {key: self._sources.cut_for(source, embedder) for key, source in sources.items()}
            if warmed != snapshot.record.embedder.label:
                # Before the turn, which others wait for: the cache then has them all.
                texts = [text for s in sources.values() for text in embedding_texts(s.text, s.chunks)]
                for start in range(0, len(texts), WARM_CHUNKS):
                    job.check()
                    embedder.embed_passages(texts[start : start + WARM_CHUNKS])
                warmed = snapshot.record.embedder.label
            with self._turn(knowledge_base, job):
                before = self._attempt(self._alive(knowledge_base, born), sources, (), job)
            if before is not None:
                return [self._outcome(p, sources[p.metadata.document_id], before) for p in prepared]
        raise Unavailable("BUSY", f"{knowledge_base!r} is being written by too many at once", retry_after=2.0)

    def _alive(self, knowledge_base: str, born: float) -> Snapshot:
        """The present state. Raises FailedPrecondition if the knowledge base created at ``born`` is no more."""
        try:
            snapshot = self._snapshots.get(knowledge_base)
        except NotFound:
            raise deleted_meanwhile(knowledge_base) from None
        if snapshot.record.created_at != born:
            raise deleted_meanwhile(knowledge_base)
        return snapshot

    def delete(self, knowledge_base: str, document_id: str) -> int:
        """Removes a document with every trace; returns how many chunks went. Raises NotFound."""
        for _ in range(_MAX_OVERTAKEN):
            with self._turn(knowledge_base):
                before = self._attempt(self._snapshots.get(knowledge_base), {}, (document_id,))
            if before is not None:
                return before[document_id].chunk_count
        raise Unavailable("BUSY", f"{knowledge_base!r} is being written by too many at once", retry_after=2.0)

    def retire(self, knowledge_base: str, document_id: str, day: date | None) -> None:
        """Takes a document out of force from ``day`` on, or back into force with None.

        Raises:
            NotFound: there is no such document.
            InvalidInput: it was not in force before ``day``: there would be no day left.
        """
        for _ in range(_MAX_OVERTAKEN):
            with self._turn(knowledge_base):
                snapshot = self._snapshots.get(knowledge_base)
                document = snapshot.documents.get(document_id)
                if document is None:
                    raise NotFound("DOCUMENT_NOT_FOUND", f"{knowledge_base!r} has no document {document_id!r}")
                start = document.metadata.effective_from
                if day == date.min:
                    told = (
                        f"there is no day before {day} on which it was in force; give a later day or delete it instead"
                    )
                    raise InvalidInput.of_field("retired_at", told, "TOO_EARLY")
                if day is not None and start is not None and day <= start:
                    told = f"{day} is not after its first day in force, {start}; delete it instead"
                    raise InvalidInput.of_field("retired_at", told, "TOO_EARLY")
                embedder = self._guard.check(snapshot.record)
                source = self._sources.of_stored(knowledge_base, document, embedder)
                changed = replace(source, metadata=replace(source.metadata, retired_at=day))
                if self._attempt(snapshot, {document_id: changed}, (), retiring=True) is not None:
                    return
        raise Unavailable("BUSY", f"{knowledge_base!r} is being written by too many at once", retry_after=2.0)

    def sweep(self, knowledge_base: str | None = None) -> int:
        """Removes rows that broken-off writes left behind; returns of how many revisions."""
        listed = self._catalogue.leftovers.listed(knowledge_base)
        with self._lock:
            # After the list was read: what is on it and ended meanwhile is struck off, and cannot be claimed.
            idle = [ref for ref in listed if ref.revision not in self._in_progress]
        refs = self._catalogue.leftovers.claim(idle)
        for ref in refs:
            self._remove(ref)
            self._catalogue.leftovers.forget([ref])
        return len(refs)

    def _remove(self, ref: RevisionRef) -> None:
        if ref.chunk_count < 0:
            self._store.drop_collection(ref.collection)
        else:
            self._store.delete_revision(ref)

    def _attempt(
        self,
        snapshot: Snapshot,
        sources: dict[str, Source],
        removals: Sequence[str],
        job: WritingJob = NO_JOB,
        *,
        retiring: bool = False,
    ) -> dict[str, StoredDocument] | None:
        """One try at a write; the documents as they were before, or None if another writer was faster.

        Unless ``retiring``, documents are retired as those they replace are now, not as they were when read.
        """
        record, stored = snapshot.record, snapshot.documents
        if not retiring:
            sources = {key: _retired_as(source, stored.get(key)) for key, source in sources.items()}
        for document_id in removals:
            if document_id not in stored:
                raise NotFound("DOCUMENT_NOT_FOUND", f"{record.name!r} has no document {document_id!r}")
        embedder = self._guard.check(record)
        if any(not source.cut_for.agrees_with(embedder.identity) for source in sources.values()):
            return None  # it has moved to another embedder since
        windows, moved = self._windows(stored, sources, removals)
        todo = dict(sources)
        for document_id in moved:
            todo[document_id] = self._sources.of_stored(record.name, stored[document_id], embedder)
        publications = [_publication(source, windows[document_id]) for document_id, source in todo.items()]
        refs = [RevisionRef(record.collection, p.document.revision, p.document.chunk_count) for p in publications]
        placed = [
            Placed(todo[p.document.metadata.document_id], p.document.revision, p.document.window) for p in publications
        ]
        with self._progress(refs):
            self._catalogue.leftovers.note(record.name, refs)
            try:
                self._sources.insert(record.collection, placed, embedder, job.check)
                replaced = self._catalogue.publish(record.name, snapshot.write_count, publications, removals, job.lease)
            except StaleWrite as stale:
                if isinstance(stale, SweptMeanwhile):
                    self._renote(record.name, refs)
                replaced = None
            except FailedPrecondition:  # the job was ended or taken over
                self._renote(record.name, refs)
                self.discard(refs)
                raise
            except NotFound:
                self.discard(refs)
                raise deleted_meanwhile(record.name) from None
            except Unavailable:
                self._guard.forget(record.collection)
                if self._gone(record):
                    self.discard(refs)
                    raise deleted_meanwhile(record.name) from None
                raise
        self.discard(refs if replaced is None else replaced)
        return None if replaced is None else stored

    def _gone(self, record: KnowledgeBaseRecord) -> bool:
        """True if the knowledge base was deleted, so that its collection is no more."""
        found = self._catalogue.knowledge_base(record.name)
        return found is None or found.created_at != record.created_at

    def _windows(
        self, stored: dict[str, StoredDocument], sources: dict[str, Source], removals: Sequence[str]
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

    def discard(self, refs: Sequence[RevisionRef]) -> None:
        """Sweeps rows that nobody can see; what fails here is swept later."""
        try:
            for ref in refs:
                self._remove(ref)
            self._catalogue.leftovers.forget(refs)
        except Unavailable as error:
            log.warning("rows left to be swept later", revisions=len(refs), reason=error.message)

    def _renote(self, knowledge_base: str, refs: Sequence[RevisionRef]) -> None:
        """Notes rows of a write that came to nothing: some may have been inserted after another process swept it."""
        try:
            self._catalogue.leftovers.note(knowledge_base, refs)
        except Unavailable as error:
            log.warning("rows not noted", revisions=len(refs), reason=error.message)

    @contextmanager
    def _turn(self, knowledge_base: str, job: WritingJob = NO_JOB) -> Iterator[None]:
        """Writers of this process take turns; those of other processes are met by the write count.

        Raises what ``job.check`` does if the job is ended while it waits.
        """
        with self._lock:
            turn = self._turns.setdefault(knowledge_base, threading.Lock())
        while not turn.acquire(timeout=_LOOK_SECONDS):
            job.check()
        try:
            yield
        finally:
            turn.release()

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
    def _outcome(prepared: PreparedDocument, source: Source, before: dict[str, StoredDocument]) -> DocumentOutcome:
        document_id = prepared.metadata.document_id
        outcome = Outcome.REPLACED if document_id in before else Outcome.CREATED
        warnings = _retirement_told(prepared, before.get(document_id))
        return DocumentOutcome(prepared.origin, document_id, outcome, len(source.chunks), warnings=warnings)


def _retired_as(source: Source, stored: StoredDocument | None) -> Source:
    day = stored.metadata.retired_at if stored is not None else None
    if source.metadata.retired_at == day:
        return source
    return replace(source, metadata=replace(source.metadata, retired_at=day))


def _publication(source: Source, window: Window) -> Publication:
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


def deleted_meanwhile(knowledge_base: str) -> FailedPrecondition:
    """What ends a write into a knowledge base that is no more."""
    return FailedPrecondition(
        KNOWLEDGE_BASE_DELETED,
        f"knowledge base {knowledge_base!r} was deleted meanwhile, with what had been stored in it; "
        "run the command again to make it anew",
        metadata={"knowledge_base": knowledge_base},
    )


def _retirement_told(prepared: PreparedDocument, stored: StoredDocument | None) -> tuple[str, ...]:
    """The warnings of a document, true of a retirement or its undoing that came while it was prepared."""
    expected, day = prepared.metadata.retired_at, stored.metadata.retired_at if stored is not None else None
    if day == expected:
        return prepared.warnings
    kept = tuple(w for w in prepared.warnings if expected is None or w != retired_warning(expected))
    return kept if day is None else (*kept, retired_warning(day))
