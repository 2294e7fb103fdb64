"""Spans of time that dates imply: the days, weeks, months and years between them, and how many days are named."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from datetime import date
from itertools import combinations, islice

from services.validation.domain.times.moments import Moment
from services.validation.domain.values.compare import close
from services.validation.domain.values.quantity import Quantity
from services.validation.domain.values.units import CALENDAR, SECONDS_A_DAY, TIME

_MOST_PAIRS = 200
_MINUTES_A_DAY = 1440
_DAY_LIST = re.compile(
    r"(?<![\d.])(?P<a>\d{1,2})(?:st|nd|rd|th)?\s*(?P<j>-|to|until|and|&|至|到|和|、)\s*(?:the\s+)?(?P<b>\d{1,2})"
    r"(?:st|nd|rd|th)?(?=\s*(?:of\s+)?(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec|日|号))",
    re.I,
)
_INEXACT = {"lt": -1, "le": -1, "gt": 1, "ge": 1}


def implied(quantity: Quantity, groups: Sequence[tuple[Sequence[Moment], str]]) -> bool:
    """The span is that between two moments, or the number of days named, of one group (moments with their text)."""
    if quantity.unit.dimension not in (TIME, CALENDAR):
        return False
    return any(
        any(_agrees(quantity, span) for span in islice(_spans(quantity, moments), _MOST_PAIRS * 4))
        or any(close(quantity.low, days * SECONDS_A_DAY) for days in _named_days(text))
        for moments, text in groups
    )


def _agrees(quantity: Quantity, span: float) -> bool:
    """Equal, or off by less than one unit in the direction that the text says."""
    unit = quantity.unit.factor
    if abs(span - quantity.low) <= unit * 1e-6:
        return True
    if (
        quantity.figure == _HALF
        and quantity.unit.dimension == CALENDAR
        and abs(span - quantity.low) <= unit * _HALF_DAY
    ):
        return True  # 半个月 for fifteen days
    side = _INEXACT.get(quantity.bound, 0)
    if side:
        return 0 < (span - quantity.low) * side < unit
    return quantity.approx and abs(span - quantity.low) <= unit / 2


_HALF, _HALF_DAY = 0.5, 0.02


def _spans(quantity: Quantity, moments: Sequence[Moment]) -> Iterator[float]:
    calendar = quantity.unit.dimension == CALENDAR
    for a, b in islice(combinations(moments, 2), _MOST_PAIRS):
        if a.kind == b.kind == "clock":
            if not calendar:
                minutes = abs(b.sub - a.sub)
                yield minutes * 60.0
                yield (_MINUTES_A_DAY - minutes) * 60.0
            continue
        if calendar and a.year and b.year:
            yield abs(a.year - b.year) * 12.0
            yield (abs(a.year - b.year) + 1) * 12.0
        first, last = _dates(a, b)
        if first is None or last is None:
            continue
        days = (last - first).days
        if calendar:
            months = (last.year - first.year) * 12 + last.month - first.month + (last.day - first.day) / _MONTH
            yield months
            yield months + 1 / _MONTH
            yield float((last.year - first.year) * 12 + last.month - first.month + 1)
        else:
            yield days * SECONDS_A_DAY
            yield (days + 1) * SECONDS_A_DAY


_MONTH = 30.4


def _dates(a: Moment, b: Moment) -> tuple[date | None, date | None]:
    """The two days in order; a year that only one of them names is that of both, or the next."""
    if not {a.kind, b.kind} <= {"day", "month"}:
        return None, None
    year = a.year or b.year or _ANY_YEAR
    first, last = _day(a, a.year or year), _day(b, b.year or year)
    if first is None or last is None:
        return None, None
    if first > last:
        if a.year and b.year:
            return last, first
        later = _day(b, last.year + 1)
        return (first, later) if not b.year or not a.year else (last, first)
    return first, last


_ANY_YEAR = 2023


def _day(moment: Moment, year: int) -> date | None:
    try:
        return date(year, moment.sub, moment.day or 1)
    except ValueError:
        return None


def _named_days(text: str) -> Iterator[int]:
    """``on 12 and 13 October`` are two days, ``12-15 October`` four."""
    for match in _DAY_LIST.finditer(text):
        a, b = int(match["a"]), int(match["b"])
        if match["j"].lower() in ("and", "&", "和", "、"):
            yield 2
        elif a < b:
            yield b - a + 1
