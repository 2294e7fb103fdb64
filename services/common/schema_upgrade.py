"""Brings a database's schema up to date with Alembic, one process at a time."""

from __future__ import annotations

import contextlib
import fcntl
from collections.abc import Callable, Iterator
from pathlib import Path

from alembic import command
from alembic.config import Config
from sqlalchemy import Connection, Engine, text


def upgrade_schema(
    engine: Engine, migrations: Path, advisory_lock: int, before: Callable[[Connection, Config], None] | None = None
) -> None:
    """Upgrades to the newest revision in the folder ``migrations``; several processes may call it at once.

    Every process of one store takes the same ``advisory_lock``. ``before`` runs under the lock, ahead of the upgrade: a
    database that an earlier program made without Alembic can be marked there.

    Raises:
        SQLAlchemyError: the database is down or refuses.
        CommandError: it has a revision that this program does not know.
        OSError: the lock file beside a SQLite file cannot be made.
    """
    config = Config()
    config.set_main_option("script_location", str(migrations))
    with engine.connect() as connection, _exclusive(connection, engine, advisory_lock):
        config.attributes["connection"] = connection
        if before is not None:
            before(connection, config)
        command.upgrade(config, "head")
        connection.commit()


@contextlib.contextmanager
def _exclusive(connection: Connection, engine: Engine, advisory_lock: int) -> Iterator[None]:
    if connection.dialect.name == "postgresql":
        connection.execute(text("SELECT pg_advisory_lock(:k)"), {"k": advisory_lock})
        connection.commit()
        try:
            yield
        finally:
            connection.rollback()
            connection.execute(text("SELECT pg_advisory_unlock(:k)"), {"k": advisory_lock})
            connection.commit()
        return
    database = engine.url.database
    if not database or database == ":memory:":
        yield
        return
    with Path(f"{database}.lock").open("w") as handle:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield
