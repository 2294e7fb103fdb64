"""Spans of time in the words of rules: how long, how often, and what they count from, in both languages."""

from __future__ import annotations

import re
from decimal import Decimal

from services.retrieval.domain.values.number_words import ENGLISH_NUMBER, HAN_NUMBER

# Units of time in minutes, or in months, which have no fixed length.
_MINUTES = {
    "minute": 1, "min": 1, "hour": 60, "hr": 60, "h": 60, "day": 1440, "week": 10080,
    "分钟": 1, "小时": 60, "天": 1440, "日": 1440, "周": 10080, "星期": 10080, "个小时": 60, "个星期": 10080,
}  # fmt: skip
_MONTHS = {"month": 1, "quarter": 3, "year": 12, "个月": 1, "年": 12, "季度": 3}
UNIT_ZH = "分钟|个?小时|天|日|周|个?星期|个月|年|季度"
UNIT = rf"(?:minutes?|mins?|hours?|hrs?|h|days?|weeks?|months?|quarters?|years?)(?![A-Za-z])|{UNIT_ZH}"
"""Patterns of a unit of time."""

OFTEN = re.compile(
    r"(?<![A-Za-z])(?:every|each|once an?|once every)\s+(?P<u>day|week|month|quarter|year)(?![A-Za-z'])"
    r"|(?<![A-Za-z])(?P<a>daily|weekly|monthly|quarterly|yearly|annually)(?=\s*(?:[.,;:)]|$|(?:by|in|at|on|and|to)\s))"
    r"|每(?P<h>天|日|周|星期|个?月|季度?|年)(?=[^,，;；。]{0,30}一次)",
    re.IGNORECASE,
)
"""How often, without a number. Before a noun such words name a thing (the weekly report, 每周例会), so an adverb has to
end what it tells, and 每月 needs its 一次."""

_ADVERBS = {"daily": "day", "weekly": "week", "monthly": "month", "quarterly": "quarter"}
_ADVERBS |= {"yearly": "year", "annually": "year"}
_HAN_UNITS = {"月": "个月", "季": "季度"}
_ENGLISH_SPAN = rf"(?:\d|{ENGLISH_NUMBER})[\s-]?(?:{UNIT})"
_HAN_SPAN = rf"(?:\d+|{HAN_NUMBER})\s*个?(?:工作日|{UNIT_ZH})"
# Within 30 days of, after or following delivery; 交付后30天内, 自交付之日起30天内.
_TIES = (
    (re.compile(rf"({_ENGLISH_SPAN})\s+(?:after|following|upon|since)(?![A-Za-z])", re.IGNORECASE), r"\1"),
    # Two weeks' notice is the least, 14 days to object are the most; of a text whose values are blanked out.
    (re.compile(r"(?<! ) {3,}['’]?(?:of )?(?=notice(?![A-Za-z])|in advance(?![A-Za-z]))", re.IGNORECASE), " at least "),
    (re.compile(r"(?<![A-Za-z])((?:have|has|got|given)) {3,}(?=to [a-z])", re.IGNORECASE), r"\1 at most "),
    (re.compile(rf"之?后(?=[的应须当必在于]{{0,4}}\s*{_HAN_SPAN})"), " "),
    (re.compile(r"自([^，,。；;]{1,20}?)之?日起算?"), r"\1"),
)


# By the 15th, 3月31日前: of a day or an hour the last.
_LAST = (
    (re.compile(r"(?<![A-Za-z])(?:by|until|till|before) {3,}", re.IGNORECASE), " at most "),
    (re.compile(r"(?<= {3})\s?[之以]?前(?!\S?来)"), "至多"),
)


def as_last(text: str) -> str:
    """``text``, whose days and hours are blanked out, with what they are the last of told as a bound."""
    for pattern, bound in _LAST:
        text = pattern.sub(bound, text)
    return text


def untied(text: str) -> str:
    """``text`` without the words that tie a span of time to what it counts from, which are many for the same thing."""
    for pattern, left in _TIES:
        text = pattern.sub(left, text)
    return text


def time_between(match: re.Match[str]) -> str:
    """The time between two, of a match of ``OFTEN``: every week is every seven days."""
    unit = (match["u"] or match["a"] or match["h"]).lower()
    unit = _ADVERBS.get(unit, unit)
    return time_span(Decimal(1), _HAN_UNITS.get(unit, unit))


def time_span(number: Decimal, unit: str) -> str:
    """So many of a unit of time in minutes or months; empty for another unit."""
    if unit in _MINUTES:
        return f"{plain_number(number * _MINUTES[unit])} min"
    return f"{plain_number(number * _MONTHS[unit])} months" if unit in _MONTHS else ""


def plain_number(number: Decimal) -> str:
    """The number without an exponent or zeros at its end."""
    return f"{number.normalize():f}"
