"""Passage embeddings on disk, by model and text, so that no text is ever embedded twice."""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Collection, Sequence
from pathlib import Path

import numpy as np

from services.common.errors import Unavailable
from services.retrieval.domain.embedding import Embedder, EmbedderIdentity, Vectors, passage_key

_SCHEMA = "CREATE TABLE IF NOT EXISTS passage (key BLOB PRIMARY KEY, vector BLOB NOT NULL) WITHOUT ROWID"
# SQLite's own limit on bound variables is higher; this keeps one statement short.
_LOOKUP = 500


class CachedEmbedder:
    """An embedder that remembers the passages of another one in an SQLite file.

    Several processes may share the file: it is in WAL mode and a lost race stores the same vector twice.
    Queries pass through; they have a cache of their own in memory.
    """

    def __init__(self, inner: Embedder, path: Path, batch: int = 64) -> None:
        self._inner = inner
        self._path = path
        self._batch = batch
        self._local = threading.local()
        self._counter_lock = threading.Lock()
        self.hits = 0
        self.misses = 0
        path.parent.mkdir(parents=True, exist_ok=True)
        with self._connection() as connection:
            connection.execute(_SCHEMA)

    @property
    def identity(self) -> EmbedderIdentity:
        """Identity of the embedder behind the cache."""
        return self._inner.identity

    def embed_query(self, text: str) -> Vectors:
        """Passes through to the embedder behind the cache."""
        return self._inner.embed_query(text)

    def count_tokens(self, text: str) -> int:
        """Passes through to the embedder behind the cache."""
        return self._inner.count_tokens(text)

    def embed_passages(self, texts: Sequence[str]) -> Vectors:
        """Vectors of shape (n, dimension): from the cache where they are, embedded and kept where not.

        Each batch is kept as soon as it is made, so a killed ingest loses at most one batch of work.
        """
        keys = [self._key(text) for text in texts]
        known = self._read(keys)
        missing = {key: text for key, text in zip(keys, texts, strict=True) if key not in known}
        # Like lengths together: a native batch takes as long as its longest member.
        todo = sorted(missing.items(), key=lambda item: len(item[1]))
        for start in range(0, len(todo), self._batch):
            part = todo[start : start + self._batch]
            vectors = self._inner.embed_passages([text for _, text in part])
            fresh = {key: vectors[index] for index, (key, _) in enumerate(part)}
            self._write(fresh)
            known.update(fresh)
        with self._counter_lock:
            self.hits += len(texts) - len(missing)
            self.misses += len(missing)
        if not texts:
            return np.zeros((0, self.identity.dimension), np.float32)
        return np.stack([known[key] for key in keys])

    def forget_keys(self, keys: Collection[bytes]) -> None:
        """Removes the vectors of these keys, of whatever model. Raises Unavailable."""
        connection = self._connection()
        try:
            connection.execute("BEGIN IMMEDIATE")
            try:
                connection.executemany("DELETE FROM passage WHERE key = ?", [(key,) for key in keys])
            finally:
                connection.execute("COMMIT")
        except sqlite3.Error as error:
            raise Unavailable("EMBEDDING_CACHE", f"the embedding cache cannot be written: {error}") from None

    def checkpoint(self) -> bool:
        """Empties the file's log; False if somebody still reads there. Raises Unavailable."""
        try:
            busy, *_ = self._connection().execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
        except sqlite3.Error as error:
            raise Unavailable("EMBEDDING_CACHE", f"the embedding cache cannot be written: {error}") from None
        return not busy

    def _key(self, text: str) -> bytes:
        return passage_key(self._inner.identity, text)

    def _connection(self) -> sqlite3.Connection:
        connection: sqlite3.Connection | None = getattr(self._local, "connection", None)
        if connection is None:
            connection = sqlite3.connect(self._path, timeout=30, isolation_level=None)
            connection.execute("PRAGMA journal_mode=WAL")
            connection.execute("PRAGMA synchronous=NORMAL")
            connection.execute("PRAGMA secure_delete=ON")
            self._local.connection = connection
        return connection

    def _read(self, keys: Sequence[bytes]) -> dict[bytes, Vectors]:
        found: dict[bytes, Vectors] = {}
        unique = list(dict.fromkeys(keys))
        for start in range(0, len(unique), _LOOKUP):
            part = unique[start : start + _LOOKUP]
            marks = ",".join("?" * len(part))
            query = f"SELECT key, vector FROM passage WHERE key IN ({marks})"  # noqa: S608 (marks are question marks)
            rows = self._connection().execute(query, part)
            for key, blob in rows:
                vector = np.frombuffer(blob, np.float32)
                if vector.shape[0] == self.identity.dimension:
                    found[key] = vector
        return found

    def _write(self, vectors: dict[bytes, Vectors]) -> None:
        rows = [(key, vector.astype(np.float32).tobytes()) for key, vector in vectors.items()]
        connection = self._connection()
        connection.execute("BEGIN IMMEDIATE")
        try:
            connection.executemany("INSERT OR REPLACE INTO passage (key, vector) VALUES (?, ?)", rows)
        finally:
            connection.execute("COMMIT")
