"""The list of revisions whose rows are in the vector store, or may be, without being visible.

A write is noted here before its first row goes to the store, and struck off in the transaction that makes it visible.
Who sweeps makes the line its own before it removes a row; who publishes strikes off none but its own lines. So rows
that were swept never become visible, however long their writer stood still.
"""

from __future__ import annotations

import time
import uuid
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict

from sqlalchemy import ColumnElement, Connection, delete, insert, select, update

from services.retrieval.adapters import catalogue_schema as t
from services.retrieval.adapters.catalogue_database import CatalogueDatabase
from services.retrieval.adapters.leases import Leases
from services.retrieval.domain.ports import RevisionRef

_PART = 500
# Programs before leases, which a rolling update leaves at work for a while, publish without looking at this list. Their
# ids have colons in them (host:pid:number); what they note is left alone for longer than a write takes.
_WITHOUT_LEASE = "%:%"
_WITHOUT_LEASE_SECONDS = 300.0


class StaleWrite(Exception):
    """The knowledge base changed since its state was read; read it again and retry."""


class SweptMeanwhile(StaleWrite):
    """This process stood still for so long that another one has swept what it was writing; write it again."""


class Leftovers:
    """Blocking, thread-safe; raises Unavailable while the database does not answer."""

    def __init__(self, database: CatalogueDatabase, leases: Leases) -> None:
        self._database = database
        self._leases = leases

    def note(self, knowledge_base: str, refs: Sequence[RevisionRef]) -> None:
        """Notes revisions about to be written, before the first row goes to the vector store.

        Also those that another process is sweeping: they are this process's again.
        """
        if not refs:
            return
        with self._database.writing() as connection:
            self._strike_off(connection, refs)
            self.add(connection, knowledge_base, refs)

    def note_again(self, knowledge_base: str, refs: Sequence[RevisionRef]) -> None:
        """Notes what a write that failed may have left, but for what it made visible all the same: a database that goes
        away while it commits has committed or not."""
        if not refs:
            return
        with self._database.writing() as connection:
            # First: its lines are locked for as long as that commit is still under way.
            self._strike_off(connection, refs)
            used = self._in_use(connection, knowledge_base, refs)
            self.add(connection, knowledge_base, [ref for ref in refs if ref.revision not in used])

    def add(self, connection: Connection, knowledge_base: str, refs: Iterable[RevisionRef]) -> None:
        """Notes revisions within a transaction."""
        now, owner = time.time(), self._leases.owner
        rows = [{**asdict(ref), "knowledge_base": knowledge_base, "owner": owner, "created_at": now} for ref in refs]
        if rows:
            connection.execute(insert(t.leftovers), rows)

    def publish(self, connection: Connection, revisions: Sequence[str]) -> None:
        """Strikes off what becomes visible within a transaction. Raises SweptMeanwhile if it is not there any more."""
        if self._delete(connection, revisions) != len(revisions):
            raise SweptMeanwhile

    def listed(self, knowledge_base: str | None = None) -> list[RevisionRef]:
        """This process's and those of processes whose lease has run out."""
        table = t.leftovers
        with self._database.reading() as connection:
            statement = select(table).where(self._free(connection))
            if knowledge_base is not None:
                statement = statement.where(table.c.knowledge_base == knowledge_base)
            rows = connection.execute(statement).all()
        return [RevisionRef(row.collection, row.revision, row.chunk_count) for row in rows]

    def claim(self, refs: Sequence[RevisionRef]) -> list[RevisionRef]:
        """Of ``refs`` those that are still listed and are now this process's to sweep."""
        table = t.leftovers
        if not refs:
            return []
        with self._database.writing() as connection:
            mine = update(table).where(self._free(connection)).values(owner=self._leases.owner)
            return [ref for ref in refs if connection.execute(mine.where(table.c.revision == ref.revision)).rowcount]

    def forget(self, refs: Iterable[RevisionRef]) -> None:
        """Strikes swept revisions off the list; one that another process has made its own stays."""
        for part in _parts([ref.revision for ref in refs]):
            with self._database.writing() as connection:
                self._delete(connection, part)

    def replace_by_wholes(self, connection: Connection, name: str, collections: Iterable[str]) -> list[RevisionRef]:
        """Puts whole collections on the list in place of the single revisions of a knowledge base that is deleted.

        Whole collections that are on it stay: they may still be in the store.
        """
        table = t.leftovers
        connection.execute(delete(table).where(table.c.knowledge_base == name, table.c.chunk_count >= 0))
        wholes = [whole_collection(each) for each in collections]
        self.add(connection, name, wholes)
        return wholes

    def _free(self, connection: Connection) -> ColumnElement[bool]:
        """A condition: nobody else is writing what a line stands for."""
        owner, created = t.leftovers.c.owner, t.leftovers.c.created_at
        has_lease = owner.not_like(_WITHOUT_LEASE) | (created < time.time() - _WITHOUT_LEASE_SECONDS)
        return self._leases.free(connection, owner) & has_lease

    @staticmethod
    def _strike_off(connection: Connection, refs: Sequence[RevisionRef]) -> None:
        """Deletes lines, whosever they are."""
        for part in _parts([ref.revision for ref in refs]):
            connection.execute(delete(t.leftovers).where(t.leftovers.c.revision.in_(part)))

    @staticmethod
    def _in_use(connection: Connection, knowledge_base: str, refs: Sequence[RevisionRef]) -> set[str]:
        """Of ``refs`` the revisions of documents, and those that stand for a whole collection that is in use."""
        documents, bases = t.documents, t.knowledge_bases
        used: set[str] = set()
        for part in _parts([ref.revision for ref in refs]):
            of_base = (documents.c.knowledge_base == knowledge_base) & documents.c.revision.in_(part)
            used.update(connection.execute(select(documents.c.revision).where(of_base)).scalars())
        in_use = select(bases.c.collection).where(bases.c.name == knowledge_base)
        collection = connection.execute(in_use).scalar()
        return used | {ref.revision for ref in refs if ref.chunk_count < 0 and ref.collection == collection}

    def _delete(self, connection: Connection, revisions: Sequence[str]) -> int:
        """Deletes this process's lines; how many there were."""
        table, count = t.leftovers, 0
        for part in _parts(revisions):
            mine = (table.c.owner == self._leases.owner) & table.c.revision.in_(part)
            count += connection.execute(delete(table).where(mine)).rowcount
        return count


def whole_collection(collection: str) -> RevisionRef:
    """What stands for all rows of a collection, and the collection itself, on the list of what is to be swept."""
    return RevisionRef(collection, uuid.uuid4().hex, -1)


def _parts(revisions: Sequence[str]) -> Iterator[Sequence[str]]:
    """As many as one statement takes."""
    for start in range(0, len(revisions), _PART):
        yield revisions[start : start + _PART]
