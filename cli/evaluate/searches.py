"""Several ways of searching over the same rows, side by side."""

from __future__ import annotations

import enum
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from cli.errors import UsageProblem
from cli.evaluate import retrieval
from cli.evaluate.retrieval import Predictions
from cli.evaluate.rows import Row


class Way(enum.StrEnum):
    """A way to search: a type, or ``rerank``, which is the service's default."""

    DENSE = "dense"
    KEYWORD = "keyword"
    HYBRID = "hybrid"
    TWO_STAGE = "two_stage"
    RERANK = "rerank"

    @property
    def search_type(self) -> str:
        """Name of the SearchType on the wire; unspecified is hybrid, reranked."""
        return "SEARCH_TYPE_UNSPECIFIED" if self is Way.RERANK else f"SEARCH_TYPE_{self.name}"


@dataclass(frozen=True, slots=True)
class Result:
    """What one way predicted."""

    way: Way
    predictions: Predictions


def read_ways(written: str) -> list[Way]:
    """Ways from a comma-separated list, each once.

    Raises:
        UsageProblem: a name is not one of them.
    """
    ways = []
    for name in written.split(","):
        try:
            ways.append(Way(name.strip()))
        except ValueError:
            raise UsageProblem(f"--types: {name!r} is no way to search; there are {', '.join(Way)}") from None
    return list(dict.fromkeys(ways))


def score(rows: Sequence[Row], results: Sequence[Result]) -> dict[str, Any]:
    """``searches``: figures of each way over all rows; ``types`` and ``languages``: nDCG@10 of each way by group."""
    scored = {result.way.value: retrieval.score(rows, result.predictions) for result in results}
    return {
        "searches": {name: figures["all"] for name, figures in scored.items()},
        **{f"ndcg@10 by {group}": _column(scored, f"{group}s", "ndcg@10") for group in ("type", "language")},
        "missing_predictions": {name: figures["missing_predictions"] for name, figures in scored.items()},
        "from_cache": {name: figures["from_cache"] for name, figures in scored.items()},
    }


def failing(rows: Sequence[Row], results: Sequence[Result]) -> list[dict[str, Any]]:
    """Queries that a way misses an item of, way by way."""
    return [
        {"search": result.way.value, **row} for result in results for row in retrieval.failing(rows, result.predictions)
    ]


def _column(scored: Mapping[str, Mapping[str, Any]], groups: str, figure: str) -> dict[str, dict[str, Any]]:
    return {
        name: {group: figures[figure] for group, figures in values[groups].items()} for name, values in scored.items()
    }
