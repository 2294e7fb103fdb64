"""Marks of sources in a text, [1], 【2】, 〔2〕, 【1†L5】, [1]–[3] and （来源3）, and the numbers that they name."""

from __future__ import annotations

import re

_TO = r"[-\u2010-\u2015~～至到]|\bto\b"
_LABEL = r"(?:来源|资料|文献|参见|见|sources?|src|refs?)"
_JOINED = rf"(?:\s*(?:[,，、;；&和及与]|\band\b|{_TO})\s*(?:{_LABEL}\s*[:：]?\s*)?\d{{1,4}})*"
_NUMBER_LIST = rf"\d{{1,4}}{_JOINED}"
_LABELLED = rf"(?:见|see\s+)?{_LABEL}\s*[:：]?\s*\[?{_NUMBER_LIST}\]?"
# 【1†L5-L9】: assistants with a file search add where in the source it stands.
_PLACE = r"(?:[†‡][^\[\]【】\n]{0,40})?"
_BRACKETED = rf"[\[［【〔]\s*(?:\^|{_LABEL}\s*[:：]?\s*)?{_NUMBER_LIST}\s*{_PLACE}[\]］】〕]"
# "[1]-[3]": a range over two marks is one mark.
CITATION = re.compile(
    rf"{_BRACKETED}(?:(?:{_TO}){_BRACKETED})?|[（(]\s*{_LABELLED}\s*[)）]",
    re.IGNORECASE,
)
_SPELLED = re.compile(rf"(\d+)(?:[\s\]］】〕]*(?:{_TO})[\s\[［【〔]*(?:\^|{_LABEL}\s*[:：]?\s*)?(\d+))?", re.IGNORECASE)
_PLACES = re.compile(r"[†‡][^\]］】〕]*")
_LONGEST_RANGE = 100


def citation_numbers(text: str) -> tuple[int, ...]:
    """Every source number cited in a text, in order, ranges spelled out (at most 100 numbers a range)."""
    numbers: list[int] = []
    for mark in CITATION.finditer(text):
        for match in _SPELLED.finditer(_PLACES.sub("", mark.group())):
            first, last = int(match[1]), int(match[2] or match[1])
            if 0 <= last - first <= _LONGEST_RANGE:
                numbers.extend(range(first, last + 1))
            else:
                numbers.extend((first, last))
    return tuple(dict.fromkeys(numbers))


def blank_citations(text: str) -> str:
    """The text with every citation mark replaced by spaces of equal length."""
    return CITATION.sub(lambda match: " " * len(match.group()), text)
