"""What the catalogue is told of an ingest: that it begins, how far it is, how it ended."""

from __future__ import annotations

import threading
import time
import uuid
from collections.abc import Callable
from dataclasses import replace

import structlog

from services.common.errors import Unavailable
from services.retrieval.adapters.catalogue import Catalogue
from services.retrieval.domain.leases import Hold, JobLease
from services.retrieval.domain.ports import IngestJob
from services.retrieval.service.ingest_run import IngestRun
from services.retrieval.service.items import IngestTally
from services.retrieval.service.running import ingest_cancelled

log = structlog.get_logger("ingest")

# Between two reports of a running job.
_REPORT_SECONDS = 1.0


class IngestRecords:
    """The jobs of the catalogue as ingests write them. Blocking; times in epoch seconds."""

    def __init__(self, catalogue: Catalogue) -> None:
        self._jobs = catalogue.jobs
        # What the catalogue could not be told of how jobs ended, with the id of each.
        self._untold: list[tuple[str, Callable[[], None]]] = []
        self._lock = threading.Lock()

    def hold(self, job_id: str) -> Hold | None:
        """Which hold another process has on a job; None if none has. Raises Unavailable."""
        return self._jobs.hold(job_id)

    def begin(self, knowledge_base: str, tally: IngestTally, started: float) -> JobLease:
        """Takes up the job that the tally names, if that broke off; else notes a new one and names it in the tally.

        Raises:
            FailedPrecondition: INGEST_CANCELLED, the job was asked to end while its client was away.
            Unavailable: the catalogue does not answer.
        """
        job = _job(knowledge_base, tally, "running", started, started)
        if job.job_id:
            self.close_left(job.job_id)
            if (lease := self._taken_up(job)) is not None:
                return lease
        tally.job_id = uuid.uuid4().hex
        job = replace(job, job_id=tally.job_id)
        try:
            return self._jobs.open(job)
        except Unavailable:  # it may be noted all the same; nobody knows its id
            self._tell_later(job, lambda: self._jobs.give_up(job, "failed"))
            raise

    def report(self, run: IngestRun) -> None:
        """Tells about once a second how far the job is."""
        now, tally = time.time(), run.tally
        if now - tally.reported_at < _REPORT_SECONDS:
            return
        tally.reported_at = now
        try:
            self._jobs.report(_job(run.target.name, tally, "running", run.started, now), run.job.lease)
        except Unavailable as error:  # no reason to give up: writing, which needs the catalogue, has its pauses
            log.info("ingest not reported", job_id=tally.job_id, reason=error.message)

    def close(self, run: IngestRun, state: str) -> None:
        """Tells how the job ended; ``close_left`` does if the catalogue does not answer."""
        job = _job(run.target.name, run.tally, state, run.started, time.time())
        try:
            self._jobs.close(job, run.job.lease)
        except Unavailable as error:
            log.warning("ingest job not closed yet", job_id=run.job.id, reason=error.message)
            self._tell_later(job, lambda: self._jobs.close(job, run.job.lease))

    def close_left(self, job_id: str = "") -> None:
        """Tells how jobs ended, or that one, where it could not be told. Raises Unavailable if it still cannot."""
        with self._lock:
            due = [each for each in self._untold if not job_id or each[0] == job_id]
        for each in due:
            each[1]()
            with self._lock:
                self._untold = [other for other in self._untold if other is not each]

    def _tell_later(self, job: IngestJob, tell: Callable[[], None]) -> None:
        with self._lock:
            self._untold.append((job.job_id, tell))

    def _taken_up(self, job: IngestJob) -> JobLease | None:
        try:
            lease = self._jobs.take_up(job)
        except Unavailable:  # it may be taken up all the same, and its client comes back for it
            self._tell_later(job, lambda: self._jobs.give_up(job, "interrupted"))
            raise
        if lease is not None:
            return lease
        known = self._jobs.find(job.job_id)
        if known is None or known.knowledge_base != job.knowledge_base:
            return None
        if known.state == "cancelled" or self._jobs.is_cancelled(job.job_id):
            raise ingest_cancelled()
        return None


def _job(knowledge_base: str, tally: IngestTally, state: str, started: float, now: float) -> IngestJob:
    return IngestJob(tally.job_id, knowledge_base, state, started, now, tally.counts())
