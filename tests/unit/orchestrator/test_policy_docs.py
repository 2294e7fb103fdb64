"""docs/policy.md names every variable that a condition can use."""

from __future__ import annotations

from pathlib import Path

from services.orchestrator.domain.variables import VARIABLES

DOCS = Path(__file__).resolve().parents[3] / "docs" / "policy.md"


def test_every_variable_is_documented():
    table = DOCS.read_text(encoding="utf-8").split("## What conditions can see")[1].split("\n## ")[0]
    assert [name for name in VARIABLES if f"`{name}`" not in table] == []
