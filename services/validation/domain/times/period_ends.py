"""Days told from the end of a period, or so many days after an event: by the 15th of the month after the quarter."""

from __future__ import annotations

import calendar
import re
from collections.abc import Iterator, Sequence
from datetime import date

from services.validation.domain.case import Case, Reading
from services.validation.domain.reading.evidence import Unit
from services.validation.domain.reading.patterns import Pattern
from services.validation.domain.times.moments import Moment, add_days, add_months
from services.validation.domain.values.numerals import parse_chinese

_PERIODS = ("month", "quarter", "half", "year")
# Within ten days after each quarter, 每季度结束后10日内.
_AFTER_PERIOD = Pattern(
    r"\b(?:after|from|following|follows?|of)\s+(?:the\s+)?(?:(?:end|close|last day)\s+of\s+)?"
    r"(?:each|every|the|a|that|its|any)?\s*"
    r"(?:calendar |financial |reporting )?(?:month|quarter|half-?year|year|period)\b"
    r"|\b(?:month|quarter|half-?year|year|period)(?:'s)? (?:end|ends|has ended|is over)\b"
    r"|(?:季度?|月度?|年度?|半年度?|期)(?:结束|终了|届满|期满|终|末)?(?:之)?后|季后|次[月年]|翌年"
)
_NEXT_MONTH = Pattern(
    r"\b(?:(?P<last>last day|end)|(?P<d>\d{1,2})(?:st|nd|rd|th)?(?: day)?) of the"
    r" (?:(?:following|next|subsequent) month|month (?:that follows|following|after|which follows))"
    r"|(?:次月|下个?月|下一个?月)的?(?:(?P<zlast>最后一[日天]|月?底|月?末)|(?P<z>\d{1,2})[日号])"
)
_NTH_DAY = Pattern(
    r"(?P<way>后|起|之日起)的?第(?P<z>[一二三四五六七八九十]{1,3}|\d{1,3})(?:个?自然)?[日天]"
    r"|\b(?:on )?the (?P<n>\d{1,3}(?:st|nd|rd|th)|second|third|fourth|fifth|sixth|seventh|eighth|ninth|tenth) day"
    r" (?:after|following)\b"
)
_ORDINALS = ["first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth"]


def period_ends(case: Case, reading: Reading, units: Sequence[Unit]) -> list[date]:
    """The last days of the periods that the statement or the question names, if the units count from such an end."""
    if not any(_AFTER_PERIOD.search(unit.analysis.low) for unit in units):
        return []
    return [end for m in (*reading.analysis.moments, *case.question.analysis.moments) if (end := _end(m)) is not None]


def _end(moment: Moment) -> date | None:
    interval = moment.interval() if moment.kind in _PERIODS else None
    return interval[1] if interval else None


def days_after_periods(units: Sequence[Unit], ends: Sequence[date]) -> Iterator[date]:
    """The days of the month after a period's end that the units tell."""
    for unit in units:
        for found in _NEXT_MONTH.finditer(unit.analysis.low):
            for end in ends:
                first = add_months(end.replace(day=1), 1)
                if first is None:
                    continue
                longest = calendar.monthrange(first.year, first.month)[1]
                day = longest if found["last"] or found["zlast"] else int(found["d"] or found["z"])
                if 1 <= day <= longest:
                    yield first.replace(day=day)


def nth_days(units: Sequence[Unit], starts: Sequence[date]) -> Iterator[date]:
    """The third day after: counted from the last day that the sentence tells before it, else from any of ``starts``."""
    for unit in units:
        for found in _NTH_DAY.finditer(unit.analysis.low):
            before = (m for m in unit.analysis.moments if m.kind == "day" and m.end <= found.start())
            told = [i[0] for m in before if (i := m.interval())]
            number = _number(found) - (found["way"] or "").endswith("起")
            yield from (d for start in told[-1:] or starts if (d := add_days(start, number)) is not None)


def _number(found: re.Match[str]) -> int:
    word = found["z"] or found["n"]
    if word[0].isdigit():
        return int(re.sub(r"\D", "", word))
    if word in _ORDINALS:
        return _ORDINALS.index(word) + 1
    parsed = parse_chinese(word)
    return int(parsed.value) if parsed is not None else 0


_YEAR_AFTER = re.compile(r"\s*(?:of|in) the (?:(?:following|next|subsequent) year|year (?:after|that follows))")
_YEAR_AFTER_BEFORE = re.compile(r"(?:次年|翌年|第二年|下一年度?)的?\s*$")


def of_other_year(case: Case, reading: Reading, moment: Moment, unit: Unit, told: Moment) -> bool:
    """ "31 March of the following year", told for 2024: a year later than the one the statement speaks of."""
    text = unit.analysis.low
    later = _YEAR_AFTER.match(text, told.end) or _YEAR_AFTER_BEFORE.search(text, 0, told.start)
    if not later or told.year or not moment.year or moment.kind not in ("day", "month"):
        return False
    spoken = {m.year for m in (*reading.analysis.moments, *case.question.analysis.moments) if m.kind == "year"}
    return len(spoken) == 1 and moment.year != spoken.pop() + 1
