"""Days that a text tells from another day: the next day, 次日, the first day of the third month after."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from datetime import date, timedelta

from services.validation.domain.evidence import Passage
from services.validation.domain.moments import Moment
from services.validation.domain.numerals import parse_chinese

_AFTER = re.compile(
    r"\b(?:the )?(?:next|following|ensuing) (?:day|morning|evening)\b|\b(?:the )?day after\b|次日|翌日|第二天|隔天"
)
_BEFORE = re.compile(
    r"\b(?:the )?(?:previous|preceding) (?:day|evening)\b|\b(?:the )?(?:day|evening) before\b|前一[天日]|前日"
)
_TWO_AFTER = re.compile(r"\b(?:two days|the second day) (?:later|after)\b|第三天|隔日|两[天日]后")
_BY_DAYS = ((_AFTER, 1), (_BEFORE, -1), (_TWO_AFTER, 2))
_ORDINALS = {"next": 1, "following": 1, "first": 1, "second": 2, "third": 3, "fourth": 4, "sixth": 6, "twelfth": 12}
_BY_MONTHS = re.compile(
    r"\bfirst day of the (?P<n>next|following|first|second|third|fourth|sixth|twelfth) (?:calendar )?month"
    r"(?: (?:after|following))?\b"
    r"|(?:次月|下月|下个月|第(?P<z>[二两三四五六])个月)(?:的)?(?:1日|一日|首日|第一[天日]|初一)"
)
# A year that only the neighbouring date names.
_LEAP_YEAR = 2000


def told_days(passage: Passage, earlier: Sequence[Moment]) -> Iterator[tuple[int, int, int]]:
    """(year or 0, month, day) of the days told by another day, which stands in the passage or in ``earlier``."""
    moments = [*earlier, *(m for u in passage.units for m in u.analysis.moments), *passage.title.moments]
    anchors = {(m.year, m.sub, m.day) for m in moments if m.kind == "day"}
    low = "\n".join(u.analysis.low for u in passage.units)
    for pattern, days in _BY_DAYS:
        if pattern.search(low):
            yield from (_shifted(anchor, days) for anchor in anchors)
    for found in _BY_MONTHS.finditer(low):
        yield from (_month_after(anchor, _months(found)) for anchor in anchors)


def _months(found: re.Match[str]) -> int:
    if found["n"]:
        return _ORDINALS[found["n"]]
    number = parse_chinese(found["z"]) if found["z"] else None
    return int(number.value) if number is not None else 1


def _shifted(anchor: tuple[int, int, int], days: int) -> tuple[int, int, int]:
    year, month, day = anchor
    there = date(year or _LEAP_YEAR, month, day) + timedelta(days=days)
    return there.year if year else 0, there.month, there.day


def _month_after(anchor: tuple[int, int, int], months: int) -> tuple[int, int, int]:
    year, month, _ = anchor
    count = month - 1 + months
    return year + count // 12 if year else 0, count % 12 + 1, 1
