"""Years that a passage tells relatively: the year before that of its report, 同比, the following year."""

from __future__ import annotations

import re
from dataclasses import replace

from services.validation.domain.case import Case, Reading
from services.validation.domain.reading.patterns import Pattern
from services.validation.domain.times.moments import Moment, covers

YEAR_BEFORE = Pattern(
    r"上一?年|去年|前一年|同比|\b(?:previous|prior|preceding|last) year\b|\byear[- ](?:on|over)[- ]year\b"
    r"|\b(?:a )?year (?:earlier|before)\b|\bon the year\b"
)
_YEAR_AFTER = re.compile(
    r"次年|翌年|第二年|下一?年|来年|明年|\b(?:following|next|subsequent) year\b|\bthe year after\b"
)


def told_relatively(case: Case, reading: Reading, moment: Moment) -> bool:
    """A cited sentence speaks of the year before, or after, the one that it or its title names: the moment's year."""
    if not moment.year or moment.kind in ("clock", "weekday", "day"):
        return False
    for unit in case.units(reading.cited):
        low = unit.analysis.low
        for step, pattern in ((1, YEAR_BEFORE), (-1, _YEAR_AFTER)):
            if not pattern.search(low):
                continue
            named = [*unit.analysis.moments, *unit.moments, *case.passage(unit.citation).title.moments]
            meant = replace(moment, year=moment.year + step)
            if any(m.year and (covers(m, meant) or covers(meant, m)) for m in named):
                return True
    return False
