"""Milvus as the vector store: one collection per knowledge base, reached through an alias.

The same code runs against the local server and against Milvus 2.5 or later; only the URI differs.
"""

from __future__ import annotations

import itertools
import re
import time
import uuid
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, Literal, TypeVar

import structlog
from pymilvus import MilvusClient
from pymilvus.exceptions import MilvusException

from services.common.errors import Unavailable
from services.retrieval.adapters.milvus_aliases import alias_of, alias_target, point_alias
from services.retrieval.adapters.milvus_connection import MilvusConnection
from services.retrieval.adapters.milvus_filter import compile_filter, quote
from services.retrieval.adapters.milvus_indexes import CollectionLoader, dense_index_of, is_local_server
from services.retrieval.adapters.milvus_schema import (
    DENSE,
    IDENTITY_PROPERTY,
    OUTPUT_FIELDS,
    SPARSE,
    collection_schema,
    from_milvus,
    identity_from_json,
    identity_to_json,
    index_params,
    row_key,
    to_milvus,
    vector_of,
)
from services.retrieval.domain.embedding import EmbedderIdentity, Vectors
from services.retrieval.domain.filters import ChunkFilter
from services.retrieval.domain.ports import METRIC, ChunkRow, CollectionFacts, RevisionRef, ScoredChunk

log = structlog.get_logger("milvus")
T = TypeVar("T")
DenseIndex = Literal["auto", "flat", "hnsw"]

# Rows in one request: about 4 MiB at 400 tokens and 384 dimensions, well below gRPC's limits.
_INSERT_BATCH = 500
# Width of the graph search. The graph is walked before the filter is applied: around a query in one language lie the
# passages in that language, and where those are filtered out a narrow search returns a fraction of the right ones.
_EF = 512
# The second try where a search came back with less than it was asked for.
_WIDEST_EF = 4096
_NOT_LOADED = re.compile(r"not loaded|state 'released'|load\(\) before", re.IGNORECASE)


