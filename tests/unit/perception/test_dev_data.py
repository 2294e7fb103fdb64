"""The targets on the labelled development questions, with the data's own scorer."""

from __future__ import annotations

import importlib.util
import json
from datetime import date
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from services.perception.domain.pipeline import Interpreter
from services.perception.scoring import to_scorer_form

TARGETS = {
    "action_accuracy": 0.95,
    "action_primary_accuracy": 0.88,
    "entities": 0.88,
    "codes": 0.95,
    "time_detection": 0.96,
    "time_accuracy_where_labelled": 0.88,
    "quantitative_accuracy": 0.96,
    "sides_accuracy_where_labelled": 0.80,
    "source_accuracy_where_labelled": 0.80,
    "parts_accuracy_where_several": 0.80,
}


@pytest.fixture(scope="module")
def scorer(shared_data: Path) -> ModuleType:
    path = shared_data / "perception" / "score.py"
    if not path.is_file():
        pytest.skip(f"no labelled questions at {path.parent}")
    spec = importlib.util.spec_from_file_location("perception_score", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def judged(shared_data: Path, scorer: ModuleType, interpreter: Interpreter) -> list[dict[str, Any]]:
    lines = (shared_data / "perception" / "dev.jsonl").read_text(encoding="utf-8").splitlines()
    rows = [json.loads(line) for line in lines if line.strip()]
    return [
        scorer.judge(row, to_scorer_form(interpreter.parse(row["question"], date.fromisoformat(row["reference_date"]))))
        for row in rows
    ]


@pytest.mark.parametrize("field", TARGETS)
@pytest.mark.parametrize("language", ["en", "zh"])
def test_target(scorer: ModuleType, judged: list[dict[str, Any]], language: str, field: str) -> None:
    figures = scorer.figures([row for row in judged if row["language"] == language])
    value = figures[field]["f1"] if isinstance(figures[field], dict) else figures[field]
    assert value >= TARGETS[field]
