"""Makes knowledge bases and removes them, each with its collection in the vector store.

Blocking: runs in a thread.
"""

from __future__ import annotations

import structlog

from services.common.errors import AlreadyExists, FailedPrecondition, Unavailable
from services.retrieval.adapters.catalogue import Catalogue
from services.retrieval.adapters.leftovers import SweptMeanwhile, whole_collection
from services.retrieval.domain.ports import KNOWLEDGE_BASE_DELETED, KnowledgeBaseRecord, VectorStore
from services.retrieval.service.erasure import Erasure
from services.retrieval.service.index_guard import IndexGuard
from services.retrieval.service.sweeper import Sweeper
from services.retrieval.service.write_turns import WriteTurns

log = structlog.get_logger("writer")


class KnowledgeBaseWriter:
    """Thread-safe; also with others at work in other processes."""

    def __init__(
        self,
        catalogue: Catalogue,
        store: VectorStore,
        guard: IndexGuard,
        sweeper: Sweeper,
        turns: WriteTurns,
        erasure: Erasure,
    ) -> None:
        self._catalogue = catalogue
        self._store = store
        self._guard = guard
        self._sweeper = sweeper
        self._turns = turns
        self._erasure = erasure

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
            with self._turns.turn(knowledge_base):
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

    def delete(self, knowledge_base: str) -> int:
        """Removes one with all it holds; returns how many documents went.

        Nobody sees it from the first step on; rows that cannot be removed at once are swept later.

        Raises:
            NotFound: there is none of that name.
            Unavailable: the catalogue does not answer; nothing is changed.
        """
        with self._turns.turn(knowledge_base):
            documents, collections = self._catalogue.remove_knowledge_base(knowledge_base)
        self._sweeper.discard(collections)
        self._erasure.empty_log()
        return documents

    def point_alias(self, record: KnowledgeBaseRecord) -> None:
        """The alias is for people and other programs; what is searched is what the catalogue says."""
        try:
            self._store.point_alias(record.name, record.collection)
        except Unavailable as error:
            log.warning(
                "alias not set; it will be at the next start", collection=record.collection, reason=error.message
            )

    def _create(self, knowledge_base: str) -> KnowledgeBaseRecord:
        identity = self._guard.embedders.default.identity
        collection = self._store.new_collection_name(knowledge_base)
        # Noted before it is made, so that a process that dies in between leaves nothing that is not swept.
        whole = whole_collection(collection)
        with self._sweeper.writing(knowledge_base, [whole]):
            try:
                self._store.create_collection(collection, identity)
                self._catalogue.add_knowledge_base(knowledge_base, collection, identity, note=whole)
            except AlreadyExists:
                self._sweeper.renote(knowledge_base, [whole])
            except Unavailable:
                self._sweeper.renote(knowledge_base, [whole])
                raise
            except SweptMeanwhile:
                self._sweeper.renote(knowledge_base, [whole])
                self._sweeper.discard([whole])
                raise Unavailable(
                    "BUSY", f"{knowledge_base!r} could not be made in time; make it again", retry_after=1.0
                ) from None
        record = self._catalogue.knowledge_base(knowledge_base)
        if record is None:
            raise deleted_meanwhile(knowledge_base)
        if record.collection == collection:
            self.point_alias(record)
        else:  # another writer was first
            self._sweeper.discard([whole])
        return record


def deleted_meanwhile(knowledge_base: str) -> FailedPrecondition:
    """What ends a write into a knowledge base that is no more."""
    return FailedPrecondition(
        KNOWLEDGE_BASE_DELETED,
        f"knowledge base {knowledge_base!r} was deleted meanwhile, with what had been stored in it; "
        "run the command again to make it anew",
        metadata={"knowledge_base": knowledge_base},
    )
