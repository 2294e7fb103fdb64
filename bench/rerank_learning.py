"""Learning a linear ranking from judged candidates: a listwise softmax loss, folds by document.

The loss of a judged item is the negative log chance of the candidates that satisfy it against the irrelevant ones
(ListNet's top-one loss, Cao et al. 2007), averaged over a query's items, a set's queries, and the sets. It is convex
but for the ``linked`` feature, whose values depend on the weights themselves; a few rounds settle those.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt
from scipy.optimize import minimize

from services.retrieval.domain.links import LEAST_CHANCE
from services.retrieval.domain.rerank import FEATURES, LINKED

Matrix = npt.NDArray[np.float64]
Vector = npt.NDArray[np.float64]
FOLDS = 5
_LINKED = FEATURES.index(LINKED)
_L2 = 0.0005
# Rounds in which the leading passages, and with them ``linked``, are found anew.
_ROUNDS = 3


@dataclass
class Judged:
    """A query's candidates: features (n, f), and for each judged item which candidates satisfy it (items, n).

    ``pairs`` are (candidate, passage that names it); ``passages`` counts for each candidate those of its document.
    """

    fold: int
    documents: frozenset[str]
    features: Matrix
    covers: npt.NDArray[np.bool_]
    dense_rank: npt.NDArray[np.int64]
    keyword_rank: npt.NDArray[np.int64]
    pairs: npt.NDArray[np.int64] = field(default_factory=lambda: np.zeros((0, 2), np.int64))
    passages: Vector = field(default_factory=lambda: np.ones(0))


def score(row: Judged, weights: Vector) -> Vector:
    """Scores of the candidates by both passes, as services/retrieval/domain/rerank.py computes them."""
    first = row.features @ weights
    return first + weights[_LINKED] * _linked(row, first)


def learn(sets: Sequence[Sequence[Judged]]) -> Vector:
    """Weights by L-BFGS; deterministic."""
    weights = np.zeros(len(FEATURES))
    for _ in range(_ROUNDS):
        weights = _Loss(sets, weights).minimum()
    return weights


def learn_without(data: Mapping[str, Sequence[Judged]], fold: int) -> Vector:
    """Weights from the queries that share no judged document with the queries of ``fold``."""
    held_out = {document for rows in data.values() for row in rows if row.fold == fold for document in row.documents}
    return learn([[row for row in rows if not row.documents & held_out] for rows in data.values()])


def _linked(row: Judged, first: Vector) -> Vector:
    total = np.zeros(len(first))
    if len(row.pairs):
        chances = np.exp(first - first.max())
        chances /= chances.sum()
        lent = chances[row.pairs[:, 1]]
        np.add.at(total, row.pairs[:, 0], np.where(lent >= LEAST_CHANCE, lent, 0.0))
    return np.minimum(total, 1.0) / row.passages


class _Loss:
    """All (query, item) groups in one matrix: the item's passages and the irrelevant ones."""

    def __init__(self, sets: Sequence[Sequence[Judged]], leading: Vector) -> None:
        parts, wanted, shares = [], [], []
        used = [rows for rows in sets if rows]
        for rows in used:
            for row in rows:
                found = row.covers[row.covers.any(axis=1)]
                irrelevant = ~row.covers.any(axis=0)
                features = row.features.copy()
                features[:, _LINKED] = _linked(row, row.features @ leading)
                for covers in found:
                    group = irrelevant | covers
                    parts.append(features[group])
                    wanted.append(covers[group])
                    shares.append(1.0 / len(found) / len(rows) / len(used))
        self._features = np.concatenate(parts)
        self._wanted = np.concatenate(wanted).astype(np.float64)
        self._sizes = np.array([len(part) for part in parts])
        self._starts = np.concatenate([[0], np.cumsum(self._sizes)[:-1]])
        self._shares = np.array(shares)

    def minimum(self) -> Vector:
        """The weights of least loss."""
        start = np.zeros(self._features.shape[1])
        found = minimize(self._value, start, jac=True, method="L-BFGS-B", options={"maxiter": 200})
        return np.asarray(found.x, np.float64)

    def _value(self, weights: Vector) -> tuple[float, Vector]:
        logits = self._features @ weights
        logits -= np.repeat(np.maximum.reduceat(logits, self._starts), self._sizes)
        everything = np.exp(logits)
        wanted = everything * self._wanted
        of_all = np.add.reduceat(everything, self._starts)
        of_wanted = np.add.reduceat(wanted, self._starts) + 1e-300
        loss = float((self._shares * (np.log(of_all) - np.log(of_wanted))).sum()) + _L2 / 2 * float(weights @ weights)
        pull = everything / np.repeat(of_all, self._sizes) - wanted / np.repeat(of_wanted, self._sizes)
        return loss, (pull * np.repeat(self._shares, self._sizes)) @ self._features + _L2 * weights
