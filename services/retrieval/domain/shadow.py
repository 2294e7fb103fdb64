"""What a collection beside the one in use lacks of a knowledge base, and what it has too much."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from services.retrieval.domain.documents import StoredDocument


@dataclass(frozen=True, slots=True)
class Held:
    """A revision in such a collection: how many rows it has, and whether all of them are known to be there."""

    chunk_count: int
    whole: bool


@dataclass(frozen=True, slots=True)
class Difference:
    """``missing`` documents are to be copied; before that the rows of ``surplus`` revisions are to be removed."""

    missing: tuple[StoredDocument, ...]
    surplus: tuple[str, ...]


def difference(documents: Mapping[str, StoredDocument], held: Mapping[str, Held]) -> Difference:
    """Between the documents as they are and what the collection holds, by revision.

    A revision whose rows may be there in part is both: removed, then copied again.
    """
    wanted = {document.revision for document in documents.values()}
    missing = [
        document
        for _, document in sorted(documents.items())
        if not (document.revision in held and held[document.revision].whole)
    ]
    surplus = [revision for revision, state in held.items() if revision not in wanted or not state.whole]
    return Difference(tuple(missing), tuple(sorted(surplus)))


def batches(
    documents: Sequence[StoredDocument], most_chunks: int, most_documents: int
) -> Iterator[tuple[StoredDocument, ...]]:
    """Documents in groups of at most ``most_chunks`` chunks (a larger document is a group by itself)."""
    group: list[StoredDocument] = []
    chunks = 0
    for document in documents:
        if group and (chunks + document.chunk_count > most_chunks or len(group) >= most_documents):
            yield tuple(group)
            group, chunks = [], 0
        group.append(document)
        chunks += document.chunk_count
    if group:
        yield tuple(group)
