"""The SQL database behind the catalogue: SQLite or PostgreSQL, its schema, its transactions, its failures in words."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from alembic import command
from alembic.config import Config
from alembic.util import CommandError
from sqlalchemy import Connection, Engine, create_engine, event, inspect, select, text, update
from sqlalchemy.engine import make_url
from sqlalchemy.exc import DBAPIError, IntegrityError, SQLAlchemyError

from services.common.errors import FailedPrecondition, Unavailable
from services.common.schema_upgrade import upgrade_schema
from services.retrieval.adapters import catalogue_schema as t
from services.retrieval.domain.leases import LEASE_SECONDS

_MIGRATIONS = Path(__file__).parent / "migrations"
# Any number will do, as long as every process of this store takes the same one.
_ADVISORY_LOCK = 7_466_125_002
_CONNECT_SECONDS = 10
# How long SQLite waits for another writer, and for readers when its log is emptied.
_BUSY_SECONDS = 30
_CHECKPOINT_MILLISECONDS = 1000
# What programs before Alembic wrote into their version table.
_UNMANAGED = ("retrieval_schema_version", 1)


class CatalogueDatabase:
    """Transactions on the catalogue's database. Blocking, thread-safe.

    Everything raises ``Unavailable`` while the database does not answer.
    """

    def __init__(self, url: str, stuck_seconds: float = LEASE_SECONDS) -> None:
        """Upgrades the schema if need be.

        A process that stands still in the middle of a write holds up others no longer than ``stuck_seconds``:
        PostgreSQL ends its transaction. SQLite cannot; there they wait until it goes on or dies.

        Raises:
            FailedPrecondition: CATALOGUE_VERSION, a newer program has written it.
        """
        self._engine = _engine(url)
        self._stuck = text(f"SET LOCAL idle_in_transaction_session_timeout = {round(stuck_seconds * 1000)}")
        try:
            with _guard():
                upgrade_schema(self._engine, _MIGRATIONS, _ADVISORY_LOCK, _adopt)
        except CommandError as error:
            raise _other_version(str(error)) from None

    def close(self) -> None:
        """Closes all connections."""
        self._engine.dispose()

    def ping(self) -> None:
        """Returns if the database answers."""
        with self.reading() as connection:
            connection.execute(select(1))

    def checkpoint(self) -> bool:
        """Writes SQLite's log into the database and empties it; False if somebody still reads what is in it.

        The log has whatever was written since it was last emptied, deleted texts included. PostgreSQL's is its own
        affair.
        """
        if self._engine.dialect.name != "sqlite":
            return True
        with _guard():
            connection = self._engine.raw_connection()
            try:
                cursor = connection.cursor()
                try:
                    cursor.execute(f"PRAGMA busy_timeout = {_CHECKPOINT_MILLISECONDS}")
                    busy = cursor.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()[0]
                finally:
                    # Else the next one to get this connection would give up on other writers after a second.
                    cursor.execute(f"PRAGMA busy_timeout = {_BUSY_SECONDS * 1000}")
                    cursor.close()
            except sqlite3.Error as error:
                raise Unavailable("CATALOGUE_DOWN", f"the catalogue's log is not emptied: {error}") from None
            finally:
                connection.close()
        return not busy

    @contextmanager
    def reading(self) -> Iterator[Connection]:
        """A connection to read with."""
        with _guard(), self._engine.connect() as connection:
            yield connection

    @contextmanager
    def writing(self) -> Iterator[Connection]:
        """A transaction: all of it or, on any exception, nothing."""
        with _guard(), self._engine.begin() as connection:
            if connection.dialect.name == "postgresql":
                connection.execute(self._stuck)
            yield connection


def lock_knowledge_base(connection: Connection, name: str) -> float | None:
    """Makes other writers to a knowledge base's rows wait for this transaction; when it was created, None if not there.

    To be called first, as its removal does, so that all take locks in one order. An update that changes nothing is
    used in place of SELECT FOR UPDATE, which SQLite lacks: there a transaction that reads first may not write later.
    """
    base = t.knowledge_bases
    connection.execute(update(base).where(base.c.name == name).values(write_count=base.c.write_count))
    created = connection.execute(select(base.c.created_at).where(base.c.name == name)).scalar()
    return float(created) if created is not None else None


def _adopt(connection: Connection, config: Config) -> None:
    """Marks a catalogue that was made without Alembic as what it is: revision 0001."""
    tables = set(inspect(connection).get_table_names())
    if t.VERSION_TABLE in tables or t.knowledge_bases.name not in tables:
        return
    table, version = _UNMANAGED
    found = connection.execute(text(f"SELECT version FROM {table}")).scalar() if table in tables else None  # noqa: S608
    if found != version:
        raise _other_version(f"schema version {found}")
    command.stamp(config, "0001")


def _other_version(problem: str) -> FailedPrecondition:
    return FailedPrecondition(
        "CATALOGUE_VERSION",
        f"the catalogue was written by another version of this program ({problem}); use the version that wrote it, or "
        "point TRIRAG_RETRIEVAL_CATALOGUE_URL to a new one",
    )


def _engine(url: str) -> Engine:
    parsed = make_url(url)
    if parsed.get_backend_name() != "sqlite":
        return create_engine(
            parsed,
            pool_pre_ping=True,
            pool_size=4,
            max_overflow=8,
            connect_args={"connect_timeout": _CONNECT_SECONDS},
        )
    if parsed.database and parsed.database != ":memory:":
        Path(parsed.database).parent.mkdir(parents=True, exist_ok=True)
    engine = create_engine(parsed, connect_args={"timeout": _BUSY_SECONDS})

    @event.listens_for(engine, "connect")
    def _configure(connection: Any, to_record: Any) -> None:
        connection.isolation_level = None  # transactions are begun below, write transactions at once
        cursor = connection.cursor()
        cursor.execute("PRAGMA journal_mode=WAL")
        # FULL: a committed document survives a power cut, not only a killed process.
        cursor.execute("PRAGMA synchronous=FULL")
        # What is deleted is overwritten: texts of deleted documents would stay in the file until something else needs
        # their pages.
        cursor.execute("PRAGMA secure_delete=ON")
        cursor.close()

    @event.listens_for(engine, "begin")
    def _begin(connection: Connection) -> None:
        connection.exec_driver_sql("BEGIN")

    return engine


@contextmanager
def _guard() -> Iterator[None]:
    try:
        yield
    except IntegrityError:
        raise
    except DBAPIError as error:
        reason = str(error.orig).splitlines()[0] if error.orig else type(error).__name__
        raise Unavailable("CATALOGUE_DOWN", f"the catalogue does not answer: {reason}", retry_after=1.0) from error
    except SQLAlchemyError as error:
        raise Unavailable("CATALOGUE_DOWN", f"the catalogue does not answer: {error}", retry_after=1.0) from error
