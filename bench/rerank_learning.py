"""Learning a linear ranking from judged candidates: a listwise softmax loss, folds by document.

The loss of a judged item is the negative log chance of the candidates that satisfy it against the irrelevant ones
(ListNet's top-one loss, Cao et al. 2007), averaged over a query's items, a set's queries, and the sets. It is convex
but for the ``linked`` feature, whose values depend on the weights themselves; a few rounds settle those. The feature of
the day that a question names is learnt last and by itself, from questions asked of every version: elsewhere all
candidates are in force on the day asked about, and nothing shows what it is worth.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt
from scipy.optimize import minimize

from services.retrieval.domain.ranking.links import LEAST_CHANCE
from services.retrieval.domain.ranking.rerank import FEATURES, IN_FORCE_THEN, LINKED

Matrix = npt.NDArray[np.float64]
Vector = npt.NDArray[np.float64]
FOLDS = 5
_LINKED = FEATURES.index(LINKED)
_LAST = np.array([name == IN_FORCE_THEN for name in FEATURES])
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
    """Scores of the candidates by both passes, as services/retrieval/domain/ranking/rerank.py computes them."""
    first = row.features @ weights
    return first + weights[_LINKED] * _linked(row, first)


def learn(sets: Sequence[Sequence[Judged]], dated: Sequence[Sequence[Judged]] = ()) -> Vector:
    """Weights by L-BFGS; deterministic. ``dated`` are questions that name a day, asked of every version."""
    weights = np.zeros(len(FEATURES))
    for _ in range(_ROUNDS):
        weights = _Loss(sets, weights, ~_LAST).minimum()
    for _ in range(_ROUNDS if dated else 0):
        weights = _Loss(dated, weights, _LAST).minimum()
    return weights


def learn_without(
    data: Mapping[str, Sequence[Judged]], fold: int, dated: Mapping[str, Sequence[Judged]] | None = None
) -> Vector:
    """Weights from the queries that share no judged document with the queries of ``fold``."""
    held_out = {document for rows in data.values() for row in rows if row.fold == fold for document in row.documents}
    dated = dated or {}
    held_out |= {document for rows in dated.values() for row in rows if row.fold == fold for document in row.documents}

    def kept(sets: Mapping[str, Sequence[Judged]]) -> list[list[Judged]]:
        return [[row for row in rows if not row.documents & held_out] for rows in sets.values()]

    return learn(kept(data), kept(dated))


def _linked(row: Judged, first: Vector) -> Vector:
    total = np.zeros(len(first))
    if len(row.pairs):
        chances = np.exp(first - first.max())
        chances /= chances.sum()
        lent = chances[row.pairs[:, 1]]
        np.add.at(total, row.pairs[:, 0], np.where(lent >= LEAST_CHANCE, lent, 0.0))
    return np.minimum(total, 1.0) / row.passages


class _Loss:
    """All (query, item) groups in one matrix: the item's passages and the irrelevant ones.

    ``free`` (features,) are the weights to be found; the others stay as they are in ``leading``.
    """

    def __init__(self, sets: Sequence[Sequence[Judged]], leading: Vector, free: npt.NDArray[np.bool_]) -> None:
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
        everything = np.concatenate(parts)
        self._leading, self._free = leading, free
        self._features = everything[:, free]
        self._given = everything[:, ~free] @ leading[~free]
        self._wanted = np.concatenate(wanted).astype(np.float64)
        self._sizes = np.array([len(part) for part in parts])
        self._starts = np.concatenate([[0], np.cumsum(self._sizes)[:-1]])
        self._shares = np.array(shares)

    def minimum(self) -> Vector:
        """All weights, the free ones those of least loss."""
        start = np.zeros(self._features.shape[1])
        found = minimize(self._value, start, jac=True, method="L-BFGS-B", options={"maxiter": 200})
        weights = self._leading.copy()
        weights[self._free] = found.x
        return weights

    def _value(self, weights: Vector) -> tuple[float, Vector]:
        logits = self._given + self._features @ weights
        logits -= np.repeat(np.maximum.reduceat(logits, self._starts), self._sizes)
        everything = np.exp(logits)
        wanted = everything * self._wanted
        of_all = np.add.reduceat(everything, self._starts)
        of_wanted = np.add.reduceat(wanted, self._starts) + 1e-300
        loss = float((self._shares * (np.log(of_all) - np.log(of_wanted))).sum()) + _L2 / 2 * float(weights @ weights)
        pull = everything / np.repeat(of_all, self._sizes) - wanted / np.repeat(of_wanted, self._sizes)
        return loss, (pull * np.repeat(self._shares, self._sizes)) @ self._features + _L2 * weights
