"""Learns the small models of Validation on one half of the data and writes them as readable YAML.

usage: python bench/validation_calibrate.py SHARED_DATA [--write]

support: on shared/claims (half 0 by id) and shared/validation (half 0 by family); sufficiency and conflict: on
shared/sufficiency (half 0 by id). Without --write only the figures of both halves are printed.
"""

from __future__ import annotations

import argparse
import hashlib
import sys
from collections.abc import Sequence
from datetime import date
from pathlib import Path
from typing import Any

from validation_data import (
    Features,
    auroc,
    balanced_accuracy,
    best_threshold,
    calibration_error,
    chance,
    half,
    learn,
    read_rows,
    token_overlap,
)

from services.validation.adapters.config import DEFAULT_DIRECTORY, default_config
from services.validation.adapters.rows import sufficiency_row, validation_row
from services.validation.domain.case import Case
from services.validation.domain.needs import look_for, mostly_covered, needs_of
from services.validation.domain.sufficiency import answer_features, conflict_features, find_conflicts, topical_passages
from services.validation.domain.support import statement_features
from services.validation.validator import analyser_for

TODAY = date(2026, 11, 30)
# Right statements not seen here may score lower than the lowest seen.
_CAUTION = 0.35
Row = tuple[str, Features, bool]
_HEADERS = {
    "support": "Chance that the cited passages carry a statement. Below reject it is unsupported; between reject "
    "and accept a "
    "second opinion may be asked.",
    "sufficiency": "Chance that the evidence can carry an answer.",
    "conflict": "Chance that passages on the question's topic contradict each other.",
}


def support_rows(data: Path) -> tuple[list[Row], list[Row]]:
    """Claims, and statements of the labelled answers that are right or unsupported."""
    return (
        [
            (row["id"], f, row["label"] == "valid")
            for row in read_rows(data / "claims/validation.jsonl")
            for _, f in _features(row)
        ],
        [
            (row["id"][:-1], f, row["label"] == "valid")
            for row in read_rows(data / "validation/dev.jsonl")
            for index, f in _features(row)
            if row["label"] == "valid"
            or any(i["type"] == "UNSUPPORTED_STATEMENT" and i["statement"] == index for i in row["issues"])
        ],
    )


def _features(row: dict[str, Any]) -> list[tuple[int, Features]]:
    item = validation_row(row)
    config = default_config()
    case = Case(item.question, None, item.answer, item.chunks, item.as_of, TODAY, config, analyser_for(config))
    return [(r.index, statement_features(case, r)) for r in case.readings if r.is_claim and r.cited]


def sufficiency_rows(data: Path) -> tuple[list[Row], list[Row]]:
    """Rows for "can be answered" and for "contradicts"."""
    config = default_config()
    answerable: list[Row] = []
    conflict: list[Row] = []
    for row in read_rows(data / "sufficiency/sufficiency.jsonl"):
        item = sufficiency_row(row)
        case = Case(item.question, None, "", item.chunks, item.as_of, TODAY, config, analyser_for(config))
        topical = topical_passages(case)
        needs = mostly_covered(look_for(case, needs_of(case, None)))
        answerable.append((row["id"], answer_features(case, topical, needs), row["label"] != "insufficient"))
        found = find_conflicts(case, topical)
        conflict.append((row["id"], conflict_features(case, topical, found), row["label"] == "conflicting"))
    return answerable, conflict


def fit(name: str, rows: Sequence[Row]) -> tuple[float, dict[str, float], float]:
    """Learn on half 0, print the figures of both halves, return intercept, weights and the threshold of half 0."""
    halves = [[(f, y) for key, f, y in rows if half(key) == h] for h in (0, 1)]
    names = list(halves[0][0][0])
    intercept, weights = learn(halves[0], names)
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
    (DEFAULT_DIRECTORY / f"{name}_model.yaml").write_text("\n".join(lines) + "\n", encoding="utf-8")


def main() -> int:
    """Run."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("data", type=Path)
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args()
    claims, answers = support_rows(options.data)
    fit("claims", claims)
    overlap = [
        (
            row["id"],
            {"overlap": token_overlap(row["answer"].replace("[1]", ""), [c["text"] for c in row["chunks"]])},
            row["label"] == "valid",
        )
        for row in read_rows(options.data / "claims/validation.jsonl")
    ]
    for name, rows in (("support features", claims), ("token overlap", overlap)):
        accuracy, area = cross_validated(rows)
        print(f"claims, 5 folds in 3 orders, {name}: balanced {accuracy:.3f} auroc {area:.3f}")
    intercept, weights, threshold = fit("support", [*claims, *answers])
    right = [chance(intercept, weights, f) for key, f, y in answers if y and half(key) == 0]
    reject = min(threshold, min(right) * _CAUTION)
    print(f"reject below {reject:.3f}: no right statement of half 0 is lost")
    answerable, conflict = sufficiency_rows(options.data)
    enough = fit("sufficiency", answerable)
    clash = fit("conflict", conflict)
    if options.write:
        write("support", intercept, weights, {"reject": reject, "accept": max(threshold, reject)})
        write("sufficiency", enough[0], enough[1], {"sufficient": enough[2]})
        write("conflict", clash[0], clash[1], {"conflicting": clash[2]})
    return 0


if __name__ == "__main__":
    sys.exit(main())
