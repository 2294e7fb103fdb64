"""How well answers are judged. Keys and rules are those of the scorer beside the data.

A file without categories and families (real claims) gets balanced accuracy and AUROC in their place.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from cli.evaluate.figures import auroc, balanced_accuracy, by_group, f1_score, ratio, share
from cli.evaluate.rows import Row

ID = "id"
REQUIRED = ("question", "answer", "chunks", "label", "language", "issues")
# Defects of the answer as a whole: whichever statement is named is right.
WHOLE_ANSWER = frozenset({"INCOMPLETE_ANSWER", "COMPARISON_MISSING_SIDE"})
NO_LABEL = "missing"

Pair = tuple[str, str]
Predictions = Mapping[str, Mapping[str, Any]]


def predictor(validate: Callable[[Any], Any]) -> Callable[[Row], dict[str, Any]]:
    """``validate`` takes a ValidateAnswerRequest and gives a Verdict message."""
    from cli.case_files import validation_request
    from trirag.validation.v1 import validation_pb2 as pb

    def predict(row: Row) -> dict[str, Any]:
        verdict = validate(validation_request(row, row[ID]))
        issues = [
            {
                "type": pb.IssueType.Name(issue.type).removeprefix("ISSUE_TYPE_"),
                "statement": issue.statement_index,
                "severity": pb.Severity.Name(issue.severity).removeprefix("SEVERITY_").lower(),
                "check": issue.check_id,
            }
            for issue in verdict.issues
        ]
        label = "valid" if verdict.valid else "invalid"
        return {ID: row[ID], "label": label, "issues": issues, "confidence": round(verdict.confidence, 6)}

    return predict


def score(rows: Sequence[Row], predictions: Predictions) -> dict[str, Any]:
    """Detection of invalid answers in all and by group, and how well the defects were named."""
    hits = {row[ID]: named_defects(row, predictions.get(row[ID])) for row in rows if row["label"] == "invalid"}
    defects = [hit for named in hits.values() for _, hit in named]
    figures: dict[str, Any] = {
        "overall": _detection(rows, predictions),
        "issue_type_accuracy": share(
            _label(predictions, row_id) == "invalid" and all(hit for _, hit in named) for row_id, named in hits.items()
        ),
        "issue_recall": ratio(sum(defects), len(defects)),
    }
    if all("category" in row for row in rows):
        figures["family_accuracy"] = _family_accuracy(rows, predictions)
        figures["by_category"] = _detection_by(rows, predictions, "category")
    else:
        figures.update(_claim_figures(rows, predictions))
    figures["by_language"] = _detection_by(rows, predictions, "language")
    figures["by_issue_type"] = _by_issue_type(hits)
    figures["false_alarms"] = _false_alarms(rows, predictions)
    known = {row[ID] for row in rows}
    figures["missing_predictions"] = len(known - set(predictions))
    figures["unknown_predictions"] = len(set(predictions) - known)
    return figures


def failing(rows: Sequence[Row], predictions: Predictions) -> list[dict[str, Any]]:
    """Rows with a wrong label, or with a defect that was not named."""
    found = []
    for row in rows:
        label = _label(predictions, row[ID])
        named = row["label"] == "valid" or all(hit for _, hit in named_defects(row, predictions.get(row[ID])))
        if label != row["label"] or not named:
            said = (predictions.get(row[ID]) or {}).get("issues", [])
            found.append(
                {
                    ID: row[ID],
                    "category": row.get("category", ""),
                    "label": row["label"],
                    "predicted": label,
                    "issues": row["issues"],
                    "predicted_issues": said,
                    "note": row.get("note", ""),
                }
            )
    return found


def named_defects(row: Row, prediction: Mapping[str, Any] | None) -> list[tuple[str, bool]]:
    """(first type, whether it was named) of every statement at fault; types of one statement are alternatives."""
    faults: dict[int, list[str]] = {}
    for issue in row["issues"]:
        faults.setdefault(issue["statement"], []).append(issue["type"])
    said = prediction or {}
    found = {(issue.get("type"), issue.get("statement")) for issue in said.get("issues") or []}
    told = {kind for kind, _ in found}
    invalid = said.get("label") == "invalid"
    return [
        (kinds[0], invalid and any((k, at) in found or (k in WHOLE_ANSWER and k in told) for k in kinds))
        for at, kinds in faults.items()
    ]


def _label(predictions: Predictions, row_id: str) -> str:
    return str((predictions.get(row_id) or {}).get("label", NO_LABEL))


def _pairs(rows: Sequence[Row], predictions: Predictions) -> list[Pair]:
    return [(row["label"], _label(predictions, row[ID])) for row in rows]


def _detection(rows: Sequence[Row], predictions: Predictions) -> dict[str, Any]:
    pairs = _pairs(rows, predictions)
    hits = pairs.count(("invalid", "invalid"))
    predicted = sum(said == "invalid" for _, said in pairs)
    actual = sum(label == "invalid" for label, _ in pairs)
    return {
        "cases": len(pairs),
        "accuracy": share(label == said for label, said in pairs),
        "precision": ratio(hits, predicted),
        "recall": ratio(hits, actual),
        "f1": f1_score(hits, predicted, actual),
    }


def _detection_by(rows: Sequence[Row], predictions: Predictions, key: str) -> dict[str, Any]:
    return by_group(rows, lambda row: str(row[key]), lambda group: _detection(group, predictions))


def _family_accuracy(rows: Sequence[Row], predictions: Predictions) -> float | None:
    """Share of families of minimal twins with every label right; the last letter of an id is the twin's."""
    families: dict[str, bool] = {}
    for row in rows:
        right = row["label"] == _label(predictions, row[ID])
        families[row[ID][:-1]] = families.get(row[ID][:-1], True) and right
    return share(families.values())


def _claim_figures(rows: Sequence[Row], predictions: Predictions) -> dict[str, Any]:
    judged = [row for row in rows if row[ID] in predictions]
    validity = [_validity(predictions[row[ID]]) for row in judged]
    return {
        "balanced_accuracy": balanced_accuracy(_pairs(rows, predictions)),
        "auroc": auroc(validity, [row["label"] == "valid" for row in judged]),
    }


def _validity(prediction: Mapping[str, Any]) -> float:
    return float(prediction.get("confidence", 0.0))


def _by_issue_type(hits: Mapping[str, Sequence[tuple[str, bool]]]) -> dict[str, Any]:
    counts: dict[str, list[bool]] = {}
    for named in hits.values():
        for kind, hit in named:
            counts.setdefault(kind, []).append(hit)
    return {
        kind: {"issues": len(flags), "found": sum(flags), "accuracy": share(flags)}
        for kind, flags in sorted(counts.items())
    }


def _false_alarms(rows: Sequence[Row], predictions: Predictions) -> dict[str, int]:
    alarms: Counter[str] = Counter()
    for row in rows:
        if row["label"] == "valid" and _label(predictions, row[ID]) == "invalid":
            alarms.update({str(issue.get("type")) for issue in predictions[row[ID]].get("issues") or []})
    return dict(sorted(alarms.items(), key=lambda item: (-item[1], item[0])))
