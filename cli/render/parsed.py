"""A parsed question, and with `explain` the rule, file, line and text behind every field."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from rich.text import Text

from cli.render.console import clean, out
from cli.render.words import day, days, enum_word, table
from trirag.perception.v1 import parsed_question_pb2 as pb


def print_parsed(parsed: Any, *, explain: bool) -> None:
    """A ParsedQuestion as a table of what was read from it."""
    console = out()
    console.print(Text(clean(parsed.question), "bold"), soft_wrap=True)
    shown = table("field", "value", "because") if explain else table("field", "value")
    for name, value, origin in fields(parsed):
        cells = [Text(name, "cyan"), Text(clean(value))]
        if explain:
            cells.append(Text(because(origin), "dim"))
        shown.add_row(*cells)
    console.print(shown)
    for item in parsed.ambiguities:
        options = " or ".join(clean(option) for option in item.options)
        console.print(Text(f"! {item.field}: “{clean(item.text)}” may be {options}; the first was taken", "yellow"))
    for missing in parsed.missing:
        console.print(Text(f"! missing: {clean(missing)}", "yellow"), soft_wrap=True)


def because(origin: Any) -> str:
    """``rule en.time.quarter (en.yaml:120) “Q3 2024”``; empty where nothing is known."""
    if origin is None or not origin.rule_id:
        return ""
    said = f"{enum_word(pb.OriginKind, origin.kind)} {origin.rule_id}"
    if origin.file:
        said += f" ({origin.file}:{origin.line})" if origin.line else f" ({origin.file})"
    if origin.matched_text:
        said += f" “{origin.matched_text}”"
    return clean(said)


def summary(parsed: Any) -> str:
    """One line: action, names, time."""
    said = [enum_word(pb.Action, parsed.actions[0].action)] if parsed.actions else []
    names = [m.text for m in (*parsed.entities, *parsed.codes)]
    if names:
        said.append(", ".join(names))
    if parsed.HasField("time"):
        said.append(time_words(parsed.time))
    if len(parsed.parts) > 1:
        said.append(f"{len(parsed.parts)} parts")
    return clean(" · ".join(said))


def time_words(time: Any) -> str:
    """``in 2023-01-01 to 2023-12-31 “2023 reports”``."""
    said = " ".join(part for part in (enum_word(pb.TimeRelation, time.relation), days(time.interval)) if part)
    return f"{said} “{time.text}”" if time.text else said


def fields(parsed: Any) -> Iterator[tuple[str, str, Any]]:
    """(field, value, origin) of everything that was read, in the order of interest."""
    for rank, scored in enumerate(parsed.actions):
        name = "action" if rank == 0 else "also"
        yield name, f"{enum_word(pb.Action, scored.action)} {scored.score:.2f}", scored.origin
    yield "language", parsed.language, None
    for name in ("entities", "codes", "attributes", "sides", "exclusions"):
        for mention in getattr(parsed, name):
            yield _singular(name), _mention(mention, _singular(name)), mention.origin
    if parsed.HasField("source"):
        yield "source", _mention(parsed.source), parsed.source.origin
    if parsed.HasField("time"):
        yield "time", time_words(parsed.time), parsed.time.origin
    for other in parsed.time_mentions:
        if not parsed.HasField("time") or other.span != parsed.time.span:
            yield "time also named", time_words(other), other.origin
    if parsed.HasField("quantity"):
        yield "quantity", _quantity(parsed.quantity), parsed.quantity.origin
    for label in parsed.labels:
        yield f"label {label.name}", label.value, label.origin
    if len(parsed.parts) > 1:
        for part in parsed.parts:
            yield "part", f"{part.text} ({enum_word(pb.Action, part.action)})", part.origin
    for rewrite in parsed.rewrites:
        yield f"added query ({rewrite.kind})", rewrite.text, rewrite.origin
    yield "reference date", day(parsed.reference_date), None
    yield "rules version", parsed.rules_version, None


def _singular(name: str) -> str:
    return {"entities": "entity"}.get(name, name.removesuffix("s"))


def _mention(mention: Any, field: str = "source") -> str:
    said = f"{mention.text} ({mention.type})" if mention.type not in ("", field) else mention.text
    return f"{said} = {mention.canonical}" if mention.canonical and mention.canonical != mention.text else said


def _quantity(quantity: Any) -> str:
    said = [] if quantity.ranks_only else [quantity.measure or "a number"]
    if quantity.superlative:
        said.append(f"{quantity.superlative} {quantity.top_n}" if quantity.top_n else quantity.superlative)
    if quantity.unit:
        said.append(f"in {quantity.unit}")
    return ", ".join(said)
