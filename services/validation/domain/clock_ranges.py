"""Clock times told by the part of the day that follows both: between 6 and 9 in the morning."""

from __future__ import annotations

import re
from collections.abc import Iterator

from services.validation.domain import numerals

# "Between 6 and 9 in the morning", "from four to seven in the afternoon": two clock times without a mark of their own.
_HOUR = r"1[0-2]|[1-9]|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve"
_CLOCK_RANGE = re.compile(
    rf"\b(?:between|from)\s+(?P<a>{_HOUR})\s+(?:and|to|until|till)\s+(?P<b>{_HOUR})\s+(?:o'clock\s+)?"
    r"(?:in the (?P<part>morning|afternoon|evening)|at night)\b",
    re.I,
)


def clock_ranges(text: str) -> Iterator[tuple[int, int, int]]:
    """(start, end, minutes of the day) of both ends of every such range."""
    for m in _CLOCK_RANGE.finditer(text):
        later = 0 if (m["part"] or "").lower() == "morning" else 720
        for group in ("a", "b"):
            number = None if m[group].isdigit() else numerals.parse_english(m[group])
            hour = int(m[group]) if m[group].isdigit() else int(number.value) if number else 0
            yield m.start(group), m.end(group), hour % 12 * 60 + later
