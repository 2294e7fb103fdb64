"""A process that reads files for the service, one at a time, bounded in memory; whoever waits for it can end it.

Each process has a pipe of its own, which is why no library keeps them. Pebble's ProcessPool (5.2.3) can end the process
of a single task as well, by ``future.cancel()``, and would save some 170 lines here; but its workers share one pipe and
one lock, under which a worker packs its answer. One that the system kills for its memory just then, when it needs the
most, leaves the lock taken: measured with three workers, the file that another job was reading was lost after 62
seconds, and the next one was not taken up within 90. A worker that dies while all are idle ends the whole pool. Here
neither is anybody else's affair, and the tests hold that.
"""

from __future__ import annotations

import contextlib
import ctypes
import gc
import multiprocessing
import os
import resource
import signal
import threading
import time
from collections.abc import Callable
from concurrent.futures import Executor
from dataclasses import dataclass
from multiprocessing.connection import Connection, wait

from services.retrieval.domain.documents import ParsedFile
from services.retrieval.domain.ingest_config import IngestConfig
from services.retrieval.domain.quality.rejection import Reason

Refusal = tuple[Reason, str]
Read = Callable[[bytes, str, IngestConfig], ParsedFile | Refusal]
"""What a process does with a file; a function of a module, for another process must find it."""

# A process ends after so many files and a fresh one takes its place: what libraries leak and keep goes with it.
_FILES_A_PROCESS = 100
# A service that is killed cannot end its processes; each looks whether it is still there.
_LOOK_SECONDS = 1.0
_PR_SET_PDEATHSIG = 1  # of <sys/prctl.h>
# A process that has not begun with its file by then will not: importing takes a second or two on a busy machine.
_BEGIN_SECONDS = 60.0

# Libraries make trees of millions of objects that stay until the file is read. Looking them through for garbage as
# often as Python does took half of the time of a long DOCX, and more than in proportion to its length.
_COLLECTED = (50_000, 20, 20)
# What a file of so many bytes left is collected before the next one.
_LARGE = 256 * 1024

_READY, _TAKEN = "ready", "taken"


class NotBegun(Exception):
    """The process ended, or never came to be, before it began to read; another one may read the file."""


class ReaderDied(Exception):
    """The process ended while it read."""

    def __init__(self, exit_status: int | None) -> None:
        super().__init__(f"exit status {exit_status}")
        self.exit_status = exit_status


class TookTooLong(Exception):
    """The file was not read within its time; the process still reads."""


@dataclass(frozen=True, slots=True)
class Broke:
    """What a process answers whose reading function raised something."""

    kind: str
    message: str


class Reader:
    """One process. ``read`` is for one thread at a time, ``kill`` for any."""

    def __init__(self, config: IngestConfig, read: Read, starter: Executor) -> None:
        """``starter``: a thread that lives as long as the service, for the kernel ends the process with the thread that
        started it. The process is started in the spawn way: the service has threads, which forking breaks.

        Raises:
            NotBegun: the system starts no more processes.
        """
        context = multiprocessing.get_context("spawn")
        try:
            self._pipe, theirs = context.Pipe()
        except OSError as error:  # no more files may be open
            raise NotBegun(str(error)) from error
        self._process = context.Process(target=_serve, args=(theirs, config, read, os.getpid()), daemon=True)
        self._ending = threading.Lock()
        self._files = 0
        self._ready = False
        self._killed = False
        try:
            starter.submit(self._process.start).result()
        except (OSError, RuntimeError) as error:
            self._pipe.close()
            raise NotBegun(str(error)) from error
        finally:
            theirs.close()

    @property
    def usable(self) -> bool:
        """Whether it can be given one more file."""
        with self._ending:
            # One that was just killed may count as alive for a moment.
            return not self._killed and self._files < _FILES_A_PROCESS and self._process.is_alive()

    def read(self, content: bytes, path: str, seconds: float) -> ParsedFile | Refusal | Broke:
        """What became of the file, which may take ``seconds`` from the moment that the process has it.

        Raises:
            NotBegun, ReaderDied, TookTooLong: the process must not be used again.
        """
        self._files += 1
        try:
            if not self._ready:
                self._expect(_READY)
                self._ready = True
            self._pipe.send((content, path))
            self._expect(_TAKEN)
        except (EOFError, OSError) as error:
            raise NotBegun(f"exit status {self.exit_status()}") from error
        try:
            if not self._answered(seconds):
                raise TookTooLong
            outcome: ParsedFile | Refusal | Broke = self._pipe.recv()
        except (EOFError, OSError) as error:
            raise ReaderDied(self.exit_status()) from error
        return outcome

    def exit_status(self) -> int | None:
        """How the process ended, negative for a signal; None while it runs."""
        with self._ending:
            self._process.join(_LOOK_SECONDS)
            return self._process.exitcode

    def kill(self) -> None:
        """Ends the process and what it does, at once; whoever waits for it in ``read`` is told by ReaderDied."""
        with self._ending:
            self._killed = True
            if self._process.exitcode is None:
                self._process.kill()

    def end(self) -> None:
        """Kills it, waits until it is gone, and gives back what it held. Not while another thread is in ``read``."""
        self.kill()
        with self._ending:
            self._process.join()
            self._pipe.close()

    def _expect(self, word: str) -> None:
        if not self._answered(_BEGIN_SECONDS) or self._pipe.recv() != word:
            raise NotBegun(f"it was not {word}")

    def _answered(self, seconds: float) -> bool:
        """Waits for an answer or the end of the process; False where neither came in time."""
        return bool(wait([self._pipe, self._process.sentinel], seconds))


def _serve(pipe: Connection, config: IngestConfig, read: Read, service: int) -> None:
    """The process: takes a file, says so, answers what became of it, and takes the next."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C in a terminal is the service's affair
    _bound_memory(config.limits.parse_bytes)
    _end_with_service(service)
    gc.set_threshold(*_COLLECTED)
    with contextlib.suppress(EOFError, OSError):
        pipe.send(_READY)
        while True:
            content, path = pipe.recv()
            pipe.send(_TAKEN)
            try:
                pipe.send(read(content, path, config))
            except OSError:
                raise
            except Exception as error:  # also MemoryError, when the answer is packed
                pipe.send(Broke(type(error).__name__, str(error)))
            large = len(content) > _LARGE
            del content
            if large:
                gc.collect()


def _bound_memory(limit: int) -> None:
    """Bounds what the process may allocate: more raises MemoryError."""
    _, hard = resource.getrlimit(resource.RLIMIT_DATA)
    bound = limit if hard == resource.RLIM_INFINITY else min(limit, hard)
    resource.setrlimit(resource.RLIMIT_DATA, (bound, hard))


def _end_with_service(service: int) -> None:
    """Ends the process with the service: the kernel does where it can, a thread looks everywhere."""
    prctl = getattr(ctypes.CDLL(None), "prctl", None)
    if prctl is not None:
        prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    threading.Thread(target=_look, args=(service,), daemon=True).start()


def _look(service: int) -> None:
    while os.getppid() == service:
        time.sleep(_LOOK_SECONDS)
    os._exit(1)
