"""The embedders at hand, and which of them a knowledge base was made for. Blocking, thread-safe."""

from __future__ import annotations

from collections.abc import Mapping

from services.common.errors import FailedPrecondition, InvalidInput
from services.retrieval.domain.embedding import Embedder, EmbedderIdentity, EmbedderSpec
from services.retrieval.domain.ports import KnowledgeBaseRecord

_Key = tuple[str, str, int]


class Embedders:
    """Every embedder of the configuration; ``default_key`` names the one of new knowledge bases."""

    def __init__(self, specs: Mapping[str, EmbedderSpec], default_key: str) -> None:
        """Raises FailedPrecondition if there is no embedder of that key."""
        self._specs = dict(specs)
        self._default_key = default_key
        self._found: dict[_Key, Embedder] = {}
        if default_key not in self._specs:
            raise FailedPrecondition(
                "UNKNOWN_EMBEDDER",
                f"TRIRAG_RETRIEVAL_EMBEDDER: there is no embedder {default_key!r} in config/embedders.yaml; "
                f"known: {', '.join(self.keys)}",
            )

    @classmethod
    def only(cls, embedder: Embedder) -> Embedders:
        """Just one."""
        identity = embedder.identity
        return cls({"only": EmbedderSpec("only", identity.name, identity.revision, lambda: embedder)}, "only")

    @property
    def keys(self) -> tuple[str, ...]:
        """Keys of the configuration, sorted."""
        return tuple(sorted(self._specs))

    @property
    def default(self) -> Embedder:
        """The embedder of new knowledge bases. Raises Unavailable if it cannot be loaded."""
        return self._specs[self._default_key].get()

    def by_key(self, key: str) -> Embedder:
        """The embedder of a key.

        Raises:
            InvalidInput: there is none, naming those that there are.
            Unavailable: it cannot be loaded.
        """
        spec = self._specs.get(key)
        if spec is None:
            raise InvalidInput.of_field(
                "embedder",
                f"there is no embedder {key!r}; known: {', '.join(self.keys)} (config/embedders.yaml)",
                "UNKNOWN_EMBEDDER",
            )
        return spec.get()

    def find(self, identity: EmbedderIdentity) -> Embedder | None:
        """The embedder whose vectors agree with ``identity``; None if the configuration has none.

        Raises:
            Unavailable: there is one by that name, and it cannot be loaded.
        """
        key = (identity.name, identity.revision, identity.dimension)
        found = self._found.get(key)
        if found is not None:
            return found
        for spec in self._specs.values():
            if (spec.name, spec.revision) == key[:2] and (loaded := spec.get()).identity.agrees_with(identity):
                self._found[key] = loaded
                return loaded
        return None

    def of(self, record: KnowledgeBaseRecord) -> Embedder:
        """The embedder that a knowledge base was made for.

        Raises:
            FailedPrecondition: EMBEDDER_MISMATCH, naming both models and the remedy.
            Unavailable: it cannot be loaded.
        """
        found = self.find(record.embedder)
        if found is not None:
            return found
        made, name = record.embedder, record.name
        current = self._specs[self._default_key]
        raise FailedPrecondition(
            "EMBEDDER_MISMATCH",
            f"knowledge base {name!r} holds vectors of {made.label} with {made.dimension} dimensions, which no "
            f"embedder of config/embedders.yaml makes; put that model back, or run "
            f"`trirag kb migrate {name} --embedder {current.key}`, which embeds its stored texts again",
            metadata={"knowledge_base": name, "made_for": made.label, "dimension": str(made.dimension)},
        )
