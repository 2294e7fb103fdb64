"""When two quantities say the same: dimension, tolerance by the digits shown, bounds and ranges."""

from __future__ import annotations

import math
from dataclasses import replace
from functools import lru_cache

from services.validation.domain.values.quantity import Quantity
from services.validation.domain.values.units import (
    AGE,
    CALENDAR,
    COUNTS,
    NIGHT,
    OCCASION,
    PIECE,
    SECONDS_A_DAY,
    TIME,
    WORKDAY,
    Dimension,
    is_currency,
)

_RELATIVE, _NOTHING = 1e-8, 1e-20
_UPPER, _LOWER = ("le", "lt"), ("ge", "gt")


def comparable(a: Quantity, b: Quantity) -> bool:
    """True if the two measure in one dimension; bare numbers compare with counts of any classifier, a year as well."""
    if a.unit.dimension == b.unit.dimension:
        return _same_kind(a, b)
    return _uncounted(a.unit.dimension) == _uncounted(b.unit.dimension)


@lru_cache(maxsize=4096)
def _uncounted(dimension: Dimension) -> Dimension:
    return tuple(part for part in dimension if part not in PIECE)


def loosely(answer: Quantity, evidence: Quantity) -> tuple[Quantity, Quantity]:
    """The two as they compare: a denominator that only one of them names is left out on that side."""
    if (
        answer.amount is not None
        and evidence.amount is None
        and answer.amount.unit.dimension == evidence.unit.dimension
    ):
        return answer.amount, evidence
    if (
        evidence.amount is not None
        and answer.amount is None
        and evidence.amount.unit.dimension == answer.unit.dimension
    ):
        return answer, evidence.amount
    numerator = evidence.unit.numerator
    if (
        numerator is not None
        and numerator.dimension == answer.unit.dimension
        and ("count", -1) in evidence.unit.dimension
    ):
        # "1角" for 0.1元/条: a price without the piece that it is for.
        scale = numerator.factor / (evidence.unit.factor or 1.0)
        low, high = evidence.low * scale, evidence.high * scale
        return answer, replace(evidence, low=low, high=high, step=evidence.step * scale, unit=numerator)
    return answer, evidence


def in_kind(answer: Quantity, evidence: Quantity) -> Quantity:
    """The answer in the evidence's unit where its own word is loose: degrees, 度, cents; half a month for 15 days."""
    theirs = evidence.unit
    if answer.unit.unit_id in _DEGREES and dict(theirs.dimension).keys() == {"temperature"}:
        step = answer.step / (answer.unit.factor or 1.0) * theirs.factor
        low, high = (v / answer.unit.factor * theirs.factor + theirs.offset for v in (answer.low, answer.high))
        return replace(answer, low=low, high=high, unit=theirs, step=step)
    if answer.unit.unit_id == "cent" and is_currency(theirs.dimension):
        return replace(answer, unit=theirs)
    if answer.unit.dimension == CALENDAR and theirs.dimension == TIME and answer.low == answer.high == _HALF_A_MONTH:
        days = 15 * SECONDS_A_DAY
        return replace(answer, low=days, high=days, unit=theirs, step=SECONDS_A_DAY)
    return answer


_DEGREES = ("degree", "kWh")
_HALF_A_MONTH = 0.5


def _same_kind(a: Quantity, b: Quantity) -> bool:
    kinds = {a.unit.kind, b.unit.kind}
    return len(kinds) == 1 or not (kinds & {"point", "rotation", "apparent"}) or kinds == {"torque", ""}


def close(a: float, b: float) -> bool:
    """Equal up to floating point and the digits of conversion factors."""
    return math.isclose(a, b, rel_tol=_RELATIVE, abs_tol=_NOTHING)


def equal(answer: Quantity, evidence: Quantity) -> bool:
    """The answer's value is the evidence's, or a marked rounding of it within half its last digit."""
    return (
        _near(answer.low, evidence.low, answer)
        and _near(answer.high, evidence.high, answer)
        and comparable(answer, evidence)
    )


def _near(a: float, b: float, answer: Quantity) -> bool:
    if close(a, b):
        return True
    return answer.approx and abs(a - b) <= tolerance(answer) * (1 + 1e-9)


def tolerance(quantity: Quantity) -> float:
    """How far a marked rounding may lie from the true value: half a unit of the last digit shown.

    Zeros at the end of a whole number count as rounding too, up to a twentieth of the value: "about 1,200" may
    stand for 1,240, "about 500" not for 460.
    """
    figure = abs(quantity.high - quantity.unit.offset)
    return max(quantity.step / 2, min(shown_step(quantity) / 2, figure / 20))


def shown_step(quantity: Quantity) -> float:
    """The place value of the last significant digit shown, in base units; zeros before a unit may be rounding."""
    step = quantity.step
    figure = abs(quantity.high - quantity.unit.offset)
    if step <= 0 or figure <= 0:
        return step
    # "about 1,200": the zeros are the rounding that the mark announces.
    digits = round(figure / step)
    while digits and digits % 10 == 0:
        digits //= 10
        step *= 10
    return step


