"""Numbers: each stands in the cited evidence, with its unit, in its place, or follows from the cited values."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date

from services.common.domain.verdict import IssueType, Lock, RemedyKind
from services.validation.domain import binding
from services.validation.domain.align import Bag, match
from services.validation.domain.analysis import Term
from services.validation.domain.binding import Binding
from services.validation.domain.case import Case, Finding, Reading
from services.validation.domain.checks import register
from services.validation.domain.compare import (
    bounds_clash,
    close,
    comparable,
    entailed_by_range,
    equal,
    loosely,
    same_figure,
)
from services.validation.domain.derive import Operand, derive
from services.validation.domain.evidence import Unit
from services.validation.domain.quantity import Quantity
from services.validation.domain.units import CALENDAR, COUNT, RATIO, TIME, Dimension

_MARGIN = 0.25
_SMALL_COUNT = 10
_MOST_PERIODS = 10
_COMPARED = re.compile(
    r"(?:against|than|versus|vs\.?|compared (?:with|to)|instead of|not|rather than|比|相比|而非|对)\s*(?:the\s+"
    r"|only\s+)?$",
    re.I,
)
_COUNTS: tuple[Dimension, ...] = (COUNT, (("count", 1),), (("occasion", 1),))


@dataclass(frozen=True, slots=True)
class Candidate:
    """A quantity of the cited evidence with its binding and its affinity to the answer's quantity."""

    unit: Unit
    quantity: Quantity
    affinity: float
    binding: Binding


@register(
    "quantities",
    Lock.TRACEABILITY,
    sees="values, units, rates, currencies, bounds, roundings and ranges; values moved to another row, item or period; "
    "sums, differences, shares, growth, ratios, averages, products recomputed from the cited values",
    blind="derivations of more than one step, and numbers written as formulas",
)
def check(case: Case) -> Iterator[Finding]:
    """Yield NUMBER_MISMATCH, UNIT_MISMATCH, ENTITY_MISMATCH, DATE_MISMATCH, UNSUPPORTED_STATEMENT."""
    for reading in case.readings:
        if not reading.is_claim or not reading.cited:
            continue
        pool = [(unit, q) for unit in case.units(reading.cited) for q in unit.analysis.quantities]
        for quantity in reading.analysis.quantities:
            finding = _judge(case, reading, quantity, pool)
            if finding is not None:
                yield finding


def _judge(case: Case, reading: Reading, quantity: Quantity, pool: Sequence[tuple[Unit, Quantity]]) -> Finding | None:
    bound = binding.bind(reading.analysis, quantity)
    if quantity.interval and quantity.weak:
        return _interval(reading, quantity, bound, pool)
    candidates = [_candidate(bound, unit, q) for unit, q in pool if comparable(*loosely(quantity, q))]
    right = [c for c in candidates if _states(quantity, c.quantity)]
    wrong = [c for c in candidates if not _states(quantity, c.quantity)]
    best_right = max(right, key=lambda c: c.affinity, default=None)
    best_wrong = max(wrong, key=lambda c: c.affinity, default=None)
    if best_right is not None:
        if _of_another(reading, quantity, bound, right) and not _follows(case, reading, bound, quantity, pool):
            return _misplaced(reading, quantity, bound, best_right, best_wrong or best_right)
        if _other_measure(case, reading, bound, best_right):
            return _misplaced(reading, quantity, bound, best_right, best_wrong or best_right)
        if best_wrong is None or quantity.weak or best_wrong.affinity <= best_right.affinity + _MARGIN:
            return None
        if _assigned(reading, quantity, best_right, best_wrong) or _follows(case, reading, bound, quantity, pool):
            return None
        return _misplaced(reading, quantity, bound, best_right, best_wrong)
    if (
        _dropped_unit(quantity, pool)
        or _sums_its_own(reading, quantity, pool)
        or _is_basis(case, reading, quantity, pool)
    ):
        return None
    if _restates_question(case, quantity) or _counts_items(reading, quantity, candidates):
        return None
    if _counts_periods(case, reading, quantity) or _follows(case, reading, bound, quantity, pool):
        return None
    if quantity.weak and best_wrong is None:
        return None
    return _unstated(case, reading, quantity, best_wrong, pool, bound)


def _of_another(reading: Reading, quantity: Quantity, bound: Binding, right: Sequence[Candidate]) -> bool:
    """Every place that has the value belongs to another item of the same kind."""
    if _COMPARED.search(reading.analysis.text[: quantity.start]):
        return False
    return bool(bound.names) and all(binding.names_agree(bound.names, c.binding.names) < 0 for c in right)


