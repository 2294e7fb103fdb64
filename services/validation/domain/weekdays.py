"""Sets of weekdays that a text names: ranges, weekdays, weekends, every day."""

from __future__ import annotations

import itertools
import re
from collections.abc import Sequence

from services.validation.domain.moments import Moment

_WORKDAYS = re.compile(r"\b(?:week-?days?|working days?|business days?)\b|工作日|平日")
_WEEKEND = re.compile(r"\bweek-?ends?\b|周末|双休日")
_DAILY = re.compile(r"\b(?:every day|daily|each day|all week|seven days a week|all days)\b|每天|每日|天天|全周")
_THROUGH = re.compile(r"\.?\s*(?:to|through|until|till|-|–|—|~|至|到)\s*", re.I)


def week_ranges(text: str, moments: Sequence[Moment]) -> list[tuple[Moment, Moment]]:
    """The ranges of weekdays in a text, as the moments of their first and last day (Tuesday to Sunday)."""
    days = [m for m in moments if m.kind == "weekday"]
    return [(a, b) for a, b in itertools.pairwise(days) if _THROUGH.fullmatch(text[a.end : b.start])]


def days_between(first: Moment, last: Moment) -> frozenset[int]:
    """The weekdays of a range, both ends included; it may run over Sunday."""
    return frozenset((first.sub + i) % 7 for i in range((last.sub - first.sub) % 7 + 1))


def days_told(text: str, moments: Sequence[Moment]) -> list[frozenset[int]]:
    """The sets of weekdays that a lower-case text names: ranges, "weekdays", "weekends", "daily"."""
    told = [days_between(a, b) for a, b in week_ranges(text, moments)]
    told += [days for pattern, days in _WEEK_WORDS if pattern.search(text)]
    return told


_WEEK_WORDS = (
    (_WORKDAYS, frozenset(range(5))),
    (_WEEKEND, frozenset((5, 6))),
    (_DAILY, frozenset(range(7))),
)
