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
from services.retrieval.domain.rejection import DocumentRejected, Reason

log = structlog.get_logger("ingest")
T = TypeVar("T")

CANCELLED = "INGEST_CANCELLED"

# Another worker, or another host, may have been asked to end the job; so often the catalogue is looked at.
_LOOK_SECONDS = 1.0


class FileReader(Protocol):
    """Reads the files of one job."""

    def parse(self, content: bytes, path: str) -> ParsedFile:
        """The text of a file. Raises DocumentRejected."""

    def end(self) -> None:
        """Ends what is being read at once; thread-safe. From now on ``parse`` raises CANCELLED."""


class RunningJob:
    """One ingest. For one event loop, but for ``check`` and ``stopped``."""

    def __init__(self, job_id: str, reader: FileReader | None) -> None:
        self.id = job_id
        self.reader = reader
        self._asked = asyncio.Event()
        self._stopped = threading.Event()
        self._tasks: list[asyncio.Task[Any]] = []

    def end(self) -> None:
        """Ends it: what is read and cut for it stops, and ``unless_ended`` raises."""
        self._stopped.set()
        self._asked.set()
        if self.reader is not None:
            self.reader.end()

    def check(self) -> None:
        """Raises FailedPrecondition (INGEST_CANCELLED) if it was asked to end."""
        if self._asked.is_set():
            raise ingest_cancelled()

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
        """The outcome of ``work``, which is left off if the job is asked to end.

        Raises:
            FailedPrecondition: INGEST_CANCELLED.
        """
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

    def __init__(self, is_cancelled: Callable[[str], bool]) -> None:
        """``is_cancelled``: blocking, whether the job of an id was asked to end; raises Unavailable."""
        self._is_cancelled = is_cancelled
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
        """While the job runs: it ends soon after the catalogue says that it was asked to."""
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
                asked = await self._pool.run(self._is_cancelled, job.id)
            except Unavailable as error:
                log.info("not looked whether to end", job_id=job.id, reason=error.message)
                continue
            if asked:
                job.end()
                return
