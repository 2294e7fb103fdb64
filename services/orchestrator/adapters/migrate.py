"""Brings the trace store's schema up to date with Alembic, once at a time."""

from __future__ import annotations

import contextlib
import fcntl
from collections.abc import Iterator
from pathlib import Path

from alembic import command
from alembic.config import Config
from sqlalchemy import Connection, make_url, text

from services.orchestrator.adapters.trace_store import open_engine

MIGRATIONS = Path(__file__).parent / "migrations"
# Any number will do, as long as every process of this project takes the same one.
ADVISORY_LOCK = 7_466_125_001


def migrate(url: str) -> None:
    """Upgrades to the newest schema; several processes may call it at once.

    Raises:
        SQLAlchemyError: the store is down or refuses.
        OSError: the folder of a SQLite file cannot be made.
    """
    database = make_url(url).database
    if url.startswith("sqlite") and database:
        Path(database).parent.mkdir(parents=True, exist_ok=True)
    engine = open_engine(url)
    config = Config()
    config.set_main_option("script_location", str(MIGRATIONS))
    try:
        with engine.connect() as connection, _exclusive(connection, url):
            config.attributes["connection"] = connection
            command.upgrade(config, "head")
            connection.commit()
    finally:
        engine.dispose()


@contextlib.contextmanager
def _exclusive(connection: Connection, url: str) -> Iterator[None]:
    if connection.dialect.name == "postgresql":
        connection.execute(text("SELECT pg_advisory_lock(:k)"), {"k": ADVISORY_LOCK})
        connection.commit()
        try:
            yield
        finally:
            connection.execute(text("SELECT pg_advisory_unlock(:k)"), {"k": ADVISORY_LOCK})
            connection.commit()
        return
    database = make_url(url).database
    if not database or database == ":memory:":
        yield
        return
    with Path(f"{database}.lock").open("w") as handle:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield
