"""A clock time on a day: 1:25 a.m. on 15 May is not told of 14 May."""

from __future__ import annotations

import re
from collections.abc import Iterator

from services.common.domain.verdict import IssueType, Lock, RemedyKind
from services.validation.domain.analysis import Analysis
from services.validation.domain.case import Case, Finding
from services.validation.domain.checks import register
from services.validation.domain.times.moments import EITHER, Moment, same_time

_BETWEEN = re.compile(r"[\s,，]*(?:on|at|of|by|的|当天|凌晨|上午|下午|晚上?|早上)?[\s,，]*", re.I)
_NEXT = re.compile(r"次日|翌日|第二天|\bnext (?:day|morning)\b|\bfollowing (?:day|morning)\b|\bday after\b")


@register(
    "clock_days",
    Lock.TRACEABILITY,
    sees="a clock time told of a day, where the passages have that time on another day only",
    blind="days told apart from their clock times",
)
def check(case: Case) -> Iterator[Finding]:
    """Yield DATE_MISMATCH."""
    for reading in case.reworded:
        mine = _pairs(reading.analysis)
        if not mine:
            continue
        units = case.units(reading.cited)
        told = [(u, clock, day) for u in units for clock, day in _pairs(u.analysis)]
        loose = [m for u in units for m in u.analysis.moments if m.kind == "clock"]
        for clock, day in mine:
            there = [(u, d) for u, c, d in told if _same_clock(clock, c)]
            if len(there) < sum(_same_clock(clock, m) for m in loose) or not there:
                continue  # the passages also tell the time without a day
            if any(same_time(day, d) for _, d in there) or any(_NEXT.search(u.analysis.low) for u, _ in there):
                continue
            unit, other = there[0]
            yield Finding(
                IssueType.DATE_MISMATCH, reading.index, "the passage has this clock time on another day",
                RemedyKind.REGENERATE, span=(day.start, day.end), citation=unit.citation,
                evidence=(unit.start + other.start, unit.start + other.end),
                found=reading.analysis.text[day.start : day.end],
                expected=unit.analysis.text[other.start : other.end],
            )  # fmt: skip
            return


def _pairs(analysis: Analysis) -> list[tuple[Moment, Moment]]:
    """The clock times that stand right beside a day, with that day."""
    moments = [m for m in analysis.moments if m.kind in ("clock", "day")]
    found: list[tuple[Moment, Moment]] = []
    for i, moment in enumerate(moments):
        if moment.kind != "clock":
            continue
        after = moments[i + 1] if i + 1 < len(moments) else None
        before = moments[i - 1] if i else None
        if after is not None and after.kind == "day" and _ON.fullmatch(analysis.text, moment.end, after.start):
            found.append((moment, after))
        elif (
            before is not None and before.kind == "day" and _BETWEEN.fullmatch(analysis.text, before.end, moment.start)
        ):
            found.append((moment, before))
    return found


_ON = re.compile(r"\s*+(?:,\s*+)?on\s+(?:the\s+)?", re.I)


def _same_clock(a: Moment, b: Moment) -> bool:
    day = 720 if EITHER in (a.edge, b.edge) else 1440
    return (a.sub - b.sub) % day == 0
