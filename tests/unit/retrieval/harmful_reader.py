"""What readers in processes of their own do in test_isolated.py: each file's name says it.

A module of its own that imports little: every process that is started imports it.
"""

from __future__ import annotations

import gc
import os
import signal
import time
from pathlib import Path

from services.retrieval.adapters.parsers.reader import Refusal
from services.retrieval.domain.documents import ParsedFile
from services.retrieval.domain.ingest_config import IngestConfig


class Trace:
    """Counts those that were collected."""

    found = 0

    def __del__(self) -> None:
        Trace.found += 1


class Dying:
    """Its process is killed while it packs the answer, as by a system that is out of memory."""

    def __reduce__(self) -> str:
        os.kill(os.getpid(), signal.SIGKILL)
        return ""


def read(content: bytes, path: str, config: IngestConfig) -> ParsedFile | Refusal:
    """Does what the file's name says; the text of others is the process that reads them."""
    if path == "wait.html":
        told = Path(content.decode())
        told.with_name("writing").write_text(f"{os.getpid()}")
        told.with_name("writing").replace(told)
        time.sleep(600)
    if path == "hang.html":
        time.sleep(600)
    if path == "crash.html":
        os.kill(os.getpid(), signal.SIGSEGV)
    if path == "pack.html":
        return Dying()  # type: ignore[return-value]
    if path == "eat.html":
        return ParsedFile("x" * (4 * config.limits.parse_bytes))
    if path == "garbage.html":
        left: list[object] = [Trace()]
        left.append(left)  # only a collection finds it
        return ParsedFile(f"{gc.get_threshold()[0]} {Trace.found}")
    return ParsedFile(f"{os.getpid()}")
