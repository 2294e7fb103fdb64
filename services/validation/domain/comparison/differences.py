"""The direction of a difference that a statement derives: 97.5%, 1.5 points lower, where the other value is 96%."""

from __future__ import annotations

import re
from collections.abc import Sequence

from services.common.domain.verdict import IssueType, RemedyKind
from services.validation.domain.case import Case, Finding, Reading
from services.validation.domain.values.compare import close, comparable, equal, loosely
from services.validation.domain.values.quantity import Quantity
from services.validation.domain.values.units import CALENDAR, COUNT, RATIO, TIME

# Right after or right before the difference.
_MORE = re.compile(
    r"\s*(?:percentage points?\s*)?(?:higher|more|above|greater|larger|longer|heavier|taller|warmer|up)\b", re.I
)
_LESS = re.compile(
    r"\s*(?:percentage points?\s*)?(?:lower|less|fewer|below|smaller|shorter|lighter|colder|cheaper|down)\b", re.I
)
_MORE_BEFORE = re.compile(
    r"(?:(?:higher|more|greater) by\s+(?:about |some |roughly )?"
    r"|(?:比|较)[^，。；]{1,16}(?:高|多|大|长|重)(?:出|了)?(?:约|近)?)$",
    re.I,
)
_LESS_BEFORE = re.compile(
    r"(?:(?:lower|less|smaller) by\s+(?:about |some |roughly )?"
    r"|(?:比|较)[^，。；]{1,16}(?:低|少|小|短|轻)(?:了)?(?:约|近)?)$",
    re.I,
)
_NEAR = 60
_DEGREES = ("degree", "kWh")


def wrong_difference(case: Case, reading: Reading) -> list[Finding]:
    """A difference told up where the statement's own value and the evidence's other value make it down, or reverse."""
    low = reading.analysis.low
    for difference in reading.analysis.quantities:
        sign = _told_sign(low, difference)
        if not sign or difference.unit.dimension in (TIME, CALENDAR) or difference.is_range:
            continue
        told = _value_beside(reading.analysis.quantities, difference)
        if told is None:
            continue
        others = [
            q
            for unit in case.units(reading.cited)
            for q in unit.analysis.quantities
            if comparable(*loosely(told, q))
            and not q.is_range
            and q.unit.kind != "point"
            and not equal(*loosely(told, q))
        ]
        fits = [q for q in others if close(abs(told.low - loosely(told, q)[1].low), _size(difference, told))]
        if fits and all((told.low - loosely(told, q)[1].low) * sign < 0 for q in fits):
            return [_finding(reading, told, difference, fits[0])]
    return []


def _told_sign(low: str, difference: Quantity) -> int:
    after, before = (
        low[difference.end : difference.end + _NEAR],
        low[max(0, difference.start - _NEAR) : difference.start],
    )
    up = _MORE.match(after) or _MORE_BEFORE.search(before)
    down = _LESS.match(after) or _LESS_BEFORE.search(before)
    return 0 if bool(up) == bool(down) else 1 if up else -1


def _size(difference: Quantity, told: Quantity) -> float:
    """The difference in base units; degrees differ without the zero of their scale."""
    if difference.unit.unit_id in _DEGREES or difference.unit.offset:
        return abs(difference.figure) * told.unit.factor
    return abs(difference.low)


def _value_beside(quantities: Sequence[Quantity], difference: Quantity) -> Quantity | None:
    """The one other value of the difference's kind in the statement, nearest to it."""
    near = [
        q
        for q in quantities
        if q is not difference and not q.interval and q.unit.kind != "point" and _of_kind(q, difference)
        and abs(q.start - difference.start) <= _NEAR
    ]  # fmt: skip
    return near[0] if len(near) == 1 else None


def _of_kind(value: Quantity, difference: Quantity) -> bool:
    degrees = difference.unit.unit_id in _DEGREES and dict(value.unit.dimension).keys() == {"temperature"}
    points = difference.unit.kind == "point" and value.unit.dimension == RATIO
    alike = value.unit.dimension == difference.unit.dimension and value.unit.dimension not in (COUNT, RATIO)
    return degrees or points or alike


def _finding(reading: Reading, told: Quantity, difference: Quantity, other: Quantity) -> Finding:
    return Finding(
        IssueType.COMPARISON_WRONG_DIRECTION, reading.index,
        f"{told.surface} against {other.surface} goes the other way than the difference told",
        RemedyKind.REGENERATE, span=(difference.start, difference.end), citation=reading.cited[0],
        found=f"{told.surface}, {difference.surface}", expected=other.surface,
    )  # fmt: skip
