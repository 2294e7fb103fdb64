"""The catalogue: which documents a knowledge base holds, in which revision, and their texts.

It is the one place that decides what is visible. A document is replaced by writing the rows of a new
revision to the vector store first and then switching the revision here, in one transaction; a crash at any
moment leaves either the old or the new document and a line among the leftovers that says what to sweep.
Milvus has no transactions, so this could not be had from it alone.
"""

from __future__ import annotations

import contextlib
import time
from collections.abc import Iterator, Sequence
from dataclasses import replace

from sqlalchemy import Connection, delete, func, insert, select, update
from sqlalchemy.exc import IntegrityError

from services.common.errors import AlreadyExists, NotFound, Unavailable
from services.retrieval.adapters import catalogue_schema as t
from services.retrieval.adapters.catalogue_database import CatalogueDatabase
from services.retrieval.adapters.catalogue_rows import document_row, text_row, to_record, to_stored
from services.retrieval.adapters.job_records import JobRecords
from services.retrieval.adapters.leases import Clock, Leases, database_time
from services.retrieval.adapters.leftovers import Leftovers, StaleWrite
from services.retrieval.adapters.passage_records import KeptPassages, PassageRecords, add_passages
from services.retrieval.adapters.query_records import forget_documents
from services.retrieval.adapters.side_rows import sides_of
from services.retrieval.domain.documents import StoredDocument
from services.retrieval.domain.embedding import EmbedderIdentity
from services.retrieval.domain.leases import LEASE_SECONDS, JobLease
from services.retrieval.domain.passages.chunks import PageStart
from services.retrieval.domain.ports import (
    SWITCHING,
    KnowledgeBaseRecord,
    Publication,
    RevisionRef,
    SideCollection,
    StoredText,
)

_PART = 500


