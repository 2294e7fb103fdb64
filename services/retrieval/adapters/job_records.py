"""Ingest jobs in the catalogue's database: who runs them, how far they are, how they ended."""

from __future__ import annotations

import time
from collections.abc import Collection
from dataclasses import asdict
from typing import Any

from sqlalchemy import Connection, insert, or_, select, update

from services.common.errors import NotFound
from services.retrieval.adapters import catalogue_schema as t
from services.retrieval.adapters.catalogue_database import CatalogueDatabase
from services.retrieval.adapters.leases import Leases
from services.retrieval.domain.leases import COME_BACK_SECONDS, Hold, JobLease, Standing, ingest_taken_over
from services.retrieval.domain.ports import IngestJob

# State of a job that was asked to end and has not yet; to readers it still runs.
_CANCELLING = "cancelling"
_AT_WORK = ("running", _CANCELLING)
_LISTED_JOBS = 100


class JobRecords:
    """Blocking, thread-safe; raises Unavailable while the database does not answer."""

    def __init__(self, database: CatalogueDatabase, leases: Leases) -> None:
        self._leases = leases
        self._reading = database.reading
        self._writing = database.writing

    def open(self, job: IngestJob) -> JobLease:
        """Notes a job that begins."""
        values = {**asdict(job), "owner": self._leases.owner, "counts": dict(job.counts), "token": 1}
        with self._writing() as connection:
            connection.execute(insert(t.jobs).values(values))
        return JobLease(job.job_id, 1)

    def take_up(self, job: IngestJob) -> JobLease | None:
        """Takes up a job that broke off, or whose process has lost its lease; None if there is none of that id and
        knowledge base that did. Whoever ran it before writes no more for it."""
        table = t.jobs
        values = {"state": job.state, "updated_at": job.updated_at, "counts": dict(job.counts)}
        is_job = (table.c.job_id == job.job_id) & (table.c.knowledge_base == job.knowledge_base)
        with self._writing() as connection:
            left = (table.c.state == "running") & (table.c.owner != self._leases.owner)
            left &= self._leases.free(connection, table.c.owner)
            broken_off = or_(table.c.state.in_(("interrupted", "failed")), left)
            taken = update(table).where(is_job, broken_off).values(values)
            if not connection.execute(taken.values(owner=self._leases.owner, token=table.c.token + 1)).rowcount:
                return None
            token = connection.execute(select(table.c.token).where(table.c.job_id == job.job_id)).scalar_one()
        return JobLease(job.job_id, int(token))

    def give_up(self, job: IngestJob, state: str) -> None:
        """Ends a job whose ``open`` or ``take_up`` with this value got no answer: nobody runs it, if it took effect.

        One that has been taken up since, or was another call's all the time, goes on.
        """
        table = t.jobs
        claimed = (table.c.job_id == job.job_id) & (table.c.owner == self._leases.owner)
        claimed &= table.c.updated_at == job.updated_at
        now = time.time()
        with self._writing() as connection:
            for found, becomes in (("running", state), (_CANCELLING, "cancelled")):
                ended = update(table).where(claimed, table.c.state == found)
                connection.execute(ended.values(state=becomes, updated_at=now))

    def check(self, connection: Connection, lease: JobLease | None) -> None:
        """Within a transaction that writes for a job: nobody else takes it up before the transaction has ended.

        A job that is not there went with its knowledge base, which the writer finds gone.

        Raises:
            FailedPrecondition: INGEST_TAKEN_OVER, somebody has already.
        """
        if lease is None:
            return
        held = update(t.jobs).where(_mine(lease)).values(token=lease.token)
        if not connection.execute(held).rowcount and self._standing(connection, lease) is Standing.LOST:
            raise ingest_taken_over(lease.job_id)

    def standing(self, lease: JobLease) -> Standing:
        """Whether a job is still its holder's, and may go on."""
        with self._reading() as connection:
            return self._standing(connection, lease)

    def close(self, job: IngestJob, lease: JobLease) -> None:
        """Writes how a job ended; nothing if it was taken up by another call, or went with its knowledge base."""
        values = {"state": job.state, "updated_at": job.updated_at, "counts": dict(job.counts)}
        mine = _mine(lease)
        with self._writing() as connection:
            connection.execute(update(t.jobs).where(mine, t.jobs.c.state != _CANCELLING).values(values))
            # Who leaves says so, and goes: either may be seen first.
            values["state"] = "cancelled" if job.state == "interrupted" else job.state
            connection.execute(update(t.jobs).where(mine, t.jobs.c.state == _CANCELLING).values(values))

    def report(self, job: IngestJob, lease: JobLease) -> None:
        """Writes a running job's counts; nothing if it was taken up by another call."""
        values = {"counts": dict(job.counts), "updated_at": job.updated_at}
        with self._writing() as connection:
            connection.execute(update(t.jobs).where(_mine(lease)).values(values))

    def hold(self, job_id: str) -> Hold | None:
        """Which hold another process has on a job that it runs, or ran when it was last heard of; None if none has."""
        with self._reading() as connection:
            at_work = select(t.jobs.c.owner).where(t.jobs.c.job_id == job_id, t.jobs.c.state.in_(_AT_WORK))
            owner = connection.execute(at_work).scalar()
            held = self._leases.of_others(connection).get(owner or "")
        return Hold(*held) if held is not None else None

    def is_cancelled(self, job_id: str) -> bool:
        """True if a running job has been asked to end."""
        with self._reading() as connection:
            return connection.execute(select(t.jobs.c.state).where(t.jobs.c.job_id == job_id)).scalar() == _CANCELLING

    def cancel(self, job_id: str) -> None:
        """Asks a running job to end, and waits no more for the client of one that was interrupted.

        One that was cancelled already stays so: who asks again may not have heard the first answer.

        Raises:
            NotFound: none of that id is running.
        """
        left = (t.jobs.c.job_id == job_id) & t.jobs.c.state.in_(("interrupted", "cancelled"))
        running = (t.jobs.c.job_id == job_id) & t.jobs.c.state.in_(_AT_WORK)
        with self._writing() as connection:
            changed = connection.execute(update(t.jobs).where(running).values(state=_CANCELLING))
            given_up = connection.execute(update(t.jobs).where(left).values(state="cancelled"))
        if not changed.rowcount and not given_up.rowcount:
            raise NotFound("INGEST_JOB_NOT_FOUND", f"no running ingest has the id {job_id!r}")

    def find(self, job_id: str) -> IngestJob | None:
        """One job; None if there is none of that id."""
        with self._reading() as connection:
            row = connection.execute(select(t.jobs).where(t.jobs.c.job_id == job_id)).one_or_none()
            return self._to_job(row, self._leases.of_others(connection)) if row is not None else None

    def latest(self, knowledge_base: str) -> list[IngestJob]:
        """The latest jobs, latest first; a running one whose process is gone counts as interrupted, then as failed."""
        statement = select(t.jobs).where(t.jobs.c.knowledge_base == knowledge_base)
        with self._reading() as connection:
            rows = connection.execute(statement.order_by(t.jobs.c.started_at.desc()).limit(_LISTED_JOBS)).all()
            others = self._leases.of_others(connection)
        return [self._to_job(row, others) for row in rows]

    @staticmethod
    def _standing(connection: Connection, lease: JobLease) -> Standing:
        row = connection.execute(
            select(t.jobs.c.state, t.jobs.c.token).where(t.jobs.c.job_id == lease.job_id)
        ).one_or_none()
        if row is not None and row.token != lease.token:
            return Standing.LOST
        return Standing.CANCELLED if row is not None and row.state == _CANCELLING else Standing.RUNNING

    def _to_job(self, row: Any, others: Collection[str]) -> IngestJob:
        state = self._state(row, others)
        return IngestJob(row.job_id, row.knowledge_base, state, row.started_at, row.updated_at, row.counts)

    def _state(self, row: Any, others: Collection[str]) -> str:
        if row.state not in _AT_WORK:
            return str(row.state)
        if row.owner == self._leases.owner or row.owner in others:
            return "running"
        if row.state == _CANCELLING:
            return "cancelled"
        return "interrupted" if time.time() < row.updated_at + COME_BACK_SECONDS else "failed"


def _mine(lease: JobLease) -> Any:
    return (t.jobs.c.job_id == lease.job_id) & (t.jobs.c.token == lease.token)
