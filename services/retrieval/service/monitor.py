"""Metrics of searches: outcomes, times, and the distributions that tell when embeddings drift."""

from __future__ import annotations

from prometheus_client import Counter, Histogram

_TASKS = Counter("trirag_retrieval_tasks_total", "Search tasks by type and outcome.", ["type", "status"])
_SECONDS = Histogram(
    "trirag_retrieval_task_seconds",
    "Time of a search task.",
    ["type"],
    buckets=(0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0),
)
# Unit vectors have norm 1: anything else means another model, or one that has lost its normalisation.
_NORMS = Histogram(
    "trirag_retrieval_query_vector_norm",
    "Euclidean norm of query vectors, by embedder.",
    ["embedder"],
    buckets=(0.5, 0.9, 0.99, 0.999, 1.001, 1.01, 1.1, 2.0),
)
_BEST_COSINE = Histogram(
    "trirag_retrieval_best_cosine",
    "Cosine of the nearest passage of a search, by knowledge base.",
    ["knowledge_base"],
    # Fine where text embedders live: a drift of a few hundredths is what the alert looks for.
    buckets=(0.1, 0.3, 0.4, *(round(0.5 + step * 0.025, 3) for step in range(21))),
)
_HITS = Histogram("trirag_retrieval_hits", "Hits of a search task.", buckets=(0, 1, 2, 5, 10, 20, 50, 100, 200))


def observe_task(kind: str, status: str, seconds: float, hits: int) -> None:
    """Counts a finished task."""
    _TASKS.labels(kind, status).inc()
    _SECONDS.labels(kind).observe(seconds)
    if status == "ok":
        _HITS.observe(hits)


def observe_query_vector(norm: float, embedder: str) -> None:
    """Notes the norm of a fresh query vector of an embedder (name and revision)."""
    _NORMS.labels(embedder).observe(norm)


def observe_best_cosine(cosine: float, knowledge_base: str) -> None:
    """Notes how near the nearest passage is."""
    _BEST_COSINE.labels(knowledge_base).observe(cosine)
