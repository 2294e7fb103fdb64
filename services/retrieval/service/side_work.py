"""The blocking steps of a migration: claim a side collection, fill it, ask it, put it into use."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import date

import structlog

from services.common.errors import FailedPrecondition, NotFound, TriragError, Unavailable
from services.retrieval.adapters.catalogue import Catalogue
from services.retrieval.adapters.migration_records import MigrationRecords
from services.retrieval.adapters.passage_records import KeptPassages
from services.retrieval.adapters.query_records import QueryRecords
from services.retrieval.domain.documents import StoredDocument
from services.retrieval.domain.embedding import Embedder
from services.retrieval.domain.leases import HEARTBEAT_SECONDS
from services.retrieval.domain.ports import (
    KnowledgeBaseRecord,
    RecordedQuery,
    RevisionRef,
    SideCollection,
    VectorStore,
)
from services.retrieval.domain.ranking.replay import Report
from services.retrieval.domain.shadow import difference
from services.retrieval.service.base_writer import deleted_meanwhile
from services.retrieval.service.index_guard import IndexGuard, problem
from services.retrieval.service.replay import Replay, given_query
from services.retrieval.service.rows import WARM_CHUNKS, embedding_texts, passage_keys
from services.retrieval.service.snapshot import Snapshot, Snapshots
from services.retrieval.service.sources import Placed
from services.retrieval.service.writing import Writers

log = structlog.get_logger("migrate")


@dataclass(slots=True)
class SideWork:
    """One migration under way. ``closing`` is how long writers have to wait from each sign of life on, in seconds."""

    record: KnowledgeBaseRecord
    side: SideCollection
    embedder: Embedder
    snapshot: Snapshot
    closing: float = 0.0
    alive_at: float = 0.0
    verified: bool = False
    report: Report | None = field(default=None)


class SideWorks:
    """Works on side collections. Blocking; the same collection by one thread at a time."""

    def __init__(
        self,
        catalogue: Catalogue,
        snapshots: Snapshots,
        store: VectorStore,
        guard: IndexGuard,
        writers: Writers,
    ) -> None:
        self._catalogue = catalogue
        self._snapshots = snapshots
        self._store = store
        self._guard = guard
        self._writers = writers
        self._sources = writers.sources
        self.records = MigrationRecords(catalogue)
        self.queries = QueryRecords(catalogue.database)

    def base(self, name: str) -> KnowledgeBaseRecord:
        """The knowledge base. Raises NotFound."""
        record = self._catalogue.knowledge_base(name)
        if record is None:
            raise NotFound("KNOWLEDGE_BASE_NOT_FOUND", f"there is no knowledge base {name!r}; `kb list` shows them")
        return record

    def sound(self, record: KnowledgeBaseRecord) -> bool:
        """True if the collection in use is there and fits; one that does not is to be built again."""
        try:
            problem(record, self._store.describe(record.collection))
        except FailedPrecondition:
            return False
        return True

    def claim(self, record: KnowledgeBaseRecord, embedder: Embedder | None) -> SideWork:
        """The shadow collection for ``embedder``, or without one the former collection, taken over and there.

        Raises:
            FailedPrecondition: another process has it, there is none to return to, or the embedder is not at hand.
            Unavailable: the store or the catalogue does not answer.
        """
        snapshot = self._snapshots.get(record.name)
        if embedder is None:
            side = self.records.claim_former(record)
        else:
            name = self._store.new_collection_name(record.name)
            side, swept = self.records.claim_shadow(record, embedder.identity, name)
            self._writers.sweeper.discard(swept)
        try:
            work = SideWork(record, side, embedder or self._former_embedder(side), snapshot)
            if self._store.describe(side.collection) is None:
                self._make(work)
        except TriragError:
            self.records.release(side)
            raise
        return work

    def _former_embedder(self, side: SideCollection) -> Embedder:
        found = self._guard.embedders.find(side.embedder)
        if found is None:
            raise FailedPrecondition(
                "EMBEDDER_MISMATCH",
                f"the former collection of {side.knowledge_base!r} holds vectors of {side.embedder.label}, which no "
                "embedder of config/embedders.yaml makes; put that model back first",
            )
        return found

    def _make(self, work: SideWork) -> None:
        """Makes the side collection, which so far is only an entry (or was lost); it holds nothing yet."""
        side = work.side
        self.records.forget(side, list(self.records.held(side.collection)))
        self._store.create_collection(side.collection, side.embedder)
        try:
            self.records.alive(side)
        except FailedPrecondition:
            if side.collection not in self._collections(side.knowledge_base):
                self._store.drop_collection(side.collection)  # swept before it was made: nobody else knows of it
            raise

    def _collections(self, knowledge_base: str) -> set[str]:
        """The collections beside the one in use, and that one: in this order, for one of them may come into use."""
        beside = {side.collection for side in self.records.sides(knowledge_base).values()}
        record = self._catalogue.knowledge_base(knowledge_base)
        return beside | {record.collection} if record is not None else beside

    def alive(self, work: SideWork) -> None:
        """Says, every few seconds at most, that it is still at work.

        Raises:
            FailedPrecondition: the knowledge base was deleted, or another process has taken over.
        """
        now = time.monotonic()
        if now - work.alive_at >= HEARTBEAT_SECONDS:
            self.records.alive(work.side, work.closing)
            work.alive_at = now

    def tidy(self, work: SideWork) -> tuple[StoredDocument, ...]:
        """Takes a fresh snapshot, removes what is too much, and returns what is missing."""
        self.alive(work)
        try:
            work.snapshot = self._snapshots.get(work.record.name)
        except NotFound:
            raise deleted_meanwhile(work.record.name) from None
        if work.snapshot.record.created_at != work.record.created_at:
            raise deleted_meanwhile(work.record.name)
        side = work.side
        found = difference(work.snapshot.documents, self.records.held(side.collection))
        for revision in found.surplus:
            self._store.delete_revision(RevisionRef(side.collection, revision, 0))
        self.records.forget(side, found.surplus)
        return found.missing

    def verify(self, work: SideWork) -> bool:
        """Counts the rows of every revision in the store; one that has not what it should have is copied again.

        A store that died, or answered too late, may have lost or doubled rows of what was noted as whole.
        """
        held = self.records.held(work.side.collection)
        found = self._store.row_counts(work.side.collection)
        wrong = [revision for revision, state in held.items() if found.get(revision, 0) != state.chunk_count]
        if wrong:
            log.warning("copied again", knowledge_base=work.record.name, revisions=len(wrong))
            self.records.doubt(work.side, wrong)
        return not wrong

    def copy(self, work: SideWork, batch: Sequence[StoredDocument]) -> None:
        """Copies some documents. A text that was replaced meanwhile is surplus in the next round."""
        self.alive(work)
        placed = [
            Placed(
                self._sources.of_stored(work.record.name, document, work.embedder), document.window, document.revision
            )
            for document in batch
        ]
        self.records.begin(work.side, {item.revision: len(item.source.chunks) for item in placed})
        # A large document takes minutes: embedded in parts into the cache, with a sign of life after each.
        texts = [text for item in placed for text in embedding_texts(item.source.text, item.source.chunks)]
        for start in range(0, len(texts) - WARM_CHUNKS, WARM_CHUNKS):
            work.embedder.embed_passages(texts[start : start + WARM_CHUNKS])
            self.alive(work)
        self._sources.insert(work.side.collection, placed, work.embedder, lambda: self.alive(work))
        identity, name = work.embedder.identity, work.record.name
        self._catalogue.passages.note(
            KeptPassages(
                name,
                item.revision,
                identity.label,
                item.source.metadata.document_id,
                passage_keys(identity, item.source.text, item.source.chunks),
            )
            for item in placed
        )
        self.records.finish(work.side, [item.revision for item in placed])

    def replay(
        self, work: SideWork, given: Sequence[str], recorded_queries: int, top_k: int, timeout: float
    ) -> tuple[Replay, list[RecordedQuery]]:
        """What to compare with, and the queries: the recorded ones, latest first, and those given that are not among
        them."""
        record = work.snapshot.record
        try:
            old = self._guard.embedders.find(record.embedder) if self.sound(record) else None
        except Unavailable as error:
            log.warning("old embedder not reachable", knowledge_base=record.name, reason=error.message)
            old = None
        recorded = self.queries.latest(record.name, recorded_queries) if recorded_queries else []
        known = {query.query for query in recorded}
        today = date.today()
        added = [given_query(text, work.snapshot, today) for text in dict.fromkeys(given) if text not in known]
        replay = Replay(self._store, work.snapshot, work.side, old, work.embedder, top_k, timeout)
        return replay, [*recorded, *added]

    def take_over(self, work: SideWork) -> list[RevisionRef]:
        """The switch. Raises StaleWrite if something was written since the snapshot."""
        before, after = work.snapshot.record.embedder, work.side.embedder
        pages = self._catalogue.pages(work.record.name)
        renewed = {
            key: self._sources.renewed(document.fingerprint, document.metadata, pages.get(key, ()), before, after)
            for key, document in work.snapshot.documents.items()
        }
        keep = self.sound(work.snapshot.record)
        swept = self.records.switch(work.side, work.snapshot.write_count, renewed, keep)
        self._writers.bases.point_alias(self.base(work.record.name))
        return swept
