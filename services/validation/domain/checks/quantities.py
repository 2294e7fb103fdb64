"""Numbers: each stands in the cited evidence, with its unit, in its place, or follows from the cited values."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from services.common.domain.verdict import IssueType, Lock
from services.validation.domain import binding
from services.validation.domain.align import match
from services.validation.domain.analysis import Analysis, Term
from services.validation.domain.binding import Binding
from services.validation.domain.case import Case, Finding, Reading
from services.validation.domain.checks import register
from services.validation.domain.compare import (
    bounds_clash,
    close,
    comparable,
    entailed_by_range,
    equal,
    in_kind,
    loosely,
    next_whole,
    same_interval,
    strictness_clash,
)
from services.validation.domain.computed import (
    adds_up,
    counts_periods,
    divided_interval,
    dropped_unit,
    ends_told,
    follows,
    illustrates,
    is_basis,
    named_in_text,
    rate_as_interval,
    span_of_result,
    spans_time,
    sums_its_own,
)
from services.validation.domain.denominators import dropped_time, other_denominator
from services.validation.domain.discounts import tells_discount
from services.validation.domain.evidence import Unit
from services.validation.domain.growth_told import grows_by, was_before
from services.validation.domain.loose_units import in_unit_of_evidence
from services.validation.domain.moments import same_time
from services.validation.domain.operands import Pool
from services.validation.domain.patterns import Pattern
from services.validation.domain.period_findings import of_period, other_period
from services.validation.domain.placement import displaced_by, exchanged
from services.validation.domain.quantity import Quantity
from services.validation.domain.quantity_bounds import DENIED_BOUND
from services.validation.domain.restated import one_of_each, restates_own
from services.validation.domain.share_base import other_base
from services.validation.domain.signs import sign_in_words
from services.validation.domain.tables import rows_of
from services.validation.domain.told_otherwise import (
    about_as_long,
    as_interval,
    bare_age,
    calendar_basis,
    first_of,
    is_denominator,
    monthly_mean,
    names_period,
    pooled_ratio,
    stands_as_figure,
    tells_half,
    two_denominators,
    workdays_told,
)
from services.validation.domain.units import COUNT, OCCASION, TALLIES
from services.validation.domain.value_findings import (
    Candidate,
    candidate,
    misplaced,
    of_another_row,
    only_elsewhere,
    told_as,
    unstated,
)
from services.validation.domain.workings import computed_by_formula, worked_out

_MARGIN = 0.25
_SMALL_COUNT = 10
_COMPARED = Pattern(
    r"(?:against|than|versus|vs\.?|compared (?:with|to)|as opposed to|in contrast to|instead of|not|rather than"
    r"|比|相比|而非|对)\s*(?:the\s+"
    r"|only\s+)?$",
    re.I,
)


@register(
    "quantities",
    Lock.TRACEABILITY,
    sees="values, units, rates, currencies, bounds, roundings and ranges; values moved to another row, item or period; "
    "sums, differences, shares, growth, ratios, averages, products recomputed from the cited values",
    blind="wrong placement across languages, totals of tariffs with several steps",
)
def check(case: Case) -> Iterator[Finding]:
    """Yield NUMBER_MISMATCH, UNIT_MISMATCH, ENTITY_MISMATCH, DATE_MISMATCH, UNSUPPORTED_STATEMENT."""
    for reading in case.reworded:
        units = [unit for unit in case.units(reading.cited) if unit.kind != "heading"]
        pool = [(unit, q) for unit in units for q in unit.analysis.quantities]
        for given in reading.analysis.quantities:
            quantity = in_unit_of_evidence(reading, given, pool)
            finding = _judge(case, reading, quantity, pool)
            if finding is not None:
                yield finding


def _judge(case: Case, reading: Reading, quantity: Quantity, pool: Pool) -> Finding | None:
    if restates_own(reading, quantity):
        return None
    bound = case.bind(reading.analysis, quantity)
    if quantity.interval and quantity.weak:
        return _interval(case, reading, quantity, bound, pool)
    candidates = [
        candidate(case, bound, unit, q)
        for unit, q in pool
        if (comparable(*loosely(quantity, q)) or _states(quantity, q))
        and (quantity.interval or not (q.interval and q.weak))
    ]
    right = [c for c in candidates if _states(quantity, c.quantity)]
    wrong = [c for c in candidates if not _states(quantity, c.quantity)]
    best_right = max(right, key=lambda c: c.affinity, default=None)
    best_wrong = max(wrong, key=lambda c: c.affinity, default=None)
    if quantity.weak and best_right is not None:
        return None
    flipped = [c for c in wrong if equal(*loosely(quantity, c.quantity))]
    if best_right is None and flipped:
        return _flipped(reading, quantity, max(flipped, key=lambda c: c.affinity))
    if best_right is not None:
        if _of_another(case, reading, quantity, bound, right, wrong) and not _follows(case, reading, quantity, pool):
            return misplaced(reading, quantity, bound, best_right, best_wrong or best_right)
        if _of_another_period(bound, right) and not _follows(case, reading, quantity, pool):
            return misplaced(reading, quantity, bound, best_right, best_wrong or best_right)
        named = row_elsewhere(case, reading, quantity, right)
        if not named:
            row = exchanged(case, reading, quantity, right, rows_of(case.units(reading.cited)))
            named = row.labels[0] if row is not None else ""
        if named and not _follows(case, reading, quantity, pool):
            return of_another_row(reading, quantity, best_right.unit, named)
        per = other_denominator(reading, quantity, right) or dropped_time(case, reading, quantity, right)
        if per is not None:
            return told_as(
                reading, quantity, per.unit, per.quantity, IssueType.UNIT_MISMATCH,
                f" is told per something else than in the evidence ({per.quantity.surface})",
            )  # fmt: skip
        place = other_base(case, reading, quantity, right)
        if place is not None and not _follows(case, reading, quantity, pool):
            return told_as(
                reading, quantity, place.unit, place.quantity, IssueType.ENTITY_MISMATCH,
                f" is told of something else than in the evidence ({place.quantity.surface})",
            )  # fmt: skip
        period = other_period(reading, quantity, right)
        if period is not None:
            return of_period(reading, quantity, best_right, period)
        other = not _number_word(quantity) and _other_measure(case, reading, bound, best_right)
        if other and not _follows(case, reading, quantity, pool):
            return misplaced(reading, quantity, bound, best_right, best_wrong or best_right)
        if _COMPARED.search(reading.analysis.text[: quantity.start]):
            return None  # what another thing is compared with has a place of its own
        rival = displaced_by(case, reading, quantity, bound, right, wrong)
        if (
            rival is None
            or _restates_question(case, quantity)
            or ends_told(case, reading, quantity, pool)
            or _follows(case, reading, quantity, pool)
        ):
            return None
        return misplaced(reading, quantity, bound, best_right, rival)
    if dropped_unit(quantity, pool) or sums_its_own(reading, quantity, pool) or is_basis(case, reading, quantity, pool):
        return None
    if _in_title(case, reading, quantity) or _in_header(quantity, pool):
        return None
    if _restates_question(case, quantity) or _counts_items(case, reading, quantity, candidates):
        return None
    if named_in_text(case, reading, quantity) or illustrates(case, reading, quantity, pool):
        return None
    if (
        first_of(case, reading, quantity)
        or bare_age(quantity, pool)
        or workdays_told(reading, quantity, pool)
        or ends_told(case, reading, quantity, pool)
    ):
        return None
    if spans_time(case, reading, quantity) or rate_as_interval(quantity, pool):
        return None
    if (
        names_period(case, reading, quantity)
        or stands_as_figure(case, reading, quantity)
        or tells_half(case, reading, quantity)
        or as_interval(quantity, pool)
        or about_as_long(quantity, pool)
        or calendar_basis(reading, quantity)
        or two_denominators(quantity, pool)
        or tells_discount(reading, quantity, pool)
        or sign_in_words(reading, quantity, pool, case.config.lexicon)
        or span_of_result(case, reading, quantity, pool)
    ):
        return None
    if counts_periods(case, reading, quantity) or _follows(case, reading, quantity, pool):
        return None
    if quantity.weak and (
        _ONE_EACH.search(reading.analysis.low[: quantity.start]) or one_of_each(case, reading, quantity)
    ):
        return None  # "for one coat": the piece that a rate is told for
    if quantity.weak and (best_wrong is None or not (quantity.noun or quantity.interval or _classified(quantity))):
        return None
    elsewhere = _told_elsewhere(case, reading, quantity)
    if elsewhere is not None:
        return only_elsewhere(reading, quantity, elsewhere)
    return unstated(case, reading, quantity, best_wrong, pool, bound)


_ONE_EACH = re.compile(r"\b(?:for|per|each)\s+(?:a |every )?$|每$")


def _in_title(case: Case, reading: Reading, quantity: Quantity) -> bool:
    """The value is part of what a cited document is called: the leaflet of the 40 mg strength."""
    titles = (case.passage(citation).title.text for citation in reading.cited)
    return any(equal(quantity, q) for title in titles for q in case.analyser.quantities(title))


def _in_header(quantity: Quantity, pool: Pool) -> bool:
    """The value stands in the heading of a column: 72 hours before departure."""
    headers = {id(h): h for unit, _ in pool for _, _, h in unit.headers}
    return any(_states(quantity, q) for h in headers.values() for q in h.quantities)


def _flipped(reading: Reading, quantity: Quantity, told: Candidate) -> Finding | None:
    """An upper bound told as a lower one or the reverse; a negation on one side may turn it, so none is judged."""
    negated = [_negated(reading.analysis, quantity), _negated(told.unit.analysis, told.quantity)]
    if negated[0] != negated[1]:
        return None
    other = told.quantity
    return told_as(
        reading, quantity, told.unit, other, IssueType.NUMBER_MISMATCH,
        f" is told as the other bound: the evidence says {other.surface}",
    )  # fmt: skip


def _negated(analysis: Analysis, quantity: Quantity) -> bool:
    if DENIED_BOUND.search(analysis.low[: quantity.start]):
        return False  # "never rose above": the negation is part of the bound
    start, end = analysis.clause_at(quantity.start)
    cues = [
        c for c in analysis.cues if c.kind in ("prohibition", "exemption") and not c.bound and start <= c.start < end
    ]
    told = [s for s, e in analysis.negations if analysis.low[s:e] != "without" and start <= s < end]
    return bool(told or cues)


def _follows(case: Case, reading: Reading, quantity: Quantity, pool: Pool) -> bool:
    return (
        quantity.start in worked_out(case, reading, pool)
        or follows(case, reading, quantity, pool)
        or adds_up(case, reading, quantity, pool)
        or pooled_ratio(reading, quantity, pool)
        or monthly_mean(reading, quantity, pool)
        or grows_by(case, reading, quantity, pool)
        or was_before(case, reading, quantity, pool)
        or computed_by_formula(reading, quantity, pool, case.question.analysis.quantities)
    )


def _told_elsewhere(case: Case, reading: Reading, quantity: Quantity) -> Unit | None:
    """A unit of a passage that is not cited, which has the value and carries the statement clearly better."""
    here = case.align(reading, reading.cited)
    best = here[0].coverage.share if here else 0.0
    for aligned in case.align(reading, case.others(reading.cited))[:_ALIGNED]:
        unit = aligned.unit
        if aligned.coverage.share >= max(_CARRIES, best + _MARGIN) and any(
            _states(quantity, q) for q in unit.analysis.quantities
        ):
            return unit
    return None


_ALIGNED, _CARRIES = 3, 0.6


def _of_another_period(bound: Binding, right: Sequence[Candidate]) -> bool:
    """Every cell that has the value stands in a column of another period (first half for second quarter)."""
    times = [m for m in bound.moments if m.kind in _PERIODS]
    columns = [[m for m in c.binding.moments if m.kind in _PERIODS] for c in right if c.unit.headers]
    if not times or len(columns) < len(right) or not all(columns):
        return False
    return not any(same_time(a, m) for column in columns for m in column for a in times)


_PERIODS = ("year", "half", "quarter", "month")


def _of_another(
    case: Case, reading: Reading, quantity: Quantity, bound: Binding, right: Sequence[Candidate],
    wrong: Sequence[Candidate],
) -> bool:  # fmt: skip
    """Every place that has the value belongs to another item of the same kind; a statement that names none speaks of
    the one that the question names, if the cited passages give another value of the kind for that."""
    names = bound.names
    if not names and not any(n.strict for n in reading.analysis.names):
        asked = tuple(n for n in case.question.analysis.names if n.strict)
        if len({n.key for n in asked}) == 1 and any(binding.names_agree(asked, c.binding.names) > 0 for c in wrong):
            names = asked
    if _COMPARED.search(reading.analysis.text[: quantity.start]):
        return False
    return bool(names) and all(binding.names_agree(names, c.binding.names) < 0 for c in right)


def row_elsewhere(case: Case, reading: Reading, quantity: Quantity, right: Sequence[Candidate]) -> str:
    """What the statement speaks of, if the value stands only in rows of the cited tables that are of something else."""
    if not all(c.unit.headers for c in right) or _COMPARED.search(reading.analysis.text[: quantity.start]):
        return ""
    meant = case.rows_meant(reading)
    if not meant or any(row.unit is c.unit for row in meant for c in right):
        return ""
    tables = {c.unit.citation for c in right}
    return next((row.labels[0] for row in meant if row.unit.citation in tables), "")


def _other_measure(case: Case, reading: Reading, bound: Binding, right: Candidate) -> bool:
    """The value is that of another measure: the words around it differ wholly, and are used for a measure elsewhere."""
    mine = [t for t in bound.own if t.key not in case.config.lexicon.meta_words and t.weight >= 1]
    theirs = [t for t in right.binding.own if t.key not in case.config.lexicon.meta_words and t.weight >= 1]
    if not mine or not theirs or right.unit.headers:
        return False
    unit_bag = case.bags.unit(right.unit)
    if any(equal(c, q) for c in bound.companions for q in right.binding.companions if comparable(c, q) and not c.weak):
        return False
    if any(match(t, unit_bag) > 0 for t in bound.group if t.weight >= 1 and not _in_name(reading, t)):
        return False
    foreign = [t for t in mine if match(t, unit_bag) == 0]
    answer_bag = case.bags.said(reading.analysis)
    lost = [t for t in theirs if match(t, answer_bag) == 0]
    if len(foreign) != len([t for t in mine if not _in_name(reading, t)]) or not foreign or not lost:
        return False
    # The number of a heading is no value of what the heading names.
    places = (u for p in case.passages for u in p.units if u.kind != "heading")
    others = [u for u in places if u is not right.unit and u.analysis.quantities]
    bags = (case.bind(u.analysis, q, u).own_bag for u in others for q in u.analysis.quantities)
    return any(all(match(t, bag) >= 0.9 for t in foreign) for bag in bags)


def _in_name(reading: Reading, term: Term) -> bool:
    return any(n.start <= term.start < n.end for n in reading.analysis.names)


def _interval(case: Case, reading: Reading, quantity: Quantity, bound: Binding, pool: Pool) -> Finding | None:
    """Daily, weekly, every two years: another interval in the place of the evidence's."""
    candidates = [candidate(case, bound, unit, q) for unit, q in pool if q.interval or comparable(quantity, q)]
    right = [c for c in candidates if same_interval(quantity, c.quantity)]
    rivals = [c for c in candidates if c.quantity.interval]
    rivals = [c for c in rivals if c not in right]
    alike = [c for c in rivals if c.quantity.unit.dimension == quantity.unit.dimension]
    nearest = max(alike or rivals, key=lambda c: c.affinity, default=None)
    best = max(right, key=lambda c: c.affinity, default=None)
    if best is not None and (named := row_elsewhere(case, reading, quantity, right)):
        return of_another_row(reading, quantity, best.unit, named)
    if best is not None and displaced_by(case, reading, quantity, bound, right, rivals) is None:
        return None
    if divided_interval(quantity, pool) or is_denominator(quantity, pool):
        return None
    if nearest is None or any(
        a.unit.dimension != quantity.unit.dimension and _spelled_rate(a, quantity) for a in reading.analysis.quantities
    ):
        return None
    return _unstated_interval(reading, quantity, nearest)


