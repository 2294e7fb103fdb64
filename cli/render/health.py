"""The health report on a terminal."""

from __future__ import annotations

from collections import defaultdict
from typing import Any

from rich.text import Text

from cli.render.console import clean, one_line, out
from cli.render.words import table
from trirag.retrieval.v1 import knowledge_base_pb2 as pb

FIGURE_WORDS = {
    "documents": "documents",
    "chunks": "passages",
    "characters": "characters",
    "content_health_mean": "mean text health",
    "content_health_min": "worst text health",
    "with_any_date": "have a date",
    "with_effective_date": "have a first day in force",
    "with_extracted_date": "have dates read from the text",
    "repaired_invisible": "zero-width and soft hyphens removed",
    "control_characters": "control characters",
    "private_use_characters": "private-use characters",
    "mojibake_runs": "wrongly decoded runs",
    "spaced_out_runs": "words spaced out",
    "mixed_script_words": "words of two alphabets",
    "repeated_lines": "running headers and footers",
    "pages": "pages",
    "empty_pages": "pages without text",
    "table_cells": "table cells",
    "table_cells_lost": "table cells lost",
    "retired": "retired",
    "rejected": "refused",
    "conflicts": "true conflicts",
    "superseded_values": "superseded values",
    "not_compared": "documents not compared",
}
"""What each figure counts, in words."""

KIND_WORDS = {
    "MISSING_DATE": "a date is missing where the kind of document needs one",
    "EXTRACTED_DATE": "a date was read from the text and not given",
    "DIRTY_TEXT": "control, private-use or wrongly decoded characters",
    "SPACED_OUT_WORDS": "words written letter by letter",
    "REPEATED_LINES": "running headers and footers in the text",
    "EMPTY_PAGES": "pages without a text layer",
    "TABLE_CELLS_LOST": "table cells of the source that are not in the text",
    "UNKNOWN_LANGUAGE": "the language is not evident",
    "MISSING_PREDECESSOR": "what it supersedes is not stored",
    "OUTRANKED_SUCCESSOR": "it claims to replace what has more authority",
    "NEVER_IN_FORCE": "another version covers all of its days",
    "UNDECIDED_VERSIONS": "looks like versions of one document, and nothing tells which is newer",
    "VERSION_BY_TIME": "a newer version by title, text and time of modification alone",
    "DRAFT_IN_FORCE": "named a draft",
    "RETIRED": "taken out of force by its owner",
    "DUPLICATE": "the same text twice",
    "NEAR_DUPLICATE": "nearly the same text",
    "CONFLICT": "the same thing with other numbers or dates, both in force",
    "SUPERSEDED_VALUE": "the same thing with other numbers or dates, explained by versions",
}
"""What each kind of finding means, in words."""

PAIR_KINDS = frozenset({"CONFLICT", "SUPERSEDED_VALUE"})
"""Findings that are shown as pairs of sentences."""

_SHARES = frozenset({"with_any_date", "with_effective_date", "with_extracted_date"})
_SHOWN = 10


def figure(name: str, value: float) -> str:
    """A figure as people write it: shares in per cent, counts whole."""
    if name in _SHARES or name.endswith("_share"):
        return f"{value:.0%}" if value in (0.0, 1.0) or value >= 0.1 else f"{value:.2%}"
    return f"{value:,.0f}" if float(value).is_integer() else f"{value:.3f}"


def figure_words(name: str) -> str:
    """What a figure counts, in words; its name where this version does not know it."""
    language = name.removeprefix("language.")
    return FIGURE_WORDS.get(name, f"documents in {language}" if language != name else name)


def print_health(response: Any) -> None:
    """A GetHealthReportResponse for people."""
    console = out()
    kb = response.knowledge_base
    console.print(Text(f"{clean(kb.name)}: {kb.document_count} documents, {kb.chunk_count} chunks", "bold"))
    figures = table("figure", "value", right=("value",))
    for name in sorted(response.figures):
        if not name.startswith("findings."):
            figures.add_row(clean(figure_words(name)), figure(name, response.figures[name]))
    console.print(figures)
    for entry in response.rejected:
        line = Text.assemble(
            ("✗ ", "red"), (clean(one_line(entry.origin)), "bold"), f": {clean(entry.reason)}: {clean(entry.message)}"
        )
        console.print(line, soft_wrap=True)
    print_conflicts(response.conflicts)
    _print_findings(response.findings)
    if not response.findings and not response.rejected:
        console.print("no finding", style="green")


def print_conflicts(conflicts: Any) -> None:
    """Pairs of sentences, true conflicts first."""
    for conflict in conflicts:
        true = conflict.kind == pb.CONFLICT_KIND_CONFLICT
        words, style = ("conflict", "red") if true else ("superseded by version", "yellow")
        out().print(Text.assemble((f"≠ {words}", style), f": {clean(conflict.remedy)}"), soft_wrap=True)
        for side in (conflict.first, conflict.second):
            named = f"{side.title} ({side.document_id})" if side.title else side.document_id
            place = " > ".join([named, *(heading for heading in side.heading_path if heading != side.title)])
            out().print(Text.assemble((f"    {clean(one_line(place))}: ", "dim"), clean(side.sentence)), soft_wrap=True)
        if conflict.reason:
            out().print(Text(f"    why: {clean(one_line(conflict.reason))}", "dim"), soft_wrap=True)


def finding_words(finding: Any) -> str:
    """The message, and the documents that it names by title alone: versions share their title."""
    unnamed = [i for i in finding.document_ids if repr(i) not in finding.message]
    return clean(one_line(f"{', '.join(unnamed)}: {finding.message}" if unnamed else finding.message))


def _print_findings(findings: Any) -> None:
    by_kind: dict[str, list[Any]] = defaultdict(list)
    for finding in findings:
        if finding.kind not in PAIR_KINDS:
            by_kind[finding.kind].append(finding)
    for kind, group in sorted(by_kind.items()):
        for finding in group[:_SHOWN]:
            out().print(Text.assemble(("! " + clean(kind), "yellow"), f": {finding_words(finding)}"), soft_wrap=True)
        if len(group) > _SHOWN:
            out().print(Text(f"! {clean(kind)}: and {len(group) - _SHOWN} more; --json or --html has all", "yellow"))
