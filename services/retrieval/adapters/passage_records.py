"""Which vectors of the embedding cache each revision of a document uses.

A revision is noted in the transaction that makes it visible. When another one takes its place, or its document or its
knowledge base goes, its line stays and belongs to nothing stored: that is what is left to be forgotten, whoever of the
processes comes to it and however often they were started anew meanwhile.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass

from sqlalchemy import ColumnElement, Connection, delete, exists, insert, select, tuple_

from services.retrieval.adapters import catalogue_schema as t
from services.retrieval.adapters.catalogue_database import CatalogueDatabase
from services.retrieval.domain.embedding import KEY_BYTES

# Lines read at once: some megabytes.
_PART = 500


@dataclass(frozen=True, slots=True)
class KeptPassages:
    """What one revision uses of the cache of ``embedder``, a label: keys, one behind the other."""

    knowledge_base: str
    revision: str
    embedder: str
    document_id: str
    keys: bytes

    def split(self) -> Iterator[bytes]:
        """The keys one by one."""
        return (self.keys[start : start + KEY_BYTES] for start in range(0, len(self.keys), KEY_BYTES))


class PassageRecords:
    """Blocking, thread-safe; raises Unavailable while the database does not answer."""

    def __init__(self, database: CatalogueDatabase) -> None:
        self._database = database

    def note(self, passages: Iterable[KeptPassages]) -> None:
        """Notes what stored revisions use; what is noted already is replaced."""
        with self._database.writing() as connection:
            add_passages(connection, passages)

    def unused(self, limit: int) -> list[KeptPassages]:
        """At most ``limit`` lines of revisions that are not stored any more."""
        with self._database.reading() as connection:
            rows = connection.execute(select(t.passage_keys).where(~_is_stored()).limit(limit)).all()
        return [KeptPassages(*row) for row in rows]

    def used_of(self, keys: set[bytes]) -> set[bytes]:
        """Of ``keys`` those that a stored revision uses, of whatever document and knowledge base."""
        found: set[bytes] = set()
        with self._database.reading() as connection:
            statement = select(t.passage_keys.c["keys"]).where(_is_stored())
            for blob in connection.execution_options(yield_per=_PART).execute(statement).scalars():
                row = bytes(blob)
                found |= keys & {row[start : start + KEY_BYTES] for start in range(0, len(row), KEY_BYTES)}
        return found

    def strike_off(self, passages: Sequence[KeptPassages]) -> None:
        """What has been forgotten."""
        with self._database.writing() as connection:
            for line in passages:
                connection.execute(delete(t.passage_keys).where(_is(line)))

    def stored_without(self, limit: int, after: tuple[str, str] = ("", "")) -> list[tuple[str, str]]:
        """At most ``limit`` documents (knowledge base, id), in their order behind ``after``, that no line tells of:
        programs before this wrote them."""
        place = t.documents.c.knowledge_base, t.documents.c.document_id
        found = select(*place).where(~_is_told(), tuple_(*place) > after).order_by(*place).limit(limit)
        with self._database.reading() as connection:
            return [(row.knowledge_base, row.document_id) for row in connection.execute(found)]

    def untold(self, knowledge_base: str, ids: Collection[str]) -> list[str]:
        """Of these documents those that no line tells of."""
        documents = t.documents.c
        found = select(documents.document_id).where(documents.knowledge_base == knowledge_base, ~_is_told())
        ordered = sorted(ids)
        with self._database.reading() as connection:
            return [
                document_id
                for start in range(0, len(ordered), _PART)
                for document_id in connection.execute(
                    found.where(documents.document_id.in_(ordered[start : start + _PART]))
                ).scalars()
            ]

    def is_stored(self, knowledge_base: str, document_id: str) -> bool:
        """False for a document that was deleted."""
        documents = t.documents.c
        mine = (documents.knowledge_base == knowledge_base) & (documents.document_id == document_id)
        with self._database.reading() as connection:
            return connection.execute(select(documents.revision).where(mine)).first() is not None


def add_passages(connection: Connection, passages: Iterable[KeptPassages]) -> None:
    """Notes them within a transaction."""
    for line in passages:
        connection.execute(delete(t.passage_keys).where(_is(line)))
        values = {name: getattr(line, name) for name in KeptPassages.__slots__}
        connection.execute(insert(t.passage_keys).values(values))


def _is(line: KeptPassages) -> ColumnElement[bool]:
    column = t.passage_keys.c
    same: ColumnElement[bool] = (column.knowledge_base == line.knowledge_base) & (column.revision == line.revision)
    return same & (column.embedder == line.embedder)


def _is_stored() -> ColumnElement[bool]:
    table, documents = t.passage_keys, t.documents
    return exists().where(
        documents.c.knowledge_base == table.c.knowledge_base,
        documents.c.document_id == table.c.document_id,
        documents.c.revision == table.c.revision,
    )


def _is_told() -> ColumnElement[bool]:
    """Of a document, by any embedder."""
    table, documents = t.passage_keys.c, t.documents.c
    return exists().where(table.knowledge_base == documents.knowledge_base, table.revision == documents.revision)
