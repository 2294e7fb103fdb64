"""The answer: text, confidence, warnings, numbered sources."""

from __future__ import annotations

import re
from typing import Any

from rich.text import Text

from cli.render.console import clean, out, shorten
from cli.render.verdict import print_issues
from cli.render.words import bar, enum_word, milliseconds, validity
from trirag.orchestrator.v1 import orchestrator_pb2 as pb

CITATION = re.compile(r"\[\d+(?:\s*,\s*\d+)*\]")
HEADING_LINE = re.compile(r"\A(?:#{1,6} [^\n]*\n\s*)+")
QUOTE_LENGTH = 220
QUOTES_SHOWN = 3
CLOSEST_SHOWN = 3
TITLES = {
    pb.ANSWER_STATUS_ANSWERED: ("Answer", "bold green"),
    pb.ANSWER_STATUS_REFUSED: ("No verified answer", "bold yellow"),
    pb.ANSWER_STATUS_CLARIFICATION_NEEDED: ("Please say more", "bold yellow"),
    pb.ANSWER_STATUS_EVIDENCE_ONLY: ("Evidence only: the verifier is down", "bold yellow"),
}


def print_answer(response: Any) -> None:
    """An AskResponse for people."""
    answer = response.answer
    console = out()
    title, style = TITLES.get(answer.status, ("Answer", "bold"))
    console.print(Text.assemble((title, style), (_marks(answer), "yellow")))
    console.print()
    console.print(cited(answer.text), soft_wrap=True)
    for missing in answer.missing:
        console.print(Text(f"  missing: {clean(missing)}", "yellow"), soft_wrap=True)
    if answer.contact:
        console.print(f"  ask: {clean(answer.contact)}", soft_wrap=True)
    console.print()
    if answer.status == pb.ANSWER_STATUS_ANSWERED:
        console.print(Text.assemble("Confidence ", bar(answer.confidence), "   ", _made(response)))
    for warning in answer.warnings:
        line = f"! {clean(warning.code)}: {clean(warning.message)}"
        console.print(Text(line, "yellow"), soft_wrap=True)
    if answer.verdict.issues:
        print_issues(answer.verdict.issues)
    _sources(answer)
    replayed = "  (stored answer of this request id)" if response.replayed else ""
    console.print(Text(f"Trace {response.trace_id}{replayed}: trirag trace {response.trace_id}", "dim"), soft_wrap=True)


def cited(text: str) -> Text:
    """Text whose [n] stand out."""
    shown = Text(clean(text))
    for match in CITATION.finditer(shown.plain):
        shown.stylize("bold cyan", *match.span())
    return shown


def rounds(response: Any) -> int:
    """Rounds of searching that the answer took; 0 where nothing was searched."""
    return max((t.round for t in response.timings if t.stage == "search"), default=0)


def _marks(answer: Any) -> str:
    marks = [name for name in ("degraded", "partial") if getattr(answer, name)]
    return f"  [{', '.join(marks)}]" if marks else ""


def _made(response: Any) -> str:
    said = [enum_word(pb.AnswerMethod, response.answer.method)]
    count = rounds(response)
    if count:
        said.append(f"{count} round{'s' if count > 1 else ''}")
    if response.usage.calls:
        tokens = response.usage.prompt_tokens + response.usage.completion_tokens
        said.append(f"{response.usage.calls} model call{'s' if response.usage.calls > 1 else ''}, {tokens} tokens")
    said.append(milliseconds(response.latency_ms))
    return " · ".join(said)


def _sources(answer: Any) -> None:
    cited_ones = [source for source in answer.sources if source.cited]
    closest = answer.sources if answer.status == pb.ANSWER_STATUS_EVIDENCE_ONLY else answer.sources[:CLOSEST_SHOWN]
    shown = cited_ones or list(closest)
    if not shown:
        return
    console = out()
    console.print(Text("Sources" if cited_ones else "Closest passages", "bold"))
    for source in shown:
        _source(source, _quotes(source, answer.verdict))
    others = len(answer.sources) - len(shown)
    if others:
        were = "passages were" if others > 1 else "passage was"
        console.print(Text(f"     {others} more {were} read; --json shows them", "dim"))


def _source(source: Any, quotes: list[str]) -> None:
    console = out()
    document = source.chunk.document
    title = document.title or document.document_id
    headings = list(source.chunk.heading_path)
    place = " › ".join(headings[1:] if headings[:1] == [title] else headings)
    page = f"page {source.chunk.page}" if source.chunk.page else ""
    about = ", ".join(part for part in (validity(document), page) if part)
    line = Text.assemble((f" [{source.number}] ", "bold cyan"), (clean(title), "bold"))
    if about:
        line.append(f" ({clean(about)})")
    console.print(line, soft_wrap=True)
    if place:
        console.print(Text(f"     {clean(place)}", "dim"), soft_wrap=True)
    for quote in quotes:
        console.print(Text(f"     “{shorten(quote, QUOTE_LENGTH)}”", "dim"), soft_wrap=True)


def _quotes(source: Any, verdict: Any) -> list[str]:
    """The sentences that carry the answer's statements; where none is known, how the passage begins."""
    text = source.chunk.text
    links = [link for statement in verdict.statements for link in statement.evidence]
    spans = {(link.span.start, link.span.end) for link in links if link.chunk_id == source.chunk.chunk_id}
    quotes = [text[start:end] for start, end in sorted(spans) if start < end]
    return quotes[:QUOTES_SHOWN] or [HEADING_LINE.sub("", text)]
