"""A stored trail as a tree, and the list of trails."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rich.text import Text
from rich.tree import Tree

from cli.render.console import clean, out, shorten
from cli.render.events import step_details, step_line
from cli.render.words import day, enum_word, milliseconds, table, when
from trirag.orchestrator.v1 import orchestrator_pb2 as pb

QUESTION_LENGTH = 80


def print_trace(trace: Any) -> None:
    """A Trace for people."""
    request = trace.request
    about = [when(trace.started_at), trace.subject]
    if day(request.as_of):
        about.append(f"as of {day(request.as_of)}")
    if request.knowledge_bases:
        about.append(f"in {', '.join(request.knowledge_bases)}")
    tree = Tree(
        Text.assemble((clean(request.question), "bold"), (clean(f"   {' · '.join(filter(None, about))}"), "dim"))
    )
    for event in trace.events:
        branch = tree.add(step_line(event))
        for line in step_details(event):
            branch.add(line)
    if trace.failure:
        tree.add(Text(f"failed: {clean(trace.failure)}", "red"))
    out().print(tree)


def print_trace_list(traces: Sequence[Any]) -> None:
    """TraceSummaries for people."""
    if not traces:
        out().print("no trail is stored yet")
        return
    shown = table("trace", "started", "status", "took", "question", right=("took",))
    for trace in traces:
        # Without an answer there is no status: the Ask ended in an error.
        status = enum_word(pb.AnswerStatus, trace.status) if trace.status else f"failed: {clean(trace.failure)}"
        status += " (degraded)" if trace.degraded else ""
        question = Text(shorten(trace.question, QUESTION_LENGTH))
        shown.add_row(trace.trace_id, when(trace.started_at), status, milliseconds(trace.latency_ms), question)
    out().print(shown)
