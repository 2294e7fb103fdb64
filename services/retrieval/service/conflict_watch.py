"""Conflicts between the documents of a knowledge base. Statements are kept by text, so that each text is read once."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Collection

from services.retrieval.adapters.catalogue import Catalogue
from services.retrieval.domain.conflict.conflicts import ConflictReport, find_conflicts
from services.retrieval.domain.conflict.meanings import Meanings
from services.retrieval.domain.conflict.statements import Statement, statements
from services.retrieval.domain.conflict.wording import Wording
from services.retrieval.domain.documents import StoredDocument
from services.retrieval.service.snapshot import Snapshot

# Knowledge bases whose statements stay in memory, and how many of one: some 60 MiB.
_KEPT_BASES = 4
_KEPT_STATEMENTS = 60_000


class ConflictWatch:
    """Finds conflicts. Blocking, thread-safe."""

    def __init__(self, catalogue: Catalogue, wording: Wording, meanings: Meanings) -> None:
        self._catalogue = catalogue
        self._wording = wording
        self._meanings = meanings
        self._kept: OrderedDict[str, dict[str, tuple[str, tuple[Statement, ...]]]] = OrderedDict()
        self._lock = threading.Lock()

    def find(
        self, snapshot: Snapshot, documents: dict[str, StoredDocument], changed: Collection[str] | None = None
    ) -> ConflictReport:
        """Conflicts among ``documents`` of the knowledge base, which are those that the caller may read; with
        ``changed``, only those of these documents with the others.

        Raises:
            Unavailable: the catalogue does not answer.
        """
        with self._lock:
            kept = self._kept.setdefault(snapshot.record.collection, {})
            self._kept.move_to_end(snapshot.record.collection)
            while len(self._kept) > _KEPT_BASES:
                self._kept.popitem(last=False)
        first = changed or ()
        spoken: list[Statement] = []
        used: set[str] = set()
        left_out = 0
        for document_id in sorted(documents, key=lambda key: (key not in first, key)):
            if len(spoken) >= _KEPT_STATEMENTS:
                left_out += 1
                continue
            spoken += self._statements(snapshot.record.name, documents[document_id], kept)
            used.add(document_id)
        # What was left out this time was read for another ingest; kept as well, it would grow with every one.
        for unused in [key for key in list(kept) if key not in used]:
            kept.pop(unused, None)
        return ConflictReport(
            tuple(find_conflicts(spoken, documents, self._wording, self._meanings, changed)), left_out
        )

    def _statements(
        self, name: str, document: StoredDocument, kept: dict[str, tuple[str, tuple[Statement, ...]]]
    ) -> tuple[Statement, ...]:
        document_id = document.metadata.document_id
        known = kept.get(document_id)
        if known is not None and known[0] == document.metadata.checksum:
            return known[1]
        stored = self._catalogue.text(name, document_id)
        found = tuple(statements(document_id, stored.text, self._wording, self._meanings)) if stored else ()
        kept[document_id] = (document.metadata.checksum, found)
        return found
