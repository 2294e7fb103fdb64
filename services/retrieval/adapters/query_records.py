"""Recorded queries in the catalogue."""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from datetime import date
from typing import Any

from sqlalchemy import Connection, delete, insert, select, update
from sqlalchemy.exc import IntegrityError

from services.common.domain.time import DayInterval
from services.common.errors import Unavailable
from services.retrieval.adapters import catalogue_schema as t
from services.retrieval.adapters.catalogue_database import CatalogueDatabase, lock_knowledge_base
from services.retrieval.domain.filters import ChunkFilter
from services.retrieval.domain.ports import RecordedQuery
from services.retrieval.domain.ranking.replay import Passage

_LISTS = ("access_keys", "doc_types", "languages", "document_ids", "versions")


class QueryRecords:
    """The latest queries of each knowledge base. Blocking, thread-safe; Unavailable while the database is down."""

    def __init__(self, database: CatalogueDatabase) -> None:
        self._database = database

    def save(self, knowledge_base: str, born: float, queries: Sequence[RecordedQuery], limit: int) -> None:
        """Keeps ``queries`` and of older ones as many as ``limit`` allows.

        Nothing is kept for a knowledge base other than the one created at ``born``: it was deleted.
        """
        rows = {query_key(q.query): _row(knowledge_base, q) for q in queries[-limit:]}
        table, mine = t.recorded_queries, t.recorded_queries.c.knowledge_base == knowledge_base
        with self._writing() as connection:
            # The lock keeps a deletion waiting until these rows are there for it to delete.
            if lock_knowledge_base(connection, knowledge_base) != born or not rows:
                return
            connection.execute(delete(table).where(mine, table.c.query_key.in_(list(rows))))
            connection.execute(insert(table), list(rows.values()))
            newest = select(table.c.query_key).where(mine).order_by(table.c.recorded_at.desc(), table.c.query_key)
            kept = connection.execute(newest.limit(limit + 1)).scalars().all()
            if len(kept) > limit:
                stale = connection.execute(newest.offset(limit)).scalars().all()
                connection.execute(delete(table).where(mine, table.c.query_key.in_(stale)))

    @contextmanager
    def _writing(self) -> Iterator[Connection]:
        try:
            with self._database.writing() as connection:
                yield connection
        except IntegrityError as error:
            raise Unavailable("CATALOGUE_BUSY", "another writer was faster; write again", retry_after=1.0) from error

    def latest(self, knowledge_base: str, limit: int) -> list[RecordedQuery]:
        """The latest queries, latest first."""
        table = t.recorded_queries
        statement = select(table).where(table.c.knowledge_base == knowledge_base)
        with self._database.reading() as connection:
            rows = connection.execute(
                statement.order_by(table.c.recorded_at.desc(), table.c.query_key).limit(limit)
            ).all()
        return [
            RecordedQuery(
                row.query,
                filter_from_json(row.condition),
                row.embedder,
                tuple(Passage(*values) for values in row.passages),
                row.recorded_at,
            )
            for row in rows
        ]


def forget_documents(connection: Connection, knowledge_base: str, ids: Collection[str]) -> None:
    """Takes passages of deleted documents off the recorded queries, within a transaction."""
    table = t.recorded_queries
    mine = table.c.knowledge_base == knowledge_base
    for row in connection.execute(select(table.c.query_key, table.c.passages).where(mine)).all():
        kept = [passage for passage in row.passages if passage[0] not in ids]
        if len(kept) < len(row.passages):
            connection.execute(update(table).where(mine, table.c.query_key == row.query_key).values(passages=kept))


def query_key(query: str) -> str:
    """What tells queries apart in the table."""
    return hashlib.sha256(query.encode("utf-8", "surrogatepass")).hexdigest()


def _row(knowledge_base: str, query: RecordedQuery) -> dict[str, Any]:
    return {
        "knowledge_base": knowledge_base,
        "query_key": query_key(query.query),
        # PostgreSQL's texts hold no NUL.
        "query": query.query.replace("\0", ""),
        "condition": filter_to_json(query.condition),
        "embedder": query.embedder,
        "passages": [[p.document_id, p.start, p.end] for p in query.passages],
        "recorded_at": query.recorded_at,
    }


def filter_to_json(condition: ChunkFilter) -> dict[str, Any]:
    """A filter as JSON values."""
    values = asdict(condition)
    values["in_force_on"] = _day(condition.in_force_on)
    if condition.published is not None:
        values["published"] = [_day(condition.published.start), _day(condition.published.end)]
    return {key: list(value) if isinstance(value, tuple) else value for key, value in values.items()}


def filter_from_json(values: Mapping[str, Any]) -> ChunkFilter:
    """The reverse."""
    fields: dict[str, Any] = dict(values)
    fields["in_force_on"] = _from_day(fields["in_force_on"])
    if fields["published"] is not None:
        start, end = fields["published"]
        fields["published"] = DayInterval(_from_day(start), _from_day(end))
    fields.update({key: tuple(fields[key]) for key in _LISTS})
    return ChunkFilter(**fields)


def _day(day: date | None) -> str | None:
    return day.isoformat() if day is not None else None


def _from_day(written: str | None) -> date | None:
    return date.fromisoformat(written) if written else None
