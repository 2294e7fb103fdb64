"""What reranking endpoints want to be asked and how they answer."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

_Body = Callable[[str, str, Sequence[str]], dict[str, Any]]
_Read = Callable[[Any], Mapping[int, float]]


@dataclass(frozen=True, slots=True)
class Dialect:
    """One API: the path below the base URL, the body for (model, query, documents), the scores by place of an answer.

    ``batch`` documents go in one request at most. ``read`` raises KeyError, TypeError or ValueError for an answer of
    another API.
    """

    path: str
    body: _Body
    read: _Read
    batch: int = 1000


def _rerank_body(model: str, query: str, documents: Sequence[str]) -> dict[str, Any]:
    return {"model": model, "query": query, "documents": list(documents), "top_n": len(documents)}


def _score_body(model: str, query: str, documents: Sequence[str]) -> dict[str, Any]:
    # -1: cut at what the model reads, where the default is to refuse.
    return {"model": model, "text_1": query, "text_2": list(documents), "truncate_prompt_tokens": -1}


def _tei_body(_model: str, query: str, documents: Sequence[str]) -> dict[str, Any]:
    return {"query": query, "texts": list(documents), "truncate": True}


def _scores(items: Sequence[Mapping[str, Any]], name: str) -> dict[int, float]:
    return {int(item["index"]): float(item[name]) for item in items}


DIALECTS: Mapping[str, Dialect] = {
    # vLLM, Jina, Cohere, OpenVINO, Infinity.
    "rerank": Dialect("rerank", _rerank_body, lambda answer: _scores(answer["results"], "relevance_score")),
    # vLLM's scores of pairs.
    "score": Dialect("score", _score_body, lambda answer: _scores(answer["data"], "score")),
    # Text Embeddings Inference, which takes 32 texts at once unless it is told otherwise.
    "tei": Dialect("rerank", _tei_body, lambda answer: _scores(answer, "score"), batch=32),
}
"""APIs by the name that ``TRIRAG_RETRIEVAL_RERANKER_API`` gives them."""
