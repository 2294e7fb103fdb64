"""`--offline` judges in this process, by the same rules as the services."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from cli_fakes import Result

Trirag = Callable[..., Result]
CASE = {
    "question": "How fast does the A320 cruise?",
    "answer": "The A320 cruises at 440 kt [1].",
    "chunks": [{"chunk_id": "a", "text": "The A320 cruises at 447 kt.", "metadata": {"title": "Handbook"}}],
}


def test_validate_and_sufficiency(trirag: Trirag, tmp_path: Path) -> None:
    case = tmp_path / "case.json"
    case.write_text(json.dumps(CASE))
    verdict = trirag("--url", "127.0.0.1:1", "validate", str(case), "--offline", "--json").json
    assert verdict["valid"] is False
    assert "ISSUE_TYPE_NUMBER_MISMATCH" in {issue["type"] for issue in verdict["issues"]}
    case.write_text(json.dumps({**CASE, "chunks": []}))
    nothing = trirag("sufficiency", str(case), "--offline", "--json").json
    assert nothing["label"] == "SUFFICIENCY_LABEL_INSUFFICIENT"
    assert nothing["needs"][0]["queries"]


def test_perceive_counts_from_the_reference_date(trirag: Trirag) -> None:
    arguments = ("perceive", "revenue last month", "--offline", "--reference-date", "2025-03-14", "--json")
    parsed = trirag("--url", "127.0.0.1:1", *arguments).json
    assert parsed["time"]["interval"]["end"] == {"year": 2025, "month": 2, "day": 28}


def test_the_rules_of_the_contract_hold_here_too(trirag: Trirag) -> None:
    for question in ("", "x" * 4001):
        result = trirag("perceive", question, "--offline")
        assert (result.status, result.out) == (1, "")
        assert result.complaint.startswith("trirag: question: ")


@pytest.mark.parametrize("zone", ["Mars/Base", "America"])
def test_an_unknown_time_zone_is_bad_usage(zone: str, trirag: Trirag) -> None:
    result = trirag("perceive", "revenue last month", "--offline", "--time-zone", zone)
    assert result.status == 2
    assert f"--time-zone: '{zone}' is no IANA time zone" in result.complaint
