"""The evaluations' figures: against the scorers beside the data, against definitions worked out by hand."""

from __future__ import annotations

import json
import random
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import cli_samples as samples
import pytest
from cli_fakes import FakeEdge, Result

from cli.evaluate import answers, figures, perception, retrieval, validation
from services.common.errors import InvalidInput, Overloaded, Unavailable
from trirag.common.v1 import types_pb2
from trirag.orchestrator.v1 import orchestrator_pb2
from trirag.perception.v1 import perception_pb2
from trirag.retrieval.v1 import retrieval_pb2
from trirag.validation.v1 import validation_pb2

Trirag = Callable[..., Result]
Rows = list[dict[str, Any]]


def read(path: Path) -> Rows:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]


def write(path: Path, rows: Rows) -> Path:
    path.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), encoding="utf-8")
    return path


def scored_beside_the_data(folder: Path, predictions: Rows, tmp_path: Path) -> Any:
    file = write(tmp_path / "predictions.jsonl", predictions)
    command = [sys.executable, str(folder / "score.py"), str(folder / "dev.jsonl"), str(file)]
    return json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)


def imperfect_parse(row: dict[str, Any], dice: random.Random) -> dict[str, Any]:
    """The labels, with about one field in three spoilt."""
    said = {name: row[name] for name in ("id", "entities", "codes", "sides", "source", "quantitative", "parts")}
    said["action"] = dice.choice([row["action"][0], row["action"][-1], "lookup"])
    said["time"] = dice.choice([row["time"], row["time"], None, {"relation": "in", "start": "2020-01-01", "end": None}])
    for name in ("entities", "codes", "sides"):
        spoilt = dice.choice([row[name], row[name], row[name][1:], [*row[name], "《Extra》"]])
        optional = (row.get("optional") or {}).get(name, [])
        said[name] = [f"“{value.upper()}”" if dice.random() < 0.3 else value for value in [*spoilt, *optional[:1]]]
    said["source"] = dice.choice([row["source"], None, "the manual"])
    said["quantitative"] = dice.choice([row["quantitative"], row["quantitative"], not row["quantitative"]])
    said["parts"] = dice.choice([row["parts"], row["parts"], 1])
    return said


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_perception_scores_as_the_scorer_beside_the_data(shared_data: Path, tmp_path: Path, seed: int) -> None:
    dice = random.Random(seed)
    folder = shared_data / "perception"
    rows = read(folder / "dev.jsonl")
    predictions = [imperfect_parse(row, dice) for row in rows if dice.random() < 0.9]
    predictions.append({**predictions[0], "id": "stranger"})
    expected = scored_beside_the_data(folder, predictions, tmp_path)
    assert perception.score(rows, {said["id"]: said for said in predictions}) == expected


def imperfect_verdict(row: dict[str, Any], dice: random.Random) -> dict[str, Any]:
    """The label and issues, sometimes spoilt."""
    label = dice.choice([row["label"], row["label"], "invalid"])
    issues = [dict(issue) for issue in row["issues"]]
    for issue in issues:
        issue["statement"] += dice.choice([0, 0, 0, 1])
        issue["type"] = dice.choice([issue["type"], issue["type"], "UNIT_MISMATCH"])
    if dice.random() < 0.3:
        issues.append({"type": "DATE_MISMATCH", "statement": 0})
    return {"id": row["id"], "label": label, "issues": issues}


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_validation_scores_as_the_scorer_beside_the_data(shared_data: Path, tmp_path: Path, seed: int) -> None:
    dice = random.Random(seed)
    folder = shared_data / "validation"
    rows = read(folder / "dev.jsonl")
    predictions = [imperfect_verdict(row, dice) for row in rows if dice.random() < 0.9]
    predictions.append({"id": "stranger", "label": "valid", "issues": []})
    expected = scored_beside_the_data(folder, predictions, tmp_path)
    assert validation.score(rows, {said["id"]: said for said in predictions}) == expected


