"""Every mention of a time in a text, with the years that it leaves to its neighbours."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator
from dataclasses import replace

from services.validation.domain.times.clock_times import clock_times, weekdays
from services.validation.domain.times.dates_told import bare_months, days, periods
from services.validation.domain.times.moments import Moment

_TIMELY = re.compile(r"\d|quarter|half|six months|[年月日时点周期季]", re.I)


def find_moments(text: str) -> list[Moment]:
    """Every time mention of a normalised text, left to right, without overlaps; of two the one that is read first."""
    found: list[Moment] = []
    taken = bytearray(len(text))
    dated: Iterator[Moment] = itertools.chain(days(text), periods(text)) if _TIMELY.search(text) else iter(())
    for moment in itertools.chain(dated, clock_times(text), weekdays(text), bare_months(text)):
        if 1 not in taken[moment.start : moment.end]:
            taken[moment.start : moment.end] = b"\x01" * (moment.end - moment.start)
            found.append(moment)
    found.sort(key=lambda m: m.start)
    return _inherit_years(text, _mark_edges(text, found))


_EDGE_BEFORE = re.compile(
    r"\b(end|close|start|beginning)\s+of\s+(?:the\s+year\s+|the\s+)?$|\b(year-end)\s+$|(截至|截止)\s*$", re.I
)
_EDGE_AFTER = re.compile(r"^\s*(底|末|年底|年末|初|年初)|^\s+(year-end)", re.I)


def _mark_edges(text: str, moments: list[Moment]) -> list[Moment]:
    marked: list[Moment] = []
    for moment in moments:
        before = _EDGE_BEFORE.search(text[max(0, moment.start - 24) : moment.start])
        after = _EDGE_AFTER.search(text[moment.end : moment.end + 10])
        word = next((g for m in (after, before) if m for g in m.groups() if g), "").lower()
        if word and moment.kind != "day":
            edge = "start" if word in ("start", "beginning", "初", "年初") else "end"
            moment = replace(moment, edge=edge if word not in ("截至", "截止") or after else "")
        marked.append(moment)
    return marked


_RANGE = re.compile(r"\s*(?:to|and|until|till|through|or|-|至|到|和)\s*", re.I)


def _inherit_years(text: str, moments: list[Moment]) -> list[Moment]:
    """A quarter, half, month or day without a year takes the year named before it in the same text, else after."""
    result: list[Moment] = []
    known = 0
    for position, moment in enumerate(moments):
        following = moments[position + 1] if position + 1 < len(moments) else None
        if not moment.year and following and following.year and _RANGE.fullmatch(text[moment.end : following.start]):
            moment = replace(moment, year=following.year)
        if moment.year:
            known = moment.year
        elif known and moment.kind in ("quarter", "half", "month", "decade", "day"):
            moment = replace(moment, year=known)
        result.append(moment)
    later = next((m.year for m in moments if m.year), 0)
    return [
        replace(m, year=later)
        if not m.year and later and m.kind in ("quarter", "half", "month", "decade", "day")
        else m
        for m in result
    ]