class Catalogue:
    """Knowledge bases, documents and texts in an SQL database; beside them ``jobs``, ``leftovers`` and this process's
    ``leases``. Blocking, thread-safe.

    Every method raises ``Unavailable`` while the database does not answer.
    """

    def __init__(self, url: str, lease_seconds: float = LEASE_SECONDS, now: Clock = database_time) -> None:
        """Takes this process's lease, which whoever writes has to renew before ``lease_seconds`` are over."""
        self.database = CatalogueDatabase(url, lease_seconds)
        self.leases = Leases(self.database, lease_seconds, now)
        self.leftovers = Leftovers(self.database, self.leases)
        self.jobs = JobRecords(self.database, self.leases)
        self.passages = PassageRecords(self.database)
        self._reading = self.database.reading
        self._writing = self.database.writing

    def close(self) -> None:
        """Gives up the lease and closes all connections."""
        with contextlib.suppress(Unavailable):
            self.leases.release()
        self.database.close()

    def ping(self) -> None:
        """Returns if the database answers."""
        self.database.ping()

    # -- knowledge bases --------------------------------------------------------------------------------

    def add_knowledge_base(
        self, name: str, collection: str, embedder: EmbedderIdentity, note: RevisionRef | None = None
    ) -> None:
        """Makes it known.

        ``note`` is how the collection was noted among the leftovers; it is struck off them. The write count begins at
        the time, so that one deleted and made again never repeats an old count.

        Raises:
            AlreadyExists: there is one of that name.
            SweptMeanwhile: the collection was taken for left behind; nothing is changed.
        """
        now = time.time()
        row = {
            "name": name, "collection": collection, "embedder_name": embedder.name,
            "embedder_revision": embedder.revision, "dimension": embedder.dimension,
            "max_tokens": embedder.max_tokens, "created_at": now, "updated_at": now,
            "write_count": int(now * 1_000_000),
        }  # fmt: skip
        try:
            with self._writing() as connection:
                connection.execute(insert(t.knowledge_bases).values(row))
                if note is not None:
                    self.leftovers.publish(connection, [note.revision])
        except IntegrityError:
            raise AlreadyExists("KNOWLEDGE_BASE_EXISTS", f"there is a knowledge base {name!r} already") from None

    def knowledge_base(self, name: str) -> KnowledgeBaseRecord | None:
        """The record without its counts; None if there is none."""
        with self._reading() as connection:
            row = connection.execute(select(t.knowledge_bases).where(t.knowledge_bases.c.name == name)).one_or_none()
        return to_record(row) if row is not None else None

    def list_knowledge_bases(self) -> list[KnowledgeBaseRecord]:
        """All of them by name, with counts."""
        with self._reading() as connection:
            counts = {
                row.knowledge_base: (int(row.documents), int(row.chunks or 0))
                for row in connection.execute(
                    select(
                        t.documents.c.knowledge_base,
                        func.count().label("documents"),
                        func.sum(t.documents.c.chunk_count).label("chunks"),
                    ).group_by(t.documents.c.knowledge_base)
                )
            }
            rows = connection.execute(select(t.knowledge_bases).order_by(t.knowledge_bases.c.name)).all()
        records = [to_record(row) for row in rows]
        return [
            replace(r, document_count=counts.get(r.name, (0, 0))[0], chunk_count=counts.get(r.name, (0, 0))[1])
            for r in records
        ]

    def remove_knowledge_base(self, name: str) -> tuple[int, list[RevisionRef]]:
        """Removes all that is known of it; how many documents went, and the collections to sweep.

        Raises NotFound if there is none of that name.
        """
        of_base = t.knowledge_bases.c.name == name
        with self._writing() as connection:
            # First: a write that is being published ends before this goes on, and none can begin after it.
            connection.execute(update(t.knowledge_bases).where(of_base).values(updated_at=time.time()))
            collection = connection.execute(select(t.knowledge_bases.c.collection).where(of_base)).scalar()
            if collection is None:
                raise NotFound("KNOWLEDGE_BASE_NOT_FOUND", f"there is no knowledge base {name!r}; `kb list` shows them")
            beside = select(t.side_collections.c.collection).where(t.side_collections.c.knowledge_base == name)
            collections = [str(collection), *connection.execute(beside).scalars()]
            gone = connection.execute(delete(t.documents).where(t.documents.c.knowledge_base == name)).rowcount
            for table in (
                t.texts, t.jobs, t.side_collections, t.side_revisions, t.recorded_queries,
                t.rejected_documents,
            ):  # fmt: skip
                connection.execute(delete(table).where(table.c.knowledge_base == name))
            connection.execute(delete(t.knowledge_bases).where(of_base))
            wholes = self.leftovers.replace_by_wholes(connection, name, collections)
        return int(gone), wholes

    def sides(self, name: str) -> tuple[SideCollection, ...]:
        """The collections beside the one in use."""
        with self._reading() as connection:
            return tuple(sides_of(connection, name))

    # -- documents --------------------------------------------------------------------------------------

    def documents(self, knowledge_base: str) -> tuple[int, dict[str, StoredDocument]]:
        """The knowledge base's write count and all its documents by id, as of one moment.

        Raises NotFound if there is no such knowledge base.
        """
        with self._reading() as connection:
            count = self._write_count(connection, knowledge_base)
            rows = connection.execute(select(t.documents).where(t.documents.c.knowledge_base == knowledge_base)).all()
        return count, {row.document_id: to_stored(row) for row in rows}

    def documents_since(self, knowledge_base: str, count: int) -> tuple[int, int, dict[str, StoredDocument]]:
        """Write count, number of documents in all, and the documents written after ``count``, as of one moment."""
        mine = t.documents.c.knowledge_base == knowledge_base
        with self._reading() as connection:
            now = self._write_count(connection, knowledge_base)
            total = connection.execute(select(func.count()).select_from(t.documents).where(mine)).scalar_one()
            rows = connection.execute(select(t.documents).where(mine, t.documents.c.written_at_count > count)).all()
        return now, int(total), {row.document_id: to_stored(row) for row in rows}

    def write_count(self, knowledge_base: str) -> int:
        """Grows with every change; cheap. Raises NotFound if there is no such knowledge base."""
        with self._reading() as connection:
            return self._write_count(connection, knowledge_base)

    def document(self, knowledge_base: str, document_id: str) -> StoredDocument | None:
        """One document; None if there is none."""
        with self._reading() as connection:
            row = connection.execute(
                select(t.documents).where(
                    t.documents.c.knowledge_base == knowledge_base, t.documents.c.document_id == document_id
                )
            ).one_or_none()
        return to_stored(row) if row is not None else None

    def text(self, knowledge_base: str, document_id: str) -> StoredText | None:
        """A document's text; None if there is no such document."""
        with self._reading() as connection:
            row = connection.execute(
                select(t.texts.c.text, t.texts.c.pages, t.documents.c.signature)
                .join(
                    t.documents,
                    (t.documents.c.knowledge_base == t.texts.c.knowledge_base)
                    & (t.documents.c.document_id == t.texts.c.document_id),
                )
                .where(t.texts.c.knowledge_base == knowledge_base, t.texts.c.document_id == document_id)
            ).one_or_none()
        if row is None:
            return None
        pages = tuple(PageStart(start, page) for start, page in row.pages)
        return StoredText(row.text, pages, bytes(row.signature))

    def pages(self, knowledge_base: str) -> dict[str, tuple[PageStart, ...]]:
        """Page starts by document id."""
        mine = t.texts.c.knowledge_base == knowledge_base
        with self._reading() as connection:
            rows = connection.execute(select(t.texts.c.document_id, t.texts.c.pages).where(mine)).all()
        return {row.document_id: tuple(PageStart(start, page) for start, page in row.pages) for row in rows}

    def signatures(self, knowledge_base: str, ids: Sequence[str] | None = None) -> dict[str, bytes]:
        """Near-duplicate signatures by document id, of all documents or of ``ids``."""
        table = t.documents
        found = select(table.c.document_id, table.c.signature).where(table.c.knowledge_base == knowledge_base)
        statements = [found] if ids is None else [found.where(table.c.document_id.in_(part)) for part in _parts(ids)]
        with self._reading() as connection:
            rows = [row for statement in statements for row in connection.execute(statement)]
        return {row.document_id: bytes(row.signature) for row in rows}

    def publish(
        self,
        knowledge_base: str,
        expected_count: int,
        publications: Sequence[Publication],
        removals: Sequence[str] = (),
        lease: JobLease | None = None,
    ) -> list[RevisionRef]:
        """Makes new revisions visible and removes documents, all at once; returns what may now be swept.

        ``lease``: of the job that writes. Where it raises, nothing is changed.

        Raises:
            StaleWrite: the write count is not ``expected_count``, or the rows were swept meanwhile.
            FailedPrecondition: INGEST_TAKEN_OVER, the job is another's by now.
            NotFound: the knowledge base is gone.
            Unavailable: KNOWLEDGE_BASE_SWITCHING, a migration is about to switch; in a moment it has.
        """
        now = time.time()
        touched = [publication.document.metadata.document_id for publication in publications] + list(removals)
        with self._writing() as connection:
            collection = self.advance(connection, knowledge_base, expected_count, now)
            self._refuse_while_closing(connection, knowledge_base)
            self.jobs.check(connection, lease)
            old = self._current_refs(connection, knowledge_base, touched, collection)
            self._delete_documents(connection, knowledge_base, touched)
            if removals:
                # Nothing is left to be told of a document that is deleted, its refused versions included.
                refused = t.rejected_documents
                of_them = (refused.c.knowledge_base == knowledge_base) & refused.c.document_id.in_(removals)
                connection.execute(delete(refused).where(of_them))
                forget_documents(connection, knowledge_base, removals)
            if publications:
                connection.execute(
                    insert(t.documents), [document_row(knowledge_base, p, expected_count + 1) for p in publications]
                )
                connection.execute(insert(t.texts), [text_row(knowledge_base, p) for p in publications])
                add_passages(connection, [_kept_passages(knowledge_base, p) for p in publications if p.embedder])
                self.leftovers.publish(connection, [publication.document.revision for publication in publications])
            self.leftovers.add(connection, knowledge_base, old)
        return old

    # -- inner ------------------------------------------------------------------------------------------

    @staticmethod
    def _write_count(connection: Connection, name: str) -> int:
        count = connection.execute(
            select(t.knowledge_bases.c.write_count).where(t.knowledge_bases.c.name == name)
        ).scalar()
        if count is None:
            raise NotFound("KNOWLEDGE_BASE_NOT_FOUND", f"there is no knowledge base {name!r}")
        return int(count)

    def advance(self, connection: Connection, name: str, expected: int, now: float) -> str:
        """Counts a write within a transaction and returns the collection in use. Raises StaleWrite, NotFound."""
        changed = connection.execute(
            update(t.knowledge_bases)
            .where(t.knowledge_bases.c.name == name, t.knowledge_bases.c.write_count == expected)
            .values(write_count=expected + 1, updated_at=now)
        )
        if changed.rowcount != 1:
            self._write_count(connection, name)
            raise StaleWrite(name)
        collection = connection.execute(
            select(t.knowledge_bases.c.collection).where(t.knowledge_bases.c.name == name)
        ).scalar_one()
        return str(collection)

    @staticmethod
    def _current_refs(
        connection: Connection, knowledge_base: str, ids: Sequence[str], collection: str
    ) -> list[RevisionRef]:
        rows = connection.execute(
            select(t.documents.c.revision, t.documents.c.chunk_count).where(
                t.documents.c.knowledge_base == knowledge_base, t.documents.c.document_id.in_(ids)
            )
        ).all()
        return [RevisionRef(collection, row.revision, row.chunk_count) for row in rows]

    @staticmethod
    def _delete_documents(connection: Connection, knowledge_base: str, ids: Sequence[str]) -> None:
        for table in (t.documents, t.texts):
            connection.execute(
                delete(table).where(table.c.knowledge_base == knowledge_base, table.c.document_id.in_(ids))
            )

    def _refuse_while_closing(self, connection: Connection, knowledge_base: str) -> None:
        until = connection.execute(
            select(func.max(t.side_collections.c.closing_until)).where(
                t.side_collections.c.knowledge_base == knowledge_base
            )
        ).scalar()
        if until and until > self.leases.now(connection):  # 0: nobody is
            raise Unavailable(
                SWITCHING,
                f"knowledge base {knowledge_base!r} is about to switch to another embedder; write again in a moment",
                retry_after=2.0,
            )


def _kept_passages(knowledge_base: str, publication: Publication) -> KeptPassages:
    document = publication.document
    return KeptPassages(
        knowledge_base,
        document.revision,
        publication.embedder,
        document.metadata.document_id,
        publication.passage_keys,
    )


def _parts(ids: Sequence[str]) -> Iterator[Sequence[str]]:
    """As many as one statement takes."""
    for start in range(0, len(ids), _PART):
        yield ids[start : start + _PART]
