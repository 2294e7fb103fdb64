"""Periods that a sentence states for itself: "From January 1, 2014 through December 31, 2014 …", "自2024年1月1日起"."""

from __future__ import annotations

import re
from datetime import date, timedelta

from services.common.domain.months import MONTH, MONTHS
from services.common.domain.time import DayInterval

DATE = re.compile(
    rf"(?P<m1>{MONTH})\.? (?P<d1>\d{{1,2}}),? (?P<y1>\d{{4}})"
    rf"|(?P<d2>\d{{1,2}}) (?P<m2>{MONTH})\.? (?P<y2>\d{{4}})"
    r"|(?P<y3>\d{4})-(?P<m3>\d{2})-(?P<d3>\d{2})"
    r"|(?P<y4>\d{4})\s*年\s*(?P<m4>\d{1,2})\s*月\s*(?P<d4>\d{1,2})\s*日",
    re.IGNORECASE,
)
BETWEEN = re.compile(r"^,?\s*(?:through|to|until|till|up to|and|–|—|-|起?至|到)\s*$", re.IGNORECASE)
# "Effective 1 May 2024" begins a period; "before" and "until" end one. A bare date states none.
BEGINS = re.compile(
    r"(?:\bfrom|\bsince|\beffective(?: on)?|\bbeginning(?: on)?|\bstarting(?: on)?|\bas of|自|从)\s*$", re.IGNORECASE
)
BEGINS_AFTER = re.compile(r"^\s*(?:起|以来|开始|onwards?)", re.IGNORECASE)
ENDS_BEFORE = re.compile(r"(?:\bprior to|\bbefore)\s*$", re.IGNORECASE)
ENDS = re.compile(r"(?:\buntil|\btill|\bthrough|\bup to|截至)\s*$", re.IGNORECASE)
LEAD = 24


def periods_in(text: str) -> list[DayInterval]:
    """The periods that a sentence states, both ends inclusive; none for dates that bound nothing."""
    dates = [(m.start(), m.end(), day) for m in DATE.finditer(text) if (day := _day(m)) is not None]
    found: list[DayInterval] = []
    index = 0
    while index < len(dates):
        start, end, day = dates[index]
        following = dates[index + 1] if index + 1 < len(dates) else None
        if following and BETWEEN.match(text[end : following[0]]) and day <= following[2]:
            found.append(DayInterval(day, following[2]))
            index += 2
            continue
        before, after = text[max(0, start - LEAD) : start], text[end : end + LEAD]
        if ENDS_BEFORE.search(before):
            found.append(DayInterval(None, day - timedelta(days=1)))
        elif ENDS.search(before):
            found.append(DayInterval(None, day))
        elif BEGINS.search(before) or BEGINS_AFTER.match(after):
            found.append(DayInterval(day, None))
        index += 1
    return found


def _day(match: re.Match[str]) -> date | None:
    for n in "1234":
        year, month, day = match[f"y{n}"], match[f"m{n}"], match[f"d{n}"]
        if year:
            number = int(month) if month.isdigit() else MONTHS[month.lower()]
            try:
                return date(int(year), number, int(day))
            except ValueError:
                return None
    return None
