"""Either of two is not both, and both are not either."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from services.common.domain.verdict import IssueType, Lock, RemedyKind
from services.validation.domain.analysis import Term
from services.validation.domain.case import Case, Finding, Reading
from services.validation.domain.checks import register
from services.validation.domain.reading.clauses import span_bag
from services.validation.domain.reading.evidence import Unit
from services.validation.domain.reading.patterns import Pattern
from services.validation.domain.wording.align import SYNONYM, Bag, cover, in_span, match

_EITHER = re.compile(r"\beither\s+(?P<a>[^,;.]+?),?\s+or\s+(?P<b>[^,;.]+)")
_BOTH = Pattern(r"\bboth\s+(?P<a>[^,;.]+?)\s+and\s+(?P<b>[^,;.]+)")
# 凭居住证或者租赁合同: two nouns, the choice between them told by 或.
_HAN_EITHER = Pattern(
    r"(?P<a>[\u4e00-\u9fff]{2,10})(?:，?或者?)(?P<b>[\u4e00-\u9fff]{2,10})(?:之一|任一|其一|均可|即可|都可)"
)
_HAN_BOTH = Pattern(
    r"(?P<a>[\u4e00-\u9fff]{2,10})[和与及](?P<b>[\u4e00-\u9fff]{2,10}?)(?:两者|二者|缺一不可|同时|都|均)"
)
_CHOICE = re.compile(
    r"\b(?:or|either|alternatively|whichever|one of|any of|instead)\b|或|任一|其一|之一|任选|二选一|要么"
)
_JOINT = re.compile(r"\b(?:and|both|with|backed|together|plus|as well as|along with)\b|和|与|及|并|同时|加上|外加|还")
_NAMED = 0.5


@register(
    "alternatives",
    Lock.TRACEABILITY,
    sees="either ... or told as both, both ... and told as a choice, and their Chinese equals",
    blind="choices told without either, 之一 or the like",
)
def check(case: Case) -> Iterator[Finding]:
    """Yield UNSUPPORTED_STATEMENT."""
    for reading in case.reworded:
        for unit in case.units(reading.cited):
            told = _told_otherwise(case, reading, unit)
            if told is not None:
                yield _finding(reading, unit, told)
                break


def _told_otherwise(case: Case, reading: Reading, unit: Unit) -> re.Match[str] | None:
    """The two that the sentence sets as a choice (or joins), where the statement has both of them the other way."""
    low = reading.analysis.low
    for patterns, mine, theirs in (((_EITHER, _HAN_EITHER), _JOINT, _CHOICE), ((_BOTH, _HAN_BOTH), _CHOICE, _JOINT)):
        for found in (m for pattern in patterns if (m := pattern.search(unit.analysis.low))):
            sides = [in_span(unit.analysis.terms, *found.span(g)) for g in ("a", "b")]
            spots = [spot for i in (0, 1) if (spot := _spot(reading, unit, sides[i], sides[1 - i])) is not None]
            if len(spots) < len(sides):
                continue
            first, second = sorted(spots)
            between = low[first[0] : second[1]]
            if mine.search(between) and not theirs.search(low):
                return found
    return None


def _spot(reading: Reading, unit: Unit, side: Sequence[Term], other: Sequence[Term]) -> tuple[int, int] | None:
    """Where the statement has what one side alone names, None if it has hardly a word of it."""
    shared = {t.key for t in other}
    telling = [t for t in side if t.key not in shared and t.weight >= 1]
    if not telling or cover(telling, Bag.of([reading.analysis]), least=SYNONYM).share < _NAMED:
        return None
    bag = span_bag(unit.analysis, telling, telling[0].start, telling[-1].end)
    held = [t for t in reading.analysis.terms if match(t, bag) >= SYNONYM]
    return (held[0].start, held[-1].end) if held else None


def _finding(reading: Reading, unit: Unit, told: re.Match[str]) -> Finding:
    return Finding(
        IssueType.UNSUPPORTED_STATEMENT, reading.index, "the evidence sets these as"
                                                        f" {told.group()!r}", RemedyKind.REGENERATE,
        citation=unit.citation, evidence=(unit.start + told.start(), unit.start + told.end()),
        found=reading.analysis.text.strip(), expected=told.group(),
    )  # fmt: skip
