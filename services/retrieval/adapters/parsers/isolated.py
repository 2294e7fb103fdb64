"""Parsing in processes of their own, bounded in time and memory.

Libraries for PDF, Office and HTML files are large, partly written in C, and read whatever a stranger made. In the
service's own process a hostile file could end it or fill its memory, and Python's lock would hold up searches while a
long one is read. Here the worst that a file does is to be refused, and what is read for a job ends with the job.
"""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import structlog

from services.retrieval.adapters.parsers.reader import (
    Broke,
    NotBegun,
    Read,
    Reader,
    ReaderDied,
    Refusal,
    TookTooLong,
)
from services.retrieval.adapters.parsers.registry import format_of, needs_memory, parse_file, read_apart
from services.retrieval.domain.documents import ParsedFile
from services.retrieval.domain.ingest_config import IngestConfig
from services.retrieval.domain.quality.rejection import DocumentRejected, Reason

log = structlog.get_logger("parse")

# Libraries in C do not say that they ran out of memory. One that gives up with so much of it in use most likely did:
# buffers grow by doubling.
_MUCH = 0.4

# What is this many times too long is refused before it is handed over.
_SPARE = 2


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
    """Reads files in at most ``processes`` processes, each started when a file finds none free. Thread-safe."""

    def __init__(self, config: IngestConfig, processes: int, read: Read = read_file) -> None:
        self._config = config
        self._read = read
        self._places = threading.BoundedSemaphore(processes)
        self._starter = ThreadPoolExecutor(1, "readers")
        self._lock = threading.Lock()
        self._idle: list[Reader] = []
        self._lent: set[Reader] = set()
        self._closed = False

    @property
    def closed(self) -> bool:
        """Whether the service is stopping."""
        return self._closed

    def job(self) -> ParsingJob:
        """What parses the files of one job, and can be ended."""
        return ParsingJob(self, self._config)

    def close(self) -> None:
        """Ends the processes and what they are doing."""
        with self._lock:
            self._closed = True
            idle, self._idle = self._idle, []
            lent = list(self._lent)
        for reader in lent:  # whoever waits for it gives it back and ends it
            reader.kill()
        for reader in idle:
            reader.end()
        self._starter.shutdown(wait=False)

    def lend(self) -> Reader:
        """A process that does nothing else; waits for one. To be given back.

        Raises:
            NotBegun: the system starts no more processes.
            DocumentRejected: CANCELLED, the service is stopping.
        """
        self._places.acquire()
        try:
            while (reader := self._taken()) is not None and not reader.usable:
                self.give_back(reader, usable=False, place=False)
            if reader is None:
                reader = Reader(self._config, self._read, self._starter)
                with self._lock:
                    self._lent.add(reader)
                    closed = self._closed
                if closed:
                    reader.kill()
        except BaseException:
            self._places.release()
            raise
        return reader

    def give_back(self, reader: Reader, usable: bool, place: bool = True) -> None:
        """Takes a process back, and ends it if it is of no more use."""
        with self._lock:
            self._lent.discard(reader)
            kept = usable and not self._closed
            if kept:
                self._idle.append(reader)
        if not kept:
            reader.end()
        if place:
            self._places.release()

    def _taken(self) -> Reader | None:
        with self._lock:
            if self._closed:
                raise DocumentRejected(Reason.CANCELLED, "the service is stopping; ingest the file again")
            if not self._idle:
                return None
            reader = self._idle.pop()
            self._lent.add(reader)
            return reader


class ParsingJob:
    """Parses the files of one job; thread-safe, blocking."""

    def __init__(self, parser: IsolatedParser, config: IngestConfig) -> None:
        self._parser = parser
        self._config = config
        self._lock = threading.Lock()
        self._ended = False
        self._at_work: set[Reader] = set()

    def end(self) -> None:
        """Ends what is being read for the job at once. From now on its ``parse`` raises CANCELLED."""
        # Held to the end: a reader that was given back meanwhile would be killed at work for another job.
        with self._lock:
            self._ended = True
            for reader in self._at_work:
                reader.kill()

    def parse(self, content: bytes, path: str) -> ParsedFile:
        """See :func:`services.retrieval.adapters.parsers.registry.parse_file`.

        Raises:
            DocumentRejected: as parse_file; TOO_LARGE where the file needs more time or memory than
                ``config/ingest.yaml`` grants, UNREADABLE_FILE where it ends the process that reads it, CANCELLED where
                the job or the service ends.
        """
        if not read_apart(content, path):
            return parse_file(content, path, self._config)
        outcome = self._read_apart(content, path)
        if isinstance(outcome, ParsedFile):
            return outcome
        raise DocumentRejected(*outcome)

    def _read_apart(self, content: bytes, path: str) -> ParsedFile | Refusal:
        # A process may end while it has nothing to do, unseen; a second one ends for a reason.
        for _ in range(2):
            try:
                outcome = self._read_by_one(content, path)
            except NotBegun as error:
                self._check()
                log.warning("a reader did not begin", path=path, reason=str(error))
                continue
            if not isinstance(outcome, Broke):
                return outcome
            log.warning("a file broke its reader", path=path, reason=outcome.message, kind=outcome.kind)
            break
        return _unreadable(path)

    def _read_by_one(self, content: bytes, path: str) -> ParsedFile | Refusal | Broke:
        reader = self._parser.lend()
        usable = False
        try:
            with self._lock:
                ended = self._ended
                self._at_work.add(reader)
            if ended:
                usable = True
                self._check()
            outcome = reader.read(content, path, self._config.limits.parse_seconds)
            usable = not isinstance(outcome, Broke)
        except TookTooLong:
            seconds = self._config.limits.parse_seconds
            return (
                Reason.TOO_LARGE,
                f"the file was not read within {seconds:g} s; split it, or raise limits.parse_seconds in "
                "config/ingest.yaml",
            )
        except ReaderDied as error:
            self._check()
            log.warning("a file ended the process that read it", path=path, exit_status=error.exit_status)
            return _unreadable(path)
        finally:
            with self._lock:
                self._at_work.discard(reader)
            self._parser.give_back(reader, usable)
        return outcome

    def _check(self) -> None:
        if self._ended or self._parser.closed:
            raise DocumentRejected(Reason.CANCELLED, "the ingest was ended; ingest the file again")


def _unreadable(path: str) -> Refusal:
    name = format_of(path).name
    return Reason.UNREADABLE_FILE, f"reading the {name} file broke its reader; open and save it again, or convert it"
