"""Random halves: weights learnt and thresholds chosen on one, figures on the other, many times over.

One half of the claims has 59 supported ones, so that one split says little: its balanced accuracy is good to about
four points. The mean over splits and its spread say more.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping, Sequence
from statistics import fmean, stdev
from typing import Any

from bench.validation_calibrate import LIGHT_RIDGE, SOURCES, Evidence, centred
from bench.validation_data import Features, auroc, balanced_accuracy, chance, learn, steady_threshold

Figures = tuple[float, float]
# (key, features, whether supported)
Statement = tuple[str, Features, bool]


def claim_splits(
    claims: Sequence[Statement],
    answers: Sequence[Statement],
    further: Sequence[Statement],
    rows: Sequence[Mapping[str, Any]],
    scored: Mapping[str, Sequence[float]],
    splits: int,
) -> None:
    """The support score on claims; the half's labelled answers and the further claims help to learn."""
    more = [(f, y) for _, f, y in further]
    keys = [key for key, *_ in (*claims, *answers)]
    labels = {row["id"]: row["label"] == "valid" for row in rows}
    baselines = {name: {r["id"]: s for r, s in zip(rows, scores, strict=True)} for name, scores in scored.items()}
    results = []
    for chosen in _halves(keys, splits):
        known = [(f, y) for k, f, y in (*claims, *answers) if k in chosen]
        intercept, weights = learn([*known, *more], list(claims[0][1]))
        mine: dict[str, float] = {}
        for key, features, _ in claims:
            mine[key] = min(mine.get(key, 1.0), chance(intercept, weights, features))
        scores = baselines | {"support score": mine}
        results.append({name: _figures(values, labels, chosen) for name, values in scores.items()})
    _print("claims", results, "support score")


def sufficiency_splits(
    evidence: Sequence[Evidence],
    further: Sequence[Evidence],
    rows: Sequence[Mapping[str, Any]],
    scored: Mapping[str, Sequence[float]],
    splits: int,
) -> None:
    """The score of sufficiency by source set, learnt on the half of all sets; ``further`` tells of contradiction."""
    names = {name: list(getattr(evidence[0], name)) for name in ("answer", "conflict")}
    results: dict[str, list[dict[str, Figures]]] = {source: [] for source in SOURCES}
    for chosen in _halves([e.key for e in evidence], splits):
        half = [e for e in evidence if e.key in chosen]
        answerable = [(e.answer, e.label != "insufficient") for e in half if not e.searched]
        answer = learn(answerable, names["answer"], ridge=LIGHT_RIDGE)
        clashing = [(e.conflict, e.label == "conflicting") for e in (*half, *further)]
        clash = learn(clashing, names["conflict"], ridge=LIGHT_RIDGE)
        clash = (centred(*clash, half), clash[1])
        mine = {e.key: chance(*answer, e.answer) * (1 - chance(*clash, e.conflict)) for e in evidence if not e.made}
        for source in SOURCES:
            labels = {r["id"]: r["label"] == "sufficient" for r in rows if r["id"].startswith(source)}
            known = {n: {r["id"]: s for r, s in zip(rows, v, strict=True)} for n, v in scored.items()}
            known["validation"] = mine
            results[source].append({name: _figures(values, labels, chosen) for name, values in known.items()})
    for source in SOURCES:
        _print(source, results[source], "validation")


def _halves(keys: Sequence[str], splits: int) -> Iterator[set[str]]:
    distinct = sorted(set(keys))
    for seed in range(splits):
        order = random.Random(seed).sample(distinct, len(distinct))
        yield set(order[: len(order) // 2])


def _figures(scores: Mapping[str, float], labels: Mapping[str, bool], chosen: set[str]) -> Figures:
    """(balanced accuracy, AUROC) on the other half, the threshold from the chosen one."""
    sides = [[k for k in labels if k in scores and (k in chosen) is side] for side in (True, False)]
    (known, known_labels), (tested, truth) = (([scores[k] for k in s], [labels[k] for k in s]) for s in sides)
    return balanced_accuracy(tested, truth, steady_threshold(known, known_labels)), auroc(tested, truth)


def _print(title: str, results: Sequence[Mapping[str, Figures]], mine: str) -> None:
    print(f"{title}, {len(results)} random halves: mean balanced accuracy and AUROC (spread)")
    for name in results[0]:
        columns = list(zip(*(r[name] for r in results), strict=True))
        print(f"  {name:26}" + "  ".join(f"{fmean(c):.3f} ({stdev(c):.3f})" for c in columns))
    others = [name for name in results[0] if name != mine]
    best = max(others, key=lambda name: fmean(r[name][0] for r in results))
    margins = [r[mine][0] - r[best][0] for r in results]
    print(f"  margin over {best}: {fmean(margins):+.3f} ({stdev(margins):.3f}), ahead in {sum(m > 0 for m in margins)}")
