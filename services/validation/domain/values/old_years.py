"""Years before 1950 in English text, which look like counts."""

from __future__ import annotations

import re
from collections.abc import Iterator

from services.validation.domain.reading.patterns import Pattern

# Years before 1950 look like counts; the word before and what follows tell them.
_EN_OLD_YEAR = Pattern(
    r"(?:\b(?:in|from|until|till|since|by|before|after|between|around|circa|late|early|mid|years?|later than"
    r"|earlier than|as of)[\s-]+|\(|(?:1[5-9]|20)\d\d\s*(?:-|to|and|or|until|till)\s*)"
    r"(?P<y>1[5-9]\d\d)(?=\s*(?:$|[,.;:)\]](?!\d{3})|-\s?(?:1[5-9]|20)?\d\d\b"
    r"|(?:and|to|until|but|or|by|when|as|after|on|was|he|she|it|the|in|at|for|with|from|onwards?|already|under|during|due|through|via|near|behind|within"
    r"|of(?!\s+(?:the|these|those|them|all|which|\d)))\b))",
    re.I,
)
_EN_LAST_YEAR = Pattern(
    r"(?<![\d.,])(?:1[5-9]|20)\d\d\s*(?:-|to|and|or|until|till)\s*(?P<y>1[5-9]\d\d)(?![\d%]|[.,]\d|\s+[a-z]+s\b)"
)


def old_years(text: str) -> Iterator[tuple[int, int, int]]:
    """(start, end, year) of every number that the words beside it make a year."""
    for pattern in (_EN_OLD_YEAR, _EN_LAST_YEAR):
        for match in pattern.finditer(text):
            yield match.start("y"), match.end("y"), int(match["y"])
