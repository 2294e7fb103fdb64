"""A sign told in words: a loss of 3 million is a profit of -3 million, a fall by 2% a change of -2%."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from services.validation.domain.analysis import Analysis
from services.validation.domain.case import Reading
from services.validation.domain.config import Lexicon
from services.validation.domain.reading.evidence import Unit
from services.validation.domain.values.compare import equal
from services.validation.domain.values.quantity import Quantity

_LOSS = re.compile(
    r"\b(?:loss(?:es)?|los(?:t|es|ing)|deficits?|shortfalls?|outflows?|overdrawn|overdrafts?|negative|in the red"
    r"|below zero|minus)\b|亏|赤字|逆差|透支|缺口|流出|为负|负值|短缺"
)


def sign_in_words(
    reading: Reading, quantity: Quantity, pool: Sequence[tuple[Unit, Quantity]], lexicon: Lexicon
) -> bool:
    """The statement has a word for the minus that the passage writes before the value, or the reverse."""
    turned = replace(quantity, low=-quantity.high, high=-quantity.low, figure=-quantity.figure)
    if quantity.unit.offset:
        return False
    for unit, other in pool:
        if not equal(turned, other) or min(quantity.low, other.low) >= 0:
            continue
        mine, theirs = (reading.analysis, quantity), (unit.analysis, other)
        told, written = (mine, theirs) if other.low < 0 else (theirs, mine)
        if _minus_words(*told, lexicon) - _minus_words(*written, lexicon):
            return True
    return False


def _minus_words(analysis: Analysis, quantity: Quantity, lexicon: Lexicon) -> set[str]:
    """Words of the value's clause that may stand for its minus. One that stands beside the written minus, too, does not
    ("after outflows"), nor does a fall to a value: that is where it ends."""
    start, end = analysis.clause_at(quantity.start)
    found = {m.group() for m in _LOSS.finditer(analysis.low, start, end)}
    if not _LEVEL_BEFORE.search(analysis.low[start : quantity.start]):
        found |= {m.group() for m in lexicon.decrease.finditer(analysis.low, start, end)}
    return found


_LEVEL_BEFORE = re.compile(
    r"(?:\bto\s+(?:as (?:low|little) as )?|(?:[到至]|(?<=[降减跌缩])为)了?)(?:about |around |nearly |约|近)?$"
)
