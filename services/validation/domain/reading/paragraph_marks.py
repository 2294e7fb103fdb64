"""Marks that open the paragraphs of a provision: (3), （三）, "3."."""

from __future__ import annotations

import re

from services.validation.domain.reading.evidence import Passage, Unit
from services.validation.domain.values.numerals import parse_chinese

_MARK = re.compile(r"^\W{0,3}?(?:[(（](?P<a>\w{1,4})[)）]|(?P<b>\d{1,2})[.)、])\s*")


def mark_of(text: str) -> str:
    """The number of the paragraph that a line opens: 3 for "(3)", （三） and "3."; empty if it opens none."""
    found = _MARK.match(text)
    if found is None:
        return ""
    mark = (found["a"] or found["b"]).lower()
    number = parse_chinese(mark) if mark[0] in _HAN_DIGITS else None
    return str(int(number.value)) if number is not None else mark


_HAN_DIGITS = "一二三四五六七八九十"


def mark_over(passage: Passage, unit: Unit) -> str:
    """The mark of the line that a unit stands in or below."""
    marks = [m for u in passage.units if u.start <= unit.start and (m := mark_of(u.analysis.text))]
    return marks[-1] if marks else ""
