"""What the use cases need from the vector store and the catalogue."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from services.retrieval.domain.documents import StoredDocument
from services.retrieval.domain.embedding import EmbedderIdentity, Vectors
from services.retrieval.domain.filters import ChunkFilter
from services.retrieval.domain.passages.chunks import PageStart
from services.retrieval.domain.ranking.replay import Passage
from services.retrieval.domain.versions.families import Window


@dataclass(frozen=True, slots=True)
class ChunkRow:
    """A chunk as the vector store keeps it. ``lexical`` are the tokens of keyword search, space-separated."""

    document_id: str
    revision: str
    ordinal: int
    text: str
    lexical: str
    heading_path: tuple[str, ...]
    start: int
    end: int
    parent_start: int
    parent_end: int
    page: int
    token_count: int
    number_density: float
    entities: tuple[str, ...]
    doc_type: str
    language: str
    authority: int
    version: str
    published_day: int
    window: Window
    access_key: str


@dataclass(frozen=True, slots=True)
class ScoredChunk:
    """A chunk found by one component search; a higher ``score`` is better."""

    row: ChunkRow
    score: float
    vector: Vectors | None = None


@dataclass(frozen=True, slots=True)
class KnowledgeBaseRecord:
    """A knowledge base as the catalogue knows it. ``write_count`` grows with every change of its documents."""

    name: str
    collection: str
    embedder: EmbedderIdentity
    created_at: float
    updated_at: float
    write_count: int
    document_count: int = 0
    chunk_count: int = 0


@dataclass(frozen=True, slots=True)
class RevisionRef:
    """The rows of one write of one document: rows 0 to ``chunk_count`` - 1 of ``revision``.

    A ``chunk_count`` below 0 stands for the whole collection.
    """

    collection: str
    revision: str
    chunk_count: int


@dataclass(frozen=True, slots=True)
class StoredText:
    """A document's text, its pages and its MinHash signature."""

    text: str
    pages: tuple[PageStart, ...] = ()
    signature: bytes = b""


@dataclass(frozen=True, slots=True)
class Publication:
    """One document's switch to a new revision, to be made visible together with others.

    ``passage_keys``, one behind the other, are those of its passages in the cache of ``embedder``, a label.
    """

    document: StoredDocument
    text: str
    pages: tuple[PageStart, ...] = ()
    signature: bytes = b""
    embedder: str = ""
    passage_keys: bytes = b""


@dataclass(frozen=True, slots=True)
class RecordedQuery:
    """A query as it was asked: its filter, access keys included, and the passages nearest to it by the embedder of that
    time (its label), best first. ``recorded_at`` in epoch seconds."""

    query: str
    condition: ChunkFilter
    embedder: str
    passages: tuple[Passage, ...]
    recorded_at: float


@dataclass(frozen=True, slots=True)
class SideCollection:
    """A collection beside the one that is searched.

    ``role`` is ``SHADOW``, which a migration is filling, or ``FORMER``, which was in use before the last one. ``owner``
    is the process at work on it, empty for none; times in epoch seconds. ``report`` is the last comparison as JSON.
    """

    knowledge_base: str
    role: str
    collection: str
    embedder: EmbedderIdentity
    owner: str
    started_at: float
    updated_at: float
    report: Mapping[str, Any] | None = None


SHADOW, FORMER = "shadow", "former"

SWITCHING = "KNOWLEDGE_BASE_SWITCHING"
"""Why a writer is told to come again: a migration puts its collection into use, which takes some seconds."""

KNOWLEDGE_BASE_DELETED = "KNOWLEDGE_BASE_DELETED"
"""Why a write ends whose knowledge base is no more."""

METRIC = "COSINE"
"""How vectors are compared; collections indexed otherwise are refused."""


@dataclass(frozen=True, slots=True)
class CollectionFacts:
    """What the store itself says of a collection: the embedder written beside it (its name empty where nothing is
    written), the dimension of its vectors, and their metric (empty where the store does not tell)."""

    embedder: EmbedderIdentity
    metric: str


class VectorStore(Protocol):
    """Chunks with their vectors. Blocking; every call is bounded in time.

    All methods raise ``services.common.errors.Unavailable`` while the store does not answer.
    """

    def ping(self) -> None:
        """Returns if the store answers."""
        ...

    def new_collection_name(self, knowledge_base: str) -> str:
        """A name that no collection has, for a collection of the knowledge base."""
        ...

    def create_collection(self, collection: str, embedder: EmbedderIdentity) -> None:
        """Makes an empty collection."""
        ...

    def drop_collection(self, collection: str) -> None:
        """Removes a collection and the alias that points to it; absent ones are fine."""
        ...

    def point_alias(self, knowledge_base: str, collection: str) -> None:
        """Points the knowledge base's alias to ``collection``."""
        ...

    def describe(self, collection: str, timeout: float | None = None) -> CollectionFacts | None:
        """What a collection is; None if it does not exist."""
        ...

    def insert(self, collection: str, rows: Sequence[ChunkRow], vectors: Vectors) -> None:
        """Writes rows of a new revision: none of their keys is in the store yet."""
        ...

    def delete_revision(self, ref: RevisionRef) -> None:
        """Removes the rows of a revision; absent ones are fine."""
        ...

    def merge(self, collection: str) -> None:
        """Asks the store to write its files anew without what was deleted from them. A hint: never raises."""
        ...

    def row_counts(self, collection: str) -> dict[str, int]:
        """Rows of each revision that has any, those not visible included."""
        ...

    def seal(self, collection: str) -> None:
        """Asks the store to index what was written, so that searches are fast. A hint: never raises."""
        ...

    def search_dense(
        self, collection: str, vector: Vectors, condition: ChunkFilter, limit: int, timeout: float
    ) -> list[ScoredChunk]:
        """Nearest chunks by cosine similarity, best first, without vectors."""
        ...

    def search_keyword(
        self,
        collection: str,
        tokens: Sequence[str],
        condition: ChunkFilter,
        limit: int,
        timeout: float,
        with_vectors: bool = False,
    ) -> list[ScoredChunk]:
        """Best chunks by BM25, best first."""
        ...

    def fetch_rows(
        self, collection: str, keys: Sequence[tuple[str, int]], condition: ChunkFilter, timeout: float
    ) -> list[ScoredChunk]:
        """Rows by (revision, ordinal) that pass the condition, in no order, with vectors; score 0."""
        ...


@dataclass(frozen=True, slots=True)
class IngestJob:
    """One ingest. ``state`` is running, done, failed, cancelled or interrupted (its client went); times in epoch
    seconds."""

    job_id: str
    knowledge_base: str
    state: str
    started_at: float
    updated_at: float
    counts: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class RejectedDocument:
    """A document that the latest ingest of its source refused; ``rejected_at`` in epoch seconds.

    ``access_groups`` are those that its metadata named: others must not learn of it.
    """

    origin: str
    document_id: str
    reason: str
    message: str
    rejected_at: float
    access_groups: tuple[str, ...] = ()
