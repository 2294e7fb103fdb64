"""Times that follow from what the evidence tells: deadlines, ends of terms, next dates, clock times moved by a span."""

from __future__ import annotations

import itertools
import re
from collections.abc import Sequence
from dataclasses import replace
from datetime import date, timedelta

from services.validation.domain.case import Case, Reading
from services.validation.domain.reading.evidence import Unit
from services.validation.domain.times.day_edges import edge_follows
from services.validation.domain.times.moments import EITHER, Moment, add_days, add_months
from services.validation.domain.times.month_firsts import first_days
from services.validation.domain.times.period_ends import days_after_periods, nth_days, period_ends
from services.validation.domain.times.told_times import DAYS, agree, metadata_moments
from services.validation.domain.values.quantity import Quantity
from services.validation.domain.values.units import CALENDAR, SECONDS_A_DAY, TIME


def follows(case: Case, reading: Reading, moment: Moment) -> bool:
    """A deadline or the end of a term: a cited date plus or minus a cited duration (both conventions of the
    last day)."""
    target = moment.interval()
    units = case.units(reading.cited)
    if edge_follows(reading.analysis, moment, units):
        return True
    if target is None:
        if moment.kind in DAYS and not moment.year:
            known = {m.year for u in units for m in u.analysis.moments if m.year}
            if any(follows(case, reading, replace(moment, year=year)) for year in sorted(known)[:_MOST_YEARS]):
                return True
        return _clock_follows(case, reading, moment) or _without_year(moment, units)
    durations = [
        q
        for u in units
        for q in u.analysis.quantities
        # "Each month" is no term that ends; "every six months" may set the next day.
        if q.unit.dimension in (TIME, CALENDAR)
        and q.low > 0
        and (moment.kind == "day" or not q.interval or _NEXT_TIME.search(reading.analysis.low))
    ]
    starts = [i[0] for u in units for m in u.analysis.moments if m.kind in DAYS and (i := m.interval())]
    told = [m for u in units for m in u.analysis.moments]
    starts += [
        i[0]
        for m in reading.analysis.moments
        if m is not moment and m.kind == "day" and any(agree(m, t) for t in told) and (i := m.interval())
    ]
    starts += [i[0] for m in case.question.analysis.moments if m.kind == "day" and (i := m.interval())]
    starts += [
        i[0]
        for c in reading.cited
        for m in metadata_moments(case.passage(c))
        if m.kind == "day" and (i := m.interval())
    ]
    ends = period_ends(case, reading, units)
    due = list(days_after_periods(units, ends))
    told_days = itertools.chain(first_days(units, starts), due, nth_days(units, starts))
    if any(target[0] <= day <= target[1] for day in told_days):
        return True
    starts += [*ends, *due]
    backwards = _BACKWARDS.search(reading.analysis.low) is not None
    first = _first_day(units)
    for start in starts:
        for duration in durations:
            for day in _shifted(start, duration, backwards, first):
                if target[0] <= day <= target[1]:
                    return True
    return False


_MOST_YEARS = 3
_NEXT_TIME = re.compile(r"\bnext\b|\bdue\b|\bagain\b|下一?次|到期|再次")


def _without_year(moment: Moment, units: Sequence[Unit]) -> bool:
    """Six weeks after 15 March are in April, in whatever year."""
    target = replace(moment, year=_ANY_YEAR).interval() if moment.kind in DAYS else None
    if target is None:
        return False
    days = [replace(m, year=_ANY_YEAR) for u in units for m in u.analysis.moments if m.kind == "day" and not m.year]
    spans = [
        q
        for u in units
        for q in u.analysis.quantities
        if q.unit.dimension in (TIME, CALENDAR) and q.low > 0 and not q.interval
    ]
    starts = [i[0] for m in days if (i := m.interval())]
    return any(
        target[0] <= d <= target[1] for s in starts for q in spans for d in _shifted(s, q, backwards=False, first=None)
    )


_ANY_YEAR = 2023