def test_claims_get_balanced_accuracy_and_auroc_in_place_of_families(shared_data: Path) -> None:
    rows = read(shared_data / "claims" / "validation.jsonl")
    said = {row["id"]: {"label": "invalid", "issues": [], "confidence": float(row["label"] == "valid")} for row in rows}
    scored = validation.score(rows, said)
    assert (scored["balanced_accuracy"], scored["auroc"]) == (0.5, 1.0)
    assert "family_accuracy" not in scored


def test_auroc_counts_ties_half_and_needs_both_classes() -> None:
    assert figures.auroc([0.1, 0.4, 0.35, 0.8], [False, False, True, True]) == 0.75
    assert figures.auroc([0.5, 0.5, 0.5], [True, False, False]) == 0.5
    assert figures.auroc([0.5], [True]) is None


def test_risk_coverage_lets_equal_scores_in_together() -> None:
    assert figures.risk_coverage([0.9, 0.5, 0.5, 0.1], [True, False, True, False]) == [
        (0.25, 0.0),
        (0.75, pytest.approx(1 / 3)),
        (1.0, 0.5),
    ]


def test_percentiles_are_nearest_rank() -> None:
    assert figures.latency([float(i) for i in range(1, 101)]) == {"p50": 50.0, "p95": 95.0}
    assert figures.latency([]) == {"p50": None, "p95": None}


def test_a_passage_is_relevant_by_document_and_text_whatever_the_white_space() -> None:
    relevant = [
        {"document_id": "a", "contains": "at least 12\n characters"},
        {"document_id": "b"},
        {"document_id": "a", "contains": "absent"},
    ]
    hits = [("c", "at least 12 characters"), ("a", "use at\u3000least  12\u00a0characters"), ("b", "x"), ("b", "y")]
    assert retrieval.found_at(relevant, hits) == [2, 3, None]


def test_retrieval_figures_by_hand() -> None:
    rows = [
        {"query_id": "1", "type": "t", "relevant": [{}, {}]},
        {"query_id": "2", "type": "u", "relevant": [{}]},
        {"query_id": "3", "type": "u", "relevant": [{}]},
    ]
    said = {
        "1": {"query_id": "1", "found_at": [2, 7], "latency_ms": 10.0},
        "2": {"query_id": "2", "found_at": [1], "latency_ms": 30.0},
    }
    scored = retrieval.score(rows, said)
    assert scored["all"] == {
        "queries": 3,
        "recall@1": round(1 / 3, 4),
        "recall@5": round((0.5 + 1) / 3, 4),
        "recall@10": round(2 / 3, 4),
        "mrr@10": round(1.5 / 3, 4),
        "ndcg@10": round(((1 / 1.5849625 + 1 / 3) / (1 + 1 / 1.5849625) + 1) / 3, 4),
        "latency_ms": {"p50": 10.0, "p95": 30.0},
    }
    assert scored["types"]["u"]["recall@1"] == 0.5
    assert scored["missing_predictions"] == 1


@pytest.mark.parametrize(
    ("folder", "name", "expected"),
    [
        ("asvs", "queries.jsonl", "asvs"),
        ("hotpotqa", "queries.jsonl", "hotpotqa"),
        ("laws_zh", "queries-versions.jsonl", "laws_zh"),
        ("xquad", "queries-en.jsonl", "xquad_en"),
        ("xquad", "queries-zh2en.jsonl", "xquad_en"),
        ("xquad", "queries-en2zh.jsonl", "xquad_zh"),
    ],
)
def test_the_knowledge_base_of_a_query_file(tmp_path: Path, folder: str, name: str, expected: str) -> None:
    place = tmp_path / folder
    place.mkdir()
    for language in ("en", "zh") if folder == "xquad" else ():
        (place / f"documents-{language}.jsonl").touch()
    assert retrieval.default_knowledge_base(place / name) == expected


