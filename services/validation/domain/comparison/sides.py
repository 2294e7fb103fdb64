"""The two sides of a comparison and the values of the evidence that stand for them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from services.common.domain.verdict import IssueType, RemedyKind
from services.validation.domain.analysis import Analysis, Term
from services.validation.domain.case import Case, Finding, Reading
from services.validation.domain.comparison.apart import are_apart
from services.validation.domain.comparison.measured_words import DURATIONS
from services.validation.domain.reading.evidence import Unit
from services.validation.domain.reading.names import Name
from services.validation.domain.times.moments import Moment
from services.validation.domain.values.binding import Binding, moments_agree
from services.validation.domain.values.compare import equal
from services.validation.domain.values.quantity import Quantity
from services.validation.domain.values.units import (
    CALENDAR,
    MONEY,
    PIECE,
    SECONDS_A_DAY,
    TIME,
    Dimension,
    combine,
)
from services.validation.domain.values.units import Unit as Measure
from services.validation.domain.wording.align import Bag, cover, in_span, match


@dataclass(frozen=True, slots=True)
class Value:
    """A value of the evidence that may stand for a side."""

    unit: Unit
    quantity: Quantity
    binding: Binding
    bag: Bag


def values_of(case: Case, citations: Sequence[int]) -> list[Value]:
    found: list[Value] = []
    for unit in case.units(citations):
        title = case.passage(unit.citation).title
        for moment in unit.analysis.moments:
            point = _point(moment)
            if point is not None:
                bound = case.bind(unit.analysis, moment, unit)
                found.append(Value(unit, point, bound, Bag.of([unit.analysis, title])))
        for quantity in unit.analysis.quantities:
            if (quantity.interval and quantity.weak) or _in_label(unit, quantity):
                continue
            bound = case.bind(unit.analysis, quantity, unit)
            found.append(Value(unit, quantity, bound, Bag.of([unit.analysis, title, *(h for _, _, h in unit.headers)])))
    return _in_one_period(found)


def _in_one_period(values: list[Value]) -> list[Value]:
    """Rates per month or year in seconds too, where others count by days or hours: only so do they compare."""
    by_time = {q.amount.unit.dimension for v in values if (q := v.quantity).amount and _exponent(q, "time") < 0}
    return [
        replace(v, quantity=_by_seconds(v.quantity))
        if v.quantity.amount and _exponent(v.quantity, "calendar") == -1 and v.quantity.amount.unit.dimension in by_time
        else v
        for v in values
    ]


def _exponent(quantity: Quantity, base: str) -> int:
    """The exponent that the denominator of a rate adds to a base of its unit."""
    amount = dict(quantity.amount.unit.dimension) if quantity.amount else {}
    return dict(quantity.unit.dimension).get(base, 0) - amount.get(base, 0)


def _by_seconds(quantity: Quantity) -> Quantity:
    month = _DAYS_A_YEAR / 12 * SECONDS_A_DAY
    dimension = combine(combine(quantity.unit.dimension, CALENDAR, 1), TIME, -1)
    unit = replace(quantity.unit, dimension=dimension, factor=quantity.unit.factor / month)
    return replace(
        quantity, low=quantity.low / month, high=quantity.high / month, step=quantity.step / month, unit=unit
    )


_DAYS_A_YEAR = 365


def _in_label(unit: Unit, quantity: Quantity) -> bool:
    """A bare figure in the first cell of a row, or part of a name there."""
    return bool(unit.headers) and quantity.end <= unit.headers[0][1] and quantity.unit.dimension == ()


def _point(moment: Moment) -> Quantity | None:
    """A day or clock time as a value that compares: earlier is smaller."""
    interval = moment.interval() if moment.kind in ("day", "month", "year") else None
    if moment.kind != "clock" and interval is None:
        return None
    value = float(moment.sub if interval is None else interval[0].toordinal())
    kind = "clock" if moment.kind == "clock" else "day"
    unit = Measure(kind, ((f"moment.{kind}", 1),), 1.0)
    return Quantity(value, value, value, 1.0, unit, moment.start, moment.end, "")


def side_score(terms: Sequence[Term], names: Sequence[Name], moments: Sequence[Moment], value: Value) -> float:
    """How far a value belongs to a side: its names and times weigh most, then its words close by."""
    score = 0.0
    keys = {n.key for n in value.binding.names}
    if names:
        score += 2.0 if any(n.key in keys for n in names) else -1.0 if keys else 0.0
    if moments:
        score += 1.5 * moments_agree(moments, value.binding.moments)
    if terms:
        own = sum(match(t, value.binding.own_bag) * t.weight for t in terms) / sum(t.weight for t in terms)
        near = sum(match(t, value.binding.group_bag) * t.weight for t in terms) / sum(t.weight for t in terms)
        far = sum(match(t, value.bag) * t.weight for t in terms) / sum(t.weight for t in terms)
        score += own + 0.5 * near + 0.3 * far
    return score


@dataclass(frozen=True, slots=True)
class Side:
    """One side of a comparison as the text names it."""

    terms: tuple[Term, ...]
    names: tuple[Name, ...]
    moments: tuple[Moment, ...]
    values: tuple[Quantity, ...] = ()

    @property
    def named(self) -> bool:
        """True if there is anything to recognise the side by."""
        return bool(self.terms or self.names or self.moments)


def side_at(analysis: Analysis, start: int, end: int) -> Side:
    return Side(
        tuple(in_span(analysis.terms, start, end)),
        tuple(n for n in analysis.names if start <= n.start < end and n.strict),
        tuple(m for m in analysis.moments if start <= m.start < end and m.kind not in ("clock", "weekday")),
        tuple(q for q in analysis.quantities if start <= q.start < end and not q.weak),
    )


def without(side: Side, other: Side) -> Side:
    """The side without the words that both share."""
    keys = {t.key for t in other.terms}
    return Side(tuple(t for t in side.terms if t.key not in keys), side.names, side.moments, side.values)


def _pick(values: Sequence[Value], mine: Side, other: Side, measure: Sequence[Term]) -> tuple[Value | None, float]:
    """The value that belongs most to one side and least to the other, with its score."""
    best, best_score = None, 0.2
    # "1.84 GW, higher than in 2022": the side tells its own value.
    own = [v for v in values if any(equal(q, v.quantity) for q in mine.values)]
    for value in own or values:
        score = _belonging(value, mine, other, measure)
        if score > best_score:
            best, best_score = value, score
    return best, best_score


def _belonging(value: Value, mine: Side, other: Side, measure: Sequence[Term]) -> float:
    """How much more a value belongs to one side than to the other."""
    score = side_score(mine.terms, mine.names, mine.moments, value)
    score -= side_score(other.terms, other.names, other.moments, value)
    score += any(equal(q, value.quantity) for q in mine.values)
    if measure:
        score += 0.6 * cover(measure, value.bag).share + 0.4 * cover(measure, value.binding.own_bag).share
    return score


def pair_apart(
    values: Sequence[Value], one: Side, two: Side, measure: Sequence[Term], difference: Quantity
) -> tuple[Value, Value] | None:
    """The two values that are as far apart as the statement tells, the side's first; None if it is not clear which."""
    pairs = [(a, b) for a in values for b in values if are_apart(difference, a.quantity, b.quantity)]
    if not pairs or len(pairs) > _MOST_PAIRS:
        return None
    scored = sorted(
        ((_belonging(a, one, two, measure) + _belonging(b, two, one, measure), i) for i, (a, b) in enumerate(pairs)),
        reverse=True,
    )
    best, chosen = scored[0]
    a, b = pairs[chosen]
    turned = next((score for score, i in scored if pairs[i] == (b, a)), best - 1)
    return (a, b) if best > _LEAST and best - turned > _CLEARLY else None


