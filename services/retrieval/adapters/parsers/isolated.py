"""Parsing in processes of their own, bounded in time and memory.

Libraries for PDF, Office and HTML files are large, partly written in C, and read whatever a stranger made. In the
service's own process a hostile file could end it or fill its memory, and Python's lock would hold up searches while a
long one is read. Here the worst that a file does is to be refused.
"""

from __future__ import annotations

import contextlib
import ctypes
import multiprocessing
import os
import resource
import signal
import threading
import time
from collections.abc import Callable
from concurrent.futures import CancelledError, Future
from concurrent.futures import TimeoutError as TookTooLong
from pathlib import Path

import structlog
from pebble import ProcessExpired, ProcessPool

from services.retrieval.adapters.parsers.registry import format_of, needs_memory, parse_file
from services.retrieval.domain.documents import ParsedFile
from services.retrieval.domain.ingest_config import IngestConfig
from services.retrieval.domain.rejection import DocumentRejected, Reason

log = structlog.get_logger("parse")

# A process ends after so many files and a fresh one takes its place: what libraries leak and keep goes with it.
_FILES_A_PROCESS = 100
# A service that is killed cannot end its processes; each looks whether it is still there.
_LOOK_SECONDS = 1.0
_PR_SET_PDEATHSIG = 1  # of <sys/prctl.h>

# Libraries in C do not say that they ran out of memory. One that gives up with so much of it in use most likely did:
# buffers grow by doubling.
_MUCH = 0.4

# What is this many times too long is refused before it is handed over.
_SPARE = 2

Refusal = tuple[Reason, str]
Read = Callable[[bytes, str, IngestConfig], ParsedFile | Refusal]
"""What a process does with a file; a function of a module, for another process must find it."""


def read_file(content: bytes, path: str, config: IngestConfig) -> ParsedFile | Refusal:
    """parse_file, with a refusal as data: it goes to another process, without a trace of this one."""
    before = _most_memory()
    try:
        parsed = parse_file(content, path, config)
    except DocumentRejected as refusal:
        used = _most_memory()
        much = used > before and used > _MUCH * config.limits.parse_bytes
        if refusal.reason is Reason.UNREADABLE_FILE and much:
            return needs_memory(config)
        return refusal.reason, refusal.message
    if len(parsed.text) > _SPARE * config.limits.text_characters:  # cleaning only takes away, and not that much
        return (
            Reason.TOO_LARGE,
            f"the text has {len(parsed.text):,} characters, at most {config.limits.text_characters:,} are stored; "
            "split it",
        )
    return parsed


def _most_memory() -> int:
    """About the most bytes that the process has had allocated so far; 0 where the system does not tell."""
    try:
        lines = Path("/proc/self/status").read_text("ascii").splitlines()
    except OSError:
        return 0
    sizes = {name: int(value.split()[0]) for name, _, value in (line.partition(":") for line in lines) if "kB" in value}
    return 1024 * (sizes.get("VmPeak", 0) - sizes.get("VmSize", 0) + sizes.get("VmData", 0))


class IsolatedParser:
    """Parses files of the formats that ask for it in ``processes`` processes; thread-safe, blocking.

    Processes are started when the first file comes, in the spawn way: the service has threads, which forking breaks.
    """

    def __init__(self, config: IngestConfig, processes: int, read: Read = read_file) -> None:
        self._config = config
        self._read = read
        self._processes = processes
        self._pool: ProcessPool | None = None
        self._closed = False
        self._starting = threading.Lock()

    def parse(self, content: bytes, path: str) -> ParsedFile:
        """See :func:`services.retrieval.adapters.parsers.registry.parse_file`.

        Raises:
            DocumentRejected: as parse_file; TOO_LARGE where the file needs more time or memory than
                ``config/ingest.yaml`` grants, UNREADABLE_FILE where it ends the process that reads it.
        """
        if not content or not format_of(path).isolated:
            return parse_file(content, path, self._config)
        outcome = self._read_apart(content, path)
        if isinstance(outcome, ParsedFile):
            return outcome
        raise DocumentRejected(*outcome)

    def _read_apart(self, content: bytes, path: str) -> ParsedFile | Refusal:
        limits = self._config.limits
        for last in (False, True):
            pool = self._running()
            try:
                future = pool.schedule(self._read, args=(content, path, self._config), timeout=limits.parse_seconds)
                return self._await(pool, future)
            except TookTooLong:
                raise DocumentRejected(
                    Reason.TOO_LARGE,
                    f"the file was not read within {limits.parse_seconds:g} s; split it, "
                    "or raise limits.parse_seconds in config/ingest.yaml",
                ) from None
            except ProcessExpired as error:
                log.warning("a file ended the process that read it", path=path, exit_status=error.exitcode)
                break
            except (RuntimeError, CancelledError) as error:
                # A process that ended while it had nothing to do breaks the whole pool.
                log.warning("the readers are started again", path=path, reason=str(error), kind=type(error).__name__)
                self._drop(pool)
                if last:
                    break
            except Exception as error:
                log.warning("a file broke its reader", path=path, reason=str(error), kind=type(error).__name__)
                break
        raise DocumentRejected(
            Reason.UNREADABLE_FILE,
            f"reading the {format_of(path).name} file broke its reader; open and save it again, or convert it",
        )

    def _await(self, pool: ProcessPool, future: Future[ParsedFile | Refusal]) -> ParsedFile | Refusal:
        """The outcome. A pool that broke may leave its futures open, so it is looked at now and then."""
        while True:
            try:
                return future.result(_LOOK_SECONDS)
            except TookTooLong:
                if future.done():
                    raise
                if not pool.active:
                    raise RuntimeError("the readers are gone") from None

    def close(self) -> None:
        """Ends the processes and what they are doing."""
        with self._starting:
            self._closed = True
            pool, self._pool = self._pool, None
        if pool is not None:
            pool.stop()  # type: ignore[no-untyped-call]
            pool.join()

    def _drop(self, pool: ProcessPool) -> None:
        with self._starting:
            if self._pool is pool:
                self._pool = None
        with contextlib.suppress(RuntimeError):
            pool.stop()  # type: ignore[no-untyped-call]
            pool.join()

    def _running(self) -> ProcessPool:
        with self._starting:
            if self._closed:
                raise DocumentRejected(Reason.CANCELLED, "the service is stopping; ingest the file again")
            if self._pool is None:
                self._pool = ProcessPool(
                    max_workers=self._processes,
                    max_tasks=_FILES_A_PROCESS,
                    initializer=_begin,
                    initargs=(self._config.limits.parse_bytes, os.getpid()),
                    context=multiprocessing.get_context("spawn"),
                )
            return self._pool


def _begin(limit: int, service: int) -> None:
    """Bounds what the process may allocate (more raises MemoryError), and ends it with the service that started it."""
    _, hard = resource.getrlimit(resource.RLIMIT_DATA)
    bound = limit if hard == resource.RLIM_INFINITY else min(limit, hard)
    resource.setrlimit(resource.RLIMIT_DATA, (bound, hard))
    # The kernel ends it with the thread that started it, which lives as long as the pool; the thread here looks, too.
    prctl = getattr(ctypes.CDLL(None), "prctl", None)
    if prctl is not None:
        prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    threading.Thread(target=_end_with, args=(service,), daemon=True).start()


def _end_with(service: int) -> None:
    while os.getppid() == service:
        time.sleep(_LOOK_SECONDS)
    os._exit(1)
