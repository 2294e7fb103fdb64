"""Writers of one process take turns at a knowledge base; those of other processes are met by its write count."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Protocol

from services.retrieval.domain.leases import JobLease

# Who waits for a turn looks so often whether its job was ended.
_LOOK_SECONDS = 0.5


class WritingJob(Protocol):
    """The job that a write is for."""

    @property
    def lease(self) -> JobLease | None:
        """Its right to write; None for what is no job."""

    def check(self) -> None:
        """Raises FailedPrecondition if it was asked to end or is another's by now. From any thread."""


class _NoJob:
    lease: JobLease | None = None

    def check(self) -> None:
        """What is no job is never asked to end."""


NO_JOB: WritingJob = _NoJob()


class WriteTurns:
    """Blocking, thread-safe."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._turns: dict[str, threading.Lock] = {}

    @contextmanager
    def turn(self, knowledge_base: str, job: WritingJob = NO_JOB) -> Iterator[None]:
        """Holds the knowledge base's turn; raises what ``job.check`` does if the job is ended while it waits."""
        with self._lock:
            turn = self._turns.setdefault(knowledge_base, threading.Lock())
        while not turn.acquire(timeout=_LOOK_SECONDS):
            job.check()
        try:
            yield
        finally:
            turn.release()
