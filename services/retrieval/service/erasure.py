"""What a deleted or replaced text leaves besides its rows: in collections beside the one in use, in the embedding
cache, in databases' files.

Blocking, thread-safe. A text is gone for readers before any of this begins; the catalogue tells what is left to be done
until it is done, through failures and restarts.
"""

from __future__ import annotations

import threading
from collections.abc import Collection, Iterable, Sequence

import structlog

from services.common.errors import Unavailable
from services.retrieval.adapters.catalogue import Catalogue
from services.retrieval.adapters.passage_records import KeptPassages
from services.retrieval.domain.embedding import Embedder, KeepsPassages
from services.retrieval.domain.ports import RevisionRef, VectorStore
from services.retrieval.service.index_guard import IndexGuard
from services.retrieval.service.rows import passage_keys
from services.retrieval.service.sources import Sources

log = structlog.get_logger("erasure")

# Revisions dealt with at once.
_PART = 1_000


class Erasure:
    """Removes traces."""

    def __init__(self, catalogue: Catalogue, store: VectorStore, guard: IndexGuard, sources: Sources) -> None:
        self._catalogue = catalogue
        self._store = store
        self._guard = guard
        self._sources = sources
        self._lock = threading.Lock()
        self._log_emptied = False  # nobody knows what the process before this one left in it

    def erase(self, knowledge_base: str, revision: str) -> None:
        """To be called when a document is gone; what takes long, or fails here, is left to ``finish``."""
        try:
            self._empty_sides([(knowledge_base, revision)])
        except Unavailable as error:
            log.warning("rows of a deleted document left", knowledge_base=knowledge_base, reason=error.message)
        self.empty_log()

    def empty_log(self) -> None:
        """To be called when something is gone from the catalogue, whose log still has it."""
        with self._lock:
            self._log_emptied = False
        self._checkpoint()

    def finish(self) -> None:
        """Removes what revisions that are not stored any more have left, and asks the store to merge away the rows of
        deleted documents.

        Raises:
            Unavailable: something does not answer; what was not done is done the next time.
        """
        self._note_stored()
        while lines := self._catalogue.passages.unused(_PART):
            self._empty_sides({(line.knowledge_base, line.revision): None for line in lines})
            if not self._forget(lines):
                break  # somebody still reads what the cache's log has
            self._merge(lines)
            self._catalogue.passages.strike_off(lines)
            with self._lock:
                self._log_emptied = False
        self._checkpoint()

    def tell(self, knowledge_base: str, ids: Collection[str]) -> None:
        """To be called before these documents are replaced or deleted: of those that programs before this one wrote
        nothing else tells later what they have left. Raises Unavailable.
        """
        if untold := self._catalogue.passages.untold(knowledge_base, ids):
            self._note([(knowledge_base, document_id) for document_id in untold])

    def _note_stored(self) -> None:
        """Tells of documents that programs before this one wrote. Raises Unavailable."""
        last = ("", "")  # those of embedders that are not at hand are passed over
        while found := self._catalogue.passages.stored_without(_PART, last):
            self._note(found)
            last = found[-1]

    def _note(self, documents: Sequence[tuple[str, str]]) -> None:
        embedders = {name: self._embedders_of(name) for name in {name for name, _ in documents}}
        noted = [
            line
            for name, document_id in documents
            if embedders[name]
            for line in self._passages_of(name, document_id, embedders[name])
        ]
        self._catalogue.passages.note(noted)

    def _embedders_of(self, name: str) -> list[Embedder]:
        """Those at hand of the collection in use and of those beside it."""
        record = self._catalogue.knowledge_base(name)
        if record is None:
            return []
        identities = {record.embedder.label: record.embedder}
        identities |= {side.embedder.label: side.embedder for side in self._catalogue.sides(name)}
        found = (self._guard.embedders.find(identity) for identity in identities.values())
        return [embedder for embedder in found if embedder is not None]

    def _passages_of(self, name: str, document_id: str, embedders: Sequence[Embedder]) -> list[KeptPassages]:
        document = self._catalogue.document(name, document_id)
        if document is None:
            return []
        lines = []
        for embedder in embedders:
            source = self._sources.of_stored(name, document, embedder)
            keys = passage_keys(embedder.identity, source.text, source.chunks)
            lines.append(KeptPassages(name, document.revision, embedder.identity.label, document_id, keys))
        return lines

    def _empty_sides(self, revisions: Iterable[tuple[str, str]]) -> None:
        """By revision: the document may have been written anew, into those collections too. Raises Unavailable."""
        for name, revision in revisions:
            for side in self._catalogue.sides(name):
                self._store.delete_revision(RevisionRef(side.collection, revision, 0))

    def _forget(self, lines: Iterable[KeptPassages]) -> bool:
        """Takes out of the cache what no stored revision uses; False if its log could not be emptied yet.

        Raises Unavailable.
        """
        keys = {key for line in lines for key in line.split()}
        keys -= self._catalogue.passages.used_of(keys)
        cache = self._cache()
        if not isinstance(cache, KeepsPassages):
            return True
        cache.forget_keys(keys)
        return cache.checkpoint()

    def _cache(self) -> Embedder:
        """All models keep their passages in one file, so any will do. Raises Unavailable."""
        return self._guard.embedders.default

    def _merge(self, lines: Iterable[KeptPassages]) -> None:
        """Asks for it where a document was deleted; where one was replaced the store has its own pace."""
        of_base = {
            line.knowledge_base
            for line in lines
            if not self._catalogue.passages.is_stored(line.knowledge_base, line.document_id)
        }
        for name in sorted(of_base):
            if (record := self._catalogue.knowledge_base(name)) is not None:
                for collection in (record.collection, *(side.collection for side in self._catalogue.sides(name))):
                    self._store.merge(collection)

    def _checkpoint(self) -> None:
        with self._lock:
            if self._log_emptied:
                return
            self._log_emptied = True
        try:
            done = self._catalogue.database.checkpoint()
        except Unavailable as error:
            log.warning("log of the catalogue not emptied yet", reason=error.message)
            done = False
        if not done:
            with self._lock:
                self._log_emptied = False