class MilvusStore:
    """Chunks in Milvus. Blocking, thread-safe; every call is bounded and raises Unavailable when it fails.

    ``timeout`` bounds administrative calls and writes, in seconds; searches bring a bound of their own.
    ``dense_index`` is what new collections get: ``flat`` compares with every vector, ``hnsw`` walks a graph; ``auto``
    is flat on the local server, whose graph search loses hits under a filter and is slower at its sizes.
    """

    def __init__(
        self, uri: str, token: str = "", database: str = "", timeout: float = 10.0, dense_index: DenseIndex = "auto"
    ) -> None:
        self._connection = MilvusConnection(uri, token, database, timeout)
        self._call = self._connection.call
        self._timeout = timeout
        self._dense_index = dense_index
        self._flat: dict[str, bool] = {}
        self._loader = CollectionLoader(timeout)

    def close(self) -> None:
        """Closes the connection."""
        self._connection.close()

    def ping(self) -> None:
        """Returns if the store answers, or has answered anything in the last two seconds.

        Under full load a question of its own may wait behind searches; a busy store is not one that is down.
        """
        if self._connection.answered_just_now:
            return
        self._call("ping", lambda client: client.list_collections(timeout=2.0), connect_timeout=2.0)

    def new_collection_name(self, knowledge_base: str) -> str:
        """A name that no collection has; it tells the knowledge base."""
        return f"{alias_of(knowledge_base)}_c{uuid.uuid4().hex[:12]}"

    def create_collection(self, collection: str, embedder: EmbedderIdentity) -> None:
        """Makes an empty collection. No alias points to it yet."""

        def create(client: MilvusClient) -> None:
            client.create_collection(
                collection,
                schema=collection_schema(embedder),
                consistency_level="Strong",
                timeout=self._timeout,
            )
            # Not waited for one by one: pymilvus polls every half second, and the collection is empty.
            client.create_index(collection, index_params(self._exact(client)), timeout=self._timeout, sync=False)
            client.load_collection(collection, timeout=self._timeout)
            client.alter_collection_properties(
                collection, {IDENTITY_PROPERTY: identity_to_json(embedder)}, timeout=self._timeout
            )

        self._call("create collection", create)

    def drop_collection(self, collection: str) -> None:
        """Removes a collection and the alias that points to it; absent ones are fine."""
        alias = collection.rsplit("_c", 1)[0]

        def drop(client: MilvusClient) -> None:
            if alias_target(client, alias, self._timeout) == collection:
                client.drop_alias(alias, timeout=self._timeout)
            if client.has_collection(collection, timeout=self._timeout):
                client.drop_collection(collection, timeout=self._timeout)

        self._call("drop collection", drop)
        self._flat.pop(collection, None)

    def point_alias(self, knowledge_base: str, collection: str) -> None:
        """Points the knowledge base's alias to ``collection``."""
        self._call(
            "switch alias", lambda client: point_alias(client, alias_of(knowledge_base), collection, self._timeout)
        )

    def collections(self) -> list[str]:
        """Names of all collections."""
        return self._call("list collections", lambda client: list(client.list_collections(timeout=self._timeout)))

    def describe(self, collection: str, timeout: float | None = None) -> CollectionFacts | None:
        """What a collection is; None if it does not exist.

        The dimension is that of the vector field itself, whatever is written beside it.
        """
        bound = timeout or self._timeout

        def describe(client: MilvusClient) -> CollectionFacts | None:
            if not client.has_collection(collection, timeout=bound):
                return None
            found = client.describe_collection(collection, timeout=bound)
            dimension = next((int(f["params"]["dim"]) for f in found["fields"] if f["name"] == DENSE), 0)
            written = found.get("properties", {}).get(IDENTITY_PROPERTY) or found.get("description", "")
            identity = identity_from_json(str(written)) or EmbedderIdentity("", "", dimension, 0)
            index = dense_index_of(client, collection, bound)
            return CollectionFacts(replace(identity, dimension=dimension), str(index.get("metric_type", "")))

        return self._call("describe collection", describe, connect_timeout=bound)

    def insert(self, collection: str, rows: Sequence[ChunkRow], vectors: Vectors) -> None:
        """Writes rows of a new revision."""
        for start in range(0, len(rows), _INSERT_BATCH):
            part = rows[start : start + _INSERT_BATCH]
            data = [to_milvus(row, vectors[start + index]) for index, row in enumerate(part)]
            self._call("write", self._write(collection, data))

    def _write(self, collection: str, data: list[dict[str, Any]]) -> Callable[[MilvusClient], None]:
        """Inserts at first, which costs the store no tombstones; a second try replaces what the first may have left."""
        tries = itertools.count()

        def write(client: MilvusClient) -> None:
            if next(tries) == 0:
                client.insert(collection, data, timeout=self._timeout)
            else:
                client.upsert(collection, data, timeout=self._timeout)

        return write

    def delete_revision(self, ref: RevisionRef) -> None:
        """Removes the rows of a revision; absent ones are fine."""
        self._delete(ref.collection, f"revision == {quote(ref.revision)}")

    def _delete(self, collection: str, expression: str) -> None:
        def remove(client: MilvusClient) -> None:
            if client.has_collection(collection, timeout=self._timeout):
                client.delete(collection, filter=expression, timeout=self._timeout)

        self._call("delete", self._loaded(collection, remove))

    def seal(self, collection: str) -> None:
        """Asks the store to index what was written, so that searches are fast. A hint: never raises."""
        try:
            self._call("flush", lambda client: client.flush(collection, timeout=self._timeout))
        except Unavailable as error:
            # Distributed Milvus limits how often it may be asked, and seals by itself in time.
            log.info("flush not done", collection=collection, reason=error.message)

    def merge(self, collection: str) -> None:
        """Asks the store to write its files anew without what was deleted from them. A hint: never raises."""

        def compact(client: MilvusClient) -> None:
            if client.has_collection(collection, timeout=self._timeout):
                client.flush(collection, timeout=self._timeout)
                client.compact(collection, timeout=self._timeout)

        try:
            self._call("compact", compact)
        except Unavailable as error:
            log.info("deleted rows not merged away yet", collection=collection, reason=error.message)

    def search_dense(
        self, collection: str, vector: Vectors, condition: ChunkFilter, limit: int, timeout: float
    ) -> list[ScoredChunk]:
        """Nearest chunks by cosine similarity, best first; scores in [-1, 1]."""
        ends = time.monotonic() + timeout

        def search(ef: int) -> list[ScoredChunk]:
            params = {"metric_type": METRIC, "params": {"ef": max(ef, 2 * limit)}}
            left = max(0.01, ends - time.monotonic())
            return self._search(collection, vector, DENSE, params, condition, limit, left)

        found = search(_EF)
        # Few rows pass the filter, or a graph search did not get to them; an exact scan got to all.
        if len(found) >= limit or self._is_flat(collection, max(0.01, ends - time.monotonic())):
            return found
        return search(_WIDEST_EF)

    def search_keyword(
        self,
        collection: str,
        tokens: Sequence[str],
        condition: ChunkFilter,
        limit: int,
        timeout: float,
        with_vectors: bool = False,
    ) -> list[ScoredChunk]:
        """Best chunks by BM25, best first; scores above 0."""
        if not tokens:
            return []
        params = {"metric_type": "BM25", "params": {}}
        text = " ".join(tokens)
        found = self._search(collection, text, SPARSE, params, condition, limit, timeout, with_vectors)
        # The local server reports BM25 as a negative distance, the distributed one as a score.
        return [ScoredChunk(item.row, abs(item.score), item.vector) for item in found if item.score != 0.0]

    def fetch_rows(
        self, collection: str, keys: Sequence[tuple[str, int]], condition: ChunkFilter, timeout: float
    ) -> list[ScoredChunk]:
        """Rows by (revision, ordinal) that pass the condition, in no order, with vectors; score 0."""
        if not keys:
            return []
        quoted = ", ".join(quote(row_key(revision, ordinal)) for revision, ordinal in keys)
        expression = f"pk in [{quoted}] and {compile_filter(condition)}"
        fields = [*OUTPUT_FIELDS, DENSE]
        rows = self._call(
            "read",
            self._loaded(
                collection,
                lambda client: client.query(
                    collection, filter=expression, output_fields=fields, limit=len(keys), timeout=timeout
                ),
            ),
        )
        return [ScoredChunk(from_milvus(row), 0.0, vector_of(row)) for row in rows]

    def count(self, collection: str) -> int:
        """Rows in a collection, those not visible included."""
        rows = self._call(
            "count",
            self._loaded(
                collection,
                lambda client: client.query(collection, filter="", output_fields=["count(*)"], timeout=self._timeout),
            ),
        )
        return int(rows[0]["count(*)"])

    def row_counts(self, collection: str) -> dict[str, int]:
        """Rows of each revision that has any, those not visible included."""

        def read(client: MilvusClient) -> dict[str, int]:
            iterator = client.query_iterator(
                collection, batch_size=1000, filter="", output_fields=["revision"], timeout=self._timeout
            )
            found: Counter[str] = Counter()
            while batch := iterator.next():
                found.update(row["revision"] for row in batch)
            iterator.close()
            return dict(found)

        return self._call("read", self._loaded(collection, read))

    def _search(
        self,
        collection: str,
        data: Any,
        field: str,
        params: dict[str, Any],
        condition: ChunkFilter,
        limit: int,
        timeout: float,
        with_vectors: bool = False,
    ) -> list[ScoredChunk]:
        expression = compile_filter(condition)
        fields = [*OUTPUT_FIELDS, DENSE] if with_vectors else OUTPUT_FIELDS
        hits = self._call(
            "search",
            self._loaded(
                collection,
                lambda client: client.search(
                    collection,
                    [data],
                    anns_field=field,
                    filter=expression,
                    limit=limit,
                    output_fields=fields,
                    search_params=params,
                    timeout=timeout,
                ),
            ),
            connect_timeout=timeout,
        )
        return [
            ScoredChunk(from_milvus(hit["entity"]), float(hit["distance"]), vector_of(hit["entity"])) for hit in hits[0]
        ]

    def _loaded(self, collection: str, work: Callable[[MilvusClient], T]) -> Callable[[MilvusClient], T]:
        """``work``, and once more after loading the collection if the server says that it is not loaded.

        The local server forgets after a restart which collections were loaded.
        """

        def attempt(client: MilvusClient) -> T:
            try:
                return work(client)
            except MilvusException as error:
                if not _NOT_LOADED.search(str(error.message)):
                    raise
            self._loader.load(client, collection, exact=self._exact)
            return work(client)

        return attempt

    def _exact(self, client: MilvusClient) -> bool:
        if self._dense_index == "auto":
            return is_local_server(client, self._timeout)
        return self._dense_index == "flat"

    def _is_flat(self, collection: str, timeout: float) -> bool:
        """Whether the dense index is an exact scan. Asked once: a collection keeps the index it was made with."""
        known = self._flat.get(collection)
        if known is None:
            index = self._call(
                "describe index", lambda client: dense_index_of(client, collection, timeout), connect_timeout=timeout
            )
            known = self._flat[collection] = index.get("index_type") == "FLAT"
        return known