def test_answers_are_right_by_string_and_citation() -> None:
    row = {"id": "1", "expect": "answer", "answers": ["$51,800"], "must_cite": ["a", "b"]}
    said = {"status": "answered", "answer": "It is $ 51,800 [1].", "cited": ["a"]}
    assert answers.correct(row, said)
    assert not answers.correct({**row, "cite": "all"}, said)
    assert not answers.correct({**row, "must_not_cite": ["a"]}, said)
    assert not answers.correct({**row, "answers": ["$52,000"]}, said)
    assert not answers.correct(row, {**said, "status": "refused"})
    assert answers.correct({**row, "expect": "refuse"}, {**said, "status": "refused"})
    assert not answers.correct({**row, "expect": "refuse"}, said)


@pytest.mark.parametrize("status", ["evidence_only", "clarification_needed"])
def test_only_a_refusal_refuses(status: str) -> None:
    row = {"id": "1", "expect": "refuse", "question": "?"}
    said = {"status": status, "answer": "", "cited": [], "rounds": 1, "latency_ms": 1.0}
    scored = answers.score([row], {"1": said})
    assert (scored["correct"], scored["refused_right"]) == (0, 0)


def test_eval_retrieval_over_the_wire(edge: FakeEdge, trirag: Trirag, tmp_path: Path) -> None:
    def search(request: retrieval_pb2.SearchRequest) -> retrieval_pb2.SearchResponse:
        task = request.tasks[0]
        number = 1 if task.query == "speed" else 2
        hit = retrieval_pb2.Hit(chunk=samples.chunk(number), score=1.0, rank=1)
        result = retrieval_pb2.TaskResult(status=retrieval_pb2.TASK_STATUS_OK, hits=[hit])
        return retrieval_pb2.SearchResponse(results=[result])

    edge.answers["Search"] = search
    folder = tmp_path / "fleet"
    folder.mkdir()
    relevant = [{"document_id": "handbook-1", "contains": "447 kt"}]
    rows = [
        {"query_id": "1", "query": "speed", "type": "fact", "as_of": "2025-08-01", "relevant": relevant},
        {"query_id": "2", "query": "seats", "type": "fact", "relevant": relevant},
    ]
    file = write(folder / "queries.jsonl", rows)
    report, out = tmp_path / "report", tmp_path / "predictions.jsonl"
    result = trirag(
        "eval", "retrieval", str(file), "--type", "keyword", "--predictions", str(out), "--report", str(report)
    )
    assert result.status == 0, result.err
    assert result.json["all"]["recall@1"] == 0.5
    tasks = [request.tasks[0] for request in edge.requests["Search"]]
    assert {(t.knowledge_base, t.type, t.top_k) for t in tasks} == {("fleet", retrieval_pb2.SEARCH_TYPE_KEYWORD, 10)}
    assert [t.filter.in_force_on.year for t in tasks] == [2025, 0]
    assert [said["found_at"] for said in read(out)] == [[1], [None]]
    assert [row["query_id"] for row in read(report / "failing.jsonl")] == ["2"]
    assert "recall@10" in (report / "report.md").read_text()


def test_eval_answers_over_the_wire(edge: FakeEdge, trirag: Trirag, tmp_path: Path) -> None:
    refusal = orchestrator_pb2.AskResponse(
        answer=orchestrator_pb2.Answer(status=orchestrator_pb2.ANSWER_STATUS_REFUSED)
    )
    edge.answers["Ask"] = lambda request: refusal if "fuel" in request.question else samples.response()
    rows = [
        {
            "id": "1",
            "question": "How fast?",
            "kb": "fleet",
            "expect": "answer",
            "answers": ["447kt"],
            "must_cite": ["handbook-1"],
            "type": "a",
        },
        {
            "id": "2",
            "question": "How fast?",
            "expect": "answer",
            "answers": ["447 KT"],
            "must_cite": ["other"],
            "type": "a",
        },
        {"id": "3", "question": "What does fuel cost?", "expect": "refuse", "type": "r"},
        {"id": "4", "question": "Which fuel?", "expect": "answer", "answers": ["Jet A-1"], "type": "r"},
    ]
    result = trirag("eval", "answers", str(write(tmp_path / "answers.jsonl", rows)))
    scored = result.json
    assert (scored["n"], scored["correct"], scored["answered_right"]) == (4, 2, 1)
    assert (scored["refused_right"], scored["refused_wrong"], scored["cited_right"]) == (1, 1, 1)
    assert scored["rounds_mean"] == 1.0
    assert edge.requests["Ask"][0].knowledge_bases == ["fleet"]
    assert scored["types"]["r"]["n"] == 2


