"""All tests of side collections and recorded queries again, on a real PostgreSQL."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.unit.retrieval.test_migration_records import *  # noqa: F403


@pytest.fixture
def catalogue_url(new_database: Callable[[], str]) -> str:
    """A database of its own for each test."""
    return new_database()
