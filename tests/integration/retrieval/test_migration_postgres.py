"""Migrations once more with the catalogue in a real PostgreSQL, where writers are not kept apart by a file lock."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.integration.retrieval.test_migration import (
    setting,
    test_there_and_back_again_with_what_was_written_in_between,
    test_what_is_written_and_deleted_meanwhile_is_not_lost,
)

__all__ = [
    "setting",
    "test_there_and_back_again_with_what_was_written_in_between",
    "test_what_is_written_and_deleted_meanwhile_is_not_lost",
]


@pytest.fixture
def catalogue_url(new_database: Callable[[], str]) -> str:
    """A database of its own for each test."""
    return new_database()
