"""The steps of an Ask: one line each while it runs, and the same lines with their details in a trace."""

from __future__ import annotations

from typing import Any

from rich.text import Text

from cli.render.console import clean, err, shorten
from cli.render.parsed import fields, summary
from cli.render.plan import filter_words, search_word
from cli.render.verdict import remedy_words
from cli.render.words import enum_word, milliseconds, validity
from trirag.orchestrator.v1 import orchestrator_pb2 as pb
from trirag.validation.v1 import validation_pb2

DRAFT_LENGTH = 160


def print_step(event: Any) -> None:
    """One step on stderr, as it happens."""
    err().print(step_line(event), soft_wrap=True)


def step_line(event: Any) -> Text:
    """When, what and how it came out."""
    name = event.WhichOneof("event") or "unknown"
    told = _HEADLINES[name](getattr(event, name)) if name in _HEADLINES else ""
    return Text.assemble((f"{milliseconds(event.elapsed_ms):>9}  ", "dim"), (f"{name:<12}", "bold"), clean(told))


def step_details(event: Any) -> list[Text]:
    """What a trace shows below the step's line."""
    name = event.WhichOneof("event") or "unknown"
    return _DETAILS[name](getattr(event, name)) if name in _DETAILS else []


def _parsed(event: Any) -> str:
    return "perception is down; the question is searched as it is" if event.degraded else summary(event.parsed)


def _planned(event: Any) -> str:
    places = ", ".join(dict.fromkeys(f"{t.search.knowledge_base} {search_word(t.search)}" for t in event.plan.tasks))
    return f"round {event.round}: {len(event.plan.tasks)} searches ({places})"


def _searched(event: Any) -> str:
    parts = [_route(route) for route in event.routes]
    return f"round {event.round}: {len(event.sources)} passages; " + ", ".join(parts)


def _route(route: Any) -> str:
    if route.status == "OK":
        return f"{route.knowledge_base} {route.hit_count}"
    return f"{route.knowledge_base} {route.status}" + (f" ({route.message})" if route.message else "")


def _sufficiency(event: Any) -> str:
    judgement = event.sufficiency
    if not event.HasField("sufficiency"):
        return f"round {event.round}: validation is down → {event.decision}"
    label = enum_word(validation_pb2.SufficiencyLabel, judgement.label)
    missing = [need.description for need in judgement.needs if not need.covered_by]
    told = f"; missing: {', '.join(missing)}" if missing else ""
    return f"round {event.round}: {label} {judgement.score:.2f}{told} → {event.decision}"


def _attempt(event: Any) -> str:
    told = f"failed: {event.error}" if event.error else shorten(event.draft, DRAFT_LENGTH)
    method = enum_word(pb.AnswerMethod, event.method)
    strategy = f" ({event.strategy})" if event.strategy and event.strategy != method else ""
    return f"{event.attempt}: {method}{strategy}: {told}"


def _validated(event: Any) -> str:
    if not event.HasField("verdict"):
        return f"{event.attempt}: validation is down → {event.decision}"
    if event.verdict.valid:
        return f"{event.attempt}: valid {event.verdict.confidence:.2f} → {event.decision}"
    return f"{event.attempt}: invalid, {', '.join(_issue_names(event.verdict))} → {event.decision}"


def _issue_names(verdict: Any) -> list[str]:
    return [
        f"{validation_pb2.IssueType.Name(i.type).removeprefix('ISSUE_TYPE_')} in statement {i.statement_index}"
        for i in verdict.issues
    ]


def _answer(response: Any) -> str:
    answer = response.answer
    status = enum_word(pb.AnswerStatus, answer.status)
    return f"{status} by {enum_word(pb.AnswerMethod, answer.method)}, confidence {answer.confidence:.2f}"


def _parsed_details(event: Any) -> list[Text]:
    return [Text(clean(f"{name}: {value}")) for name, value, _ in fields(event.parsed)]


def _planned_details(event: Any) -> list[Text]:
    lines = []
    for task in event.plan.tasks:
        search = task.search
        about = ", ".join(filter_words(search.filter))
        head = (
            f"{task.priority}. {search.knowledge_base} {search_word(search)} weight {task.weight:.2f} “{search.query}”"
        )
        why = "; ".join(task.reasons) or task.route_id
        lines.append(Text.assemble(clean(head), (clean(f"  {about}  {why}"), "dim")))
    return lines


def _searched_details(event: Any) -> list[Text]:
    lines = []
    for route in event.routes:
        told = f"{route.task_id} {_route(route)} in {milliseconds(route.latency_ms)}"
        lines.append(Text(clean(told), "" if route.status == "OK" else "yellow"))
    for source in event.sources:
        document = source.chunk.document
        told = f"[{source.number}] weight {source.weight:.2f} {document.title or document.document_id}"
        parts = ", ".join(f"{k} {v:.2f}" for k, v in sorted(source.credibility.items()))
        lines.append(Text.assemble(clean(told), (clean(f"  {validity(document)}  {parts}"), "dim")))
    return lines


def _sufficiency_details(event: Any) -> list[Text]:
    lines = []
    for need in event.sufficiency.needs:
        covered = ", ".join(f"[{n}]" for n in need.covered_by) or "missing"
        lines.append(Text(clean(f"{need.kind}: {need.description}: {covered}")))
    for conflict in event.sufficiency.conflicts:
        decided = conflict.decided_by or "undecided"
        told = f"[{conflict.citation_a}] {conflict.value_a} ≠ [{conflict.citation_b}] {conflict.value_b} ({decided})"
        lines.append(Text(clean(f"{conflict.about}: {told}"), "yellow"))
    return lines


def _attempt_details(event: Any) -> list[Text]:
    return [Text(clean(line)) for line in event.draft.splitlines() if line.strip()]


def _validated_details(event: Any) -> list[Text]:
    lines = []
    for statement in event.verdict.statements:
        mark = "·" if not statement.is_claim else "✓" if statement.supported else "✗"
        lines.append(Text(clean(f"{mark} {statement.index} {statement.confidence:.2f} {statement.text}")))
    for issue, name in zip(event.verdict.issues, _issue_names(event.verdict), strict=True):
        remedy = remedy_words(issue.remedy)
        lines.append(Text(clean(f"{name}: {issue.message}" + (f" → {remedy}" if remedy else "")), "red"))
    return lines


def _answer_details(response: Any) -> list[Text]:
    answer = response.answer
    lines = [Text(clean(line)) for line in answer.text.splitlines() if line.strip()]
    lines += [Text(clean(f"! {w.code}: {w.message}"), "yellow") for w in answer.warnings]
    stages = ", ".join(f"{t.stage} {milliseconds(t.duration_ms)}" for t in response.timings)
    if stages:
        lines.append(Text(clean(stages), "dim"))
    return lines


_HEADLINES = {
    "parsed": _parsed,
    "planned": _planned,
    "searched": _searched,
    "sufficiency": _sufficiency,
    "attempt": _attempt,
    "validated": _validated,
    "answer": _answer,
}
_DETAILS = {
    "parsed": _parsed_details,
    "planned": _planned_details,
    "searched": _searched_details,
    "sufficiency": _sufficiency_details,
    "attempt": _attempt_details,
    "validated": _validated_details,
    "answer": _answer_details,
}
