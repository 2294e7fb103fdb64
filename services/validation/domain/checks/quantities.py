"""Numbers: each stands in the cited evidence, with its unit, in its place, or follows from the cited values."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from services.common.domain.verdict import IssueType, Lock, RemedyKind
from services.validation.domain import binding
from services.validation.domain.binding import Binding
from services.validation.domain.case import Case, Finding, Reading
from services.validation.domain.checks import register
from services.validation.domain.compare import bounds_clash, comparable, entailed_by_range, equal, same_figure
from services.validation.domain.derive import derive
from services.validation.domain.evidence import Unit
from services.validation.domain.quantities import Quantity
from services.validation.domain.units import COUNT, RATIO, Dimension

_MARGIN = 0.3
_SMALL_COUNT = 10
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
    candidates = [_candidate(bound, unit, q) for unit, q in pool if comparable(quantity, q)]
    right = [c for c in candidates if _states(quantity, c.quantity)]
    wrong = [c for c in candidates if not _states(quantity, c.quantity)]
    best_right = max(right, key=lambda c: c.affinity, default=None)
    best_wrong = max(wrong, key=lambda c: c.affinity, default=None)
    if best_right is not None:
        if best_wrong is not None and best_wrong.affinity > best_right.affinity + _MARGIN and not quantity.weak:
            if derive(quantity, [q for _, q in pool], reading.analysis, case.config.lexicon) is None:
                return _misplaced(reading, quantity, bound, best_right, best_wrong)
        return None
    if _restates_question(case, quantity) or _counts_items(reading, quantity, candidates):
        return None
    operands = [q for unit, q in pool] + [
        q for q in reading.analysis.quantities if q is not quantity and _supported(q, pool)
    ]
    if derive(quantity, operands, reading.analysis, case.config.lexicon) is not None:
        return None
    if quantity.weak and best_wrong is None:
        return None
    return _unstated(case, reading, quantity, best_wrong, pool)


def _candidate(bound: Binding, unit: Unit, quantity: Quantity) -> Candidate:
    other = binding.bind(unit.analysis, quantity, unit)
    return Candidate(unit, quantity, binding.affinity(bound, other), other)


def _states(answer: Quantity, evidence: Quantity) -> bool:
    if bounds_clash(answer, evidence):
        return False
    return equal(answer, evidence) or entailed_by_range(answer, evidence)


def _supported(quantity: Quantity, pool: Sequence[tuple[Unit, Quantity]]) -> bool:
    return any(equal(quantity, q) for _, q in pool)


def _restates_question(case: Case, quantity: Quantity) -> bool:
    return any(equal(quantity, q) for q in case.question.analysis.quantities)


def _counts_items(reading: Reading, quantity: Quantity, candidates: Sequence[Candidate]) -> bool:
    """ "two conditions", 两种情形: the writer counts what he lists; no claim unless the evidence counts the same thing."""
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
        kind, reading.index, f"{quantity.surface} {what}; here the evidence gives {wrong.quantity.surface}",
        RemedyKind.REGENERATE, span=(quantity.start, quantity.end), citation=wrong.unit.citation,
        evidence=(wrong.unit.start + wrong.quantity.start, wrong.unit.start + wrong.quantity.end),
        found=quantity.surface, expected=wrong.quantity.surface,
    )  # fmt: skip


def _unstated(
    case: Case, reading: Reading, quantity: Quantity, nearest: Candidate | None, pool: Sequence[tuple[Unit, Quantity]]
) -> Finding:
    """The value is not in the cited evidence: name the nearest value and whether the unit or the number is wrong."""
    twin = _unit_twin(quantity, pool)
    points = _percent_for_points(quantity, pool, reading, case)
    if points or twin is not None:
        unit, other = twin or pool[0]
        expected = "percentage points" if points else other.surface
        return Finding(
            IssueType.UNIT_MISMATCH, reading.index, f"{quantity.surface}: the evidence says {expected}", RemedyKind.REGENERATE,
            span=(quantity.start, quantity.end), citation=unit.citation,
            evidence=(unit.start + other.start, unit.start + other.end), found=quantity.surface, expected=expected,
        )  # fmt: skip
    if nearest is None:
        computed = quantity.unit.dimension in (RATIO, (("times", 1),)) and len(pool) > 1
        return Finding(
            IssueType.NUMBER_MISMATCH if computed else IssueType.UNSUPPORTED_STATEMENT, reading.index,
            f"{quantity.surface} " + ("does not follow from the cited values" if computed else "is not in the cited evidence"),
            RemedyKind.REGENERATE if computed else RemedyKind.RETRIEVE_MISSING, span=(quantity.start, quantity.end), found=quantity.surface,
            queries=(reading.statement.body.strip(),),
        )  # fmt: skip
    other = nearest.quantity
    converted = (
        other.unit.unit_id != quantity.unit.unit_id
        and other.unit.dimension not in _COUNTS
        and other.unit.dimension != RATIO
    )
    kind = IssueType.UNIT_MISMATCH if converted else IssueType.NUMBER_MISMATCH
    return Finding(
        kind, reading.index, f"{quantity.surface}: the evidence says {other.surface}", RemedyKind.REGENERATE,
        span=(quantity.start, quantity.end), citation=nearest.unit.citation,
        evidence=(nearest.unit.start + other.start, nearest.unit.start + other.end), found=quantity.surface, expected=other.surface,
    )  # fmt: skip


def _unit_twin(quantity: Quantity, pool: Sequence[tuple[Unit, Quantity]]) -> tuple[Unit, Quantity] | None:
    """The same figure with another unit."""
    for unit, other in pool:
        different = other.unit.unit_id != quantity.unit.unit_id or other.unit.dimension != quantity.unit.dimension
        if same_figure(quantity, other) and different and not (quantity.weak or other.weak):
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