def test_eval_perception_and_validation_over_the_wire(edge: FakeEdge, trirag: Trirag, tmp_path: Path) -> None:
    edge.answers["Parse"] = perception_pb2.ParseResponse(parsed=samples.parsed())
    label = {
        "id": "p1",
        "question": "Compare A320 and B737 in 2023",
        "language": "en",
        "reference_date": "2026-11-30",
        "action": ["compare"],
        "entities": [],
        "codes": ["A320"],
        "time": {"relation": "in", "start": "2023-01-01", "end": "2023-12-31"},
        "quantitative": False,
        "sides": ["B737", "A320"],
        "source": None,
        "parts": 1,
    }
    result = trirag("eval", "perception", str(write(tmp_path / "p.jsonl", [label])))
    assert result.json["all"]["time_accuracy_where_labelled"] == 1.0
    assert result.json["all"]["sides_accuracy"] == 1.0
    edge.answers["ValidateAnswer"] = validation_pb2.ValidateAnswerResponse(verdict=samples.verdict())
    case = {
        "id": "v1a",
        "category": "number",
        "language": "en",
        "question": "How fast?",
        "as_of": None,
        "answer": "440 kt [1].",
        "chunks": [{"chunk_id": "c", "text": samples.CHUNK_TEXT, "metadata": {"document_id": "d"}}],
        "label": "invalid",
        "issues": [{"type": "NUMBER_MISMATCH", "statement": 0}],
    }
    out = tmp_path / "said.jsonl"
    result = trirag("eval", "validation", str(write(tmp_path / "v.jsonl", [case])), "--predictions", str(out))
    assert result.json["issue_type_accuracy"] == 1.0
    assert read(out)[0]["issues"][0]["type"] == "NUMBER_MISMATCH"


def test_eval_sufficiency_counts_and_draws(edge: FakeEdge, trirag: Trirag, tmp_path: Path) -> None:
    def check(request: validation_pb2.CheckSufficiencyRequest) -> validation_pb2.CheckSufficiencyResponse:
        enough = bool(request.chunks)
        label = validation_pb2.SUFFICIENCY_LABEL_SUFFICIENT if enough else validation_pb2.SUFFICIENCY_LABEL_INSUFFICIENT
        return validation_pb2.CheckSufficiencyResponse(label=label, score=0.9 if enough else 0.2)

    edge.answers["CheckSufficiency"] = check
    chunk = {"chunk_id": "c", "text": "x", "metadata": {}}
    rows = [
        {"id": "a-1", "question": "q", "language": "en", "chunks": [chunk], "label": "sufficient"},
        {"id": "a-2", "question": "q", "language": "en", "chunks": [chunk], "label": "conflicting"},
        {"id": "b-1", "question": "q", "language": "zh", "chunks": [], "label": "insufficient"},
    ]
    report = tmp_path / "report"
    result = trirag("eval", "sufficiency", str(write(tmp_path / "s.jsonl", rows)), "--report", str(report))
    assert result.json["accuracy"] == round(2 / 3, 4)
    assert result.json["confusion"]["conflicting"] == {"sufficient": 1, "insufficient": 0, "conflicting": 0}
    assert result.json["auroc"] == 0.75
    assert result.json["sources"]["b"]["accuracy"] == 1.0
    assert "<polyline" in (report / "risk-coverage.svg").read_text()


