"""From time expressions and the words around them to the one constraint on the answer's time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta

from services.common.domain.question import Ambiguity, Origin, TimeConstraint
from services.common.domain.time import DayInterval, TimeRelation
from services.perception.domain.matching import Match, Question, leftmost_longest, overlaps, run_rule
from services.perception.domain.prefilter import grams
from services.perception.domain.rules import Sets
from services.perception.domain.time_expressions import TimeSettings, TimeValue, value_of

# Stands for one time expression in the text that relation rules see; packs write {time}.
MARK = "\ue000"


@dataclass(frozen=True, slots=True)
class TimeReading:
    """``constraint`` binds the answer; ``mentions`` are all expressions with the relation each has."""

    constraint: TimeConstraint | None = None
    mentions: tuple[TimeConstraint, ...] = ()
    ambiguities: tuple[Ambiguity, ...] = ()
    spans: tuple[tuple[int, int], ...] = ()


@dataclass(frozen=True, slots=True)
class _Expression:
    match: Match
    value: TimeValue

    @property
    def start(self) -> int:
        return self.match.start

    @property
    def end(self) -> int:
        return self.match.end

    @property
    def rank(self) -> float:
        return self.match.rule.score


def read_time(
    question: Question,
    codes: Sequence[tuple[int, int]],
    names: Sequence[tuple[int, int]],
    settings: TimeSettings,
) -> TimeReading:
    """The time constraint of a question.

    Args:
        question: what was asked.
        codes: identifiers; figures that belong to one are no time.
        names: names; a year inside a longer name ("Companies Act 2006") is no time.
        settings: reference date and fiscal year.
    """
    expressions = _expressions(question, codes, names, settings)
    if not expressions:
        return TimeReading()
    masked, places = _mask(question.text.text, expressions)
    relations = _relations(question, masked, places, expressions)
    readings = _constraints(question, expressions, relations, settings)
    mentions = tuple(reading for reading, _ in readings)
    ambiguities = tuple(
        Ambiguity("time", question.text.surface(e.start, e.end), e.value.options)
        for e in expressions
        if e.value.options
    )
    ambiguities += _last_days(question, expressions, relations, settings)
    spans = tuple((e.start, e.end) for e in expressions)
    return TimeReading(_choose(question, readings), mentions, ambiguities, spans)


def _last_days(
    question: Question, expressions: list[_Expression], relations: dict[int, _Relation], settings: TimeSettings
) -> tuple[Ambiguity, ...]:
    """Periods that may be in or out ("until 2023"): the two days that may be the last, by rules that say so."""
    found = []
    for index, relation in relations.items():
        interval = _interval(expressions[index].value, settings)
        either = relation.match.rule.options.get("last_day") == "either" and len(relation.members) == 1
        if not either or interval is None or interval.start is None or interval.end in (None, interval.start):
            continue
        before = _apply(TimeRelation.BEFORE, interval)
        if before is not None and before.end is not None:
            days = (before.end.isoformat(), str(interval.end))
            found.append(Ambiguity("time", question.text.surface(relation.start, relation.end), days))
    return tuple(found)


def _expressions(
    question: Question,
    codes: Sequence[tuple[int, int]],
    names: Sequence[tuple[int, int]],
    settings: TimeSettings,
) -> list[_Expression]:
    vetoed = [*codes, *((m.start, m.end) for m in question.matches(Sets.NOT_TIME))]
    found: list[_Expression] = []
    for match in question.matches(Sets.TIME):
        if match.end == match.start or overlaps(match.start, match.end, vetoed) or _part_of_name(match, names):
            continue
        value = value_of(match, question.text.text, settings)
        if value is not None:
            found.append(_Expression(match, value))
    return leftmost_longest(found)


def _part_of_name(match: Match, names: Sequence[tuple[int, int]]) -> bool:
    size = match.end - match.start
    return any(start <= match.start and match.end <= end and end - start > size for start, end in names)


def _mask(text: str, expressions: list[_Expression]) -> tuple[str, list[int]]:
    """The text with one mark for each expression, and where in the masked text the marks are."""
    out: list[str] = []
    places: list[int] = []
    at = length = 0
    for expression in expressions:
        before = text[at : expression.start]
        places.append(length + len(before))
        out.extend((before, MARK))
        length += len(before) + 1
        at = expression.end
    out.append(text[at:])
    return "".join(out), places


@dataclass(frozen=True, slots=True)
class _Relation:
    """``members`` are indexes of expressions; ``start`` and ``end`` are in the normalised text."""

    match: Match
    relation: TimeRelation
    members: tuple[int, ...]
    start: int
    end: int


def _relations(
    question: Question, masked: str, places: list[int], expressions: list[_Expression]
) -> dict[int, _Relation]:
    """The relation of each expression that a rule speaks of; ranges before single ones, then by score."""
    found: list[_Relation] = []
    able = question.rules.index.able(grams(masked)).get(Sets.TIME_RELATION, ())
    for rule, patterns in question.known(able):
        for match in run_rule(rule, masked, 0, len(masked), patterns=patterns):
            members = tuple(i for i, place in enumerate(places) if match.start <= place < match.end)
            if members:
                start, end = (_unmask(p, places, expressions) for p in (match.start, match.end))
                found.append(_Relation(match, TimeRelation(rule.value), members, start, end))
    found.sort(key=lambda r: (-len(r.members), -r.match.rule.score, r.start))
    taken: dict[int, _Relation] = {}
    for relation in found:
        if not any(index in taken for index in relation.members):
            taken.update(dict.fromkeys(relation.members, relation))
    return taken


def _unmask(place: int, places: list[int], expressions: list[_Expression]) -> int:
    shift = 0
    for mark, expression in zip(places, expressions, strict=True):
        if mark >= place:
            break
        shift += expression.end - expression.start - 1
    return place + shift


def _constraints(
    question: Question,
    expressions: list[_Expression],
    relations: dict[int, _Relation],
    settings: TimeSettings,
) -> list[tuple[TimeConstraint, Match]]:
    result: list[tuple[TimeConstraint, Match]] = []
    done: set[int] = set()
    for index, expression in enumerate(expressions):
        relation = relations.get(index)
        if index in done:
            continue
        if relation is not None and len(relation.members) > 1:
            done.update(relation.members)
            values = [expressions[i].value for i in relation.members]
            interval = _span(values, settings)
            constraint = _constraint(
                question, relation.relation, interval, relation.start, relation.end, relation.match
            )
        elif relation is not None and not expression.value.latest:
            interval = _bounded(relation.relation, expression.value, settings)
            constraint = _constraint(
                question, relation.relation, interval, relation.start, relation.end, relation.match
            )
        else:
            constraint = _alone(question, expression, settings, _year_before(expressions, index))
        if constraint is not None:
            result.append((constraint, expression.match))
    return result


def _year_before(expressions: list[_Expression], index: int) -> int | None:
    """The year that the nearest earlier expression names: "2024年第四季度…比第三季度" speaks of one year."""
    partials = (e.value.partial for e in reversed(expressions[:index]))
    return next((p.year for p in partials if p is not None and p.year is not None), None)


def _alone(
    question: Question, expression: _Expression, settings: TimeSettings, year: int | None
) -> TimeConstraint | None:
    value, match = expression.value, expression.match
    if value.latest or value.now:
        return _constraint(question, TimeRelation.LATEST, DayInterval(), match.start, match.end, match)
    relation = TimeRelation(value.relation or "in")
    interval = _interval(value, settings, year)
    if relation is not TimeRelation.BETWEEN:
        interval = _apply(relation, interval)
    return _constraint(question, relation, interval, match.start, match.end, match)


def _constraint(
    question: Question, relation: TimeRelation, interval: DayInterval | None, start: int, end: int, match: Match
) -> TimeConstraint | None:
    if interval is None:
        return None
    text = question.text
    origin: Origin = match.rule.origin(text.surface(start, end))
    return TimeConstraint(relation, interval, text.surface(start, end), text.span(start, end), origin)


def _interval(value: TimeValue, settings: TimeSettings, year: int | None = None) -> DayInterval | None:
    if value.interval is not None:
        return value.interval
    if value.partial is None:
        return None
    try:
        return value.partial.with_year(year).resolve(settings.reference)
    except (ValueError, OverflowError):
        return None


def _span(values: list[TimeValue], settings: TimeSettings) -> DayInterval | None:
    """The days that cover all of ``values``; a date without a year takes it from a neighbour that has one."""
    years = [v.partial.year if v.partial is not None else None for v in values]
    intervals = []
    for index, value in enumerate(values):
        near = next((y for y in (*years[index + 1 :], *reversed(years[:index])) if y is not None), None)
        intervals.append(_interval(value, settings, near))
    return _cover([i for i in intervals if i is not None])


def _cover(intervals: Sequence[DayInterval]) -> DayInterval | None:
    starts = [i.start for i in intervals if i.start is not None]
    ends = [i.end for i in intervals if i.end is not None]
    if not starts or not ends:
        return None
    return DayInterval(min(starts), max(ends))


def _bounded(relation: TimeRelation, value: TimeValue, settings: TimeSettings) -> DayInterval | None:
    """The days that ``relation`` to ``value`` allows; what is done before the end of a period is done within it."""
    interval = _interval(value, settings)
    if relation is TimeRelation.BEFORE and value.partial is not None and value.partial.edge == "end" and interval:
        return DayInterval(None, interval.end)
    return _apply(relation, interval)


def _apply(relation: TimeRelation, interval: DayInterval | None) -> DayInterval | None:
    """The days that ``relation`` to ``interval`` allows."""
    if interval is None or interval.start is None or interval.end is None:
        return interval
    try:
        if relation is TimeRelation.SINCE:
            return DayInterval(interval.start, None)
        if relation is TimeRelation.BEFORE:
            return DayInterval(None, interval.start - timedelta(days=1))
        if relation is TimeRelation.AFTER:
            return DayInterval(interval.end + timedelta(days=1), None)
    except OverflowError:
        return None
    if relation is TimeRelation.AS_OF:
        return DayInterval(None, interval.end)
    return interval


def _choose(question: Question, readings: list[tuple[TimeConstraint, Match]]) -> TimeConstraint | None:
    """One constraint: a named period before "latest"; several periods are covered by one span."""
    named = [c for c, _ in readings if c.relation is not TimeRelation.LATEST]
    if not named:
        return readings[0][0] if readings else None
    if len(named) == 1:
        return named[0]
    ranked = [c for c in named if c.relation not in (TimeRelation.IN, TimeRelation.BETWEEN)]
    if ranked:
        return ranked[0]  # a stated bound is never widened by a period beside it
    cover = _cover([c.interval for c in named])
    if cover is None:
        return named[0]
    first, last = named[0], named[-1]
    start = min(first.span.start, last.span.start)
    end = max(first.span.end, last.span.end)
    text = question.text.original[start:end]
    relation = TimeRelation.BETWEEN if any(c.interval != cover for c in named) else named[0].relation
    span = type(first.span)(start, end)
    return TimeConstraint(relation, cover, text, span, first.origin)
