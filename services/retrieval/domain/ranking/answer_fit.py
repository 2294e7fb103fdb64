"""What the form of a question wants of a passage: a value of a measure, a date, or a text of the period it names."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import date

from services.common.domain.time import DayInterval
from services.retrieval.domain.values.measures import Units, counts, holds
from services.retrieval.domain.values.named_days import named_days
from services.retrieval.domain.versions.families import Window

# When must it be done? asks for a condition, when was it done? for a date.
_WHEN = re.compile(
    r"\bwhen\s+(?:did|was|were|had|has)\b|\bwhen\s*[?.]?$|\b(?:takes?|comes?|goes|go)\s+into\s+(?:force|effect)\b"
    r"|\b(?:what|which)\s+(?:\w+\s+)?(?:year|month|day|date|century|decade|season)s?\b"
)
_HAN_WHEN = re.compile(r"何时|什么时[候间]|哪一?[年天月日]|几[月号]|何年|哪个(?:年|月|世纪)")


@dataclass(frozen=True, slots=True)
class Wanted:
    """What a question wants.

    ``measures`` of the values asked for, as ``units`` names them; ``things`` whose number is asked for, as tokens of
    keyword search; ``when``: a date would answer it; ``periods`` that it names.
    """

    measures: frozenset[str] = frozenset()
    things: frozenset[str] = frozenset()
    when: bool = False
    periods: tuple[DayInterval, ...] = ()
    units: Units = field(default_factory=Units)


@dataclass(frozen=True, slots=True)
class Version:
    """A passage's document as a version: what all versions of it share (empty if it is the only one), when it is in
    force, and when it was published (a day number, 0: not known), which counts as its first day where that is open."""

    family: str
    window: Window
    published_day: int = 0


def asks_when(question: str) -> bool:
    """True if a date would answer the question."""
    low = question.lower().strip()
    return bool(_WHEN.search(low) or _HAN_WHEN.search(low))


def has_value(wanted: Wanted, text: str, tokens: Sequence[str], things: frozenset[str]) -> float:
    """1 if the passage holds a value of a measure asked for, or a number of ``things``, else 0.

    ``things`` are those asked for, in the passage's language.
    """
    if things and counts(tokens, things):
        return 1.0
    return float(bool(wanted.measures) and holds(text, wanted.measures, wanted.units))


def date_fit(wanted: Wanted, text: str, of_document: Sequence[DayInterval] = ()) -> float:
    """How well the days that a passage names fit the question, in [0, 1].

    A period that the question names is met by days within it, half by days that it overlaps, those ``of_document``
    among them; a question for a date by any day that the passage names outside these periods. 0 if the question has
    nothing to do with dates.
    """
    if not wanted.when and not wanted.periods:
        return 0.0
    named = named_days(text)
    parts = [max((_met(period, days) for days in (*named, *of_document)), default=0.0) for period in wanted.periods]
    if wanted.when:
        news = (not any(_within(days, period) for period in wanted.periods) for days in named)
        parts.append(float(any(news)))
    return sum(parts) / len(parts)


def in_force_then(wanted: Wanted, versions: Sequence[Version]) -> list[float]:
    """How well each version fits the periods that the question names beside the other versions of the same document.

    1 for the one that was in force longest in them, and in proportion for the others; 1 for a document of which there
    is no other version, or none was in force then: nothing is held against it. 0 for all if no period is named.
    """
    if not wanted.periods:
        return [0.0] * len(versions)
    shares = [sum(_share(period, one) for period in wanted.periods) for one in versions]
    best: dict[str, float] = {}
    for one, share in zip(versions, shares, strict=True):
        best[one.family] = max(best.get(one.family, 0.0), share)
    return [
        share / best[one.family] if one.family and best[one.family] else 1.0
        for one, share in zip(versions, shares, strict=True)
    ]


def _met(period: DayInterval, days: DayInterval) -> float:
    if not period.overlaps(days):
        return 0.0
    return 1.0 if _within(days, period) else 0.5


def _within(days: DayInterval, period: DayInterval) -> bool:
    starts = period.start is None or (days.start is not None and days.start >= period.start)
    return starts and (period.end is None or (days.end is not None and days.end <= period.end))


def _share(period: DayInterval, version: Version) -> float:
    """How much of the period the version was in force, in [0, 1]."""
    first, last = (period.start or date.min).toordinal(), (period.end or date.max).toordinal()
    both = min(last, version.window.end) - max(first, version.window.start or version.published_day) + 1
    if period.start is None or period.end is None:
        return float(both > 0)
    return max(0, both) / (last - first + 1)
