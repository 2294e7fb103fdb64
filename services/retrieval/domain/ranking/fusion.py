"""Combining ranked lists."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

RRF_K = 60
"""Reciprocal rank fusion's k (Cormack, Clarke and Buettcher 2009). 60 is the paper's value."""


def reciprocal_rank_fusion(
    lists: Mapping[str, Sequence[str]], weights: Mapping[str, float] | None = None, k: int = RRF_K
) -> list[tuple[str, float]]:
    """Keys with their fused score, best first: the sum over lists of weight / (k + rank), rank from 1.

    Ties are settled by the best single rank and then by key, so the result is deterministic.
    """
    scores: dict[str, float] = {}
    best: dict[str, int] = {}
    for name, keys in lists.items():
        weight = 1.0 if weights is None else weights.get(name, 1.0)
        for rank, key in enumerate(keys, start=1):
            scores[key] = scores.get(key, 0.0) + weight / (k + rank)
            best[key] = min(rank, best.get(key, rank))
    return sorted(scores.items(), key=lambda item: (-item[1], best[item[0]], item[0]))


def weighted_fusion(lists: Mapping[str, Mapping[str, float]], weights: Mapping[str, float]) -> list[tuple[str, float]]:
    """Keys with the weighted sum of their min-max normalised scores, best first.

    A key that a list lacks gets 0 from it. A list whose scores are all equal gives each of them 1.
    """
    fused: dict[str, float] = {}
    for name, scores in lists.items():
        if not scores:
            continue
        low, high = min(scores.values()), max(scores.values())
        spread = high - low
        for key, score in scores.items():
            share = (score - low) / spread if spread > 0 else 1.0
            fused[key] = fused.get(key, 0.0) + weights.get(name, 1.0) * share
    return sorted(fused.items(), key=lambda item: (-item[1], item[0]))