def strictness_clash(answer: Quantity, evidence: Quantity) -> bool:
    """ "More than three" for "three or more", of things that are counted, "over 18" for "18 and older": three, and who
    is 18, are in one of them only. Of what is measured, 以下 and "below" are told for one another."""
    if (
        answer.is_range
        or evidence.is_range
        or not close(answer.low, evidence.low)
        or answer.figure != int(answer.figure)
    ):
        return False
    counted = {answer.unit.dimension, evidence.unit.dimension} <= {*COUNTS} and 1 < answer.low <= _FEW_THINGS
    bounds = (answer.bound, evidence.bound)
    if {answer.unit.unit_id, evidence.unit.unit_id} == {"age"}:
        return bounds == ("gt", "ge")  # 2岁以下 before 2至6岁 leaves 2 out
    return counted and bounds in (("gt", "ge"), ("ge", "gt"), ("lt", "le"), ("le", "lt"))


_FEW_THINGS = 20


def _bound_side(quantity: Quantity) -> str:
    if quantity.bound in _UPPER:
        return "upper"
    if quantity.bound in _LOWER:
        return "lower"
    return ""


def bounds_clash(answer: Quantity, evidence: Quantity) -> bool:
    """An upper bound told as a lower one or the reverse; a bound that is merely dropped is no clash."""
    a, e = _bound_side(answer), _bound_side(evidence)
    return bool(a and e and a != e)


def entailed_by_range(answer: Quantity, evidence: Quantity) -> bool:
    """``at least 20`` from ``20 to 25``, ``no more than 25`` too: a range supports its own bounds only."""
    if not comparable(answer, evidence):
        return False
    side = _bound_side(answer)
    if evidence.is_range:
        if side == "lower":
            return close(answer.low, evidence.low)
        if side == "upper":
            return close(answer.high, evidence.high)
        return False
    if not evidence.bound and side and not answer.is_range:
        # A value of 12,384 is "more than 12,000"; only round, shorter figures count as such a bound.
        step = shown_step(answer)
        gap = evidence.low - answer.low if side == "lower" else answer.high - evidence.high
        return 0 <= gap < step
    return False


def next_whole(answer: Quantity, evidence: Quantity) -> bool:
    """ "Up to 49" for "fewer than 50", "at least 21" for "over 20": bounds of whole things, one apart."""
    answer, evidence = loosely(answer, evidence)
    scale = evidence.unit.factor or 1.0
    whole = (answer.figure, evidence.figure)
    if not comparable(answer, evidence) or any(f != int(f) for f in whole) or evidence.is_range or answer.is_range:
        return False
    if evidence.unit.dimension not in _WHOLE and not (answer.unit.unit_id == evidence.unit.unit_id == "day"):
        return False
    gap = (evidence.low - answer.low) / scale
    pairs = {("le", "lt"): 1.0, ("lt", "le"): -1.0, ("ge", "gt"): -1.0, ("gt", "ge"): 1.0}
    return (answer.bound, evidence.bound) in pairs and close(gap, pairs[answer.bound, evidence.bound])


_WHOLE: tuple[Dimension, ...] = (*COUNTS, OCCASION, AGE, WORKDAY, NIGHT)


def same_figure(answer: Quantity, evidence: Quantity) -> bool:
    """The same written figure, whatever the unit."""
    return close(abs(answer.figure), abs(evidence.figure))


def same_interval(a: Quantity, b: Quantity) -> bool:
    """Intervals of one length; months and days agree as far as the length of months goes."""
    if a.unit.dimension == b.unit.dimension:
        return close(a.low, b.low)
    months, days = (a, b) if a.unit.dimension == CALENDAR else (b, a)
    return months.unit.dimension == CALENDAR and days.unit.dimension == TIME and months_agree(months, days)


def months_agree(months: Quantity, days: Quantity) -> bool:
    """Months, and a time in seconds, are of one length as far as the length of months goes."""
    return months.low * _SHORTEST <= days.low / SECONDS_A_DAY <= months.low * _LONGEST


# Days of a month.
_SHORTEST, _LONGEST = 28, 31


def states(answer: Quantity, evidence: Quantity) -> bool:
    """The evidence says what the answer says: the same value, a range with it inside, its rounding; bounds agree."""
    if evidence.amount is not None and in_kind(answer, evidence.amount) is not answer:
        evidence = evidence.amount
    elif answer.amount is not None and in_kind(answer.amount, evidence) is not answer.amount:
        answer = answer.amount
    answer, evidence = loosely(in_kind(answer, evidence), evidence)
    if bounds_clash(answer, evidence) or strictness_clash(answer, evidence):
        return False
    return equal(answer, evidence) or entailed_by_range(answer, evidence) or next_whole(answer, evidence)