def test_a_row_that_fails_counts_as_missing_and_the_exit_status_tells(
    edge: FakeEdge, trirag: Trirag, tmp_path: Path
) -> None:
    def check(request: validation_pb2.CheckSufficiencyRequest) -> object:
        if request.question == "bad":
            return InvalidInput.of_field("question", "is not allowed")
        return validation_pb2.CheckSufficiencyResponse(label=validation_pb2.SUFFICIENCY_LABEL_SUFFICIENT, score=0.9)

    edge.answers["CheckSufficiency"] = check
    rows = [
        {"id": f"a-{i}", "question": q, "language": "en", "chunks": [], "label": "sufficient"}
        for i, q in enumerate(["bad", "good"])
    ]
    result = trirag("eval", "sufficiency", str(write(tmp_path / "s.jsonl", rows)))
    assert result.status == 1
    assert result.json["missing_predictions"] == 1
    assert "a-0: question: is not allowed" in result.err


def test_a_busy_server_is_asked_again_and_an_absent_one_is_not_asked_for_every_row(
    edge: FakeEdge, trirag: Trirag, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    waits: list[float] = []
    monkeypatch.setattr("cli.evaluate.runner.time.sleep", waits.append)
    outcomes: list[object] = [
        Overloaded("BUSY", "busy", retry_after=2.5),
        validation_pb2.CheckSufficiencyResponse(label=validation_pb2.SUFFICIENCY_LABEL_SUFFICIENT),
    ]
    edge.answers["CheckSufficiency"] = lambda request: outcomes.pop(0)
    rows = [{"id": f"a-{i}", "question": "q", "language": "en", "chunks": [], "label": "sufficient"} for i in range(9)]
    assert trirag("eval", "sufficiency", str(write(tmp_path / "s.jsonl", rows[:1]))).status == 0
    assert waits == [2.5]
    edge.requests.clear()
    edge.answers["CheckSufficiency"] = Unavailable("DOWN", "validation is down")
    result = trirag("eval", "sufficiency", str(write(tmp_path / "s.jsonl", rows)))
    assert (result.status, result.out) == (1, "")
    assert len(edge.requests["CheckSufficiency"]) == 3


def test_a_server_that_dies_in_the_middle_is_given_up(
    edge: FakeEdge, trirag: Trirag, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("cli.evaluate.runner.RETRIES", 1)
    good = validation_pb2.CheckSufficiencyResponse(label=validation_pb2.SUFFICIENCY_LABEL_SUFFICIENT)
    outcomes = iter([good])
    edge.answers["CheckSufficiency"] = lambda request: next(outcomes, Unavailable("DOWN", "validation is down"))
    rows = [{"id": f"a-{i}", "question": "q", "language": "en", "chunks": [], "label": "sufficient"} for i in range(40)]
    result = trirag("eval", "sufficiency", str(write(tmp_path / "s.jsonl", rows)))
    assert (result.status, result.json["missing_predictions"]) == (1, 39)
    assert 11 <= len(edge.requests["CheckSufficiency"]) <= 13


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("", "holds no row"),
        ("{", ":1: is not JSON"),
        ('{"id": "1"}', ":1: lacks question"),
        ('{"id": 1, "question": "q", "chunks": [], "label": "x", "language": "en"}', "id: text is expected"),
    ],
)
def test_a_malformed_file_is_bad_usage(trirag: Trirag, tmp_path: Path, text: str, told: str) -> None:
    file = tmp_path / "rows.jsonl"
    file.write_text(text)
    result = trirag("eval", "sufficiency", str(file))
    assert (result.status, result.out) == (2, "")
    assert told in result.complaint


def test_a_chunk_keeps_its_document_in_a_case() -> None:
    from cli.case_files import validation_request

    metadata = {"document_id": "d", "supersedes": "c", "effective_to": "2024-12-31", "note": "ignored"}
    chunk = {"chunk_id": "d#1", "text": "t", "metadata": metadata}
    request = validation_request({"question": "q", "answer": "a", "chunks": [chunk]}, "here")
    document: types_pb2.DocumentMetadata = request.chunks[0].document
    assert (document.document_id, document.supersedes, document.effective_to.day) == ("d", "c", 31)
