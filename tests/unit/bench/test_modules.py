"""Every benchmark runs as the docs say: as a module, from the checkout."""

from __future__ import annotations

import importlib
import re

import pytest

from tests.stack import ROOT

MODULES = sorted(path.stem for path in (ROOT / "bench").glob("*.py") if not path.stem.startswith("_"))
DOCS = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md")), *sorted((ROOT / "bench").glob("*.py"))]


@pytest.mark.parametrize("module", MODULES)
def test_a_benchmark_is_imported_as_a_module(module: str) -> None:
    importlib.import_module(f"bench.{module}")


@pytest.mark.parametrize("path", DOCS, ids=lambda path: path.name)
def test_the_docs_name_benchmarks_that_there_are(path) -> None:
    text = path.read_text(encoding="utf-8")
    assert set(re.findall(r"python -m bench\.(\w+)", text)) <= set(MODULES)
    assert re.findall(r"python bench/\w+\.py", text) == []
