"""An ingest while it runs: what belongs to it, and its end before its time."""

from __future__ import annotations

import asyncio
import contextlib
import threading
from collections.abc import Awaitable, Callable, Coroutine, Iterator
from typing import Any, Protocol, TypeVar

import structlog

from services.common.errors import FailedPrecondition, Unavailable
from services.common.offload import BlockingPool
from services.retrieval.domain.documents import ParsedFile
from services.retrieval.domain.leases import JobLease, Standing, ingest_taken_over
from services.retrieval.domain.quality.rejection import DocumentRejected, Reason

log = structlog.get_logger("ingest")
T = TypeVar("T")

CANCELLED = "INGEST_CANCELLED"

# Another worker, or another host, may have been asked to end the job or have taken it up; so often the catalogue is
# looked at.
_LOOK_SECONDS = 1.0


class FileReader(Protocol):
    """Reads the files of one job."""

    def parse(self, content: bytes, path: str) -> ParsedFile:
        """The text of a file. Raises DocumentRejected."""

    def end(self) -> None:
        """Ends what is being read at once; thread-safe. From now on ``parse`` raises CANCELLED."""


class RunningJob:
    """One ingest. For one event loop, but for ``check``."""

    def __init__(self, lease: JobLease, reader: FileReader | None) -> None:
        self.id = lease.job_id
        self.lease = lease
        self.reader = reader
        self._asked = asyncio.Event()
        self._stopped = threading.Event()
        self._lost = False
        self._tasks: list[asyncio.Task[Any]] = []

    def end(self, lost: bool = False) -> None:
        """Ends it: what is read, cut and written for it stops, and ``unless_ended`` raises.

        ``lost``: another call has taken up the job.
        """
        self._lost = self._lost or lost
        self._stopped.set()
        self._asked.set()
        if self.reader is not None:
            self.reader.end()

    def check(self) -> None:
        """Raises FailedPrecondition if it is to end: INGEST_CANCELLED, or INGEST_TAKEN_OVER. From any thread."""
        if self._stopped.is_set():
            raise ingest_taken_over(self.id) if self._lost else ingest_cancelled()

    def counting(self, count_tokens: Callable[[str], int]) -> Callable[[str], int]:
        """``count_tokens``, which cutting a document calls all the time, but raising CANCELLED once the job ends."""

        def count(text: str) -> int:
            if self._stopped.is_set():
                raise DocumentRejected(Reason.CANCELLED, "the ingest was ended; ingest the file again")
            return count_tokens(text)

        return count

    def start(self, work: Coroutine[Any, Any, T]) -> asyncio.Task[T]:
        """Work that is left off when the job is over."""
        self._tasks = [task for task in self._tasks if not task.done()]
        task = asyncio.create_task(work)
        self._tasks.append(task)
        return task

    async def unless_ended(self, work: Awaitable[T]) -> T:
        """The outcome of ``work``, which is left off if the job is to end. Raises as ``check`` does."""
        task, asked = asyncio.ensure_future(work), asyncio.ensure_future(self._asked.wait())
        try:
            await asyncio.wait({task, asked}, return_when=asyncio.FIRST_COMPLETED)
            self.check()
            return await task
        finally:
            asked.cancel()
            if not task.cancel() and not task.cancelled():
                task.exception()  # nobody else asks

    async def over(self) -> None:
        """Leaves off what still goes on for it, however it came to its end."""
        self.end()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)


def ingest_cancelled() -> FailedPrecondition:
    """What an ingest that was asked to end ends with."""
    return FailedPrecondition(CANCELLED, "the ingest was cancelled; what it stored stays, and running it again goes on")


class RunningJobs:
    """The ingests of this process. For one event loop."""

    def __init__(self, standing: Callable[[JobLease], Standing]) -> None:
        """``standing``: blocking, what the catalogue says of a job; raises Unavailable."""
        self._standing = standing
        self._jobs: dict[str, RunningJob] = {}
        # Of its own: who looks whether to end must not wait behind the work that is to end.
        self._pool = BlockingPool(1, "look")

    def end(self, job_id: str) -> None:
        """Ends a job at once, if it is one of this process."""
        if (job := self._jobs.get(job_id)) is not None:
            job.end()

    def close(self) -> None:
        """Looks no more."""
        self._pool.close()

    @contextlib.contextmanager
    def running(self, job: RunningJob) -> Iterator[None]:
        """While the job runs: it ends soon after the catalogue says that it is to."""
        self._jobs[job.id] = job
        look = asyncio.create_task(self._look(job))
        try:
            yield
        finally:
            look.cancel()
            del self._jobs[job.id]

    async def _look(self, job: RunningJob) -> None:
        while True:
            await asyncio.sleep(_LOOK_SECONDS)
            try:
                standing = await self._pool.run(self._standing, job.lease)
            except Unavailable as error:
                log.info("not looked whether to end", job_id=job.id, reason=error.message)
                continue
            if standing is not Standing.RUNNING:
                job.end(lost=standing is Standing.LOST)
                return
