"""How well the sufficiency of evidence is judged: accuracy, AUROC of the score, confusion table."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from cli.evaluate.figures import auroc, balanced_accuracy, by_group, share
from cli.evaluate.rows import Row

ID = "id"
REQUIRED = ("question", "chunks", "label", "language")
LABELS = ("sufficient", "insufficient", "conflicting")
NO_LABEL = "missing"

Predictions = Mapping[str, Mapping[str, Any]]


def predictor(check: Callable[[Any], Any]) -> Callable[[Row], dict[str, Any]]:
    """``check`` takes a CheckSufficiencyRequest and gives its response message."""
    from cli.case_files import sufficiency_request
    from cli.render.words import enum_word
    from trirag.validation.v1 import validation_pb2 as pb

    def predict(row: Row) -> dict[str, Any]:
        judgement = check(sufficiency_request(row, row[ID]))
        label = enum_word(pb.SufficiencyLabel, judgement.label)
        return {ID: row[ID], "label": label, "score": round(judgement.score, 6)}

    return predict


def score(rows: Sequence[Row], predictions: Predictions) -> dict[str, Any]:
    """Figures over all rows, by source set (the part of the id before the first hyphen) and by language."""
    return {
        **_figures(rows, predictions),
        "sources": _figures_by(rows, predictions, lambda row: str(row[ID]).split("-")[0]),
        "languages": _figures_by(rows, predictions, lambda row: str(row["language"])),
        "missing_predictions": sum(row[ID] not in predictions for row in rows),
    }


def failing(rows: Sequence[Row], predictions: Predictions) -> list[dict[str, Any]]:
    """Rows with a wrong label."""
    found = []
    for row in rows:
        said = predictions.get(row[ID]) or {}
        if said.get("label") != row["label"]:
            about = {ID: row[ID], "question": row["question"], "label": row["label"]}
            found.append({**about, "predicted": said.get("label"), "score": said.get("score")})
    return found


def certainty(rows: Sequence[Row], predictions: Predictions) -> tuple[list[float], list[bool]]:
    """(score, whether the evidence does suffice) of every row with a prediction, for the risk-coverage curve."""
    judged = [row for row in rows if row[ID] in predictions]
    scores = [float(predictions[row[ID]]["score"]) for row in judged]
    return scores, [row["label"] == "sufficient" for row in judged]


def _figures(rows: Sequence[Row], predictions: Predictions) -> dict[str, Any]:
    pairs = [(row["label"], str((predictions.get(row[ID]) or {}).get("label", NO_LABEL))) for row in rows]
    scores, sufficient = certainty(rows, predictions)
    columns = (*LABELS, NO_LABEL) if any(said == NO_LABEL for _, said in pairs) else LABELS
    return {
        "n": len(pairs),
        "accuracy": share(label == said for label, said in pairs),
        "balanced_accuracy": balanced_accuracy(pairs),
        "auroc": auroc(scores, sufficient),
        "confusion": {
            label: {said: pairs.count((label, said)) for said in columns}
            for label in LABELS
            if any(gold == label for gold, _ in pairs)
        },
    }


def _figures_by(rows: Sequence[Row], predictions: Predictions, key: Callable[[Row], str]) -> dict[str, Any]:
    return by_group(rows, key, lambda group: _figures(group, predictions))
