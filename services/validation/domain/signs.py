"""A sign told in words: a loss of 3 million is a profit of -3 million, a fall by 2% a change of -2%."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from services.validation.domain.analysis import Analysis
from services.validation.domain.case import Reading
from services.validation.domain.compare import equal
from services.validation.domain.config import Lexicon
from services.validation.domain.evidence import Unit
from services.validation.domain.quantity import Quantity

_LOSS = re.compile(
    r"\b(?:loss(?:es)?|los(?:t|es|ing)|deficits?|shortfalls?|outflows?|overdrawn|overdrafts?|negative|in the red"
    r"|below zero|minus|under)\b|亏|赤字|逆差|透支|缺口|流出|为负|负值|短缺"
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
        told, at = (reading.analysis, quantity) if other.low < 0 else (unit.analysis, other)
        if _told_as_loss(told, at, lexicon):
            return True
    return False


def _told_as_loss(analysis: Analysis, quantity: Quantity, lexicon: Lexicon) -> bool:
    start, end = analysis.clause_at(quantity.start)
    clause = analysis.low[start:end]
    return bool(_LOSS.search(clause) or lexicon.decrease.search(clause))
