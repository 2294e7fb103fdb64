"""The policies that came into force, beside the trails: every process notes what it sees, and one line is kept."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime

from sqlalchemy import Column, DateTime, Engine, Integer, RowMapping, String, Table, Text, insert, select, update
from sqlalchemy.exc import IntegrityError

from services.orchestrator.adapters.trace_store import METADATA

POLICY_VERSIONS = Table(
    "policy_versions",
    METADATA,
    # Counted here and not by the database: of two processes that note the same change one finds the number taken.
    Column("number", Integer, primary_key=True, autoincrement=False),
    Column("version", String(32), nullable=False, index=True),
    Column("yaml", Text, nullable=False),
    Column("since", DateTime(timezone=True), nullable=False),
    Column("subject", String(256), nullable=False),
    Column("note", Text, nullable=False),
)
_LONGEST_SUBJECT = 256


@dataclass(frozen=True, slots=True)
class PolicyVersion:
    """A policy that came into force. ``subject`` applied it; empty if its file was changed by hand."""

    version: str
    yaml: str
    since: datetime
    subject: str = ""
    note: str = ""


class PolicyHistory:
    """Blocking, thread-safe; every method raises SQLAlchemyError while the store is down."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    def close(self) -> None:
        """Closes its connections."""
        self._engine.dispose()

    def note(self, seen: PolicyVersion) -> None:
        """Adds a line. Where the last one is of that version already, for another process saw the file change, it is
        told who changed it."""
        table = POLICY_VERSIONS
        row = {
            "version": seen.version, "yaml": seen.yaml, "since": seen.since, "note": seen.note,
            "subject": seen.subject[:_LONGEST_SUBJECT],
        }  # fmt: skip
        while True:
            try:
                with self._engine.begin() as connection:
                    last = connection.execute(
                        select(table.c.number, table.c.version).order_by(table.c.number.desc()).limit(1)
                    ).one_or_none()
                    if last is None or last.version != seen.version:
                        connection.execute(insert(table), {**row, "number": last.number + 1 if last else 1})
                    elif seen.subject:
                        nameless = (table.c.number == last.number) & (table.c.subject == "")
                        connection.execute(update(table).where(nameless).values(subject=row["subject"], note=seen.note))
            except IntegrityError:  # another process was faster: look at what it noted
                continue
            return

    def latest(self, count: int) -> list[PolicyVersion]:
        """The latest lines, the last one first."""
        query = select(POLICY_VERSIONS).order_by(POLICY_VERSIONS.c.number.desc()).limit(count)
        with self._engine.connect() as connection:
            return [_version(row) for row in connection.execute(query).mappings()]

    def find(self, version: str) -> PolicyVersion | None:
        """The last line of a version."""
        table = POLICY_VERSIONS
        query = select(table).where(table.c.version == version).order_by(table.c.number.desc()).limit(1)
        with self._engine.connect() as connection:
            row = connection.execute(query).mappings().one_or_none()
        return _version(row) if row is not None else None


def _version(row: RowMapping) -> PolicyVersion:
    since = row["since"]
    aware = since if since.tzinfo else since.replace(tzinfo=UTC)
    return PolicyVersion(row["version"], row["yaml"], aware, row["subject"], row["note"])
