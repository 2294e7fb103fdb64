"""`rules test` runs a pack's own examples and names file and line of what is wrong."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from cli_fakes import Result

Trirag = Callable[..., Result]
PACK = """\
pack: own-codes
language: any
rules:
- id: own.code.ticket
  about: A ticket of the help desk.
  sets: code
  value: ticket
  pattern: '(?P<code>TCK-[0-9]{4})'
  examples:
    match: [{text: 'Close TCK-1234 today', gives: TCK-1234}, 'What is TCK-12?']
    avoid: [The ticket is closed.]
"""


@pytest.fixture
def pack(tmp_path: Path) -> Path:
    file = tmp_path / "own.yaml"
    file.write_text(PACK)
    return file


def test_an_example_that_does_not_hold_is_named(trirag: Trirag, pack: Path) -> None:
    result = trirag("rules", "test", str(pack))
    assert result.status == 1
    assert result.out.startswith("own.yaml:10: rule own.code.ticket: does not fire in 'What is TCK-12?'")
    assert result.complaint == "trirag: 1 problem(s) in the rule packs"


def test_a_malformed_pack_is_named_by_line(trirag: Trirag, pack: Path) -> None:
    pack.write_text(PACK.replace("sets: code", "sets: colour"))
    result = trirag("rules", "test", str(pack), "--json")
    assert result.status == 1
    assert [(f["file"], f["line"]) for f in result.json["failures"]] == [("own.yaml", 6)]


def test_a_missing_pack_is_bad_usage(trirag: Trirag, tmp_path: Path) -> None:
    result = trirag("rules", "test", str(tmp_path / "none.yaml"))
    assert (result.status, result.out) == (2, "")
    assert "none.yaml: No such file or directory" in result.complaint
