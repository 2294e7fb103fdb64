"""Clock times told by the part of the day that follows both: between 6 and 9 in the morning."""

from __future__ import annotations

import re
from collections.abc import Iterator

from services.validation.domain.reading.patterns import Pattern
from services.validation.domain.values import numerals

# "Between 6 and 9 in the morning", "from four to seven in the afternoon": two clock times without a mark of their own.
_HOUR = r"1[0-2]|[1-9]|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve"
_CLOCK_RANGE = Pattern(
    rf"\b(?:between|from)\s+(?P<a>{_HOUR})\s+(?:and|to|until|till)\s+(?P<b>{_HOUR})\s+(?:o'clock\s+)?"
    r"(?:in the (?P<part>morning|afternoon|evening)|at night)\b",
    re.I,
)

# "7 to 9 a.m.": the first hour is of the same half of the day, where it is before the second.
_SHARED_HALF = Pattern(
    r"(?<![\d:.$€£¥])\b(?P<a>1[0-2]|[1-9])\s*(?:to|and|until|till|-|–)\s*(?=(?P<b>1[0-2]|[1-9])(?:[:.][0-5]\d)?\s*"
    r"(?P<half>[ap])\.?m\b)",
    re.I,
)


def clock_ranges(text: str) -> Iterator[tuple[int, int, int]]:
    """(start, end, minutes of the day) of both ends of every such range."""
    for m in _SHARED_HALF.finditer(text):
        hour = int(m["a"])
        afternoon = (m["half"] in "pP") == (hour % 12 < int(m["b"]) % 12)  # "11 to 1 p.m." begins before noon
        yield m.start("a"), m.end("a"), hour % 12 * 60 + 720 * afternoon
    for m in _CLOCK_RANGE.finditer(text):
        later = 0 if (m["part"] or "").lower() == "morning" else 720
        for group in ("a", "b"):
            number = None if m[group].isdigit() else numerals.parse_english(m[group])
            hour = int(m[group]) if m[group].isdigit() else int(number.value) if number else 0
            yield m.start(group), m.end(group), hour % 12 * 60 + later
