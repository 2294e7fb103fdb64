"""Progress of an ingest on stderr, and its summary."""

from __future__ import annotations

import time
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import Any

from rich.text import Text

from cli.render.console import clean, err, note, one_line, out, to_dict
from cli.render.words import milliseconds, table
from trirag.retrieval.v1 import knowledge_base_pb2 as pb

WARNINGS_SHOWN = 20
SECONDS_BETWEEN_LINES = 5.0


@dataclass(slots=True)
class Tally:
    """What has happened so far, and in the end the service's summary."""

    hidden: int = 0
    sidecars: tuple[Path, ...] = ()
    done: int = 0
    rejected: list[Any] = field(default_factory=list)
    warnings: list[tuple[str, str]] = field(default_factory=list)
    summary: Any = None

    def add(self, event: Any) -> None:
        """Counts one event of the stream."""
        if event.HasField("summary"):
            self.summary = event.summary
            return
        result = event.document
        self.done += 1
        if result.outcome == pb.DOCUMENT_OUTCOME_REJECTED:
            self.rejected.append(result)
        self.warnings.extend((result.origin, warning) for warning in result.warnings)

    def add_local(self, rejected: Iterable[Any]) -> None:
        """Adds what was rejected before it was sent; the summary's list counts where both name a document."""
        if self.summary is not None and len(self.summary.rejected) > len(self.rejected):
            self.rejected = list(self.summary.rejected)
        self.rejected.extend(rejected)

    def document(self) -> dict[str, Any]:
        """The summary as one JSON document."""
        summary = pb.IngestSummary()
        summary.CopyFrom(self.summary)
        del summary.rejected[:]
        summary.rejected.extend(self.rejected)
        return {**to_dict(summary), "skipped_hidden": self.hidden, "sidecars": [str(path) for path in self.sidecars]}


class Progress:
    """A bar with rate and time left; where stderr is no terminal, a line every few seconds."""

    def __init__(self, expected: int) -> None:
        self._expected = expected
        self._bar = _bar() if err().is_terminal else None
        self._task = self._bar.add_task("ingesting", total=expected, rejected=0) if self._bar else None
        self._started = self._told = time.monotonic()

    def __enter__(self) -> Progress:
        if self._bar:
            self._bar.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._bar:
            self._bar.stop()

    def show(self, done: int, tally: Tally) -> None:
        """Draws the state."""
        if self._bar and self._task is not None:
            total = max(self._expected, done)
            self._bar.update(self._task, completed=done, total=total, rejected=len(tally.rejected))
        elif time.monotonic() - self._told >= SECONDS_BETWEEN_LINES and 0 < done < self._expected:
            self._told = time.monotonic()
            rate = done / (self._told - self._started)
            left = (self._expected - done) / rate
            note(f"{done} of {self._expected} documents, {rate:.1f} a second, about {left:.0f} s left")


def _bar() -> Any:
    from rich.progress import BarColumn, MofNCompleteColumn, ProgressColumn, TextColumn, TimeRemainingColumn
    from rich.progress import Progress as RichProgress

    class Rate(ProgressColumn):
        def render(self, task: Any) -> Text:
            speed = task.finished_speed or task.speed
            return Text(f"{speed:.1f} documents/s" if speed else "", "cyan")

    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        Rate(),
        TimeRemainingColumn(),
        TextColumn("{task.fields[rejected]} rejected"),
    )
    return RichProgress(*columns, console=err(), transient=True)


def print_summary(tally: Tally, knowledge_base: str) -> None:
    """The summary for people: counts, then every rejection with its reason and remedy."""
    console = out()
    summary = tally.summary
    figures = table(
        "created",
        "replaced",
        "unchanged",
        "rejected",
        "chunks",
        "took",
        right=("created", "replaced", "unchanged", "rejected", "chunks", "took"),
    )
    figures.add_row(
        str(summary.created),
        str(summary.replaced),
        str(summary.unchanged),
        Text(str(len(tally.rejected)), "red" if tally.rejected else ""),
        str(summary.chunk_count),
        milliseconds(summary.latency_ms),
    )
    console.print(Text(f"Knowledge base {clean(knowledge_base)}", "bold"))
    console.print(figures)
    for result in tally.rejected:
        line = Text.assemble(
            ("✗ ", "red"),
            (clean(one_line(result.origin)), "bold"),
            f": {clean(result.reason)}: {clean(result.message)}",
        )
        console.print(line, soft_wrap=True)
    for origin, warning in tally.warnings[:WARNINGS_SHOWN]:
        console.print(Text(f"! {clean(one_line(origin))}: {clean(warning)}", "yellow"), soft_wrap=True)
    more = len(tally.warnings) - WARNINGS_SHOWN
    if more > 0:
        console.print(Text(f"! and {more} more warnings", "yellow"))
    if tally.hidden:
        console.print(Text(f"{tally.hidden} hidden file(s) skipped", "dim"))
    if tally.sidecars:
        console.print(Text(f"metadata from {', '.join(str(path) for path in tally.sidecars)}", "dim"), soft_wrap=True)