def _other_measure(case: Case, reading: Reading, bound: Binding, right: Candidate) -> bool:
    """The value is that of another measure: the words around it differ wholly, and are used for a measure elsewhere."""
    mine = [t for t in bound.own if t.key not in case.config.lexicon.meta_words and t.weight >= 1]
    theirs = [t for t in right.binding.own if t.key not in case.config.lexicon.meta_words and t.weight >= 1]
    if not mine or not theirs or right.unit.headers:
        return False
    unit_bag = case.bags.unit(right.unit)
    foreign = [t for t in mine if match(t, unit_bag) == 0]
    answer_bag = Bag.of([reading.analysis])
    lost = [t for t in theirs if match(t, answer_bag) == 0]
    if len(foreign) != len([t for t in mine if not _in_name(reading, t)]) or not foreign or not lost:
        return False
    others = [u for p in case.passages for u in p.units if u is not right.unit and u.analysis.quantities]
    return any(all(match(t, case.bags.unit(u)) >= 0.9 for t in foreign) for u in others)


def _in_name(reading: Reading, term: Term) -> bool:
    return any(n.start <= term.start < n.end for n in reading.analysis.names)


def _interval(
    reading: Reading, quantity: Quantity, bound: Binding, pool: Sequence[tuple[Unit, Quantity]]
) -> Finding | None:
    """Daily, weekly, every two years: another interval in the place of the evidence's."""
    candidates = [_candidate(bound, unit, q) for unit, q in pool if q.interval or comparable(quantity, q)]
    right = [c for c in candidates if _same_interval(quantity, c.quantity)]
    rivals = [c for c in candidates if c.quantity.interval]
    rivals = [c for c in rivals if c not in right]
    alike = [c for c in rivals if c.quantity.unit.dimension == quantity.unit.dimension]
    nearest = max(alike or rivals, key=lambda c: c.affinity, default=None)
    best = max(right, key=lambda c: c.affinity, default=None)
    if best is not None and (nearest is None or nearest.affinity <= best.affinity + _MARGIN):
        return None
    if nearest is None or any(
        a.unit.dimension != quantity.unit.dimension and _spelled_rate(a, quantity) for a in reading.analysis.quantities
    ):
        return None
    return _unstated_interval(reading, quantity, nearest)


def _same_interval(a: Quantity, b: Quantity) -> bool:
    return close(a.low, b.low) and a.unit.dimension == b.unit.dimension


def _spelled_rate(rate: Quantity, interval: Quantity) -> bool:
    """The interval word is the denominator of a rate, which is judged as such."""
    return rate.amount is not None and 0 <= interval.start - rate.start <= 60


def _unstated_interval(reading: Reading, quantity: Quantity, nearest: Candidate) -> Finding:
    other = nearest.quantity
    return Finding(
        IssueType.NUMBER_MISMATCH if other.unit.dimension == quantity.unit.dimension else IssueType.UNIT_MISMATCH,
        reading.index,
        f"{quantity.surface}: the evidence says {other.surface}",
        RemedyKind.REGENERATE,
        span=(quantity.start, quantity.end),
        citation=nearest.unit.citation,
        evidence=(nearest.unit.start + other.start, nearest.unit.start + other.end),
        found=quantity.surface,
        expected=other.surface,
    )


def _assigned(reading: Reading, quantity: Quantity, right: Candidate, wrong: Candidate) -> bool:
    """Both values stand in the statement, and giving each its own place fits at least as well as exchanging them."""
    others = [q for q in reading.analysis.quantities if q is not quantity and equal(q, wrong.quantity)]
    for other in others:
        bound = binding.bind(reading.analysis, other)
        straight = right.affinity + binding.affinity(bound, wrong.binding)
        exchanged = wrong.affinity + binding.affinity(bound, right.binding)
        if straight + _MARGIN >= exchanged:
            return True
    return False


def _follows(
    case: Case, reading: Reading, bound: Binding, quantity: Quantity, pool: Sequence[tuple[Unit, Quantity]]
) -> bool:
    """The value is recomputed from the cited values of the same items and periods."""
    times = [m for m in reading.analysis.moments if m.kind not in ("clock", "weekday")]
    names = [n for n in reading.analysis.names if n.strict]
    operands: list[Operand] = []
    for unit, q in pool:
        other = binding.bind(unit.analysis, q, unit)
        if binding.moments_agree(times, other.moments) < 0 or binding.names_agree(names, other.names) < 0:
            continue
        operands.append(Operand(q, _day(other)))
    spans = [q for q in reading.analysis.quantities if q is not quantity and q.unit.dimension in (TIME, CALENDAR)]
    stated = [*spans] + [
        q for q in reading.analysis.quantities if q is not quantity and any(equal(q, e) for _, e in pool)
    ]
    operands += [Operand(q, None) for q in stated]
    lexicon = case.config.lexicon
    low = reading.analysis.low
    if lexicon.increase.search(low) or lexicon.decrease.search(low) or lexicon.difference.search(low):
        # A change has a value of another time by nature.
        operands = [Operand(q, _day(binding.bind(u.analysis, q, u))) for u, q in pool]
    if quantity.amount is None:
        operands += [Operand(o.quantity.amount, o.day) for o in operands if o.quantity.amount is not None]
    tries = [quantity] if quantity.amount is None else [quantity, quantity.amount]
    return any(derive(q, operands, reading.analysis, case.config.lexicon) is not None for q in tries)


