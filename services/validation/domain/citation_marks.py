"""Marks of sources in a text, [1], 【2】 and [来源3], and the numbers that they name."""

from __future__ import annotations

import re

_NUMBER_LIST = r"\d{1,4}(?:\s*[,，、;-]\s*\d{1,4})*"
CITATION = re.compile(
    rf"\[\s*({_NUMBER_LIST})\s*\]"
    rf"|【\s*({_NUMBER_LIST})\s*】"
    rf"|［\s*({_NUMBER_LIST})\s*］"
    rf"|[（(]\s*(?:来源|资料|文献|参见|见|source|sources|src|ref)\s*[:：]?\s*\[?({_NUMBER_LIST})\]?\s*[)）]",
    re.IGNORECASE,
)


def citation_numbers(text: str) -> tuple[int, ...]:
    """Every source number cited in a text, in order, ranges spelled out (at most 100 numbers a range)."""
    numbers: list[int] = []
    for match in CITATION.finditer(text):
        listed = next(group for group in match.groups() if group is not None)
        for piece in re.split(r"[,，、;]", listed):
            ends = [int(n) for n in piece.split("-") if n.strip().isdigit()]
            if len(ends) == 2 and 0 < ends[1] - ends[0] <= 100:
                numbers.extend(range(ends[0], ends[1] + 1))
            else:
                numbers.extend(ends)
    return tuple(dict.fromkeys(numbers))


def blank_citations(text: str) -> str:
    """The text with every citation mark replaced by spaces of equal length."""
    return CITATION.sub(lambda match: " " * len(match.group()), text)
