"""The catalogue: which documents a knowledge base holds, in which revision, and their texts.

It is the one place that decides what is visible. A document is replaced by writing the rows of a new
revision to the vector store first and then switching the revision here, in one transaction; a crash at any
moment leaves either the old or the new document and a line in ``leftover_revisions`` that says what to sweep.
Milvus has no transactions, so this could not be had from it alone.
"""

from __future__ import annotations

import time
import uuid
from collections.abc import Collection, Iterable, Sequence
from dataclasses import asdict, replace
from typing import Any

from sqlalchemy import Connection, delete, func, insert, select, update
from sqlalchemy.exc import IntegrityError

from services.common.errors import AlreadyExists, NotFound, Unavailable
from services.retrieval.adapters import catalogue_schema as t
from services.retrieval.adapters.catalogue_database import CatalogueDatabase, owner_gone
from services.retrieval.adapters.catalogue_rows import document_row, text_row, to_record, to_stored
from services.retrieval.domain.chunking import PageStart
from services.retrieval.domain.documents import StoredDocument
from services.retrieval.domain.embedding import EmbedderIdentity
from services.retrieval.domain.ports import (
    COME_BACK_SECONDS,
    SWITCHING,
    IngestJob,
    KnowledgeBaseRecord,
    Publication,
    RevisionRef,
    StoredText,
)

# State of a job that was asked to end and has not yet; to readers it still runs.
_CANCELLING = "cancelling"
_LISTED_JOBS = 100


class StaleWrite(Exception):
    """The knowledge base changed since its state was read; read it again and retry."""


