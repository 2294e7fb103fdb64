"""A fake edge, and the command as a shell would see it."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
from cli_fakes import FakeEdge, Result, fake_edge

from cli.main import run


@pytest.fixture
def edge(monkeypatch: pytest.MonkeyPatch) -> Iterator[FakeEdge]:
    """Fake services that TRIRAG_URL points to."""
    with fake_edge() as served:
        monkeypatch.setenv("TRIRAG_URL", served.target)
        yield served


@pytest.fixture
def trirag(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Callable[..., Result]:
    """Runs the command with the given arguments."""
    for name in ("TRIRAG_TOKEN", "TRIRAG_TIMEOUT", "TRIRAG_DEBUG"):
        monkeypatch.delenv(name, raising=False)

    def call(*arguments: str) -> Result:
        status = run(arguments)
        printed = capsys.readouterr()
        return Result(status, printed.out, printed.err)

    return call
