"""The embedding port: what any embedder must offer, and how it is identified."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
import numpy.typing as npt

Vectors = npt.NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class EmbedderIdentity:
    """What must agree between an embedder and the vectors of a collection.

    ``max_tokens`` is the longest input the model reads; ``dimension`` the length of its vectors.
    """

    name: str
    revision: str
    dimension: int
    max_tokens: int

    @property
    def label(self) -> str:
        """Name and revision as one word, for messages and cache keys."""
        return f"{self.name}@{self.revision}" if self.revision else self.name


class Embedder(Protocol):
    """Turns text into unit vectors; blocking, safe to call from several threads."""

    @property
    def identity(self) -> EmbedderIdentity:
        """Name, revision and dimension of the model."""
        ...

    def embed_passages(self, texts: Sequence[str]) -> Vectors:
        """Float32 unit vectors of shape (n, dimension) for texts to be found.

        Raises:
            Unavailable: if the model cannot be reached in time.
        """
        ...

    def embed_query(self, text: str) -> Vectors:
        """One float32 unit vector of shape (dimension,) for a text to search with.

        Raises:
            Unavailable: if the model cannot be reached in time.
        """
        ...

    def count_tokens(self, text: str) -> int:
        """Tokens that the model reads for ``text``, special tokens left out."""
        ...
