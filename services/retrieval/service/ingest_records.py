"""What the catalogue is told of an ingest: that it begins, how far it is, how it ended."""

from __future__ import annotations

import time
import uuid
from dataclasses import replace

import structlog

from services.common.errors import Unavailable
from services.retrieval.adapters.catalogue import Catalogue
from services.retrieval.domain.ports import IngestJob
from services.retrieval.service.items import IngestTally
from services.retrieval.service.running import ingest_cancelled

log = structlog.get_logger("ingest")

# Between two reports of a running job.
_REPORT_SECONDS = 1.0


class IngestRecords:
    """The jobs of the catalogue as ingests write them. Blocking; times in epoch seconds."""

    def __init__(self, catalogue: Catalogue) -> None:
        self._catalogue = catalogue

    def begin(self, knowledge_base: str, tally: IngestTally, started: float) -> None:
        """Takes up the job that the tally names, if that broke off; else notes a new one and names it in the tally.

        Raises:
            FailedPrecondition: INGEST_CANCELLED, the job was asked to end while its client was away.
            Unavailable: the catalogue does not answer.
        """
        job = _job(knowledge_base, tally, "running", started, started)
        if not tally.job_id or not self._taken_up(job):
            tally.job_id = uuid.uuid4().hex
            self._catalogue.open_job(replace(job, job_id=tally.job_id))

    def report(self, knowledge_base: str, tally: IngestTally, started: float) -> None:
        """Tells about once a second how far the job is."""
        now = time.time()
        if now - tally.reported_at < _REPORT_SECONDS:
            return
        tally.reported_at = now
        try:
            self._catalogue.report_job(_job(knowledge_base, tally, "running", started, now))
        except Unavailable as error:  # no reason to give up: writing, which needs the catalogue, has its pauses
            log.info("ingest not reported", job_id=tally.job_id, reason=error.message)

    def close(self, knowledge_base: str, tally: IngestTally, state: str, started: float) -> None:
        """Tells how the job ended."""
        try:
            self._catalogue.close_job(_job(knowledge_base, tally, state, started, time.time()))
        except Unavailable as error:
            log.warning("ingest job not closed", job_id=tally.job_id, reason=error.message)

    def _taken_up(self, job: IngestJob) -> bool:
        if self._catalogue.reopen_job(job):
            return True
        known = self._catalogue.job(job.job_id)
        if known is None or known.knowledge_base != job.knowledge_base:
            return False
        if known.state == "cancelled" or self._catalogue.is_cancelled(job.job_id):
            raise ingest_cancelled()
        return False


def _job(knowledge_base: str, tally: IngestTally, state: str, started: float, now: float) -> IngestJob:
    return IngestJob(tally.job_id, knowledge_base, state, started, now, tally.counts())
