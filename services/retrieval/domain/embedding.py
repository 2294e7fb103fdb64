"""The embedding port: what any embedder must offer, and how it is identified."""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field
from typing import Protocol, runtime_checkable

import numpy as np
import numpy.typing as npt

Vectors = npt.NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class EmbedderIdentity:
    """What must agree between an embedder and the vectors of a collection.

    ``max_tokens`` is the longest input the model reads; ``dimension`` the length of its vectors. ``cached_as`` is the
    label under which its passages are kept on disk, if that is not its own.
    """

    name: str
    revision: str
    dimension: int
    max_tokens: int
    cached_as: str = field(default="", compare=False)

    def agrees_with(self, other: EmbedderIdentity) -> bool:
        """True if vectors of both may be compared."""
        return (self.name, self.revision, self.dimension) == (other.name, other.revision, other.dimension)

    @property
    def label(self) -> str:
        """Name and revision as one word, for messages and cache keys."""
        return f"{self.name}@{self.revision}" if self.revision else self.name


KEY_BYTES = 32


def passage_key(identity: EmbedderIdentity, text: str) -> bytes:
    """Under what the vector of a passage is kept on disk: it depends on the model and the text, which it conceals."""
    digest = hashlib.sha256((identity.cached_as or identity.label).encode())
    digest.update(b"\0")
    digest.update(text.encode("utf-8", "surrogatepass"))
    return digest.digest()


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


@runtime_checkable
class KeepsPassages(Protocol):
    """An embedder that keeps the vectors of passages on disk."""

    def forget_keys(self, keys: Collection[bytes]) -> None:
        """Removes the vectors kept under ``passage_key``s, of whatever model that has its vectors in the same file.

        Raises:
            Unavailable: the file cannot be written.
        """
        ...

    def checkpoint(self) -> bool:
        """Empties the file's log into it; False if somebody still reads there. Raises Unavailable."""
        ...


@dataclass(slots=True)
class EmbedderSpec:
    """An embedder that can be had: its key in the configuration, what it will call itself, and how it is loaded.

    Several threads may ask for it; it is loaded once. A load that fails is tried again when it is next asked for.
    """

    key: str
    name: str
    revision: str
    load: Callable[[], Embedder]
    _loaded: Embedder | None = None
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def get(self) -> Embedder:
        """The embedder, loaded now if it was not. Raises Unavailable, FailedPrecondition."""
        if self._loaded is None:
            with self._lock:
                if self._loaded is None:
                    self._loaded = self.load()
        return self._loaded
