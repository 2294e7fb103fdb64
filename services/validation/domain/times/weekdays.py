"""Sets of weekdays that a text names: ranges, weekdays, weekends, every day."""

from __future__ import annotations

import itertools
import re
from collections.abc import Sequence

from services.validation.domain.analysis import Analysis
from services.validation.domain.times.moments import Moment

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


def other_days(
    answer: Analysis, moment: Moment, evidence: Analysis, mine: frozenset[int] | None = None
) -> frozenset[int]:
    """The days that are left: closed on Sundays and Mondays, where the evidence tells the opening days, Tuesday to
    Saturday; open from Tuesday, where it is closed on Mondays.

    ``mine`` is the range that the answer names, which has to be all that is left.
    """
    days = [m for m in evidence.moments if m.kind == "weekday"]
    named = frozenset(itertools.chain([m.sub for m in days], *days_told(evidence.low, evidence.moments)))
    there = {_told_shut(evidence, m.start) for m in days} or {_SHUT.search(evidence.low) is not None}
    if not named or _told_shut(answer, moment.start) in there:
        return frozenset()
    left = frozenset(range(7)) - named
    return left if mine is None or mine == left else frozenset()


def _told_shut(analysis: Analysis, position: int) -> bool:
    """The day at the position is said to be one of closing."""
    part = max(analysis.low.rfind(mark, 0, position) for mark in _PARTS)
    return bool(_SHUT.search(analysis.low, part + 1, position) or _SHUT_AFTER.match(analysis.low, position))


_PARTS = (";", "；", "。", "，", " but ", " and open ")
_SHUT = re.compile(r"\bclos(?:ed?|es|ing)\b|\bshut\b|\bnot open\b|\bno \w+ on\b|闭馆|不开放|休息|不营业|歇业|关门|关闭")
_SHUT_AFTER = re.compile(
    r"(?:[\w、至到和及~-]|\s(?:and|to|through)\s){1,24}?"
    r"(?:闭馆|不开放|休息|不营业|歇业|关门|关闭| (?:is|are) (?:closed|shut))"
)
