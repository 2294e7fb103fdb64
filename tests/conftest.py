"""Fixtures that every kind of test may use."""

from __future__ import annotations

import os
import socket
from collections.abc import Callable
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).resolve().parent.parent


@pytest.fixture(scope="session")
def repository() -> Path:
    """Root of the checkout."""
    return REPOSITORY


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """Real development data beside the checkout; tests that need it skip where it is absent."""
    folder = Path(os.environ.get("TRIRAG_SHARED_DATA", REPOSITORY.parent / "shared" / "data"))
    if not folder.is_dir():
        pytest.skip(f"no development data at {folder}; set TRIRAG_SHARED_DATA to run this test")
    return folder


@pytest.fixture(scope="session")
def free_port() -> Callable[[], int]:
    """Gives a loopback port that nothing listens on."""

    def find() -> int:
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            return int(probe.getsockname()[1])

    return find
