"""Asks the collection in use and the one that is to replace it the same queries. Blocking."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date

from services.retrieval.domain.embedding import Embedder
from services.retrieval.domain.filters import PUBLIC_ACCESS_KEY, ChunkFilter
from services.retrieval.domain.ports import RecordedQuery, SideCollection, VectorStore
from services.retrieval.domain.ranking.replay import Comparison, Passage, compare
from services.retrieval.service.snapshot import Snapshot

# Rows asked for beyond what is compared, so that rows of replaced revisions cost no passage.
_SPARE = 16


@dataclass(frozen=True, slots=True)
class Replay:
    """What is compared: by embedding alone, since that is all that changes.

    ``old`` is None if the old embedder is not at hand or its collection is gone: what was recorded stands in for it.
    ``timeout`` bounds one search, in seconds.
    """

    store: VectorStore
    snapshot: Snapshot
    side: SideCollection
    old: Embedder | None
    new: Embedder
    top_k: int
    timeout: float

    def ask(self, queries: Sequence[RecordedQuery]) -> list[Comparison | None]:
        """A comparison of each query; None where the old side is not known. Raises Unavailable."""
        return [self._ask(query) for query in queries]

    def _ask(self, query: RecordedQuery) -> Comparison | None:
        if self.old is None:
            made_by = self.snapshot.record.embedder.label
            if not query.passages or query.embedder != made_by:
                return None
            before = [p for p in query.passages if p.document_id in self.snapshot.documents][: self.top_k]
        else:
            before = self._nearest(self.snapshot.record.collection, self.old, query)
        after = self._nearest(self.side.collection, self.new, query)
        if self.old is None:
            after = after[: len(before)]
        return compare(query.query, before, after, recorded=self.old is None)

    def _nearest(self, collection: str, embedder: Embedder, query: RecordedQuery) -> list[Passage]:
        vector = embedder.embed_query(query.query)
        found = self.store.search_dense(collection, vector, query.condition, self.top_k + _SPARE, self.timeout)
        current = [i.row for i in found if self.snapshot.is_current(i.row.document_id, i.row.revision)]
        return [Passage(row.document_id, row.start, row.end) for row in current[: self.top_k]]


def given_query(text: str, snapshot: Snapshot, today: date) -> RecordedQuery:
    """A query of the caller's: without a filter, over everything that is in force today."""
    everyone = {PUBLIC_ACCESS_KEY} | {key for key, _ in snapshot.access}
    return RecordedQuery(text, ChunkFilter(tuple(sorted(everyone)), today), "", (), 0.0)
