"""Collections beside the one in use, and the switch, in the catalogue."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from sqlalchemy import Connection, delete, func, insert, select, true, update

from services.common.errors import FailedPrecondition, NotFound
from services.retrieval.adapters import catalogue_schema as t
from services.retrieval.adapters.catalogue import Catalogue
from services.retrieval.adapters.leftovers import StaleWrite, whole_collection
from services.retrieval.adapters.side_rows import (
    note_documents,
    side_of,
    side_row,
    sides_of,
    take_over_documents,
    update_exactly,
    update_of,
    used_values,
)
from services.retrieval.domain.embedding import EmbedderIdentity
from services.retrieval.domain.leases import HEARTBEAT_SECONDS, SILENCE_SECONDS
from services.retrieval.domain.ports import (
    FORMER,
    KNOWLEDGE_BASE_DELETED,
    SHADOW,
    KnowledgeBaseRecord,
    RevisionRef,
    SideCollection,
)
from services.retrieval.domain.shadow import Held

_PART = 500


class MigrationRecords:
    """Blocking, thread-safe; raises Unavailable while the database is down."""

    def __init__(self, catalogue: Catalogue) -> None:
        self._catalogue = catalogue
        self._database = catalogue.database

    def sides(self, knowledge_base: str) -> dict[str, SideCollection]:
        """The collections beside the one in use, by role."""
        with self._database.reading() as connection:
            return {side.role: side for side in sides_of(connection, knowledge_base)}

    def running(self, side: SideCollection) -> bool:
        """True if a process other than this one is at work on it."""
        with self._database.reading() as connection:
            return self._running(connection, side)

    def claim_shadow(
        self, record: KnowledgeBaseRecord, embedder: EmbedderIdentity, name: str
    ) -> tuple[SideCollection, list[RevisionRef]]:
        """The shadow for ``embedder``, taken over by this process, and what is to be swept.

        One that was begun for that embedder is continued; one for another embedder is given up. Otherwise it is entered
        under ``name``: the collection itself is yet to be made.

        Raises:
            FailedPrecondition: MIGRATION_RUNNING with the time after which to retry; KNOWLEDGE_BASE_DELETED.
        """
        swept: list[RevisionRef] = []
        with self._database.writing() as connection:
            self._lock(connection, record)
            now = self._now(connection)
            sides = {side.role: side for side in sides_of(connection, record.name)}
            self._refuse_running(connection, sides)
            shadow = sides.get(SHADOW)
            if shadow is not None and not shadow.embedder.agrees_with(embedder):
                swept = self._give_up(connection, record.name, [shadow])
                shadow = None
            if shadow is None:
                connection.execute(
                    insert(t.side_collections).values(side_row(record.name, SHADOW, name, embedder, now, self._owner))
                )
            else:
                connection.execute(update_of(record.name, SHADOW).values(owner=self._owner, updated_at=now))
            return side_of(connection, record.name, SHADOW), swept

    def claim_former(self, record: KnowledgeBaseRecord) -> SideCollection:
        """The former collection, taken over by this process.

        Raises:
            FailedPrecondition: NO_FORMER_COLLECTION; MIGRATION_RUNNING; KNOWLEDGE_BASE_DELETED.
        """
        with self._database.writing() as connection:
            self._lock(connection, record)
            sides = {side.role: side for side in sides_of(connection, record.name)}
            self._refuse_running(connection, sides)
            if FORMER not in sides:
                raise FailedPrecondition(
                    "NO_FORMER_COLLECTION",
                    f"knowledge base {record.name!r} has no former collection to return to: it was never migrated, or "
                    f"the former one was dropped; `trirag kb migrate {record.name} --embedder KEY` makes one again",
                )
            now = self._now(connection)
            connection.execute(update_of(record.name, FORMER).values(owner=self._owner, updated_at=now))
            return side_of(connection, record.name, FORMER)

    def alive(self, side: SideCollection, closing: float = 0.0) -> None:
        """Says that this process is still at work on it; for ``closing`` seconds nobody else may write.

        Raises:
            FailedPrecondition: the knowledge base was deleted, or another process has taken over.
        """
        with self._database.writing() as connection:
            now = self._now(connection)
            until = now + closing if closing else 0.0
            self._mine(connection, side, updated_at=now, closing_until=until)

    def release(self, side: SideCollection) -> None:
        """Ends this process's work on it."""
        with self._database.writing() as connection:
            connection.execute(update_exactly(side, self._owner).values(owner="", closing_until=0.0))

    def save_report(self, side: SideCollection, report: Mapping[str, Any]) -> None:
        """Keeps the last comparison. Raises FailedPrecondition as ``alive`` does."""
        with self._database.writing() as connection:
            self._mine(connection, side, report=dict(report))

    def held(self, collection: str) -> dict[str, Held]:
        """What a side collection holds, by revision."""
        table = t.side_revisions
        with self._database.reading() as connection:
            rows = connection.execute(select(table).where(table.c.collection == collection)).all()
        return {row.revision: Held(row.chunk_count, row.whole) for row in rows}

    def begin(self, side: SideCollection, revisions: Mapping[str, int]) -> None:
        """Notes revisions (with their numbers of rows) that are about to be written. Raises as ``alive`` does."""
        rows = [
            {
                "collection": side.collection,
                "revision": revision,
                "knowledge_base": side.knowledge_base,
                "chunk_count": count,
                "whole": False,
            }
            for revision, count in revisions.items()
        ]
        with self._database.writing() as connection:
            self._mine(connection, side, updated_at=self._now(connection))
            if rows:
                connection.execute(insert(t.side_revisions), rows)

    def finish(self, side: SideCollection, revisions: Sequence[str]) -> None:
        """Notes that all rows of these are there. Raises as ``alive`` does: another process may have begun anew."""
        table = t.side_revisions
        for start in range(0, len(revisions), _PART):
            mine = (table.c.collection == side.collection) & table.c.revision.in_(revisions[start : start + _PART])
            with self._database.writing() as connection:
                self._mine(connection, side, updated_at=self._now(connection))
                connection.execute(update(table).where(mine).values(whole=True))

    def doubt(self, side: SideCollection, revisions: Sequence[str]) -> None:
        """Notes that rows of these are not as they should be."""
        table = t.side_revisions
        for start in range(0, len(revisions), _PART):
            mine = (table.c.collection == side.collection) & table.c.revision.in_(revisions[start : start + _PART])
            with self._database.writing() as connection:
                connection.execute(update(table).where(mine).values(whole=False))

    def forget(self, side: SideCollection, revisions: Sequence[str]) -> None:
        """Strikes off revisions whose rows were removed; all of them if the collection was made anew."""
        table = t.side_revisions
        for start in range(0, len(revisions), _PART):
            mine = (table.c.collection == side.collection) & table.c.revision.in_(revisions[start : start + _PART])
            with self._database.writing() as connection:
                connection.execute(delete(table).where(mine))

    def switch(
        self, side: SideCollection, expected_count: int, fingerprints: Mapping[str, str], keep_former: bool
    ) -> list[RevisionRef]:
        """Puts ``side`` in the place of the collection in use, all at once; returns what may now be swept.

        The one that was in use becomes the former one, unless not ``keep_former``; an earlier former one goes.
        ``fingerprints`` by document id replace those of documents that are otherwise as they were.

        Raises:
            StaleWrite: something was written after ``expected_count``; nothing is changed.
            FailedPrecondition: the knowledge base was deleted, or another process has taken over.
        """
        name = side.knowledge_base
        with self._database.writing() as connection:
            now = self._now(connection)
            # The knowledge base before the side, as a deletion does: two that lock crosswise would wait for ever.
            try:
                before = self._catalogue.advance(connection, name, expected_count, now)
            except NotFound:
                raise _deleted(name) from None
            self._mine(connection, side, updated_at=now)
            old = connection.execute(select(t.knowledge_bases).where(t.knowledge_bases.c.name == name)).one()
            self._check_whole(connection, side)
            gone = [s for s in sides_of(connection, name) if s.role == FORMER and s.collection != side.collection]
            swept = self._give_up(connection, name, gone)
            report = side_of(connection, name, side.role).report
            connection.execute(
                delete(t.side_collections).where(
                    t.side_collections.c.knowledge_base == name, t.side_collections.c.role == side.role
                )
            )
            identity = EmbedderIdentity(old.embedder_name, old.embedder_revision, old.dimension, old.max_tokens)
            if keep_former:
                note_documents(connection, name, before)
                row = side_row(name, FORMER, before, identity, now, "")
                connection.execute(insert(t.side_collections).values(row | {"report": report}))
            else:
                swept += self._leave(connection, name, [before])
            take_over_documents(connection, side, fingerprints)
            connection.execute(
                update(t.knowledge_bases).where(t.knowledge_bases.c.name == name).values(used_values(side))
            )
        return swept

    def drop(self, record: KnowledgeBaseRecord) -> list[RevisionRef]:
        """Gives up all collections beside the one in use; returns what may now be swept.

        Raises:
            FailedPrecondition: MIGRATION_RUNNING; KNOWLEDGE_BASE_DELETED.
        """
        with self._database.writing() as connection:
            self._lock(connection, record)
            sides = sides_of(connection, record.name)
            self._refuse_running(connection, {side.role: side for side in sides})
            return self._give_up(connection, record.name, sides)

    # -- inner ------------------------------------------------------------------------------------------

    @property
    def _owner(self) -> str:
        return self._catalogue.leases.owner

    def _now(self, connection: Connection) -> float:
        return self._catalogue.leases.now(connection)

    def _lock(self, connection: Connection, record: KnowledgeBaseRecord) -> None:
        """Waits for others at work on the knowledge base, and keeps them waiting until the transaction ends."""
        base = t.knowledge_bases
        alive = (base.c.name == record.name) & (base.c.created_at == record.created_at)
        if not connection.execute(update(base).where(alive).values(name=record.name)).rowcount:
            raise _deleted(record.name)

    def _running(self, connection: Connection, side: SideCollection) -> bool:
        if self._now(connection) - side.updated_at > SILENCE_SECONDS:
            return False
        return side.owner in self._catalogue.leases.of_others(connection)

    def _refuse_running(self, connection: Connection, sides: Mapping[str, SideCollection]) -> None:
        for side in sides.values():
            if self._running(connection, side):
                raise FailedPrecondition(
                    "MIGRATION_RUNNING",
                    f"another process is migrating knowledge base {side.knowledge_base!r}; wait for its end, "
                    f"`trirag kb migration {side.knowledge_base}` shows it",
                    retry_after=HEARTBEAT_SECONDS,
                )

    def _mine(self, connection: Connection, side: SideCollection, **values: Any) -> None:
        changed = connection.execute(update_exactly(side, self._owner).values(values))
        if changed.rowcount == 1:
            return
        base = t.knowledge_bases.c.name
        if connection.execute(select(base).where(base == side.knowledge_base)).scalar() is None:
            raise _deleted(side.knowledge_base)
        raise FailedPrecondition(
            "MIGRATION_LOST", f"another call has taken over the migration of knowledge base {side.knowledge_base!r}"
        )

    def _check_whole(self, connection: Connection, side: SideCollection) -> None:
        """Raises StaleWrite unless every document's revision is in the collection, whole."""
        table = t.side_revisions
        here = (
            select(table.c.revision)
            .where(table.c.collection == side.collection, table.c.whole == true())
            .scalar_subquery()
        )
        missing = select(func.count()).where(
            t.documents.c.knowledge_base == side.knowledge_base, t.documents.c.revision.not_in(here)
        )
        if connection.execute(missing).scalar_one():
            raise StaleWrite(side.knowledge_base)

    def _give_up(self, connection: Connection, name: str, sides: Sequence[SideCollection]) -> list[RevisionRef]:
        table = t.side_collections
        for side in sides:
            connection.execute(delete(table).where(table.c.knowledge_base == name, table.c.role == side.role))
        return self._leave(connection, name, [side.collection for side in sides])

    def _leave(self, connection: Connection, name: str, collections: Sequence[str]) -> list[RevisionRef]:
        """Puts whole collections on the list of what is to be swept."""
        wholes = [whole_collection(collection) for collection in collections]
        for whole in wholes:
            table = t.side_revisions
            connection.execute(delete(table).where(table.c.collection == whole.collection))
        self._catalogue.leftovers.add(connection, name, wholes)
        return wholes


def _deleted(name: str) -> FailedPrecondition:
    return FailedPrecondition(
        KNOWLEDGE_BASE_DELETED,
        f"knowledge base {name!r} was deleted meanwhile, and what was made for it goes with it",
        metadata={"knowledge_base": name},
    )
