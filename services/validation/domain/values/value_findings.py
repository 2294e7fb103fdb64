"""How a value that is not the evidence's is reported: which of number, unit, item and period errs, what is right."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from services.common.domain.verdict import IssueType, RemedyKind
from services.validation.domain.case import Case, Finding, Reading
from services.validation.domain.reading.evidence import Unit
from services.validation.domain.values import binding
from services.validation.domain.values.binding import Binding
from services.validation.domain.values.compare import same_figure
from services.validation.domain.values.quantity import Quantity
from services.validation.domain.values.units import CALENDAR, RATIO, SPANS, TALLIES, TIME, TIMES, is_rate

_MARGIN = 0.25


@dataclass(frozen=True, slots=True)
class Candidate:
    """A quantity of the cited evidence with its binding and its affinity to the answer's quantity."""

    unit: Unit
    quantity: Quantity
    affinity: float
    binding: Binding


def candidate(case: Case, bound: Binding, unit: Unit, quantity: Quantity) -> Candidate:
    other = case.bind(unit.analysis, quantity, unit)
    return Candidate(unit, quantity, binding.affinity(bound, other), other)


def told_as(
    reading: Reading, quantity: Quantity, unit: Unit, other: Quantity, kind: IssueType, message: str, expected: str = ""
) -> Finding:
    """The evidence tells ``other`` where the statement has ``quantity``; ``message`` begins with what is behind it."""
    if not expected and other.surface == quantity.surface:
        # "146 kWh" a month for "146 kWh" a year: what tells them apart stands behind the value.
        expected = _with_what_follows(unit.analysis.text, other)
        message = message.replace(other.surface, expected)
    return Finding(
        kind,
        reading.index,
        f"{quantity.surface}{message}",
        RemedyKind.REGENERATE,
        span=(quantity.start, quantity.end),
        citation=unit.citation,
        evidence=(unit.start + other.start, unit.start + other.end),
        found=quantity.surface,
        expected=expected or other.surface,
    )


def _with_what_follows(text: str, quantity: Quantity) -> str:
    """A value with the words right behind it."""
    behind = re.match(r"[^,;.，；。]{0,30}(?![A-Za-z])", text[quantity.end :])
    return quantity.surface + (behind.group().rstrip() if behind else "")


def of_another_row(reading: Reading, quantity: Quantity, told: Unit, named: str) -> Finding:
    """The value stands in another row of the table than the one spoken of."""
    return Finding(
        IssueType.ENTITY_MISMATCH,
        reading.index,
        f"{quantity.surface} stands in another row than that of {named}",
        RemedyKind.REGENERATE,
        span=(quantity.start, quantity.end),
        citation=told.citation,
        evidence=(told.start, told.end),
        found=quantity.surface,
        expected=named,
    )


def only_elsewhere(reading: Reading, quantity: Quantity, told: Unit) -> Finding:
    """The value stands in a passage that the statement does not cite."""
    return Finding(
        IssueType.UNSUPPORTED_STATEMENT,
        reading.index,
        f"{quantity.surface} is not in the cited evidence, but in [{told.citation}]",
        RemedyKind.RECITE,
        span=(quantity.start, quantity.end),
        citation=reading.cited[0],
        found=quantity.surface,
        expected=f"[{told.citation}]",
        recite=told.citation,
    )


def misplaced(reading: Reading, quantity: Quantity, bound: Binding, right: Candidate, wrong: Candidate) -> Finding:
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
    message = f" {what}; here the evidence gives {wrong.quantity.surface}"
    return told_as(reading, quantity, wrong.unit, wrong.quantity, kind, message)


def unstated(
    case: Case,
    reading: Reading,
    quantity: Quantity,
    nearest: Candidate | None,
    pool: Sequence[tuple[Unit, Quantity]],
    bound: Binding,
) -> Finding:
    """The value is not in the cited evidence: name the nearest value and whether the unit or the number is wrong."""
    twin = _unit_twin(case, quantity, pool, nearest, bound)
    points = _percent_for_points(quantity, pool, reading, case)
    if points or twin is not None:
        unit, other = twin or pool[0]
        expected = "percentage points" if points else other.surface
        message = f": the evidence says {expected}"
        return told_as(reading, quantity, unit, other, IssueType.UNIT_MISMATCH, message, expected)
    if nearest is None:
        computed = quantity.unit.dimension in (RATIO, TIMES) and len(pool) > 1
        computed = computed or any(_of_one_measure(quantity, other) for _, other in pool)
        times = [m for u in case.units(reading.cited) for m in u.analysis.moments]
        computed = computed or (quantity.unit.dimension in SPANS and len(times) > 1)
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
    return value_not_stated(reading, quantity, nearest)


def _of_one_measure(quantity: Quantity, other: Quantity) -> bool:
    """A rate told for another period, or an amount beside a rate that it is part of: 15 ml where 50 mg are in a ml."""
    if quantity.unit.dimension in (*TALLIES, TIME, CALENDAR):
        return False
    mine, theirs = (dict((q.amount or q).unit.dimension) for q in (quantity, other))
    return mine == theirs or (other.amount is not None and mine.items() <= theirs.items()) or _denominator(mine, other)


def _denominator(mine: dict[str, int], other: Quantity) -> bool:
    exponents = dict(other.unit.dimension)
    return is_rate(other.unit) and all(exponents.get(base) == -exponent for base, exponent in mine.items())


def value_not_stated(reading: Reading, quantity: Quantity, nearest: Candidate) -> Finding:
    """The evidence gives another value; a mere difference of units makes the unit wrong."""
    other = nearest.quantity
    alike = other.unit.dimension == quantity.unit.dimension or same_figure(quantity, other)
    converted = alike and (
        other.unit.unit_id != quantity.unit.unit_id
        and other.unit.dimension not in TALLIES
        and other.unit.dimension != RATIO
    )
    kind = IssueType.UNIT_MISMATCH if converted else IssueType.NUMBER_MISMATCH
    return told_as(reading, quantity, nearest.unit, other, kind, f": the evidence says {other.surface}")


def _unit_twin(
    case: Case, quantity: Quantity, pool: Sequence[tuple[Unit, Quantity]], nearest: Candidate | None, bound: Binding
) -> tuple[Unit, Quantity] | None:
    """The same figure with another unit; of another dimension if it fits better than the nearest."""
    for unit, other in pool:
        if not same_figure(quantity, other) or quantity.weak or other.weak or quantity.unit.dimension == TIMES:
            continue
        if (quantity.unit.dimension == RATIO) != (other.unit.dimension == RATIO) and other.unit.dimension in TALLIES:
            continue
        if other.unit.unit_id == quantity.unit.unit_id:
            continue
        # Of one dimension it is a unit exchanged, unless a value in the right unit clearly has the place.
        alike = other.unit.dimension == quantity.unit.dimension
        spare = (
            _MARGIN if alike and nearest is not None and nearest.quantity.unit.unit_id == quantity.unit.unit_id else 0.0
        )
        if (
            (alike and not spare)
            or nearest is None
            or candidate(case, bound, unit, other).affinity > nearest.affinity + spare
        ):
            return unit, other
    return None


def _percent_for_points(
    quantity: Quantity, pool: Sequence[tuple[Unit, Quantity]], reading: Reading, case: Case
) -> bool:
    """A difference of two percentages told as percent."""
    if quantity.unit.kind != "percent":
        return False
    shares = [p for _, q in pool if (p := q.amount or q).unit.kind == "percent"]
    return any(abs(abs(a.low - b.low) - quantity.low) < 1e-9 for a in shares for b in shares if a is not b)
