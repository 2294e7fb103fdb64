"""Days told by months counted from an event: the first day of the third month after publication, 次月1日."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from datetime import date

from services.validation.domain.reading.evidence import Unit
from services.validation.domain.times.moments import add_months

_NTH = {"following": 1, "next": 1, "first": 1, "second": 2, "third": 3, "fourth": 4, "fifth": 5, "sixth": 6}
_FIRST_DAY = re.compile(
    rf"\bfirst day of the (?P<n>{'|'.join(_NTH)}) (?:calendar )?month"
    r"(?: (?:after|following|from)(?: the (?:month|date|day) of)? (?:its |the )?(?P<event>[a-z]{5})[a-z]*)?"
    r"|(?:次|下个?)月(?:1|一|首)[日号]|第(?P<z>[一二三四五六])个月(?:的?)(?:1|一|首|第一)[日天号]"
)


def first_days(units: Sequence[Unit], starts: Sequence[date]) -> Iterator[date]:
    """The days that the units tell so, counted from the days of the event that they name, else from any of the days."""
    for unit in units:
        for found in _FIRST_DAY.finditer(unit.analysis.low):
            months = _NTH.get(found["n"] or "", 0) or "一二三四五六".find(found["z"] or "一") + 1
            for start in _of_event(units, found["event"] or "") or starts:
                day = add_months(start.replace(day=1), months)
                if day is not None:
                    yield day


def _of_event(units: Sequence[Unit], event: str) -> list[date]:
    """The days right behind a word that begins like the event: published on 9 March for publication."""
    return [
        interval[0]
        for unit in units
        for m in unit.analysis.moments
        if event and event in unit.analysis.low[max(0, m.start - _BESIDE) : m.start] and (interval := m.interval())
    ]


_BESIDE = 20
