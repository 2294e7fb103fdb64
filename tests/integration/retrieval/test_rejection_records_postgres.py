"""All tests of refused documents again, on a real PostgreSQL, where writers do not wait of themselves."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.unit.retrieval.test_rejection_records import *  # noqa: F403


@pytest.fixture
def catalogue_url(new_database: Callable[[], str]) -> str:
    """A database of its own for each test."""
    return new_database()
