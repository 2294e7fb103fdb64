"""Calendar periods as day intervals, both ends inclusive. Weeks run Monday to Sunday."""

from __future__ import annotations

import calendar
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import date, timedelta

from services.common.domain.time import DayInterval


def day(value: date) -> DayInterval:
    """One day."""
    return DayInterval(value, value)


def month(year: int, number: int) -> DayInterval:
    """A calendar month."""
    return DayInterval(date(year, number, 1), date(year, number, calendar.monthrange(year, number)[1]))


def months(year: int, first: int, count: int) -> DayInterval:
    """``count`` months from month ``first`` of ``year``; ``first`` may lie outside 1 to 12."""
    begin = shift_months(date(year, 1, 1), first - 1)
    return DayInterval(begin, shift_months(begin, count) - timedelta(days=1))


def year(number: int, first_month: int = 1) -> DayInterval:
    """A year. With ``first_month`` above 1 the fiscal year that ends in calendar year ``number``."""
    if first_month == 1:
        return DayInterval(date(number, 1, 1), date(number, 12, 31))
    return months(number - 1, first_month, 12)


def season(year: int, number: int) -> DayInterval:
    """Spring (1) to winter (4) as meteorologists count them in the north; a winter belongs to the year it begins in."""
    return months(year, 3 * number, 3)


def week(of: date) -> DayInterval:
    """The week that contains a day."""
    monday = of - timedelta(days=of.weekday())
    return DayInterval(monday, monday + timedelta(days=6))


def shift_months(value: date, count: int) -> date:
    """``count`` months later (or earlier); the day is cut to the length of the month.

    Raises:
        ValueError: outside the years that ``date`` can hold.
    """
    index = value.year * 12 + value.month - 1 + count
    target_year, target_month = divmod(index, 12)
    last = calendar.monthrange(target_year, target_month + 1)[1]
    return date(target_year, target_month + 1, min(value.day, last))


def unit_around(reference: date, unit: str, offset: int, first_month: int = 1) -> DayInterval:
    """The day, week, month, quarter, half or year ``offset`` units from the one that holds ``reference``.

    Years, and what divides them, begin in ``first_month``.
    """
    if unit == "day":
        return day(reference + timedelta(days=offset))
    if unit == "week":
        return week(reference + timedelta(weeks=offset))
    size = {"month": 1, "quarter": 3, "half": 6, "year": 12, "decade": 120}[unit]
    there = shift_months(reference.replace(day=1), 1 - first_month)  # as if years began in January
    first = (there.month - 1) // size * size + 1 if size < 12 else 1
    base = there.year // 10 * 10 if unit == "decade" else there.year
    return months(base, first + offset * size + first_month - 1, size)


def window(reference: date, unit: str, count: int) -> DayInterval:
    """The sliding window of ``count`` units that ends on ``reference``."""
    if unit in ("day", "week"):
        return DayInterval(reference - timedelta(days=count * (7 if unit == "week" else 1)), reference)
    size = {"month": 1, "quarter": 3, "half": 6, "year": 12, "decade": 120}[unit]
    return DayInterval(shift_months(reference, -count * size), reference)


@dataclass(frozen=True, slots=True)
class PartialDate:
    """A date of which some fields are known. ``edge`` narrows it: ``start``, ``mid`` or ``end``."""

    year: int | None = None
    month: int | None = None
    day: int | None = None
    quarter: int | None = None
    half: int | None = None
    edge: str = ""
    first_month: int = 1

    def with_year(self, value: int | None) -> PartialDate:
        """The same date in ``value`` if it names no year itself."""
        return self if self.year is not None or value is None else replace(self, year=value)

    def resolve(self, reference: date) -> DayInterval:
        """The days meant. Without a year: the most recent such period that does not begin after ``reference``.

        Raises:
            ValueError: for a day that does not exist.
        """
        if self.year is not None:
            return self._in(self.year)
        return _latest_not_after(self._in, reference)

    def _in(self, in_year: int) -> DayInterval:
        if self.month is not None and self.day is not None:
            return day(date(in_year, self.month, self.day))
        if self.month is not None:
            return self._edge_of_month(in_year, self.month)
        if self.quarter is not None:
            base = in_year if self.first_month == 1 else in_year - 1
            return months(base, self.first_month + 3 * (self.quarter - 1), 3)
        if self.half is not None:
            base = in_year if self.first_month == 1 else in_year - 1
            return months(base, self.first_month + 6 * (self.half - 1), 6)
        if self.edge:
            return month(in_year, {"start": 1, "mid": 6, "end": 12}[self.edge])
        return year(in_year, self.first_month)

    def _edge_of_month(self, in_year: int, number: int) -> DayInterval:
        whole = month(in_year, number)
        if not self.edge:
            return whole
        first, last = {"start": (1, 10), "mid": (11, 20), "end": (21, 31)}[self.edge]
        end = min(last, calendar.monthrange(in_year, number)[1])
        return DayInterval(date(in_year, number, first), date(in_year, number, end))


def _latest_not_after(in_year: Callable[[int], DayInterval], reference: date) -> DayInterval:
    problem: ValueError | None = None
    for candidate in range(reference.year, reference.year - 9, -1):
        try:
            interval = in_year(candidate)
        except ValueError as error:  # 29 February: look for the last leap year
            problem = error
            continue
        if interval.start is not None and interval.start <= reference:
            return interval
    raise problem or ValueError("no such date")
