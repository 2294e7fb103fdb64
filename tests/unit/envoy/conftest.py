"""Settings of the developer's shell must not decide how a test ends."""

from __future__ import annotations

import os

import pytest


@pytest.fixture(autouse=True)
def plain_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    """No TRIRAG_ variable but the choice of the Envoy binary."""
    for name in [n for n in os.environ if n.startswith("TRIRAG_") and n != "TRIRAG_ENVOY_BINARY"]:
        monkeypatch.delenv(name)