def _spelled_rate(rate: Quantity, interval: Quantity) -> bool:
    """The interval word is the denominator of a rate, which is judged as such."""
    return rate.amount is not None and 0 <= interval.start - rate.start <= 60


def _unstated_interval(reading: Reading, quantity: Quantity, nearest: Candidate) -> Finding:
    other = nearest.quantity
    alike = other.unit.dimension == quantity.unit.dimension
    kind = IssueType.NUMBER_MISMATCH if alike else IssueType.UNIT_MISMATCH
    return told_as(reading, quantity, nearest.unit, other, kind, f": the evidence says {other.surface}")


def _states(answer: Quantity, evidence: Quantity) -> bool:
    if evidence.amount is not None and in_kind(answer, evidence.amount) is not answer:
        evidence = evidence.amount
    elif answer.amount is not None and in_kind(answer.amount, evidence) is not answer.amount:
        answer = answer.amount
    answer, evidence = loosely(in_kind(answer, evidence), evidence)
    if bounds_clash(answer, evidence) or strictness_clash(answer, evidence):
        return False
    return equal(answer, evidence) or entailed_by_range(answer, evidence) or next_whole(answer, evidence)


def _restates_question(case: Case, quantity: Quantity) -> bool:
    """The question's own value; its figure too where one of the two leaves out the unit (a child of 10)."""
    return any(
        equal(quantity, q)
        or (close(quantity.figure, q.figure) and COUNT in (quantity.unit.dimension, q.unit.dimension) and not q.weak)
        for q in case.question.analysis.quantities
    )