_BACKWARDS = re.compile(r"\b(?:before|prior|earlier|in advance|ahead|ago|latest)\b|提前|之前|以前|前")


def _first_day(units: Sequence[Unit]) -> bool | None:
    """Whether the passages count the day on which a term begins; None if they do not say."""
    if any(_NOT_COUNTED.search(unit.analysis.low) for unit in units):
        return False
    return True if any(_COUNTED.search(unit.analysis.low) for unit in units) else None


_NOT_COUNTED = re.compile(
    r"当[日天]不计|不(?:包?含|计算?|算)[^，。；]{0,6}当[日天]|(?:次日|第二天)起?(?:计算|起算)"
    r"|\bday (?:itself |of [^,.;]{1,30} )?(?:is|does) not (?:counted|included|count)\b|\bnot counting the day\b"
    r"|\bexcluding the day\b"
)
_COUNTED = re.compile(
    r"当[日天]计入|(?:包?含|算上)[^，。；不]{0,6}当[日天]"
    r"|\bday (?:itself |of [^,.;]{1,30} )?(?:is counted|is included|counts)\b"
    r"|\bincluding the day\b"
)


def _shifted(start: date, duration: Quantity, backwards: bool, first: bool | None) -> list[date]:
    found: list[date | None] = []
    for amount in (duration.low, -duration.low) if backwards else (duration.low,):
        if duration.unit.dimension == CALENDAR:
            found.append(add_months(start, int(amount)))
        elif abs(amount) >= SECONDS_A_DAY:
            found.append(add_days(start, round(amount / SECONDS_A_DAY)))
    days = [d for d in found if d is not None]
    # Two ways to count: "two years from 1 July" ends on 30 June or on 1 July.
    return [*(() if first else days), *(d - timedelta(days=1) for d in days if d > date.min and first is not False)]


def _clock_follows(case: Case, reading: Reading, moment: Moment) -> bool:
    if moment.kind != "clock":
        return False
    units = case.units(reading.cited)
    for unit in units:
        shifted = _SHIFTED.search(unit.analysis.low) is not None
        told = [u for u in units if u is unit or (shifted and u.citation == unit.citation)]
        clocks = [m.sub for u in told for m in u.analysis.moments if m.kind == "clock"]
        lengths = [q for q in unit.analysis.quantities if q.unit.dimension == TIME and q.low < SECONDS_A_DAY]
        for clock, length in itertools.product(clocks, lengths):
            for sign in _ways(length, reading, unit):
                if (clock + sign * length.low / 60 - moment.sub) % (720 if moment.edge == EITHER else 1440) == 0:
                    return True
        # 闭园前30分钟停止入园, of a closing time that another sentence of the passage tells.
        for other in units:
            if other is unit or other.citation != unit.citation:
                continue
            for length in other.analysis.quantities:
                short = length.unit.dimension == TIME and length.low < SECONDS_A_DAY
                if not short or not _CLOSING.search(other.analysis.low, 0, length.start):
                    continue
                if any((clock - length.low / 60 - moment.sub) % 1440 == 0 for clock in clocks):
                    return True
    return False


# "In July it closes one hour later": than the sentence before says.
_SHIFTED = re.compile(r"\b(?:hours?|minutes?) (?:later|earlier|longer|before|after)\b|(?:推迟|延长|提前|延后)")
_CLOSING = re.compile(r"前(?:的)?$")


def _ways(length: Quantity, reading: Reading, unit: Unit) -> tuple[int, ...]:
    """Forwards and backwards; what lasts at least two hours from eight is over at ten at the earliest, so that a
    plain "at ten" does not follow, while "at least two hours before eight" is by six."""
    if length.bound not in ("ge", "gt") or _EARLIEST.search(reading.analysis.low):
        return (1, -1)
    return (-1,) if _BACKWARDS.search(unit.analysis.low[length.end :]) else ()


_EARLIEST = re.compile(r"\bearliest\b|\bat least\b|\bnot before\b|最早|至少|最少|不早于")
