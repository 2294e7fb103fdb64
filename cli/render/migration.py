"""Migrations: progress, comparison, status."""

from __future__ import annotations

from types import TracebackType
from typing import Any

from rich.text import Text

from cli.render.console import clean, note, out, shorten
from cli.render.progress import Progress
from cli.render.words import bar, enum_word, table, when

SHOWN = 10
UNITS = {"copying": "documents", "comparing": "queries", "switching": "documents"}


class Steps:
    """A progress bar for each phase. Use as a context manager; ``quiet`` shows none."""

    def __init__(self, quiet: bool) -> None:
        self._quiet = quiet
        self._phase = ""
        self._bar: Progress | None = None

    def __enter__(self) -> Steps:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._end()

    def show(self, progress: Any) -> None:
        """Draws a MigrationProgress."""
        from trirag.retrieval.v1 import migration_pb2 as pb

        if self._quiet:
            return
        phase = enum_word(pb.MigrationPhase, progress.phase)
        if phase != self._phase:
            self._end()
            self._phase = phase
            self._bar = Progress(phase, UNITS.get(phase, "steps"), progress.total).__enter__()
        if self._bar is not None:
            self._bar.show(progress.done)

    def _end(self) -> None:
        if self._bar is not None:
            self._bar.__exit__(None, None, None)
            self._bar = None


def print_report(report: Any) -> None:
    """A MigrationReport for people: the figures, and the queries whose results differ most."""
    console = out()
    console.print(Text(f"{report.queries} queries compared, top {report.top_k}", "bold"))
    figures = table("overlap", "value")
    figures.add_row("mean", bar(report.mean_overlap))
    figures.add_row("smallest", bar(report.minimum_overlap))
    figures.add_row("same best passage", bar(report.same_first_share))
    console.print(figures)
    if report.skipped_queries:
        note(f"{report.skipped_queries} queries could not be compared: the old embedder is not at hand")
    if not report.comparisons:
        return
    worst = table("overlap", "best", "query", right=("overlap",))
    for entry in report.comparisons[:SHOWN]:
        same = Text("same", "green") if entry.same_first else Text("other", "yellow")
        worst.add_row(f"{entry.overlap:.2f}", same, Text(shorten(entry.query, 100)))
    console.print(worst)
    if len(report.comparisons) > SHOWN:
        note(f"the {SHOWN} with the least overlap are shown; --json has more")


def print_result(result: Any, name: str) -> None:
    """A MigrationResult for people."""
    from trirag.retrieval.v1 import migration_pb2 as pb

    former, model, name = clean(result.former_model), clean(result.model), clean(name)
    outcome = enum_word(pb.MigrationOutcome, result.outcome)
    if outcome == "unchanged":
        print(f"{name} has the embedder {model} already")
    elif outcome == "compared":
        print(f"{name} is copied for {model} and still searched with {former}")
        print(f"it would not switch: {clean(result.objection)}" if result.objection else "it would switch")
    else:
        print(f"{name} is searched with {model} now ({result.document_count} documents), before with {former}")
        print(f"`trirag kb rollback {name}` returns, `trirag kb migration-drop {name}` frees what that needs")


def print_status(response: Any) -> None:
    """A GetMigrationResponse for people."""
    console = out()
    shown = table("collection", "embedding model", "documents", "lacks", "since", right=("documents", "lacks"))
    used = f"{clean(response.embedding_model)} ({response.dimension} d)"
    shown.add_row("in use", used, "", "", "")
    for role, words in (("shadow", "being filled"), ("former", "former")):
        if response.HasField(role):
            side = getattr(response, role)
            shown.add_row(
                words + (", at work" if side.running else ""),
                f"{clean(side.embedding_model)} ({side.dimension} d)",
                str(side.held_documents),
                str(side.missing_documents),
                when(side.started_at),
            )
    console.print(shown)
    console.print(f"{response.recorded_queries} queries recorded; embedders: {clean(', '.join(response.embedders))}")
    if response.HasField("report"):
        print_report(response.report)
