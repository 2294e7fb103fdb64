"""Days, months, years, decades and centuries that a text names, as intervals of days, in both languages.

A four-figure year is looked for, and then what stands around it, so that a text of thousands of characters costs
little: a search compares hundreds of passages with the period that a question names.
"""

from __future__ import annotations

import calendar
import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date

from services.common.domain.months import MONTH, MONTHS
from services.common.domain.numerals import chinese_number
from services.common.domain.time import DayInterval

# Periods read from one text: a table of years has hundreds.
_MOST = 64

_YEAR = re.compile(r"[12]\d{3}")
_FIRST_YEAR, _LAST_YEAR = 1000, 2099
_HAN_YEAR = re.compile(
    r"[一二][零〇○一二三四五六七八九]{3}年(?:([一二三四五六七八九十]{1,2})月(?:([一二三四五六七八九十]{1,3})日)?)?"
)
# What may not stand before or behind the figures of a year: they are part of a code or of an amount there.
_NO_YEAR_BEFORE = re.compile(r"[\dA-Za-z$€£¥§#.,\-–/]$")
_RANGE_BEFORE = re.compile(
    rf"(?:(?<!\d)[12]\d{{3}}\s?[-–/~]|[\s(（]\d{{1,2}}[./]\d{{1,2}}[./]|\b(?:{MONTH})[-,])$", re.IGNORECASE
)
_NO_YEAR_BEHIND = re.compile(r"\d|[.,]\d|\s?[%％‰]|[A-Za-rt-z(]|\s?(?:元|万|亿|美元|米|公里|人|个|吨|件)")
_BEHIND = (
    ("day", re.compile(r"(?:[-/.]|\s*年\s*)(\d{1,2})(?:[-/.]|\s*月\s*)(\d{1,2})(?!\d)(?:\s*[日号])?")),
    ("month", re.compile(r"\s*年\s*(\d{1,2})\s*月|-(0[1-9]|1[0-2])(?![\d-])")),
    ("quarter", re.compile(r"\s*年?度?\s*第?([一二三四1-4])季度?|\s+Q([1-4])(?!\d)")),
    ("decade", re.compile(r"['’]?s(?![A-Za-z])|\s*年代")),
)
_BEFORE = (
    ("day", re.compile(rf"(?:^|[^A-Za-z])(?P<m>{MONTH})\.?\s+(?P<d>\d{{1,2}})(?:st|nd|rd|th)?,?\s*$", re.IGNORECASE)),
    (
        "day",
        re.compile(rf"(?<!\d)(?P<d>\d{{1,2}})(?:st|nd|rd|th)?\s+(?:of\s+)?(?P<m>{MONTH})\.?,?\s*$", re.IGNORECASE),
    ),
    ("month", re.compile(rf"(?:^|[^A-Za-z])(?P<m>{MONTH})\.?,?\s+(?:of\s+)?$", re.IGNORECASE)),
    ("quarter", re.compile(r"Q(?P<q>[1-4])\s*(?:of\s+)?$")),
)
_CENTURY = re.compile(r"(?<!\d)(\d{1,2})(?:st|nd|rd|th)[\s-]+centur")
_HAN_CENTURY = re.compile(
    r"(?:(?<!\d)(\d{1,2})|([一二十][一二三四五六七八九十]?))\s*世纪(?:\s*(?:(\d0)|([二三四五六七八九]十))\s*年代)?"
)
_AROUND = 24
_JOINED = re.compile(r"\s*(?:-|–|—|~|to|until|till|through|and|至|到)\s*", re.IGNORECASE)
_BETWEEN = re.compile(r"between\s+$", re.IGNORECASE)
_ORDINALS = {"一": 1, "二": 2, "三": 3, "四": 4}
_NOT_BEFORE = re.compile(r"(?:since|after|from)\s+(?:the\s+)?(?:\w+\s+)?$|(?:自从?|从)\s*$", re.IGNORECASE)
_NOT_AFTER = re.compile(r"(?:before|until|till|prior to|by)\s+(?:the\s+)?(?:\w+\s+)?$|截至\s*$", re.IGNORECASE)
_LATER = re.compile(r"\s*(?:以来|之后|以后|起)")
_EARLIER = re.compile(r"\s*(?:以前|之前)")


@dataclass(frozen=True, slots=True)
class NamedDays:
    """A period, where it stands in the text (offsets), and whether two years bound it."""

    start: int
    end: int
    days: DayInterval
    is_range: bool = False


def named_days(text: str) -> list[DayInterval]:
    """The periods that ``text`` names, ranges joined, in order; at most 64."""
    return [found.days for found in _joined(text, _read(text))]


def asked_days(question: str) -> list[DayInterval]:
    """The periods that a question names; one behind "since" or before 以前 is open at an end."""
    return [_opened(question, found) for found in _joined(question, _read(question))]


def _read(text: str) -> list[NamedDays]:
    found = []
    for one in _find(text):
        found.append(one)
        if len(found) == _MOST:
            break
    return sorted(found, key=lambda one: one.start)


