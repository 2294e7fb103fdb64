"""What a knowledge base holds, in memory and never older than the catalogue's write count."""

from __future__ import annotations

import threading
from dataclasses import dataclass, field

from services.common.errors import NotFound
from services.retrieval.adapters.catalogue import Catalogue
from services.retrieval.domain.documents import StoredDocument
from services.retrieval.domain.filters import access_key, readable_keys
from services.retrieval.domain.ports import KnowledgeBaseRecord


@dataclass(frozen=True, slots=True)
class Snapshot:
    """A knowledge base at one moment. ``documents`` by id, ``access`` the access keys and their groups; read-only."""

    record: KnowledgeBaseRecord
    write_count: int
    documents: dict[str, StoredDocument]
    access: tuple[tuple[str, frozenset[str]], ...] = field(default=())
    _superseded: frozenset[str] = field(default=frozenset())

    def readable(self, groups: frozenset[str]) -> tuple[str, ...]:
        """Access keys of the documents that a caller with ``groups`` may read."""
        return readable_keys(self.access, groups)

    def is_current(self, document_id: str, revision: str) -> bool:
        """True if ``revision`` is the visible one of the document."""
        document = self.documents.get(document_id)
        return document is not None and document.revision == revision

    def has_versions(self, document: StoredDocument) -> bool:
        """True if the knowledge base holds another version of the document."""
        metadata = document.metadata
        return metadata.supersedes in self.documents or metadata.document_id in self._superseded


def may_read(document: StoredDocument, groups: frozenset[str]) -> bool:
    """True if the document is public or shares a group with the caller."""
    required = document.metadata.access_groups
    return not required or not groups.isdisjoint(required)


class Snapshots:
    """Snapshots of knowledge bases, refreshed by what changed since. Blocking, thread-safe."""

    def __init__(self, catalogue: Catalogue) -> None:
        self._catalogue = catalogue
        self._known: dict[str, Snapshot] = {}
        self._locks: dict[str, threading.Lock] = {}
        self._guard = threading.Lock()

    def get(self, knowledge_base: str) -> Snapshot:
        """The knowledge base as it is now.

        Raises:
            NotFound: there is none of that name.
            Unavailable: the catalogue does not answer.
        """
        try:
            count = self._catalogue.write_count(knowledge_base)
        except NotFound:
            self._known.pop(knowledge_base, None)
            raise
        known = self._known.get(knowledge_base)
        if known is not None and known.write_count == count:
            return known
        with self._guard:
            lock = self._locks.setdefault(knowledge_base, threading.Lock())
        with lock:
            known = self._known.get(knowledge_base)
            if known is None or known.write_count < count:
                known = self._refresh(knowledge_base, known)
                self._known[knowledge_base] = known
            return known

    def _refresh(self, knowledge_base: str, known: Snapshot | None) -> Snapshot:
        record = self._catalogue.knowledge_base(knowledge_base)
        if record is None:
            raise NotFound("KNOWLEDGE_BASE_NOT_FOUND", f"there is no knowledge base {knowledge_base!r}")
        # One that was deleted and made again has another collection: nothing of the old one holds.
        if known is not None and known.record.collection == record.collection:
            count, total, changed = self._catalogue.documents_since(knowledge_base, known.write_count)
            documents = {**known.documents, **changed}
            if len(documents) == total:
                return _snapshot(record, count, documents)
        count, documents = self._catalogue.documents(knowledge_base)
        return _snapshot(record, count, documents)


def _snapshot(record: KnowledgeBaseRecord, count: int, documents: dict[str, StoredDocument]) -> Snapshot:
    groups = {frozenset(document.metadata.access_groups) for document in documents.values()} - {frozenset()}
    access = tuple((access_key(members), members) for members in sorted(groups, key=sorted))
    superseded = frozenset(d.metadata.supersedes for d in documents.values() if d.metadata.supersedes)
    return Snapshot(record, count, documents, access, superseded)
