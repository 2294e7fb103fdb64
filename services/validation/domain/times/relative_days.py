"""Days that a text tells from another day: the next day, 次日, 前一天."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from datetime import date, timedelta

from services.validation.domain.reading.evidence import Passage
from services.validation.domain.times.moments import Moment

_AFTER = re.compile(
    r"\b(?:the )?(?:next|following|ensuing) (?:day|morning|evening)\b|\b(?:the )?day after\b|次日|翌日|第二天|隔天"
)
_BEFORE = re.compile(
    r"\b(?:the )?(?:previous|preceding) (?:day|evening)\b|\b(?:the )?(?:day|evening) before\b|前一[天日]|前日"
)
_TWO_AFTER = re.compile(r"\b(?:two days|the second day) (?:later|after)\b|第三天|隔日|两[天日]后")
_BY_DAYS = ((_AFTER, 1), (_BEFORE, -1), (_TWO_AFTER, 2))
# A year that only the neighbouring date names.
_LEAP_YEAR = 2000


def told_days(passage: Passage, earlier: Sequence[Moment]) -> Iterator[tuple[int, int, int]]:
    """(year or 0, month, day) of the days told by another day, which stands in the passage or in ``earlier``."""
    moments = [*earlier, *(m for u in passage.units for m in u.analysis.moments), *passage.title.moments]
    anchors = {(m.year, m.sub, m.day) for m in moments if m.kind == "day"}
    low = "\n".join(u.analysis.low for u in passage.units)
    for pattern, days in _BY_DAYS:
        if pattern.search(low):
            yield from (there for anchor in anchors if (there := _shifted(anchor, days)) is not None)


def _shifted(anchor: tuple[int, int, int], days: int) -> tuple[int, int, int] | None:
    """None where the text names no day of the calendar, or its last one."""
    year, month, day = anchor
    try:
        there = date(year or _LEAP_YEAR, month, day) + timedelta(days=days)
    except (ValueError, OverflowError):
        return None
    return there.year if year else 0, there.month, there.day
