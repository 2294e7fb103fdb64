"""Makes prepared documents part of a knowledge base: embeds them, settles windows, publishes atomically.

Blocking: runs in a thread. Several writers may work on one knowledge base, in this process and in others:
a write that another one overtook reads the new state and is decided anew.
"""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from dataclasses import replace
from datetime import date

from services.common.errors import FailedPrecondition, InvalidInput, NotFound, Unavailable
from services.retrieval.adapters.catalogue import Catalogue
from services.retrieval.adapters.leftovers import StaleWrite
from services.retrieval.domain.documents import PreparedDocument, StoredDocument, retired_warning
from services.retrieval.domain.embedding import EmbedderIdentity
from services.retrieval.domain.ports import KnowledgeBaseRecord, Publication, RevisionRef
from services.retrieval.domain.versions.families import Window, validity_windows
from services.retrieval.domain.versions.family_index import FamilyIndex
from services.retrieval.service.base_writer import deleted_meanwhile
from services.retrieval.service.erasure import Erasure
from services.retrieval.service.index_guard import IndexGuard
from services.retrieval.service.items import DocumentOutcome, Outcome
from services.retrieval.service.rows import WARM_CHUNKS, embedding_texts, passage_keys
from services.retrieval.service.snapshot import Snapshot, Snapshots
from services.retrieval.service.sources import Placed, Source, Sources
from services.retrieval.service.sweeper import Sweeper
from services.retrieval.service.twins import Twins
from services.retrieval.service.write_turns import NO_JOB, WriteTurns, WritingJob

# A writer that is overtaken this often gives up; each time another one has made progress.
_MAX_OVERTAKEN = 50


class DocumentWriter:
    """Writes into knowledge bases. Thread-safe."""

    def __init__(
        self,
        catalogue: Catalogue,
        snapshots: Snapshots,
        guard: IndexGuard,
        sources: Sources,
        sweeper: Sweeper,
        turns: WriteTurns,
        erasure: Erasure,
    ) -> None:
        self._catalogue = catalogue
        self._snapshots = snapshots
        self._guard = guard
        self._sources = sources
        self._sweeper = sweeper
        self._turns = turns
        self._erasure = erasure
        self._twins = Twins(catalogue)

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
            with self._turns.turn(knowledge_base, job):
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
            with self._turns.turn(knowledge_base):
                snapshot = self._snapshots.get(knowledge_base)
                before = self._attempt(snapshot, {}, (document_id,))
            if before is not None:
                self._erasure.erase(knowledge_base, before[document_id].revision)
                return before[document_id].chunk_count
        raise Unavailable("BUSY", f"{knowledge_base!r} is being written by too many at once", retry_after=2.0)

    def retire(self, knowledge_base: str, document_id: str, day: date | None) -> None:
        """Takes a document out of force from ``day`` on, or back into force with None.

        Raises:
            NotFound: there is no such document.
            InvalidInput: it was not in force before ``day``: there would be no day left.
        """
        for _ in range(_MAX_OVERTAKEN):
            with self._turns.turn(knowledge_base):
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
        sources = self._twins.linked(record.name, sources, stored, removals)
        windows, moved = self._windows(stored, sources, removals)
        todo = dict(sources)
        for document_id in moved:
            todo[document_id] = self._sources.of_stored(record.name, stored[document_id], embedder)
        self._erasure.tell(record.name, stored.keys() & {*todo, *removals})
        placed = [(source, windows[document_id]) for document_id, source in todo.items()]
        return stored if self._make_visible(snapshot, placed, removals, job) else None

    def _make_visible(
        self, snapshot: Snapshot, written: Sequence[tuple[Source, Window]], removals: Sequence[str], job: WritingJob
    ) -> bool:
        """Writes the rows of new revisions, then switches to them; False if another writer was faster.

        Whatever ends it before the switch, its rows are noted to be removed: some may have been inserted after another
        process had swept them, which this one learns at its end.
        """
        record, embedder = snapshot.record, self._guard.check(snapshot.record)
        publications = [_publication(source, window, embedder.identity) for source, window in written]
        refs = [RevisionRef(record.collection, p.document.revision, p.document.chunk_count) for p in publications]
        placed = [Placed(source, window, ref.revision) for (source, window), ref in zip(written, refs, strict=True)]
        with self._sweeper.writing(record.name, refs):
            try:
                self._sources.insert(record.collection, placed, embedder, job.check)
                replaced = self._catalogue.publish(record.name, snapshot.write_count, publications, removals, job.lease)
            except StaleWrite:
                self._sweeper.renote(record.name, refs)
                replaced = None
            except FailedPrecondition:  # the job was ended or taken over
                self._sweeper.renote(record.name, refs)
                self._sweeper.discard(refs)
                raise
            except NotFound:
                self._sweeper.discard(refs)
                raise deleted_meanwhile(record.name) from None
            except Unavailable:
                self._guard.forget(record.collection)
                if self._gone(record):
                    self._sweeper.discard(refs)
                    raise deleted_meanwhile(record.name) from None
                self._sweeper.renote(record.name, refs)
                raise
        self._sweeper.discard(refs if replaced is None else replaced)
        return replaced is not None

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


def _publication(source: Source, window: Window, embedder: EmbedderIdentity) -> Publication:
    document = StoredDocument(
        metadata=source.metadata,
        revision=uuid.uuid4().hex,
        fingerprint=source.fingerprint,
        window=window,
        chunk_count=len(source.chunks),
        ingested_at=source.ingested_at,
        figures=source.figures,
    )
    keys = passage_keys(embedder, source.text, source.chunks)
    return Publication(document, source.text, source.pages, source.signature, embedder.label, keys)


def _retirement_told(prepared: PreparedDocument, stored: StoredDocument | None) -> tuple[str, ...]:
    """The warnings of a document, true of a retirement or its undoing that came while it was prepared."""
    expected, day = prepared.metadata.retired_at, stored.metadata.retired_at if stored is not None else None
    if day == expected:
        return prepared.warnings
    kept = tuple(w for w in prepared.warnings if expected is None or w != retired_warning(expected))
    return kept if day is None else (*kept, retired_warning(day))
