"""Looks at a collection before it is first searched or written: is it what the catalogue takes it for?"""

from __future__ import annotations

from prometheus_client import Counter

from services.common.errors import FailedPrecondition
from services.retrieval.domain.embedding import Embedder
from services.retrieval.domain.ports import METRIC, CollectionFacts, KnowledgeBaseRecord, VectorStore
from services.retrieval.service.embedders import Embedders

_REFUSALS = Counter(
    "trirag_retrieval_index_refusals_total",
    "Times a knowledge base was refused because its index does not fit, by reason.",
    ["knowledge_base", "reason"],
)


class IndexGuard:
    """Remembers collections that are sound: what is checked cannot change in a collection. Blocking, thread-safe."""

    def __init__(self, embedders: Embedders, store: VectorStore) -> None:
        self.embedders = embedders
        self._store = store
        self._sound: set[str] = set()

    def check(self, record: KnowledgeBaseRecord, timeout: float | None = None) -> Embedder:
        """The embedder to search and write the knowledge base with; ``timeout`` bounds the look at the store, in s.

        Raises:
            FailedPrecondition: EMBEDDER_MISMATCH, COLLECTION_MISSING or INDEX_MISMATCH, in words with the remedy.
            Unavailable: the store does not answer, or the embedder cannot be loaded.
        """
        try:
            embedder = self.embedders.of(record)
            if record.collection not in self._sound:
                problem(record, self._store.describe(record.collection, timeout))
                self._sound.add(record.collection)
        except FailedPrecondition as refusal:
            _REFUSALS.labels(record.name, refusal.reason).inc()
            raise
        return embedder

    def forget(self, collection: str) -> None:
        """Looks again next time: the collection may be gone."""
        self._sound.discard(collection)


def problem(record: KnowledgeBaseRecord, facts: CollectionFacts | None) -> None:
    """Raises FailedPrecondition unless the collection is what the catalogue says of it."""
    name, made = record.name, record.embedder
    remedy = f"`trirag kb migrate {name} --embedder KEY` builds it again from the stored texts"
    if facts is None:
        raise FailedPrecondition(
            "COLLECTION_MISSING",
            f"the vector store has no collection {record.collection} of knowledge base {name!r}; "
            f"point TRIRAG_RETRIEVAL_MILVUS_URI to the store that has it, or {remedy}",
            metadata={"knowledge_base": name, "collection": record.collection},
        )
    found = facts.embedder
    wrong = []
    if found.dimension != made.dimension:
        wrong.append(f"has {found.dimension} dimensions, not {made.dimension}")
    if facts.metric and facts.metric != METRIC:
        wrong.append(f"is indexed by {facts.metric}, not by {METRIC}")
    if found.name and (found.name, found.revision) != (made.name, made.revision):
        wrong.append(f"was made for {found.label}, not for {made.label}")
    if wrong:
        raise FailedPrecondition(
            "INDEX_MISMATCH",
            f"the collection {record.collection} of knowledge base {name!r} {' and '.join(wrong)}; {remedy}",
            metadata={"knowledge_base": name, "collection": record.collection},
        )
