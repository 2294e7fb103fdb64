"""Further days of a month that is named once: March 6–7, 2018; from 6 to 8 March; on 3, 10 and 17 May."""

from __future__ import annotations

import re
from collections.abc import Iterator

_JOINT = r"\s*(?:-|,\s*(?:and|or)?|\b(?:to|and|or|through|until|till)\b)\s*"
_DAY = r"(?P<d>\d{1,2})(?:st|nd|rd|th)?"
# A number that goes on, or counts what follows ("on March 6 and 7 members left"), is no day.
_ENDS = (
    r"(?![\w:%/]|[.,]\d(?!\d{3}\b))(?=\s*(?:$|[,.;:)(\]-]|(?:19|20)\d\d\b|(?:at|in|of|from|for|and|or|to|the|with)\b))"
)
_AFTER = re.compile(_JOINT + _DAY + _ENDS, re.I)
_BEFORE = re.compile(
    rf"(?:^|[(,;\[]|\b(?:on|from|between|of|the|and|or|to|for|until|by|before|after|since)\b)\s*{_DAY}{_JOINT}$", re.I
)
_DASHED_BEFORE = re.compile(rf"(?<![\w./-]){_DAY}\s*-\s*$", re.I)
_REACH = 24


def days_after(text: str, end: int, first: int) -> Iterator[tuple[int, int, int]]:
    """Start, end and number of the days that follow one whose mention ends at ``end``; in ascending order only."""
    found = _AFTER.match(text, end)
    while found is not None and first < (day := int(found["d"])) <= 31:
        yield found.start("d"), found.end(), day
        first = day
        found = _AFTER.match(text, found.end())


def days_before(text: str, start: int, last: int) -> Iterator[tuple[int, int, int]]:
    """Start, end and number of the days that stand before one whose mention begins at ``start``."""
    while True:
        near = max(0, start - _REACH)
        before = text[near:start]
        found = _DASHED_BEFORE.search(before) or _BEFORE.search(before)
        if found is None or not 1 <= (day := int(found["d"])) < last:
            return
        start = near + found.start("d")
        yield start, near + found.end("d"), day
        last = day
