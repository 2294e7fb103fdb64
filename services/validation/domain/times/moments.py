"""Points and periods of time: what they cover, when two are the same, and calendar arithmetic."""

from __future__ import annotations

import calendar
from dataclasses import dataclass
from datetime import date, timedelta

# "Half past four" leaves open which half of the day is meant.
EITHER = "either half"


@dataclass(frozen=True, slots=True)
class Moment:
    """A point or period of time as written.

    ``kind``: ``day``, ``decade`` (a third of a month: 上旬, 中旬, 下旬), ``month``, ``quarter``, ``half``, ``year``,
    ``clock``, ``weekday``. ``year`` is 0 where the text names none; ``sub`` is the month, quarter, half, weekday
    (0 = Monday) or the minute of the day; ``day`` is the day of the month, the first one of a decade, 0 if none.
    ``edge`` is ``start`` or ``end`` for "end of 2023" and the like, and ``EITHER`` for clock times that leave open
    which half of the day is meant.
    """

    kind: str
    start: int
    end: int
    year: int = 0
    sub: int = 0
    day: int = 0
    edge: str = ""

    def interval(self) -> tuple[date, date] | None:
        """The first and last day, where the year is known."""
        if not self.year or self.kind in ("clock", "weekday"):
            return None
        if self.kind == "year":
            return date(self.year, 1, 1), date(self.year, 12, 31)
        if self.kind == "day":
            day = _safe_date(self.year, self.sub, self.day)
            return (day, day) if day else None
        if self.kind == "decade":
            opening = _safe_date(self.year, self.sub, self.day)
            closing = self.day + 9 if self.day < 21 else calendar.monthrange(self.year, self.sub)[1]
            return (opening, opening.replace(day=closing)) if opening else None
        months = {"month": 1, "quarter": 3, "half": 6}[self.kind]
        first = (self.sub - 1) * months + 1 if self.kind != "month" else self.sub
        last = first + months - 1
        if not 1 <= first <= last <= 12:
            return None
        return date(self.year, first, 1), date(self.year, last, calendar.monthrange(self.year, last)[1])

    def key(self) -> tuple[str, int, int, int]:
        """What makes two mentions the same time."""
        return self.kind, self.year, self.sub, self.day


def _safe_date(year: int, month: int, day: int) -> date | None:
    try:
        return date(year, month, day)
    except ValueError:
        return None


def same_time(a: Moment, b: Moment) -> bool:
    """True if the mentions agree as far as both are specific about kind (a missing year agrees with any)."""
    if a.kind != b.kind or a.sub != b.sub or a.day != b.day:
        return False
    return a.year == b.year or not a.year or not b.year


def covers(wide: Moment, narrow: Moment) -> bool:
    """True if ``narrow`` lies inside ``wide`` (12 May 2023 inside 2023), or both are the same time."""
    if same_time(wide, narrow):
        return True
    outer, inner = wide.interval(), narrow.interval()
    if outer is None or inner is None:
        if wide.kind == "month" and narrow.kind in ("day", "decade") and not (wide.year and narrow.year):
            return wide.sub == narrow.sub
        if wide.kind == "decade" and narrow.kind == "day" and not (wide.year and narrow.year):
            return wide.sub == narrow.sub and wide.day <= narrow.day <= (wide.day + 9 if wide.day < 21 else 31)
        return False
    return outer[0] <= inner[0] and inner[1] <= outer[1]


def add_days(day: date, days: int) -> date | None:
    """``day`` plus a number of days, None outside the calendar."""
    try:
        return day + timedelta(days=days)
    except OverflowError:
        return None


def add_months(day: date, months: int) -> date | None:
    """``day`` plus calendar months, the day clipped to the month's last one; None outside the calendar."""
    index = day.year * 12 + day.month - 1 + months
    year, month = divmod(index, 12)
    if not 1 <= year <= 9999:
        return None
    return date(year, month + 1, min(day.day, calendar.monthrange(year, month + 1)[1]))
