"""ParsedQuestion."""

from __future__ import annotations

from typing import Any

from services.common.converters.basics import (
    from_proto_enum,
    from_proto_interval,
    from_proto_span,
    to_proto_enum,
    to_proto_interval,
    to_proto_span,
)
from services.common.dates import from_proto_date, to_proto_date
from services.common.domain.question import (
    Action,
    Ambiguity,
    Label,
    LanguageSpan,
    Mention,
    Origin,
    OriginKind,
    ParsedQuestion,
    Part,
    QuantityConstraint,
    Rewrite,
    ScoredAction,
    TimeConstraint,
)
from services.common.domain.time import TimeRelation
from trirag.perception.v1 import parsed_question_pb2 as pb


def to_proto_question(parsed: ParsedQuestion) -> pb.ParsedQuestion:
    """The message form of a parse."""
    quantity = parsed.quantity
    return pb.ParsedQuestion(
        question=parsed.question,
        language=parsed.language,
        actions=[
            pb.ScoredAction(action=_action(a.action), score=a.score, origin=_origin(a.origin)) for a in parsed.actions
        ],
        reference_date=to_proto_date(parsed.reference_date),
        rules_version=parsed.rules_version,
        entities=[_mention(m) for m in parsed.entities],
        codes=[_mention(m) for m in parsed.codes],
        attributes=[_mention(m) for m in parsed.attributes],
        time=None if parsed.time is None else _time(parsed.time),
        time_mentions=[_time(t) for t in parsed.time_mentions],
        quantity=None
        if quantity is None
        else pb.QuantityConstraint(
            measure=quantity.measure,
            unit=quantity.unit,
            superlative=quantity.superlative,
            top_n=quantity.top_n,
            origin=_origin(quantity.origin),
            ranks_only=quantity.ranks_only,
        ),
        sides=[_mention(m) for m in parsed.sides],
        source=None if parsed.source is None else _mention(parsed.source),
        exclusions=[_mention(m) for m in parsed.exclusions],
        labels=[pb.Label(name=x.name, value=x.value, origin=_origin(x.origin)) for x in parsed.labels],
        parts=[
            pb.Part(text=p.text, span=to_proto_span(p.span), action=_action(p.action), origin=_origin(p.origin))
            for p in parsed.parts
        ],
        rewrites=[pb.Rewrite(text=r.text, kind=r.kind, origin=_origin(r.origin)) for r in parsed.rewrites],
        language_spans=[
            pb.LanguageSpan(language=s.language, span=to_proto_span(s.span)) for s in parsed.language_spans
        ],
        ambiguities=[pb.Ambiguity(field=a.field, text=a.text, options=a.options) for a in parsed.ambiguities],
        missing=parsed.missing,
    )


def from_proto_question(message: pb.ParsedQuestion, field: str = "parsed") -> ParsedQuestion:
    """The dataclass form of a parse; without an action it is UNKNOWN.

    Raises:
        InvalidInput: a date does not exist, or no reference date is given.
    """
    actions = tuple(ScoredAction(_from_action(a.action), a.score, _from_origin(a.origin)) for a in message.actions) or (
        ScoredAction(Action.UNKNOWN, 1.0, Origin(OriginKind.DEFAULT, "none")),
    )
    return ParsedQuestion(
        question=message.question,
        language=message.language,
        actions=actions,
        reference_date=from_proto_date(message.reference_date, f"{field}.reference_date"),
        rules_version=message.rules_version,
        entities=_mentions(message.entities),
        codes=_mentions(message.codes),
        attributes=_mentions(message.attributes),
        time=_from_time(message.time, f"{field}.time") if message.HasField("time") else None,
        time_mentions=tuple(_from_time(t, f"{field}.time_mentions[{i}]") for i, t in enumerate(message.time_mentions)),
        quantity=_from_quantity(message.quantity) if message.HasField("quantity") else None,
        sides=_mentions(message.sides),
        source=_from_mention(message.source) if message.HasField("source") else None,
        exclusions=_mentions(message.exclusions),
        labels=tuple(Label(x.name, x.value, _from_origin(x.origin)) for x in message.labels),
        parts=tuple(
            Part(p.text, from_proto_span(p.span), _from_action(p.action), _from_origin(p.origin)) for p in message.parts
        ),
        rewrites=tuple(Rewrite(r.text, r.kind, _from_origin(r.origin)) for r in message.rewrites),
        language_spans=tuple(LanguageSpan(s.language, from_proto_span(s.span)) for s in message.language_spans),
        ambiguities=tuple(Ambiguity(a.field, a.text, tuple(a.options)) for a in message.ambiguities),
        missing=tuple(message.missing),
    )


def _action(action: Action) -> Any:
    return to_proto_enum(pb.Action, "ACTION", action)


def _from_action(number: int) -> Action:
    return from_proto_enum(pb.Action, "ACTION", Action, number, Action.UNKNOWN)


def _origin(origin: Origin) -> pb.Origin:
    return pb.Origin(
        kind=to_proto_enum(pb.OriginKind, "ORIGIN_KIND", origin.kind),
        rule_id=origin.rule_id,
        file=origin.file,
        line=origin.line,
        matched_text=origin.matched_text,
    )


def _from_origin(message: pb.Origin) -> Origin:
    kind = from_proto_enum(pb.OriginKind, "ORIGIN_KIND", OriginKind, message.kind, OriginKind.DEFAULT)
    return Origin(kind, message.rule_id, message.file, message.line, message.matched_text)


def _mention(mention: Mention) -> pb.Mention:
    return pb.Mention(
        text=mention.text,
        type=mention.type,
        span=to_proto_span(mention.span),
        canonical=mention.canonical,
        origin=_origin(mention.origin),
    )


def _from_mention(m: pb.Mention) -> Mention:
    return Mention(m.text, m.type, from_proto_span(m.span), m.canonical or m.text, _from_origin(m.origin))


def _mentions(messages: object) -> tuple[Mention, ...]:
    return tuple(_from_mention(m) for m in messages)  # type: ignore[attr-defined]


def _time(time: TimeConstraint) -> pb.TimeConstraint:
    return pb.TimeConstraint(
        relation=to_proto_enum(pb.TimeRelation, "TIME_RELATION", time.relation),
        interval=to_proto_interval(time.interval),
        text=time.text,
        span=to_proto_span(time.span),
        origin=_origin(time.origin),
    )


def _from_time(message: pb.TimeConstraint, field: str) -> TimeConstraint:
    return TimeConstraint(
        from_proto_enum(pb.TimeRelation, "TIME_RELATION", TimeRelation, message.relation, TimeRelation.IN),
        from_proto_interval(message.interval, f"{field}.interval"),
        message.text,
        from_proto_span(message.span),
        _from_origin(message.origin),
    )


def _from_quantity(q: pb.QuantityConstraint) -> QuantityConstraint:
    return QuantityConstraint(q.measure, q.unit, q.superlative, q.top_n, _from_origin(q.origin), q.ranks_only)
