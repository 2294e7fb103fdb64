"""Pages whose markup is not what the rules ask for: what a reader sees of them is read, and nothing is told twice."""

from __future__ import annotations

import pytest

from services.retrieval.adapters.parsers.registry import parse_file
from services.retrieval.domain.documents import ParsedFile
from services.retrieval.domain.ingest_config import IngestConfig


def parsed(page: str) -> ParsedFile:
    return parse_file(page.encode(), "a.html", IngestConfig())


def read(body: str) -> str:
    return parsed(f"<html><body>{body}</body></html>").text.strip()


@pytest.mark.parametrize("outer", ["sup", "sub"])
@pytest.mark.parametrize("inner", ["<sup>2</sup>", "<sub>2</sub>", "<math><mi>2</mi></math>"])
def test_scripts_within_scripts_are_read(outer: str, inner: str) -> None:
    text = read(f"<p>The value n<{outer}>k{inner}</{outer}> is the limit</p>")
    assert text.startswith("The value n") and "k2" in text and text.endswith("is the limit")
