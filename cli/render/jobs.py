"""Ingest jobs: a list, one in words, and the progress of one that is watched."""

from __future__ import annotations

from types import TracebackType
from typing import Any

from rich.text import Text

from cli.render.console import clean, out
from cli.render.progress import Progress
from cli.render.words import enum_word, table, when
from trirag.retrieval.v1 import knowledge_base_pb2 as pb

_COUNTS = ("created", "replaced", "unchanged", "rejected")
_STYLES = {"done": "green", "failed": "red", "cancelled": "yellow", "interrupted": "yellow", "running": "cyan"}


def print_jobs(response: Any) -> None:
    """A ListIngestJobsResponse for people."""
    if not response.jobs:
        out().print("no ingest yet")
        return
    shown = table("job", "state", "started", "last report", *_COUNTS, "chunks", right=(*_COUNTS, "chunks"))
    for job in response.jobs:
        state = _state(job)
        shown.add_row(
            clean(job.job_id),
            Text(state, _STYLES.get(state, "")),
            when(job.started_at),
            when(job.updated_at),
            *(str(job.counts.get(name, 0)) for name in (*_COUNTS, "chunks")),
        )
    out().print(shown)


def print_job(job: Any) -> None:
    """One job as a sentence."""
    counts = ", ".join(f"{job.counts.get(name, 0)} {name}" for name in _COUNTS)
    state = _state(job)
    hint = "; run the same ingest again to go on from there" if state in ("failed", "cancelled", "interrupted") else ""
    words = (
        f"{clean(job.job_id)} into {clean(job.knowledge_base)}: {state}, {counts}, {job.counts.get('chunks', 0)} chunks"
    )
    out().print(Text(words + hint, _STYLES.get(state, "")), soft_wrap=True)


class JobProgress:
    """The progress of a job that runs elsewhere. Use as a context manager."""

    def __init__(self) -> None:
        self._progress: Progress | None = None

    def __enter__(self) -> JobProgress:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._progress is not None:
            self._progress.__exit__(kind, error, trace)

    def show(self, job: Any) -> None:
        """Draws a state. The bar begins with the first one, which tells how many documents are expected."""
        done = sum(job.counts.get(name, 0) for name in _COUNTS)
        if self._progress is None:
            self._progress = Progress("ingesting", "documents", max(done, job.counts.get("expected", 0)), begun=done)
            self._progress.__enter__()
        remark = f"{job.counts['rejected']} rejected" if job.counts.get("rejected") else ""
        self._progress.show(done, remark, job.counts.get("embedded", 0), job.counts.get("passages", 0))


def _state(job: Any) -> str:
    return enum_word(pb.IngestJobState, job.state)
