"""Figures that several evaluations share. Shares are rounded to four digits; None where there is no case."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from typing import TypeVar

T = TypeVar("T")
Figures = TypeVar("Figures")


def by_group(
    items: Iterable[T], name: Callable[[T], str], figures: Callable[[Sequence[T]], Figures]
) -> dict[str, Figures]:
    """The figures of every group of items with one name, in the order of the names."""
    groups: dict[str, list[T]] = {}
    for item in items:
        groups.setdefault(name(item), []).append(item)
    return {group: figures(groups[group]) for group in sorted(groups)}


def rounded(value: float | None) -> float | None:
    """Four digits."""
    return None if value is None else round(value, 4)


def share(flags: Iterable[bool]) -> float | None:
    """How many of the flags are set, in [0, 1]."""
    counted = list(flags)
    return ratio(sum(counted), len(counted))


def ratio(part: float, whole: float) -> float | None:
    """``part / whole``."""
    return rounded(part / whole) if whole else None


def f1_score(hits: int, predicted: int, actual: int) -> float | None:
    """Harmonic mean of precision and recall."""
    return ratio(2 * hits, predicted + actual)


def percentile(values: Sequence[float], percent: float) -> float | None:
    """The nearest-rank percentile, to a tenth."""
    if not values:
        return None
    ordered = sorted(values)
    rank = max(math.ceil(percent / 100 * len(ordered)), 1)
    return round(ordered[rank - 1], 1)


def latency(values: Sequence[float]) -> dict[str, float | None]:
    """Milliseconds at p50 and p95."""
    return {"p50": percentile(values, 50), "p95": percentile(values, 95)}


def auroc(scores: Sequence[float], positive: Sequence[bool]) -> float | None:
    """Area under the ROC curve by ranks; ties count half (Mann and Whitney's U over the number of pairs)."""
    positives = sum(positive)
    negatives = len(positive) - positives
    if not positives or not negatives:
        return None
    order = sorted(range(len(scores)), key=lambda i: scores[i])
    rank_sum = 0.0
    start = 0
    while start < len(order):
        end = start
        while end < len(order) and scores[order[end]] == scores[order[start]]:
            end += 1
        average = (start + 1 + end) / 2
        rank_sum += average * sum(positive[i] for i in order[start:end])
        start = end
    return rounded((rank_sum - positives * (positives + 1) / 2) / (positives * negatives))


def balanced_accuracy(pairs: Sequence[tuple[str, str]]) -> float | None:
    """Mean recall over the labels that occur; ``pairs`` are (gold, predicted)."""
    recalls = []
    for label in sorted({gold for gold, _ in pairs}):
        mine = [predicted == label for gold, predicted in pairs if gold == label]
        recalls.append(sum(mine) / len(mine))
    return rounded(sum(recalls) / len(recalls)) if recalls else None


def risk_coverage(scores: Sequence[float], right: Sequence[bool]) -> list[tuple[float, float]]:
    """(coverage, risk) when only the most certain rows are answered; equal scores enter together."""
    order = sorted(range(len(scores)), key=lambda i: -scores[i])
    points = []
    wrong = 0
    for position, index in enumerate(order, start=1):
        wrong += not right[index]
        last = position == len(order) or scores[order[position]] != scores[index]
        if last:
            points.append((position / len(order), wrong / position))
    return points


def reliability(scores: Sequence[float], right: Sequence[bool], bins: int = 10) -> list[dict[str, float | int | None]]:
    """For each bin of equal width that holds rows: how many, their mean score, and how many of them are right."""
    return [
        {
            "from": rounded(number / bins),
            "n": len(rows),
            "mean_score": rounded(sum(scores[i] for i in rows) / len(rows)),
            "right": rounded(sum(right[i] for i in rows) / len(rows)),
        }
        for number, rows in _binned(scores, bins)
    ]


def calibration_error(scores: Sequence[float], right: Sequence[bool], bins: int = 10) -> float | None:
    """Expected calibration error: the mean distance of a bin's mean score from its share of right rows, by rows.

    Naeini, Cooper and Hauskrecht (2015).
    """
    if not scores:
        return None
    distance = sum(abs(sum(scores[i] - right[i] for i in rows)) for _, rows in _binned(scores, bins))
    return rounded(distance / len(scores))


def _binned(scores: Sequence[float], bins: int) -> list[tuple[int, list[int]]]:
    """(number of the bin, places of its scores) of the bins that hold any; 1.0 belongs to the last."""
    groups: dict[int, list[int]] = {}
    for index, score in enumerate(scores):
        groups.setdefault(min(bins - 1, int(score * bins)), []).append(index)
    return sorted(groups.items())