_MOST_PAIRS, _LEAST, _CLEARLY = 24, 0.2, 0.1


def two_values(
    values: Sequence[Value], one: Side, two: Side, measure: Sequence[Term], kinds: Sequence[Dimension]
) -> tuple[Value | None, Value | None]:
    """The values of both sides, of the dimension for which both are told best."""
    groups: dict[tuple[Dimension, str], list[Value]] = {}
    for value in values:
        dimension = PIECE if value.quantity.unit.dimension == () else value.quantity.unit.dimension
        groups.setdefault((dimension, value.quantity.unit.kind), []).append(value)
    wanted = [g for (d, _), g in groups.items() if d in kinds or _base(d) in map(_base, kinds)]
    best: tuple[Value | None, Value | None] = (None, None)
    best_score = 0.0
    plain = [g for (d, _), g in groups.items() if not (d and d[0][0].startswith("moment."))]
    for group in wanted or (_clocks(groups) if len(kinds) == 1 and kinds[0] in DURATIONS else plain):
        a, score_a = _pick(group, one, two, measure)
        b, score_b = _pick([v for v in group if v is not a], two, one, measure)
        if a is not None and b is not None and score_a + score_b > best_score:
            best, best_score = (a, b), score_a + score_b
    return best


def _clocks(groups: dict[tuple[Dimension, str], list[Value]]) -> list[list[Value]]:
    """Clock times and days, of which a difference in time may be told."""
    return [g for (d, _), g in groups.items() if d and d[0][0].startswith("moment.")]


def _base(dimension: Dimension) -> Dimension:
    """Rates compare like their numerators when the word only tells "cheap" or "heavy"."""
    return tuple(
        (base, exponent) for base, exponent in dimension if exponent > 0 and not base.startswith("money.")
    ) or (MONEY if any(base.startswith("money.") for base, _ in dimension) else dimension)


def surface_of(value: Value) -> str:
    """The words of a value in its sentence."""
    return value.unit.analysis.text[value.quantity.start : value.quantity.end]


def wrong_direction(reading: Reading, span: tuple[int, int], a: Value, b: Value) -> Finding:
    """The finding that two values stand the other way round."""
    return Finding(
        IssueType.COMPARISON_WRONG_DIRECTION,
        reading.index,
        f"the evidence gives {surface_of(a)} for the first side and {surface_of(b)} for the second",
        RemedyKind.REGENERATE,
        span=span,
        citation=a.unit.citation,
        evidence=(a.unit.start + a.quantity.start, a.unit.start + a.quantity.end),
        found=reading.analysis.text[span[0] : span[1]].strip(),
        expected=f"{surface_of(a)} / {surface_of(b)}",
    )


def clause_around(analysis: Analysis, position: int) -> tuple[int, int]:
    """The sentence part around a position, cut at commas and semicolons."""
    start = max((m.end() for m in re.finditer(r"[;；，,](?!\d)", analysis.text[:position])), default=0)
    end = re.search(r"[;；，,](?!\d)", analysis.text[position:])
    return start, position + end.start() if end else len(analysis.text)
