"""Settings of the developer's shell must not decide how a test ends."""

from __future__ import annotations

import os

import pytest

PLACES = ("TRIRAG_ENVOY_BINARY", "TRIRAG_SHARED_DATA")


@pytest.fixture(autouse=True)
def plain_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    """No TRIRAG_ variable but what says where things are on this machine."""
    for name in [n for n in os.environ if n.startswith("TRIRAG_") and n not in PLACES]:
        monkeypatch.delenv(name)
