"""How well passages are found.

A passage is relevant to an item of ``relevant`` if it comes from its ``document_id`` and, where ``contains`` is
given, includes that text after white space is normalised. Each item counts once, at the first rank that has it:
recall@k is the share of items found in the first k, MRR@10 the inverse of the first relevant rank, nDCG@10 the
discounted gain of the items over that of an ideal order (Järvelin and Kekäläinen's, with binary gains).
"""

from __future__ import annotations

import math
import re
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from cli.evaluate.figures import by_group, latency, rounded
from cli.evaluate.rows import Row

ID = "query_id"
REQUIRED = ("query", "relevant")
DEPTH = 10
CUTOFFS = (1, 5, 10)
_WHITE_SPACE = re.compile(r"[\s\u3000\u00a0]+")
_LANGUAGE_PAIR = re.compile(r"queries-(?:[a-z]{2}2)?(?P<language>[a-z]{2})")

Predictions = Mapping[str, Mapping[str, Any]]


def default_knowledge_base(path: Path) -> str:
    """Name of the set that a query file belongs to: its folder's name.

    Where the folder keeps its documents by language (``documents-en.jsonl``), the language searched is added:
    ``queries-zh2en.jsonl`` in ``xquad`` asks ``xquad_en``.
    """
    folder = path.resolve().parent
    match = _LANGUAGE_PAIR.fullmatch(path.stem)
    if match and (folder / f"documents-{match['language']}.jsonl").is_file():
        return f"{folder.name}_{match['language']}"
    return folder.name


def predictor(
    search: Callable[[Any], Any], template: Any, knowledge_base: str, every_version_of: Sequence[str] = ()
) -> Callable[[Row], dict[str, Any]]:
    """``search`` takes a SearchTask and gives its TaskResult; ``template`` holds type, filter and rerank.

    Rows whose type is in ``every_version_of`` see versions that are not in force, too.
    """
    from cli.options import parse_day, to_date

    def predict(row: Row) -> dict[str, Any]:
        task = type(template)()
        task.CopyFrom(template)
        task.query = row["query"]
        task.knowledge_base = knowledge_base
        if row.get("type") in every_version_of:
            task.filter.include_superseded = True
        day = to_date(parse_day("as_of", row.get("as_of")))
        if day is not None:
            task.filter.in_force_on.CopyFrom(day)
        started = time.perf_counter()
        result = search(task)
        took = (time.perf_counter() - started) * 1000
        hits = [(hit.chunk.document.document_id, hit.chunk.text) for hit in result.hits]
        return {
            ID: row[ID],
            "hits": [
                {"document_id": hit.chunk.document.document_id, "chunk_id": hit.chunk.chunk_id, "score": hit.score}
                for hit in result.hits
            ],
            "found_at": found_at(row["relevant"], hits),
            "latency_ms": round(took, 2),
            "cached": result.cached,
        }

    return predict


def found_at(relevant: Sequence[Mapping[str, Any]], hits: Sequence[tuple[str, str]]) -> list[int | None]:
    """For every relevant item the rank, from 1, of the first hit (document id, text) that has it."""
    texts = [(document_id, squeezed(text)) for document_id, text in hits]
    return [next((rank for rank, hit in enumerate(texts, start=1) if _has(item, *hit)), None) for item in relevant]


def squeezed(text: str) -> str:
    """Text with every run of white space as one space."""
    return _WHITE_SPACE.sub(" ", text).strip()


def score(rows: Sequence[Row], predictions: Predictions) -> dict[str, Any]:
    """Figures over all queries, by type and by language."""
    return {
        "all": _figures(rows, predictions),
        "types": _figures_by(rows, predictions, "type"),
        "languages": _figures_by(rows, predictions, "language"),
        "missing_predictions": sum(row[ID] not in predictions for row in rows),
        "from_cache": sum(bool(said.get("cached")) for said in predictions.values()),
    }


def failing(rows: Sequence[Row], predictions: Predictions) -> list[dict[str, Any]]:
    """Queries with a relevant item that the first ten hits do not have."""
    found = []
    for row in rows:
        said = predictions.get(row[ID]) or {}
        ranks = _ranks(row, predictions)
        if None in ranks:
            missed = [item for item, rank in zip(row["relevant"], ranks, strict=True) if rank is None]
            about = {ID: row[ID], "query": row["query"], "missed": missed}
            found.append({**about, "hits": [hit["chunk_id"] for hit in said.get("hits", [])]})
    return found


def _has(item: Mapping[str, Any], document_id: str, text: str) -> bool:
    return bool(document_id == item["document_id"]) and squeezed(item.get("contains") or "") in text


def _ranks(row: Row, predictions: Predictions) -> list[int | None]:
    said = predictions.get(row[ID])
    return list(said["found_at"]) if said else [None] * len(row["relevant"])


def _figures(rows: Sequence[Row], predictions: Predictions) -> dict[str, Any]:
    ranks = [_ranks(row, predictions) for row in rows]
    took = [float(predictions[row[ID]]["latency_ms"]) for row in rows if row[ID] in predictions]
    return {
        "queries": len(rows),
        **{f"recall@{k}": _mean([_recall(items, k) for items in ranks]) for k in CUTOFFS},
        f"mrr@{DEPTH}": _mean([_reciprocal_rank(items) for items in ranks]),
        f"ndcg@{DEPTH}": _mean([_ndcg(items) for items in ranks]),
        "latency_ms": latency(took),
    }


def _figures_by(rows: Sequence[Row], predictions: Predictions, key: str) -> dict[str, Any]:
    return by_group(rows, lambda row: str(row.get(key, "")), lambda group: _figures(group, predictions))


def _recall(ranks: Sequence[int | None], k: int) -> float:
    return sum(rank is not None and rank <= k for rank in ranks) / len(ranks) if ranks else 0.0


def _reciprocal_rank(ranks: Sequence[int | None]) -> float:
    return max((1 / rank for rank in ranks if rank is not None and rank <= DEPTH), default=0.0)


def _ndcg(ranks: Sequence[int | None]) -> float:
    gain = sum(1 / math.log2(rank + 1) for rank in ranks if rank is not None and rank <= DEPTH)
    ideal = sum(1 / math.log2(rank + 1) for rank in range(1, min(len(ranks), DEPTH) + 1))
    # One passage may have two items, which an ideal order of passages would show one below the other.
    return min(gain / ideal, 1.0) if ideal else 0.0


def _mean(values: Sequence[float]) -> float | None:
    return rounded(sum(values) / len(values)) if values else None
