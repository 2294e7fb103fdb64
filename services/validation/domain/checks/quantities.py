"""Numbers: each stands in the cited evidence, with its unit, in its place, or follows from the cited values."""

from __future__ import annotations

from collections.abc import Iterator

from services.common.domain.verdict import IssueType, Lock
from services.validation.domain.analysis import Analysis
from services.validation.domain.case import Case, Finding, Reading
from services.validation.domain.checks import register
from services.validation.domain.derived.operands import Pool
from services.validation.domain.reading.evidence import Unit
from services.validation.domain.times.spans_told import divided_interval
from services.validation.domain.values.binding import Binding
from services.validation.domain.values.compare import comparable, equal, loosely, same_interval, states
from services.validation.domain.values.loose_units import in_unit_of_evidence
from services.validation.domain.values.placement import displaced_by
from services.validation.domain.values.quantity import Quantity
from services.validation.domain.values.quantity_bounds import DENIED_BOUND
from services.validation.domain.values.restated import restates_own
from services.validation.domain.values.told_otherwise import is_denominator
from services.validation.domain.values.units import COUNT
from services.validation.domain.values.value_findings import (
    Candidate,
    candidate,
    of_another_row,
    only_elsewhere,
    told_as,
    unstated,
)
from services.validation.domain.values.values_explained import is_explained
from services.validation.domain.values.values_moved import Told, moved, row_elsewhere

_MARGIN = 0.25


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
        if (comparable(*loosely(quantity, q)) or states(quantity, q))
        and (quantity.interval or not (q.interval and q.weak))
    ]
    right = [c for c in candidates if states(quantity, c.quantity)]
    wrong = [c for c in candidates if not states(quantity, c.quantity)]
    if quantity.weak and right:
        return None
    flipped = [c for c in wrong if equal(*loosely(quantity, c.quantity))]
    if flipped and not right:
        return _flipped(reading, quantity, max(flipped, key=lambda c: c.affinity))
    if right:
        return moved(Told(case, reading, quantity, bound, right, wrong, pool))
    if is_explained(case, reading, quantity, candidates, pool):
        return None
    best_wrong = max(wrong, key=lambda c: c.affinity, default=None)
    if quantity.weak and (best_wrong is None or not (quantity.noun or quantity.interval or _classified(quantity))):
        return None
    elsewhere = _told_elsewhere(case, reading, quantity)
    if elsewhere is not None:
        return only_elsewhere(reading, quantity, elsewhere)
    return unstated(case, reading, quantity, best_wrong, pool, bound)


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


def _told_elsewhere(case: Case, reading: Reading, quantity: Quantity) -> Unit | None:
    """A unit of a passage that is not cited, which has the value and carries the statement clearly better."""
    here = case.align(reading, reading.cited)
    least = max(_CARRIES, here[0].coverage.share + _MARGIN) if here else _CARRIES
    if least > 1:
        return None
    for aligned in case.align(reading, case.others(reading.cited))[:_ALIGNED]:
        unit = aligned.unit
        if aligned.coverage.share >= least and any(states(quantity, q) for q in unit.analysis.quantities):
            return unit
    return None


_ALIGNED, _CARRIES = 3, 0.6


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


def _classified(quantity: Quantity) -> bool:
    return quantity.unit.dimension != COUNT
