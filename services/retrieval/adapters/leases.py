"""Leases of processes in the catalogue's database."""

from __future__ import annotations

import time
import uuid
from collections.abc import Callable
from typing import Any

from sqlalchemy import ColumnElement, Connection, delete, exists, func, insert, select, update

from services.retrieval.adapters import catalogue_schema as t
from services.retrieval.adapters.catalogue_database import CatalogueDatabase
from services.retrieval.domain.leases import LEASE_SECONDS

Clock = Callable[[Connection], float]
"""The time that leases run by, in epoch seconds."""


def database_time(connection: Connection) -> float:
    """PostgreSQL's own time, for its clients may be hosts whose clocks differ; SQLite is on this host."""
    if connection.dialect.name == "postgresql":
        return float(connection.execute(select(func.extract("epoch", func.clock_timestamp()))).scalar_one())
    return time.time()


class Leases:
    """This process's lease, and whether others still have theirs. Blocking, thread-safe; raises Unavailable."""

    def __init__(self, database: CatalogueDatabase, seconds: float = LEASE_SECONDS, now: Clock = database_time) -> None:
        """``now`` is the clock that all processes of the store go by, here and wherever one waits for another.

        Takes the lease, and strikes off those that have run out: that there is none says the same."""
        self.owner = uuid.uuid4().hex
        self._database = database
        self._seconds = seconds
        self.now = now
        self.renew()
        with database.writing() as connection:
            connection.execute(delete(t.leases).where(t.leases.c.expires_at <= now(connection)))

    def renew(self) -> None:
        """Holds the lease for its whole time from now on, also if it had run out; what others took stays theirs."""
        table = t.leases
        with self._database.writing() as connection:
            until = self.now(connection) + self._seconds
            mine = update(table).where(table.c.owner == self.owner)
            if not connection.execute(mine.values(expires_at=until)).rowcount:
                connection.execute(insert(table).values(owner=self.owner, expires_at=until))

    def release(self) -> None:
        """Gives it up: what this process left may be taken over at once."""
        with self._database.writing() as connection:
            connection.execute(delete(t.leases).where(t.leases.c.owner == self.owner))

    def of_others(self, connection: Connection) -> dict[str, tuple[float, float]]:
        """Processes other than this one that hold a lease: until when, and the seconds until then."""
        table, now = t.leases, self.now(connection)
        rows = connection.execute(select(table).where(table.c.expires_at > now, table.c.owner != self.owner)).all()
        return {row.owner: (row.expires_at, row.expires_at - now) for row in rows}

    def free(self, connection: Connection, owner: Any) -> ColumnElement[bool]:
        """A condition: no other process holds what bears the id in the column ``owner``."""
        table = t.leases
        others = exists().where(
            table.c.owner == owner, table.c.owner != self.owner, table.c.expires_at > self.now(connection)
        )
        return ~others