def _dropped_unit(quantity: Quantity, pool: Sequence[tuple[Unit, Quantity]]) -> bool:
    """ "No older than 35": the bare figure of a value with a unit."""
    return (
        quantity.unit.dimension == COUNT
        and not quantity.noun
        and any(close(quantity.figure, q.figure) or (q.is_range and _end_of(quantity, q)) for _, q in pool)
    )


def _end_of(quantity: Quantity, other: Quantity) -> bool:
    scale = other.unit.factor or 1.0
    return close(quantity.figure * scale, other.low) or close(quantity.figure * scale, other.high)


def _sums_its_own(reading: Reading, quantity: Quantity, pool: Sequence[tuple[Unit, Quantity]]) -> bool:
    """A total that the statement itself spells out: "EUR 500: EUR 320 for the flight and EUR 180 for the hotel"."""
    parts = [
        q
        for q in reading.analysis.quantities
        if q is not quantity and q.unit.dimension == quantity.unit.dimension and any(equal(q, e) for _, e in pool)
    ]
    return len(parts) > 1 and close(sum(q.low for q in parts), quantity.low)


def _is_basis(case: Case, reading: Reading, quantity: Quantity, pool: Sequence[tuple[Unit, Quantity]]) -> bool:
    """ "In 24 hours": the span for which the statement gives a total that follows from a cited rate."""
    if quantity.unit.dimension not in (TIME, CALENDAR, (("count", 1),)):
        return False
    operands = [Operand(q, None) for _, q in pool if any(exponent < 0 for _, exponent in q.unit.dimension)]
    if not operands:
        return False
    others = [q for q in reading.analysis.quantities if q is not quantity]
    return any(derive(q, [*operands, Operand(quantity, None)], reading.analysis, case.config.lexicon) for q in others)


def _day(bound: Binding) -> date | None:
    """The first day of the time a quantity belongs to."""
    days = [i[0] for m in bound.moments if (i := m.interval()) is not None]
    return days[0] if days else None


def _counts_periods(case: Case, reading: Reading, quantity: Quantity) -> bool:
    """ "Over the two years", 前三个季度: as many periods as the cited passages name, or the span they cover."""
    if quantity.unit.dimension != CALENDAR or quantity.low > _MOST_PERIODS * 12:
        return False
    units = case.units(reading.cited)
    moments = {m.key() for u in units for m in u.analysis.moments if m.kind in ("year", "quarter", "half", "month")}
    kinds = {"year": 12, "half": 6, "quarter": 3, "month": 1}
    for kind, months in kinds.items():
        count = len({k for k in moments if k[0] == kind})
        years = sorted({k[1] for k in moments if k[0] == kind and k[1]})
        span = years[-1] - years[0] if years else 0
        if quantity.low in (count * months, span * 12 if span else -1):
            return True
    return False


def _candidate(bound: Binding, unit: Unit, quantity: Quantity) -> Candidate:
    other = binding.bind(unit.analysis, quantity, unit)
    return Candidate(unit, quantity, binding.affinity(bound, other), other)


def _states(answer: Quantity, evidence: Quantity) -> bool:
    answer, evidence = loosely(answer, evidence)
    if bounds_clash(answer, evidence):
        return False
    return equal(answer, evidence) or entailed_by_range(answer, evidence)


def _restates_question(case: Case, quantity: Quantity) -> bool:
    return any(equal(quantity, q) for q in case.question.analysis.quantities)


def _counts_items(reading: Reading, quantity: Quantity, candidates: Sequence[Candidate]) -> bool:
    """ "two conditions", 两种情形: the writer counts what he lists."""
    small = quantity.unit.dimension in _COUNTS and quantity.low <= _SMALL_COUNT and not quantity.surface[0].isdigit()
    return small and not any(_same_noun(quantity, c.quantity) for c in candidates)


def _same_noun(a: Quantity, b: Quantity) -> bool:
    if a.noun and b.noun:
        return a.noun.rstrip("s") == b.noun.rstrip("s")
    return a.surface[-1:] == b.surface[-1:]