def _counts_items(case: Case, reading: Reading, quantity: Quantity, candidates: Sequence[Candidate]) -> bool:
    """ "two conditions", 两种情形: the writer counts what he lists; not if a passage that he does not cite says it."""
    quantity = quantity.amount or quantity
    small = _number_word(quantity)
    if quantity.bound and not quantity.noun and candidates:
        return False  # "capped at six" is a limit, no count of the writer's
    if not small or any(_same_noun(quantity, c.quantity) for c in candidates if not c.quantity.weak):
        return False
    if quantity.unit.dimension == OCCASION and any(c.quantity.unit.dimension == OCCASION for c in candidates):
        return False
    elsewhere = [q for u in case.units(case.others(reading.cited)) for q in u.analysis.quantities]
    return not any(quantity.noun and q.noun and _same_noun(quantity, q) and equal(quantity, q) for q in elsewhere)


def _classified(quantity: Quantity) -> bool:
    return quantity.unit.dimension != COUNT


def _number_word(quantity: Quantity) -> bool:
    """Two, 三个: small counts in words stand beside anything."""
    return quantity.unit.dimension in TALLIES and quantity.low <= _SMALL_COUNT and not quantity.surface[0].isdigit()


def _same_noun(a: Quantity, b: Quantity) -> bool:
    if a.unit.unit_id == b.unit.unit_id == "occasion":
        return True
    if a.noun and b.noun:
        return a.noun.rstrip("s") == b.noun.rstrip("s")
    return a.surface[-1:] == b.surface[-1:]
