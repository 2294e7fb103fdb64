"""The verdict as a picture: each statement, tick or cross, the evidence under it, and what to do."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rich.text import Text

from cli.render.console import clean, out
from cli.render.words import bar, day, validity
from trirag.validation.v1 import validation_pb2 as pb

INDENT = "      "


def print_verdict(verdict: Any, chunks: Sequence[Any]) -> None:
    """A Verdict; ``chunks`` are the passages in citation order."""
    console = out()
    head = ("valid", "bold green") if verdict.valid else ("invalid", "bold red")
    console.print(Text.assemble("The answer is ", head, "   confidence ", bar(verdict.confidence)))
    by_statement: dict[int, list[Any]] = {}
    for issue in verdict.issues:
        by_statement.setdefault(issue.statement_index, []).append(issue)
    for statement in verdict.statements:
        console.print()
        issues = by_statement.pop(statement.index, [])
        console.print(_statement(statement, issues), soft_wrap=True)
        _evidence(statement, chunks)
        print_issues(issues)
    for issues in by_statement.values():
        print_issues(issues)


def print_issues(issues: Sequence[Any]) -> None:
    """Each issue with what was found, what was expected and what to do."""
    console = out()
    for issue in issues:
        blocks = issue.severity == pb.SEVERITY_BLOCK
        kind = pb.IssueType.Name(issue.type).removeprefix("ISSUE_TYPE_")
        line = Text.assemble(INDENT, (("✗ " if blocks else "! ") + kind, "red" if blocks else "yellow"))
        line.append(f": {clean(issue.message)}")
        console.print(line, soft_wrap=True)
        if issue.found or issue.expected:
            found, expected = clean(issue.found or "nothing"), clean(issue.expected or "nothing")
            console.print(f"{INDENT}  answer: {found}   evidence: {expected}", soft_wrap=True)
        remedy = remedy_words(issue.remedy)
        if remedy:
            console.print(Text(f"{INDENT}  → {remedy}", "cyan"), soft_wrap=True)


def remedy_words(remedy: Any) -> str:
    """What to do, in words; empty where the issue names nothing."""
    queries = "; ".join(f"“{clean(query)}”" for query in remedy.queries)
    told = f": {queries}" if queries else ""
    as_of = day(remedy.as_of)
    words = {
        pb.REMEDY_KIND_RETRIEVE_MISSING: f"search for what is missing{told}",
        pb.REMEDY_KIND_RETRIEVE_FRESHER: f"search for a source in force {f'on {as_of}' if as_of else 'today'}{told}",
        pb.REMEDY_KIND_RECITE: f"cite [{remedy.citation}] instead",
        pb.REMEDY_KIND_DROP_STATEMENT: "leave this statement out",
        pb.REMEDY_KIND_REGENERATE: "write this statement again from its source",
        pb.REMEDY_KIND_DISCLOSE_CONFLICT: "say that the sources disagree, and name both values",
    }
    return words.get(remedy.kind, "")


def marked(text: str, start: int, end: int, spans: Sequence[Any], *, styled: bool = True) -> Text:
    """``text[start:end]`` with the matched stretches marked; all positions are code points of ``text``.

    Where there are no styles, in a file or a pipe, the marks are « and ».
    """
    start, end = max(start, 0), min(end, len(text))
    shown = Text(clean(text[start:end]).replace("\n", " "), "dim")
    stretches = _merged([(max(s.start, start) - start, min(s.end, end) - start) for s in spans], shown.plain)
    if styled:
        for first, last in stretches:
            shown.stylize("not dim bold underline", first, last)
        return shown
    plain = shown.plain
    for first, last in reversed(stretches):
        plain = f"{plain[:first]}«{plain[first:last]}»{plain[last:]}"
    return Text(plain)


def _merged(spans: Sequence[tuple[int, int]], text: str) -> list[tuple[int, int]]:
    """Stretches in order; those with nothing but a blank between them become one."""
    merged: list[tuple[int, int]] = []
    for first, last in sorted(span for span in spans if span[0] < span[1]):
        if merged and not text[merged[-1][1] : first].strip():
            merged[-1] = (merged[-1][0], max(merged[-1][1], last))
        else:
            merged.append((first, last))
    return merged


def _statement(statement: Any, issues: Sequence[Any]) -> Text:
    blocked = any(issue.severity == pb.SEVERITY_BLOCK for issue in issues)
    if blocked:
        mark, style = "✗", "bold red"
    elif not statement.is_claim:
        mark, style = "·", "dim"
    else:
        mark, style = ("✓", "bold green") if statement.supported else ("✗", "bold red")
    line = Text.assemble((f" {mark} ", style), (f"{statement.index}  ", "dim"), clean(statement.text))
    if statement.is_claim:
        line.append(f"   {statement.confidence:.2f}", "dim")
    return line


def _evidence(statement: Any, chunks: Sequence[Any]) -> None:
    for link in statement.evidence:
        if not 1 <= link.citation <= len(chunks):
            continue
        chunk = chunks[link.citation - 1]
        about = validity(chunk.document)
        name = clean(chunk.document.title or link.chunk_id) + (f" ({clean(about)})" if about else "")
        line = Text.assemble(INDENT, (f"[{link.citation}] ", "cyan"), (f"{name}: ", "dim"))
        end = link.span.end or len(chunk.text)
        line.append_text(marked(chunk.text, link.span.start, end, link.matched, styled=out().is_terminal))
        line.append(f"   support {link.score:.2f}", "dim")
        out().print(line, soft_wrap=True)
