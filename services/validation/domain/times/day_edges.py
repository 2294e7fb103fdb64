"""The other side of an edge: after 30 June is from July, from 1 January 2025 is until the end of 2024."""

from __future__ import annotations

import calendar
import re
from collections.abc import Sequence
from datetime import date, timedelta

from services.validation.domain.analysis import Analysis
from services.validation.domain.reading.evidence import Unit
from services.validation.domain.times.moments import Moment

# What an edge makes of the day: it is not in the period any more, or it is its first or its last one.
_EDGES = (
    ("after", re.compile(r"\b(?:after|later than)\s+(?:the\s+)?$", re.I), re.compile(r"\s*(?:以后|之后|后)")),
    ("before", re.compile(r"\b(?:before|earlier than)\s+(?:the\s+)?$", re.I), re.compile(r"\s*(?:以前|之前|前)")),
    ("from", re.compile(r"(?:\b(?:from|since|as of|starting|effective)|自|从)\s*$", re.I), re.compile(r"\s*起")),
    ("until", re.compile(r"(?:\b(?:until|till|through|by|up to)|至|到)\s*$", re.I), re.compile(r"\s*(?:止|为止)")),
)
_TOLD_AS_END = re.compile(
    r"(?:\b(?:until|till|through|by|up to|end of|before)\b|截至|直到|至|到)[^,;，；]{0,16}$", re.I
)
_TOLD_AS_START = re.compile(r"(?:\b(?:from|since|after|start of|beginning of|starting)\b|自|从)[^,;，；]{0,16}$", re.I)
_ANY_YEAR = 2023


def edge_follows(answer: Analysis, moment: Moment, units: Sequence[Unit]) -> bool:
    """The day before or after a day that the units tell as an edge is the last or the first one of the moment, and
    the answer does not tell it as the other end."""
    mine = _span(moment)
    if mine is None:
        return False
    before = answer.text[max(0, moment.start - _BESIDE) : moment.start]
    start, end = _TOLD_AS_START.search(before) is not None, _TOLD_AS_END.search(before) is not None
    for unit in units:
        for other in unit.analysis.moments:
            theirs = _span(other) if other.kind == "day" else None
            if theirs is None:
                continue
            edge, sure = _edge(unit.analysis.text, other), bool(moment.year and other.year)
            opens = (edge == "after" and not end) or (edge == "until" and start)
            closes = (edge == "before" and not start) or (edge == "from" and end)
            if opens and _same(mine[0], theirs[0] + timedelta(days=1), sure):
                return True
            if closes and _same(mine[1], theirs[0] - timedelta(days=1), sure):
                return True
    return False


def _edge(text: str, moment: Moment) -> str:
    before = text[max(0, moment.start - _BESIDE) : moment.start]
    return next((name for name, ahead, behind in _EDGES if ahead.search(before) or behind.match(text, moment.end)), "")


_BESIDE = 24


def _same(a: date, b: date, sure: bool) -> bool:
    return a == b if sure else (a.month, a.day) == (b.month, b.day)


def _span(moment: Moment) -> tuple[date, date] | None:
    """The first and the last day, of any year where none is told."""
    if moment.year or moment.kind not in ("day", "month", "quarter", "half"):
        return moment.interval()
    if moment.kind == "day":
        last = calendar.monthrange(_ANY_YEAR, moment.sub)[1]
        day = date(_ANY_YEAR, moment.sub, min(moment.day, last))
        return day, day
    months = {"month": 1, "quarter": 3, "half": 6}[moment.kind]
    first = (moment.sub - 1) * months + 1
    end = first + months - 1
    return date(_ANY_YEAR, first, 1), date(_ANY_YEAR, end, calendar.monthrange(_ANY_YEAR, end)[1])
