"""The pages name what there is: every variable of a condition, every code of a warning."""

from __future__ import annotations

import re
from pathlib import Path

from services.orchestrator.domain.variables import VARIABLES

ROOT = Path(__file__).resolve().parents[3]
DOCS = ROOT / "docs" / "policy.md"
CODE = re.compile(r'\.caution\(\s*"([A-Z_]+)"')


def test_every_variable_is_documented():
    table = DOCS.read_text(encoding="utf-8").split("## What conditions can see")[1].split("\n## ")[0]
    assert [name for name in VARIABLES if f"`{name}`" not in table] == []


def test_every_code_of_a_warning_is_documented():
    sources = (ROOT / "services" / "orchestrator").glob("*.py")
    codes = {code for path in sources for code in CODE.findall(path.read_text(encoding="utf-8"))}
    page = (ROOT / "docs" / "callers.md").read_text(encoding="utf-8")
    assert "LOW_CONFIDENCE" in codes
    assert [code for code in sorted(codes) if f"`{code}`" not in page] == []
