"""trirag eval calibrate: the curve, the calibration error and the chosen point against values worked out by hand."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml
from cli_fakes import FakeEdge, Result

from cli.errors import UsageProblem
from cli.evaluate import calibrate, figures
from services.orchestrator.adapters.policy_schema import PolicyModel
from trirag.validation.v1 import validation_pb2

Trirag = Callable[..., Result]
CHUNK = {"chunk_id": "c", "text": "x", "metadata": {}}
SUFFICIENT = validation_pb2.SUFFICIENCY_LABEL_SUFFICIENT


def write(path: Path, rows: list[dict[str, Any]]) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def evidence_rows(labels: list[str]) -> list[dict[str, Any]]:
    return [
        {"id": f"a-{i}", "question": f"q{i}", "language": "en", "chunks": [CHUNK], "label": label}
        for i, label in enumerate(labels)
    ]


def answer_rows(labels: list[str]) -> list[dict[str, Any]]:
    return [row | {"answer": "x [1].", "issues": []} for row in evidence_rows(labels)]


def graded(n: int) -> tuple[list[str], list[float]]:
    """Scores from high to low; the first half is right, then every third is."""
    labels = ["valid" if i < n / 2 or i % 3 == 0 else "invalid" for i in range(n)]
    return labels, [round(1 - i / n, 4) for i in range(n)]


def test_the_calibration_error_is_the_mean_distance_by_rows() -> None:
    # [0.1, 0.2): mean 0.15, none right; [0.9, 1]: mean 0.95, two of three right.
    scores, right = [0.1, 0.19, 0.9, 0.95, 1.0], [False, False, True, False, True]
    expected = (abs(0.29 - 0) + abs(2.85 - 2)) / 5
    assert figures.calibration_error(scores, right) == pytest.approx(expected, abs=1e-4)
    assert figures.calibration_error([], []) is None
    assert figures.reliability(scores, right) == [
        {"from": 0.1, "n": 2, "mean_score": 0.145, "right": 0.0},
        {"from": 0.9, "n": 3, "mean_score": 0.95, "right": 0.6667},
    ]


def test_perfect_calibration_has_no_error_and_confident_mistakes_have_all() -> None:
    assert figures.calibration_error([0.5] * 4, [True, False] * 2) == 0.0
    assert figures.calibration_error([1.0, 1.0], [False, False]) == 1.0


def test_equal_scores_enter_the_curve_together() -> None:
    points = calibrate.accuracy_coverage([0.9, 0.5, 0.5, 0.1], [True, False, True, False])
    assert [(p["threshold"], p["accepted"], p["coverage"], p["accuracy"]) for p in points] == [
        (0.9, 1, 0.25, 1.0), (0.5, 3, 0.75, 0.6667), (0.1, 4, 1.0, 0.5),
    ]  # fmt: skip
    # Wilson's lower bound of one hit in one, by hand: 1 / (1 + z²).
    assert points[0]["accuracy_low"] == pytest.approx(1 / (1 + 1.959964**2), abs=1e-4)


def test_the_widest_point_that_reaches_the_accuracy_is_chosen() -> None:
    right = [True] * 19 + [False] + [True] * 10 + [False] * 10
    points = calibrate.accuracy_coverage([1 - i / 100 for i in range(40)], right)
    assert calibrate.choose(points, 0.95)["accepted"] == 30
    assert calibrate.choose(points, 0.70)["accepted"] == 40
    # 19 rows alone would have an accuracy of 1, but are too few to tell.
    assert calibrate.choose(points, 0.99) is None


def test_the_file_tells_what_is_calibrated() -> None:
    assert calibrate.kind_of(answer_rows(["valid", "invalid"])) is calibrate.VALIDATION
    assert calibrate.kind_of(evidence_rows(["sufficient", "conflicting"])) is calibrate.SUFFICIENCY
    with pytest.raises(UsageProblem, match="1 of 3 rows have an answer"):
        calibrate.kind_of([*evidence_rows(["sufficient", "insufficient"]), answer_rows(["valid"])[0]])
    with pytest.raises(UsageProblem, match="every row or none is valid"):
        calibrate.kind_of(answer_rows(["valid", "valid"]))


@pytest.mark.parametrize("kind", [calibrate.VALIDATION, calibrate.SUFFICIENCY], ids=["validation", "sufficiency"])
def test_the_entry_fits_the_shipped_policy(kind: calibrate.Kind) -> None:
    shipped = yaml.safe_load((Path(__file__).parents[3] / "config" / "policy.yaml").read_text(encoding="utf-8"))
    entry = yaml.safe_load(calibrate.policy_entry(kind, 0.43219)["entry"])
    if kind is calibrate.VALIDATION:
        shipped["limits"] |= entry["limits"]
        assert PolicyModel.model_validate(shipped).limits.min_confidence == 0.4321
    else:
        (rule,) = entry["sufficiency"]
        places = [i for i, known in enumerate(shipped["sufficiency"]) if known["id"] == rule["id"]]
        assert len(places) == 1
        shipped["sufficiency"][places[0]] = rule
        assert any("0.4321" in r.when for r in PolicyModel.model_validate(shipped).sufficiency)


def test_earlier_predictions_are_calibrated_without_asking_anybody(trirag: Trirag, tmp_path: Path) -> None:
    labels, scores = graded(60)
    file = write(tmp_path / "v.jsonl", answer_rows(labels))
    said = write(tmp_path / "p.jsonl", [{"id": f"a-{i}", "confidence": s} for i, s in enumerate(scores)])
    command = ("eval", "calibrate", str(file), "--from", str(said), "--target-accuracy", "0.9")
    document = trirag(*command, "--json").json
    assert document["kind"] == "validation"
    assert document["n"] == 60
    assert document["point"] == next(p for p in reversed(document["curve"]) if p["accuracy"] >= 0.9)
    assert document["policy"]["entry"].startswith("limits:\n")
    shown = trirag(*command)
    assert shown.status == 0
    assert f"expected calibration error {document['expected_calibration_error']}" in shown.out
    assert "min_confidence: " in shown.out


def test_no_point_is_told_and_the_exit_status_says_so(trirag: Trirag, tmp_path: Path) -> None:
    labels = ["valid", "invalid"] * 30
    file = write(tmp_path / "v.jsonl", answer_rows(labels))
    said = write(tmp_path / "p.jsonl", [{"id": f"a-{i}", "confidence": 0.5} for i in range(60)])
    result = trirag("eval", "calibrate", str(file), "--from", str(said))
    assert result.status == 1
    assert "no threshold reaches an accuracy of 0.95 on 20 rows; the best is 0.5 on 60 rows" in result.out
    document = trirag("eval", "calibrate", str(file), "--from", str(said), "--json")
    assert document.status == 1
    assert (document.json["point"], document.json["policy"]) == (None, None)


def test_a_service_is_asked_and_the_report_has_the_curve(edge: FakeEdge, trirag: Trirag, tmp_path: Path) -> None:
    def check(request: validation_pb2.CheckSufficiencyRequest) -> validation_pb2.CheckSufficiencyResponse:
        return validation_pb2.CheckSufficiencyResponse(label=SUFFICIENT, score=0.9 if request.question < "q3" else 0.1)

    edge.answers["CheckSufficiency"] = check
    labels = ["sufficient" if f"q{i}" < "q3" else "insufficient" for i in range(60)]
    file, report, out = tmp_path / "s.jsonl", tmp_path / "report", tmp_path / "out.jsonl"
    write(file, evidence_rows(labels))
    result = trirag("eval", "calibrate", str(file), "--json", "--report", str(report), "--predictions", str(out))
    assert result.status == 0
    assert (result.json["point"]["accuracy"], result.json["point"]["threshold"]) == (1.0, 0.9)
    assert "sufficiency.score >= 0.9" in result.json["policy"]["entry"]
    assert "<polyline" in (report / "risk-coverage.svg").read_text(encoding="utf-8")
    assert "expected_calibration_error" in (report / "report.md").read_text(encoding="utf-8")
    assert len(out.read_text(encoding="utf-8").splitlines()) == 60


@pytest.mark.parametrize(
    ("prediction", "words"),
    [
        ({"id": "a-0", "confidence": 1.5}, "a number from 0 to 1"),
        ({"id": "a-0", "confidence": True}, "a number from 0 to 1"),
        ({"id": "a-0"}, "lacks confidence"),
        ({"id": "stranger", "confidence": 0.5}, "holds no prediction"),
    ],
)
def test_bad_predictions_are_told(trirag: Trirag, tmp_path: Path, prediction: dict[str, Any], words: str) -> None:
    file = write(tmp_path / "v.jsonl", answer_rows(["valid", "invalid"]))
    result = trirag("eval", "calibrate", str(file), "--from", str(write(tmp_path / "p.jsonl", [prediction])))
    assert result.status == 2
    assert words in result.err
    assert result.out == ""
