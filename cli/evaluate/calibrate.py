"""How far confidences can be trusted, and where to draw the line: accuracy over coverage, calibration, a point.

Works on the labelled files of validation (confidence that an answer is valid) and of sufficiency (chance that the
evidence suffices); a row is right if its label says valid, or sufficient.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import ModuleType
from typing import Any

from cli.errors import UsageProblem
from cli.evaluate import sufficiency, validation
from cli.evaluate.figures import auroc, calibration_error, reliability, rounded
from cli.evaluate.rows import Row

ID = "id"
REQUIRED = ("question", "chunks", "label", "language")
# Fewer accepted rows say nothing about a share of them.
LEAST_ACCEPTED = 20
# Normal quantile of a two-sided interval of 95 percent.
_QUANTILE = 1.959964
Predictions = Mapping[str, Mapping[str, Any]]


@dataclass(frozen=True, slots=True)
class Kind:
    """What a file is about: its evaluation, the field of a prediction that holds the confidence, the good label."""

    name: str
    evaluation: ModuleType
    call: str
    field: str
    good: str
    risk: str


VALIDATION = Kind("validation", validation, "validate", "confidence", "valid", "risk: share of invalid among accepted")
SUFFICIENCY = Kind("sufficiency", sufficiency, "check", "score", "sufficient", "risk: share that does not suffice")


def kind_of(rows: Sequence[Row]) -> Kind:
    """Validation if every row has an answer, sufficiency if none has.

    Raises:
        UsageProblem: the rows are a mixture, or hold one class only.
    """
    answers = sum("answer" in row for row in rows)
    if 0 < answers < len(rows):
        raise UsageProblem(f"{answers} of {len(rows)} rows have an answer; keep validation and sufficiency apart")
    kind = VALIDATION if answers else SUFFICIENCY
    if len({row["label"] == kind.good for row in rows}) < 2:
        raise UsageProblem(f"every row or none is {kind.good}; calibration needs both")
    return kind


def read_predictions(kind: Kind, rows: Sequence[Row]) -> dict[str, dict[str, Any]]:
    """Predictions that an evaluation wrote, by id.

    Raises:
        UsageProblem: a prediction has no confidence.
    """
    for row in rows:
        value = row.get(kind.field)
        if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 1:
            raise UsageProblem(f"prediction {row[ID]!r}: {kind.field}: a number from 0 to 1 is expected")
    return {row[ID]: row for row in rows}


def score(kind: Kind, rows: Sequence[Row], predictions: Predictions, target: float) -> dict[str, Any]:
    """The document that is printed; ``point`` is None where no threshold reaches ``target``."""
    judged = [row for row in rows if row[ID] in predictions]
    scores = [float(predictions[row[ID]][kind.field]) for row in judged]
    right = [row["label"] == kind.good for row in judged]
    points = accuracy_coverage(scores, right)
    point = choose(points, target)
    return {
        "kind": kind.name,
        "n": len(judged),
        "missing_predictions": len(rows) - len(judged),
        "base_rate": rounded(sum(right) / len(right)) if right else None,
        "auroc": auroc(scores, right),
        "expected_calibration_error": calibration_error(scores, right),
        "reliability": reliability(scores, right),
        "curve": points,
        "target_accuracy": target,
        "point": point,
        "policy": policy_entry(kind, point["threshold"]) if point else None,
    }


def accuracy_coverage(scores: Sequence[float], right: Sequence[bool]) -> list[dict[str, Any]]:
    """One point for each distinct score: accepting all rows at or above it, how many and how many rightly.

    ``accuracy_low`` is the lower end of Wilson's 95 percent interval (Wilson 1927).
    """
    order = sorted(range(len(scores)), key=lambda i: -scores[i])
    points: list[dict[str, Any]] = []
    hits = 0
    for accepted, index in enumerate(order, start=1):
        hits += right[index]
        if accepted < len(order) and scores[order[accepted]] == scores[index]:
            continue
        points.append(
            {
                "threshold": scores[index],
                "accepted": accepted,
                "coverage": rounded(accepted / len(order)),
                "accuracy": rounded(hits / accepted),
                "accuracy_low": rounded(_wilson_low(hits, accepted)),
            }
        )
    return points


def _wilson_low(hits: int, n: int) -> float:
    share, z2 = hits / n, _QUANTILE**2
    margin = _QUANTILE * math.sqrt(share * (1 - share) / n + z2 / (4 * n * n))
    return (share + z2 / (2 * n) - margin) / (1 + z2 / n)


def choose(points: Sequence[dict[str, Any]], target: float) -> dict[str, Any] | None:
    """The point of widest coverage that reaches the accuracy on at least ``LEAST_ACCEPTED`` rows, None if none does."""
    reached = [p for p in points if p["accepted"] >= LEAST_ACCEPTED and p["accuracy"] >= target]
    return max(reached, key=lambda p: p["accepted"], default=None)


def policy_entry(kind: Kind, threshold: float) -> dict[str, str]:
    """What to paste where; rounded down to four digits, so that the rows of the point stay in."""
    line = f"{math.floor(threshold * 10_000) / 10_000:g}"
    if kind is VALIDATION:
        return {
            "file": "config/policy.yaml",
            "entry": f"limits:\n  # Answers below it carry a warning.\n  min_confidence: {line}\n",
        }
    rule = f"  - id: good_enough\n    when: sufficiency.score >= {line}\n    then: answer\n"
    return {"file": "config/policy.yaml", "entry": f"sufficiency:\n{rule}"}


def text_lines(figures: Mapping[str, Any], steps: int = 10) -> list[str]:
    """The figures for people: the curve at even steps of coverage, the calibration, the point and its entry."""
    curve, point = figures["curve"], figures["point"]
    lines = [
        f"{figures['kind']}: {figures['n']} rows, base rate {figures['base_rate']}, AUROC {figures['auroc']}",
        f"expected calibration error {figures['expected_calibration_error']} (10 bins)",
        "",
        "coverage  accuracy  at least  threshold",
    ]
    for step in range(1, steps + 1):
        at = min(curve, key=lambda p: (abs(p["coverage"] - step / steps), -p["accepted"]))
        figures_at = (at["coverage"], at["accuracy"], at["accuracy_low"], at["threshold"])
        lines.append("{:8.2f}  {:8.3f}  {:8.3f}  {:9.4f}".format(*figures_at))
    return [
        *lines,
        "",
        *(_chosen(point, figures["policy"]) if point else _none_chosen(curve, figures["target_accuracy"])),
    ]


def _chosen(point: Mapping[str, Any], policy: Mapping[str, str]) -> list[str]:
    return [
        f"accuracy {point['accuracy']} (at least {point['accuracy_low']}) on {point['coverage']:.0%} of the rows, from "
        f"{point['threshold']:.4f} on; for {policy['file']}:",
        "",
        *policy["entry"].splitlines(),
    ]


def _none_chosen(curve: Sequence[Mapping[str, Any]], target: float) -> list[str]:
    enough = [p for p in curve if p["accepted"] >= LEAST_ACCEPTED]
    best = max(enough, key=lambda p: p["accuracy"], default=None)
    reached = f"; the best is {best['accuracy']} on {best['accepted']} rows" if best else ""
    return [f"no threshold reaches an accuracy of {target} on {LEAST_ACCEPTED} rows{reached}"]
