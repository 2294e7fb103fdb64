"""What became of an ingest."""

from __future__ import annotations

import time
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from rich.text import Text

from cli.render.console import clean, one_line, out, to_dict
from cli.render.health import print_conflicts
from cli.render.words import milliseconds, table
from trirag.retrieval.v1 import knowledge_base_pb2 as pb

WARNINGS_SHOWN = 20
CONFLICTS_SHOWN = 10


@dataclass(slots=True)
class Tally:
    """What has happened so far, and in the end the service's summary. ``embedded`` of ``passages`` of a large document
    under way have their vectors, or it is still being read (``reading``). ``came`` is what became of each document.

    An ingest that was cut is sent again from the beginning; what came of a document the first time counts.
    """

    hidden: int = 0
    sidecars: tuple[Path, ...] = ()
    done: int = 0
    rejected: list[Any] = field(default_factory=list)
    warnings: list[tuple[str, str]] = field(default_factory=list)
    summary: Any = None
    resumptions: int = 0
    job_id: str = ""
    embedded: int = 0
    passages: int = 0
    reading: bool = False
    came: dict[str, Any] = field(default_factory=dict)
    _before: dict[str, Any] = field(default_factory=dict)
    _repeated: list[Any] = field(default_factory=list)
    _answered: bool = False
    _began: float = field(default_factory=time.monotonic)

    def begin_again(self, cut: bool = True) -> None:
        """What follows is sent from the beginning; ``cut``: for the stream was cut."""
        self.resumptions += self._answered and cut
        self._answered = False
        self.embedded = self.passages = 0
        self.reading = False
        self._before, self._repeated = dict(self.came), []

    def add(self, event: Any) -> None:
        """Counts one event of the stream."""
        self._answered = True
        match event.WhichOneof("event"):
            case "started":
                self.job_id = event.started.job_id
            case "progress":
                self.embedded, self.passages = event.progress.embedded, event.progress.passages
                self.reading = not self.passages
            case "summary":
                self.summary = event.summary
                if self.resumptions:
                    self._correct()
            case "document":
                self.embedded = self.passages = 0
                self.reading = False
                self._count(event.document)

    def _count(self, result: Any) -> None:
        before = self._before.pop(result.origin, None)
        if before is not None and result.outcome in (pb.DOCUMENT_OUTCOME_UNCHANGED, before.outcome):
            if result.outcome == pb.DOCUMENT_OUTCOME_UNCHANGED:
                self._repeated.append(before)
            return
        self.came[result.origin] = result
        if before is not None:  # refused before the cut and stored after it: the last word counts
            self.rejected = [earlier for earlier in self.rejected if earlier.origin != result.origin]
            self.done -= 1
        self.done += 1
        if result.outcome == pb.DOCUMENT_OUTCOME_REJECTED:
            self.rejected.append(result)
        self.warnings.extend((result.origin, warning) for warning in result.warnings)

    def _correct(self) -> None:
        """Makes the summary of the last stream one of all: what it found unchanged the streams before had stored."""
        for before in self._repeated:
            if before.outcome in (pb.DOCUMENT_OUTCOME_CREATED, pb.DOCUMENT_OUTCOME_REPLACED):
                field_name = "created" if before.outcome == pb.DOCUMENT_OUTCOME_CREATED else "replaced"
                setattr(self.summary, field_name, getattr(self.summary, field_name) + 1)
                self.summary.unchanged -= 1
                self.summary.chunk_count += before.chunk_count
        self.summary.latency_ms = (time.monotonic() - self._began) * 1000

    def remark(self, rejected_here: int) -> str:
        """What the count of documents does not tell; ``rejected_here`` never reached the service."""
        count = len(self.rejected) + rejected_here
        rejected = f"{count} rejected" if count else ""
        return ", ".join(part for part in (rejected, "reading a large one" if self.reading else "") if part)

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
    _print_conflicts(summary)
    for origin, warning in tally.warnings[:WARNINGS_SHOWN]:
        console.print(Text(f"! {clean(one_line(origin))}: {clean(warning)}", "yellow"), soft_wrap=True)
    more = len(tally.warnings) - WARNINGS_SHOWN
    if more > 0:
        console.print(Text(f"! and {more} more warnings", "yellow"))
    if tally.hidden:
        console.print(Text(f"{tally.hidden} hidden file(s) skipped", "dim"))
    if tally.resumptions:
        told = f"the connection was cut {tally.resumptions} time(s) and taken up again"
        console.print(Text(f"{told}; `trirag kb health` has the conflicts of what was stored before", "dim"))
    if tally.sidecars:
        console.print(Text(f"metadata from {', '.join(str(path) for path in tally.sidecars)}", "dim"), soft_wrap=True)


def _print_conflicts(summary: Any) -> None:
    """The worst of them with both sentences; the health report has the rest."""
    shown = summary.conflicts[:CONFLICTS_SHOWN]
    print_conflicts(shown)
    more = sum(summary.conflict_counts.values()) - len(shown)
    if more > 0:
        counts = ", ".join(f"{count} {kind}" for kind, count in sorted(summary.conflict_counts.items()) if count)
        out().print(Text(f"≠ and {more} more pairs ({counts} in all); `trirag kb health` lists them", "yellow"))
