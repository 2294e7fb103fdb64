"""Emptying the catalogue's log leaves no trace on the connection that did it."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

from services.common.errors import Unavailable
from services.retrieval.adapters.catalogue_database import CatalogueDatabase


def test_a_checkpoint_that_fails_gives_the_connection_its_patience_back(tmp_path: Path) -> None:
    database = CatalogueDatabase(f"sqlite:///{tmp_path / 'catalogue.db'}")

    def refuse(action: int, one: str | None, *_: str | None) -> int:
        return sqlite3.SQLITE_DENY if action == sqlite3.SQLITE_PRAGMA and one == "wal_checkpoint" else sqlite3.SQLITE_OK

    with database.reading() as connection:
        held = connection.connection.driver_connection
        assert isinstance(held, sqlite3.Connection)
        patience = held.execute("PRAGMA busy_timeout").fetchone()
    held.set_authorizer(refuse)  # the pool gives the same connection out again
    with pytest.raises(Unavailable):
        database.checkpoint()
    held.set_authorizer(None)
    with database.reading() as connection:
        assert connection.connection.driver_connection is held
        assert held.execute("PRAGMA busy_timeout").fetchone() == patience
    database.close()
