"""The first dimensions of another embedder, made unit vectors again: less memory and faster search, less precise.

Meant for models trained for it (Matryoshka representation learning, Kusupati et al. 2022). Any other model loses more,
which is what the comparison of `trirag kb migrate` tells before a knowledge base depends on it.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

import numpy as np

from services.retrieval.domain.embedding import Embedder, EmbedderIdentity, KeepsPassages, Vectors


def truncated_name(name: str, dimension: int) -> str:
    """Name of the model ``name`` cut to ``dimension``: vectors of the two never mix."""
    return f"{name}-first{dimension}"


class TruncatedEmbedder:
    """``inner`` cut to its first ``dimension`` numbers. What the cache holds of ``inner`` costs nothing again."""

    def __init__(self, inner: Embedder, dimension: int) -> None:
        self._inner = inner
        whole = inner.identity
        self._identity = EmbedderIdentity(
            truncated_name(whole.name, dimension),
            whole.revision,
            min(dimension, whole.dimension),
            whole.max_tokens,
            cached_as=whole.cached_as or whole.label,
        )

    @property
    def identity(self) -> EmbedderIdentity:
        """The inner model's, with a name and a dimension of its own."""
        return self._identity

    def embed_passages(self, texts: Sequence[str]) -> Vectors:
        """Float32 unit vectors of shape (n, dimension). Raises what the inner embedder raises."""
        return self._cut(self._inner.embed_passages(texts))

    def embed_query(self, text: str) -> Vectors:
        """One float32 unit vector of shape (dimension,). Raises what the inner embedder raises."""
        vector: Vectors = self._cut(self._inner.embed_query(text)[np.newaxis, :])[0]
        return vector

    def forget_keys(self, keys: Collection[bytes]) -> None:
        """Passes through to the whole model, which may keep none."""
        if isinstance(self._inner, KeepsPassages):
            self._inner.forget_keys(keys)

    def checkpoint(self) -> bool:
        """Passes through to the whole model, which may keep none."""
        return self._inner.checkpoint() if isinstance(self._inner, KeepsPassages) else True

    def count_tokens(self, text: str) -> int:
        """Tokens that the inner model reads."""
        return self._inner.count_tokens(text)

    def _cut(self, vectors: Vectors) -> Vectors:
        part = vectors[:, : self._identity.dimension]
        norms = np.linalg.norm(part, axis=1, keepdims=True)
        unit: Vectors = (part / np.maximum(norms, 1e-12)).astype(np.float32)
        return unit
