"""A comparison against the two values that the statement itself gives: "A handled more: 2.8 million against 3.2"."""

from __future__ import annotations

import itertools
import re
from collections.abc import Sequence
from dataclasses import replace

from services.common.domain.verdict import IssueType, RemedyKind
from services.validation.domain.case import Case, Finding, Reading
from services.validation.domain.comparison.measured_words import direction_of
from services.validation.domain.reading.patterns import Pattern
from services.validation.domain.values.compare import close, comparable, loosely
from services.validation.domain.values.quantity import Quantity
from services.validation.domain.values.units import COUNTS, combine

# What stands between the two values of a pair that is compared.
_AGAINST = re.compile(
    r"(?:\s*+[A-Za-z%°²³-]++){0,6}?\s*+(?:[,，(（]\s*+)?(?:against|versus|vs\.?|as against|compared (?:with|to)"
    r"|as opposed to|对|相比之下)\s*"
    r"(?:only |just |about |around |the |a |an |仅|只有|约)*",
    re.I,
)
_DENIED = Pattern(r"\bnot\b|n't|\bno\b|\bneither\b|并不|并非|不(?=比|是)|没有")
_CHANGE = re.compile(
    r"\b(?:from|rose|fell|grew|increas\w+|decreas\w+|declin\w+|dropp?\w+|up|down)\b|从|由|增|减|升|降|涨|跌"
)
_HAN_WORD = re.compile(
    r"(?:[更较最]?)(?P<word>省电|耗电|省油|耗油|安静|便宜|高|低|大|小|长|短|重|轻|多|少|快|慢|贵|早|晚|宽|窄|远|近|吵)(?![\u4e00-\u9fff]*[约度量程])"
)
_NOT_COMPARING = frozenset(
    ("most", "least", "maximum", "minimum", "top", "latest", "above", "below", "under", "behind")
)
_FARTHEST = 60


def own_numbers(case: Case, reading: Reading) -> list[Finding]:
    """The direction that a clause claims contradicts the first and the second value that it gives."""
    analysis = reading.analysis
    if _DENIED.search(analysis.low):
        return []
    values = [q for q in analysis.quantities if not q.weak and q.low == q.high]
    for position, (first, second) in enumerate(itertools.pairwise(values)):
        second = _as_rate(analysis.low, first, second, values[position + 2 : position + 3])
        between = analysis.low[first.end : second.start]
        if not comparable(*loosely(first, second)) or not _AGAINST.fullmatch(between):
            continue
        word = _word_before(case, analysis.low, first, values)
        if word is None or close(first.low, second.low):
            continue
        sign = direction_of(word[0], first, case)
        if sign and sign * (first.low - second.low) < 0:
            return [_finding(reading, word, first, second)]
    return []


def _as_rate(low: str, first: Quantity, second: Quantity, after: Sequence[Quantity]) -> Quantity:
    """ "105 MWh for the 1,250 m²" beside a value per square metre: the amount over what it is spread on."""
    if first.amount is None or second.amount is not None or not after or not after[0].low:
        return second
    spread = _SPREAD.fullmatch(low[second.end : after[0].start]) is not None
    dimension = combine(second.unit.dimension, after[0].unit.dimension, -1)
    if not spread or dimension != first.unit.dimension:
        return second
    value = second.low / after[0].low
    return replace(second, low=value, high=value, unit=first.unit)


_SPREAD = re.compile(r"(?:\s+of [a-z]+)?\s+(?:for|over|on|across|in)\s+(?:the |a |an |its )*|(?:用于|分摊到|对应)")


def _word_before(case: Case, low: str, first: Quantity, values: Sequence[Quantity]) -> tuple[str, int, int] | None:
    """The only comparative between the start of the sentence part and the first value."""
    start = max((m.end() for m in re.finditer(r"[;。；.](?!\d)", low[: first.start])), default=0)
    start = max(start, first.start - _FARTHEST)
    between = any(start <= q.start < first.start and not _number_word(q) for q in values)
    if between or _CHANGE.search(low, start, first.start):
        return None
    words = case.config.lexicon.more_words
    found = [
        (m.group(), m.start(), m.end())
        for m in case.config.lexicon.comparative.finditer(low, start, first.start)
        if m.group() in words and m.group() not in _NOT_COMPARING and not m.group().endswith("est")
    ]
    found += [(m["word"], m.start("word"), m.end("word")) for m in _HAN_WORD.finditer(low, start, first.start)]
    return found[0] if len(found) == 1 and not re.search(r"\bthan\b", low[found[0][2] : first.start]) else None


def _number_word(quantity: Quantity) -> bool:
    """The cheaper of the two: how many are compared."""
    return quantity.unit.dimension in COUNTS and not quantity.surface[:1].isdigit()


def _finding(reading: Reading, word: tuple[str, int, int], first: Quantity, second: Quantity) -> Finding:
    return Finding(
        IssueType.COMPARISON_WRONG_DIRECTION,
        reading.index,
        f"the statement's own values, {first.surface} and {second.surface}, contradict {word[0]!r}",
        RemedyKind.REGENERATE,
        span=(word[1], word[2]),
        citation=reading.cited[0],
        found=reading.analysis.text[word[1] : second.end],
        expected=f"{first.surface} / {second.surface}",
    )