def _misplaced(reading: Reading, quantity: Quantity, bound: Binding, right: Candidate, wrong: Candidate) -> Finding:
    """The value stands in the evidence, but for something else."""
    if binding.names_agree(bound.names, right.binding.names) < 0 or (
        binding.names_agree(bound.names, wrong.binding.names) > 0
        and binding.names_agree(bound.names, right.binding.names) <= 0
    ):
        kind, what = IssueType.ENTITY_MISMATCH, "belongs to another item"
    elif binding.moments_agree(bound.moments, right.binding.moments) < 0:
        kind, what = IssueType.DATE_MISMATCH, "belongs to another period"
    else:
        kind, what = IssueType.NUMBER_MISMATCH, "stands in the evidence for something else"
    return Finding(
        kind,
        reading.index,
        f"{quantity.surface} {what}; here the evidence gives {wrong.quantity.surface}",
        RemedyKind.REGENERATE,
        span=(quantity.start, quantity.end),
        citation=wrong.unit.citation,
        evidence=(wrong.unit.start + wrong.quantity.start, wrong.unit.start + wrong.quantity.end),
        found=quantity.surface,
        expected=wrong.quantity.surface,
    )


def _unstated(
    case: Case,
    reading: Reading,
    quantity: Quantity,
    nearest: Candidate | None,
    pool: Sequence[tuple[Unit, Quantity]],
    bound: Binding,
) -> Finding:
    """The value is not in the cited evidence: name the nearest value and whether the unit or the number is wrong."""
    twin = _unit_twin(quantity, pool, nearest, bound)
    points = _percent_for_points(quantity, pool, reading, case)
    if points or twin is not None:
        unit, other = twin or pool[0]
        expected = "percentage points" if points else other.surface
        return Finding(
            IssueType.UNIT_MISMATCH,
            reading.index,
            f"{quantity.surface}: the evidence says {expected}",
            RemedyKind.REGENERATE,
            span=(quantity.start, quantity.end),
            citation=unit.citation,
            evidence=(unit.start + other.start, unit.start + other.end),
            found=quantity.surface,
            expected=expected,
        )
    if nearest is None:
        computed = quantity.unit.dimension in (RATIO, (("times", 1),)) and len(pool) > 1
        return Finding(
            IssueType.NUMBER_MISMATCH if computed else IssueType.UNSUPPORTED_STATEMENT,
            reading.index,
            f"{quantity.surface} "
            + ("does not follow from the cited values" if computed else "is not in the cited evidence"),
            RemedyKind.REGENERATE if computed else RemedyKind.RETRIEVE_MISSING,
            span=(quantity.start, quantity.end),
            found=quantity.surface,
            queries=(reading.statement.body.strip(),),
        )
    other = nearest.quantity
    converted = (
        other.unit.unit_id != quantity.unit.unit_id
        and other.unit.dimension not in _COUNTS
        and other.unit.dimension != RATIO
    )
    kind = IssueType.UNIT_MISMATCH if converted else IssueType.NUMBER_MISMATCH
    return Finding(
        kind,
        reading.index,
        f"{quantity.surface}: the evidence says {other.surface}",
        RemedyKind.REGENERATE,
        span=(quantity.start, quantity.end),
        citation=nearest.unit.citation,
        evidence=(nearest.unit.start + other.start, nearest.unit.start + other.end),
        found=quantity.surface,
        expected=other.surface,
    )


def _unit_twin(
    quantity: Quantity, pool: Sequence[tuple[Unit, Quantity]], nearest: Candidate | None, bound: Binding
) -> tuple[Unit, Quantity] | None:
    """The same figure with another unit; of another dimension if it fits better than the nearest."""
    for unit, other in pool:
        if not same_figure(quantity, other) or quantity.weak or other.weak:
            continue
        if (quantity.unit.dimension == RATIO) != (other.unit.dimension == RATIO) and other.unit.dimension in _COUNTS:
            continue
        if other.unit.dimension == quantity.unit.dimension:
            if other.unit.unit_id != quantity.unit.unit_id:
                return unit, other
        elif nearest is None or _candidate(bound, unit, other).affinity > nearest.affinity:
            return unit, other
    return None


def _percent_for_points(
    quantity: Quantity, pool: Sequence[tuple[Unit, Quantity]], reading: Reading, case: Case
) -> bool:
    """A difference of two percentages told as percent."""
    if quantity.unit.kind != "percent":
        return False
    shares = [q for _, q in pool if q.unit.kind == "percent"]
    return any(abs(abs(a.low - b.low) - quantity.low) < 1e-9 for a in shares for b in shares if a is not b)
