"""A fake edge, and the command as a shell would see it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

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


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Two documents with a sidecar, and what is hidden beside them."""
    root = tmp_path / "docs"
    (root / "en").mkdir(parents=True)
    (root / "en" / "a.md").write_text("# A")
    (root / "b.txt").write_text("B")
    (root / ".hidden").write_text("secret")
    (root / ".git").mkdir()
    (root / ".git" / "config").write_text("x")
    (root / "meta.yaml").write_text(
        '- {"match": "*.md", "set": {"language": "en", "authority": 2}}\n'
        '- {"match": "en/a.md", "set": {"authority": 4, "published_at": 2024-01-31, "access_groups": ["hr", "ops"]}}\n'
    )
    return root