class Catalogue:
    """Knowledge bases, documents, texts, jobs and leftovers in an SQL database. Blocking, thread-safe.

    Every method raises ``Unavailable`` while the database does not answer.
    """

    def __init__(self, url: str) -> None:
        self.database = CatalogueDatabase(url)
        self.owner = self.database.owner
        self._reading = self.database.reading
        self._writing = self.database.writing

    def close(self) -> None:
        """Closes all connections."""
        self.database.close()

    def ping(self) -> None:
        """Returns if the database answers."""
        self.database.ping()

    # -- knowledge bases --------------------------------------------------------------------------------

    def add_knowledge_base(
        self, name: str, collection: str, embedder: EmbedderIdentity, note: RevisionRef | None = None
    ) -> None:
        """Raises AlreadyExists if there is one of that name.

        ``note`` is what ``begin_write`` was told of the collection; it is struck off the list. The write count
        begins at the time, so that one deleted and made again never repeats an old count.
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
                    connection.execute(delete(t.leftovers).where(t.leftovers.c.revision == note.revision))
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
            # Whole collections stay on the list: they may still be in the store.
            rows_of_it = (t.leftovers.c.knowledge_base == name) & (t.leftovers.c.chunk_count >= 0)
            connection.execute(delete(t.leftovers).where(rows_of_it))
            for table in (
                t.texts, t.jobs, t.side_collections, t.side_revisions, t.recorded_queries,
                t.rejected_documents,
            ):  # fmt: skip
                connection.execute(delete(table).where(table.c.knowledge_base == name))
            connection.execute(delete(t.knowledge_bases).where(of_base))
            wholes = [whole_collection(each) for each in collections]
            now = time.time()
            connection.execute(insert(t.leftovers), [self.leftover(name, whole, now) for whole in wholes])
        return int(gone), wholes

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
                select(t.texts.c.text, t.texts.c.pages).where(
                    t.texts.c.knowledge_base == knowledge_base, t.texts.c.document_id == document_id
                )
            ).one_or_none()
        if row is None:
            return None
        return StoredText(row.text, tuple(PageStart(start, page) for start, page in row.pages))

    def pages(self, knowledge_base: str) -> dict[str, tuple[PageStart, ...]]:
        """Page starts by document id."""
        mine = t.texts.c.knowledge_base == knowledge_base
        with self._reading() as connection:
            rows = connection.execute(select(t.texts.c.document_id, t.texts.c.pages).where(mine)).all()
        return {row.document_id: tuple(PageStart(start, page) for start, page in row.pages) for row in rows}

    def signatures(self, knowledge_base: str) -> dict[str, bytes]:
        """Near-duplicate signatures by document id."""
        with self._reading() as connection:
            rows = connection.execute(
                select(t.documents.c.document_id, t.documents.c.signature).where(
                    t.documents.c.knowledge_base == knowledge_base
                )
            ).all()
        return {row.document_id: bytes(row.signature) for row in rows}

    def begin_write(self, knowledge_base: str, refs: Sequence[RevisionRef]) -> None:
        """Notes revisions about to be written, before the first row goes to the vector store."""
        if not refs:
            return
        now = time.time()
        with self._writing() as connection:
            connection.execute(insert(t.leftovers), [self.leftover(knowledge_base, ref, now) for ref in refs])

    def publish(
        self,
        knowledge_base: str,
        expected_count: int,
        publications: Sequence[Publication],
        removals: Sequence[str] = (),
    ) -> list[RevisionRef]:
        """Makes new revisions visible and removes documents, all at once; returns what may now be swept.

        Raises:
            StaleWrite: the write count is not ``expected_count``; nothing is changed.
            NotFound: the knowledge base is gone.
            Unavailable: KNOWLEDGE_BASE_SWITCHING, a migration is about to switch; in a moment it has.
        """
        now = time.time()
        touched = [publication.document.metadata.document_id for publication in publications] + list(removals)
        with self._writing() as connection:
            collection = self.advance(connection, knowledge_base, expected_count, now)
            _refuse_while_closing(connection, knowledge_base, now)
            old = self._current_refs(connection, knowledge_base, touched, collection)
            self._delete_documents(connection, knowledge_base, touched)
            if removals:
                # Nothing is left to be told of a document that is deleted, its refused versions included.
                refused = t.rejected_documents
                of_them = (refused.c.knowledge_base == knowledge_base) & refused.c.document_id.in_(removals)
                connection.execute(delete(refused).where(of_them))
            if publications:
                connection.execute(
                    insert(t.documents), [document_row(knowledge_base, p, expected_count + 1) for p in publications]
                )
                connection.execute(insert(t.texts), [text_row(knowledge_base, p) for p in publications])
                done = [publication.document.revision for publication in publications]
                connection.execute(delete(t.leftovers).where(t.leftovers.c.revision.in_(done)))
            if old:
                connection.execute(insert(t.leftovers), [self.leftover(knowledge_base, ref, now) for ref in old])
        return old

    def leftovers(self, in_progress: Collection[str], knowledge_base: str | None = None) -> list[RevisionRef]:
        """Revisions to sweep: those of processes that are gone, and this one's own but for ``in_progress``."""
        statement = select(t.leftovers)
        if knowledge_base is not None:
            statement = statement.where(t.leftovers.c.knowledge_base == knowledge_base)
        with self._reading() as connection:
            rows = connection.execute(statement).all()
        return [
            RevisionRef(row.collection, row.revision, row.chunk_count)
            for row in rows
            if (row.revision not in in_progress if row.owner == self.owner else owner_gone(row.owner, row.created_at))
        ]

    def forget(self, refs: Iterable[RevisionRef]) -> None:
        """Strikes swept revisions off the list."""
        revisions = [ref.revision for ref in refs]
        for start in range(0, len(revisions), 500):
            with self._writing() as connection:
                part = revisions[start : start + 500]
                connection.execute(delete(t.leftovers).where(t.leftovers.c.revision.in_(part)))

    # -- jobs -------------------------------------------------------------------------------------------

    def open_job(self, job: IngestJob) -> None:
        """Notes a job that begins."""
        values = {**asdict(job), "owner": self.owner, "counts": dict(job.counts)}
        with self._writing() as connection:
            connection.execute(insert(t.jobs).values(values))

    def reopen_job(self, job: IngestJob) -> bool:
        """Takes up a job that broke off; False if there is none of that id and knowledge base that did."""
        values = {"state": job.state, "updated_at": job.updated_at, "owner": self.owner, "counts": dict(job.counts)}
        is_job = (t.jobs.c.job_id == job.job_id) & (t.jobs.c.knowledge_base == job.knowledge_base)
        with self._writing() as connection:
            row = connection.execute(select(t.jobs).where(is_job)).one_or_none()
            if row is None or self._job_state(row) in ("running", "done", "cancelled"):
                return False
            still = is_job & (t.jobs.c.state == row.state) & (t.jobs.c.owner == row.owner)
            return bool(connection.execute(update(t.jobs).where(still).values(values)).rowcount)

    def close_job(self, job: IngestJob) -> None:
        """Writes how a job ended; nothing if its knowledge base was deleted, for the job went with it."""
        values = {"state": job.state, "updated_at": job.updated_at, "counts": dict(job.counts)}
        is_job = t.jobs.c.job_id == job.job_id
        with self._writing() as connection:
            connection.execute(update(t.jobs).where(is_job, t.jobs.c.state != _CANCELLING).values(values))
            # Who leaves says so, and goes: either may be seen first.
            values["state"] = "cancelled" if job.state == "interrupted" else job.state
            connection.execute(update(t.jobs).where(is_job, t.jobs.c.state == _CANCELLING).values(values))

    def report_job(self, job: IngestJob) -> None:
        """Writes a running job's counts."""
        values = {"counts": dict(job.counts), "updated_at": job.updated_at}
        with self._writing() as connection:
            connection.execute(update(t.jobs).where(t.jobs.c.job_id == job.job_id).values(values))

    def is_cancelled(self, job_id: str) -> bool:
        """True if a running job has been asked to end."""
        with self._reading() as connection:
            return connection.execute(select(t.jobs.c.state).where(t.jobs.c.job_id == job_id)).scalar() == _CANCELLING

    def cancel_job(self, job_id: str) -> None:
        """Asks a running job to end, and waits no more for the client of one that was interrupted.

        Raises:
            NotFound: none of that id is running.
        """
        left = (t.jobs.c.job_id == job_id) & (t.jobs.c.state == "interrupted")
        running = (t.jobs.c.job_id == job_id) & t.jobs.c.state.in_(("running", _CANCELLING))
        with self._writing() as connection:
            changed = connection.execute(update(t.jobs).where(running).values(state=_CANCELLING))
            given_up = connection.execute(update(t.jobs).where(left).values(state="cancelled"))
        if not changed.rowcount and not given_up.rowcount:
            raise NotFound("INGEST_JOB_NOT_FOUND", f"no running ingest has the id {job_id!r}")

    def job(self, job_id: str) -> IngestJob | None:
        """One job; None if there is none of that id."""
        with self._reading() as connection:
            row = connection.execute(select(t.jobs).where(t.jobs.c.job_id == job_id)).one_or_none()
        return self._to_job(row) if row is not None else None

    def list_jobs(self, knowledge_base: str) -> list[IngestJob]:
        """The latest jobs, latest first; a running one whose process is gone counts as interrupted, then as failed."""
        statement = select(t.jobs).where(t.jobs.c.knowledge_base == knowledge_base)
        with self._reading() as connection:
            rows = connection.execute(statement.order_by(t.jobs.c.started_at.desc()).limit(_LISTED_JOBS)).all()
        return [self._to_job(row) for row in rows]

    def _to_job(self, row: Any) -> IngestJob:
        state = self._job_state(row)
        return IngestJob(row.job_id, row.knowledge_base, state, row.started_at, row.updated_at, row.counts)

    def _job_state(self, row: Any) -> str:
        if row.state not in ("running", _CANCELLING):
            return str(row.state)
        if row.owner == self.owner or not owner_gone(row.owner, row.updated_at):
            return "running"
        if row.state == _CANCELLING:
            return "cancelled"
        return "interrupted" if time.time() < row.updated_at + COME_BACK_SECONDS else "failed"

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

    def leftover(self, knowledge_base: str, ref: RevisionRef, now: float) -> dict[str, Any]:
        """A row of the list of what is to be swept."""
        return {**asdict(ref), "knowledge_base": knowledge_base, "owner": self.owner, "created_at": now}


def whole_collection(collection: str) -> RevisionRef:
    """What stands for all rows of a collection, and the collection itself, on the list of what is to be swept."""
    return RevisionRef(collection, uuid.uuid4().hex, -1)


def _refuse_while_closing(connection: Connection, knowledge_base: str, now: float) -> None:
    until = connection.execute(
        select(func.max(t.side_collections.c.closing_until)).where(
            t.side_collections.c.knowledge_base == knowledge_base
        )
    ).scalar()
    if until is not None and until > now:
        raise Unavailable(
            SWITCHING,
            f"knowledge base {knowledge_base!r} is about to switch to another embedder; write again in a moment",
            retry_after=2.0,
        )
