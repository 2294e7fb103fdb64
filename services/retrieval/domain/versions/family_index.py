"""Which documents of a knowledge base may decide about each other's windows, kept up to date."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable

from services.common.domain.document import DocumentMetadata
from services.retrieval.domain.versions.alike import are_alike
from services.retrieval.domain.versions.families import family_keys


class FamilyIndex:
    """Documents linked by ``supersedes``, by a shared family key or by texts that are alike. Not thread-safe."""

    def __init__(self, documents: Iterable[DocumentMetadata] = ()) -> None:
        self._documents: dict[str, DocumentMetadata] = {}
        self._successors: dict[str, set[str]] = defaultdict(set)
        self._by_key: dict[str, set[str]] = defaultdict(set)
        self._named_alike: dict[str, set[str]] = defaultdict(set)
        for document in documents:
            self.put(document)

    def put(self, document: DocumentMetadata) -> None:
        """Adds a document or replaces the one of the same id."""
        self.remove(document.document_id)
        self._documents[document.document_id] = document
        if document.supersedes:
            self._successors[document.supersedes].add(document.document_id)
        for key in family_keys(document):
            self._by_key[key].add(document.document_id)
        for other, _ in document.alike:
            self._named_alike[other].add(document.document_id)

    def remove(self, document_id: str) -> None:
        """Takes a document out; an unknown id is fine."""
        document = self._documents.pop(document_id, None)
        if document is None:
            return
        self._successors[document.supersedes].discard(document_id)
        for key in family_keys(document):
            self._by_key[key].discard(document_id)
        for other, _ in document.alike:
            self._named_alike[other].discard(document_id)

    def family(self, ids: Iterable[str]) -> dict[str, DocumentMetadata]:
        """The documents ``ids`` and all that are linked to them, directly or through others.

        Ids that are not in the index still lead to the documents that supersede them.
        """
        found: dict[str, DocumentMetadata] = {}
        seen: set[str] = set()
        todo = list(ids)
        while todo:
            current = todo.pop()
            if current in seen:
                continue
            seen.add(current)
            todo.extend(self._successors.get(current, ()))
            document = self._documents.get(current)
            if document is None:
                continue
            found[current] = document
            if document.supersedes:
                todo.append(document.supersedes)
            for key in family_keys(document):
                todo.extend(self._by_key[key])
            for other in (*self._named_alike[current], *(key for key, _ in document.alike)):
                if other in self._documents and are_alike(document, self._documents[other]):
                    todo.append(other)
        return found