def _find(text: str) -> Iterator[NamedDays]:
    for match in _YEAR.finditer(text):
        start, end = match.span()
        left, right = text[max(0, start - _AROUND) : start], text[end : end + _AROUND]
        year = int(match.group())
        if _FIRST_YEAR <= year <= _LAST_YEAR and _is_year(left, right):
            before, behind, days = _around(year, left, right)
            yield NamedDays(start - before, end + behind, days)
    if "centur" in text:
        for match in _CENTURY.finditer(text):
            yield from _century(match, int(match.group(1)), 0)
    if not text.isascii():
        yield from _find_han(text)


def _find_han(text: str) -> Iterator[NamedDays]:
    if "世纪" in text:
        for match in _HAN_CENTURY.finditer(text):
            number = int(match.group(1)) if match.group(1) else chinese_number(match.group(2)) or 0
            decade = int(match.group(3)) if match.group(3) else chinese_number(match.group(4) or "") or 0
            yield from _century(match, number, decade)
    for match in _HAN_YEAR.finditer(text):
        year = chinese_number(match.group()[:4]) or 0
        month, day = (chinese_number(part or "") or 0 for part in match.groups())
        days = _days(year, month, day)
        if days is not None:
            yield NamedDays(*match.span(), days)


def _century(match: re.Match[str], number: int, decade: int) -> Iterator[NamedDays]:
    if 1 <= number <= 21:
        first = max(1, (number - 1) * 100 + decade)
        last = (number - 1) * 100 + decade + (9 if decade else 99)
        yield NamedDays(*match.span(), DayInterval(date(first, 1, 1), date(last, 12, 31)))


def _is_year(left: str, right: str) -> bool:
    return not _NO_YEAR_BEHIND.match(right) and (not _NO_YEAR_BEFORE.search(left) or bool(_RANGE_BEFORE.search(left)))


def _around(year: int, left: str, right: str) -> tuple[int, int, DayInterval]:
    """How many characters before and behind the year belong to the period, and the period."""
    for kind, pattern in _BEHIND:
        match = pattern.match(right)
        days = _behind(kind, year, match) if match else None
        if match and days is not None:
            return 0, match.end(), days
    for kind, pattern in _BEFORE:
        match = pattern.search(left)
        days = _before(kind, year, match) if match else None
        if match and days is not None:
            return len(left) - min(match.start(group) for group in match.groupdict()), 0, days
    whole = right.removeprefix("年")
    return 0, len(right) - len(whole), DayInterval(date(year, 1, 1), date(year, 12, 31))


def _behind(kind: str, year: int, match: re.Match[str]) -> DayInterval | None:
    if kind == "decade":
        # The 1700s are a century, the 1990s a decade.
        last = year - year % 10 + 9 if year % 100 or not match.group().endswith("s") else year + 99
        return DayInterval(date(year - year % 10, 1, 1), date(last, 12, 31))
    first, second = (*(group for group in match.groups() if group), "")[:2]
    if kind == "quarter":
        return _quarter(year, _ORDINALS.get(first) or int(first))
    return _days(year, int(first), int(second or 0))


def _before(kind: str, year: int, match: re.Match[str]) -> DayInterval | None:
    if kind == "quarter":
        return _quarter(year, int(match["q"]))
    return _days(year, MONTHS[match["m"].lower()], int(match["d"]) if kind == "day" else 0)


def _quarter(year: int, number: int) -> DayInterval:
    last = number * 3
    return DayInterval(date(year, last - 2, 1), date(year, last, calendar.monthrange(year, last)[1]))


def _days(year: int, month: int, day: int) -> DayInterval | None:
    """The year, month or day, whichever is given (0: not); None if there is none such."""
    if not month:
        return DayInterval(date(year, 1, 1), date(year, 12, 31))
    if not 1 <= month <= 12:
        return None
    last = calendar.monthrange(year, month)[1]
    if day > last:
        return None
    return DayInterval(date(year, month, day or 1), date(year, month, day or last))


def _joined(text: str, found: list[NamedDays]) -> list[NamedDays]:
    """Two periods with "to" between them are one."""
    result: list[NamedDays] = []
    for one in found:
        last = result[-1] if result else None
        if last is not None and one.start < last.end:
            continue
        if last is not None and _is_range(text, last, one):
            result[-1] = NamedDays(last.start, one.end, DayInterval(last.days.start, one.days.end), True)
        else:
            result.append(one)
    return result


def _is_range(text: str, first: NamedDays, second: NamedDays) -> bool:
    joint = text[first.end : second.start]
    if not _JOINED.fullmatch(joint):
        return False
    if joint.strip().lower() == "and" and not _BETWEEN.search(text[max(0, first.start - _AROUND) : first.start]):
        return False
    start, end = first.days.start, second.days.end
    return start is not None and end is not None and start <= end


def _opened(question: str, found: NamedDays) -> DayInterval:
    if found.is_range:
        return found.days
    left, right = question[max(0, found.start - _AROUND) : found.start], question[found.end : found.end + _AROUND]
    if _LATER.match(right) or _NOT_BEFORE.search(left):
        return DayInterval(found.days.start, None)
    if _EARLIER.match(right) or _NOT_AFTER.search(left):
        return DayInterval(None, found.days.end)
    return found.days
