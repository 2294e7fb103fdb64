"""One interpreter over the packs of the repository for all tests: loading takes a second or two."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date
from pathlib import Path

import pytest

from services.common.domain.question import ParsedQuestion
from services.perception import interpreters
from services.perception.adapters.rule_packs import load_layers
from services.perception.bootstrap import Models, assemble, load_models
from services.perception.domain.pipeline import Interpreter

REFERENCE = date(2025, 3, 14)


@pytest.fixture(autouse=True)
def memory_as_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    """A service looks through all its memory once after each load. Here there are ten times as many objects, and a load
    in many tests: looking took as long as loading."""
    monkeypatch.setattr(interpreters, "settle_memory", lambda: None)


@pytest.fixture(scope="session")
def packs(repository: Path) -> Path:
    """Folder of the repository's rule packs."""
    return repository / "config" / "perception"


@pytest.fixture(scope="session")
def models() -> Models:
    return load_models()


@pytest.fixture(scope="session")
def interpreter(packs: Path, models: Models) -> Interpreter:
    return assemble(load_layers([packs]), models)


@pytest.fixture(scope="session")
def parse(interpreter: Interpreter) -> Callable[..., ParsedQuestion]:
    """Parses a question as asked on ``REFERENCE``, or on another day."""

    def parse(question: str, reference: date = REFERENCE) -> ParsedQuestion:
        return interpreter.parse(question, reference)

    return parse
