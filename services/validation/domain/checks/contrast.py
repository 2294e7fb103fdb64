"""A word of the answer whose rival stands in the evidence: original for copy, landing for take-off, district
for city."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator

from services.common.domain.verdict import IssueType, Lock, RemedyKind
from services.validation.domain.analysis import Analysis
from services.validation.domain.case import Case, Finding, Reading
from services.validation.domain.checks import register
from services.validation.domain.force.contrast import Contrast, modifier_swaps, rivals
from services.validation.domain.reading.clauses import Pair
from services.validation.domain.reading.patterns import Pattern
from services.validation.domain.values.compare import comparable, equal
from services.validation.domain.values.quantity import Quantity
from services.validation.domain.values.units import SPANS

_SURE, _SURE_ACROSS, _SURE_OF_CLAUSE, _SURE_OF_UNIT = 0.4, 0.3, 0.55, 0.7
_BEFORE = Pattern(
    r"\b(?:before|prior to|ahead of|until)\s+(?P<x>[^,;.]+)|(?P<z>[^，。；]{1,14}?)(?:之前|以前"
    r"|前(?![后述款期台端往言轮排部者提]))",
    re.I,
)
_AFTER = Pattern(
    r"\b(?:after|following|upon|once)\s+(?P<x>[^,;.]+)|(?P<z>[^，。；]{1,14}?)(?:之后|以后|后(?![续期者台端轮排部果方勤]))",
    re.I,
)
_TYPES = {"entity": IssueType.ENTITY_MISMATCH, "date": IssueType.DATE_MISMATCH, "negation": IssueType.NEGATION_MISMATCH}


@register(
    "contrast",
    Lock.TRACEABILITY,
    sees="rivals from the word sets of config/validation/lexicon.yaml; before and after exchanged",
    blind="rivals that no set lists",
)
def check(case: Case) -> Iterator[Finding]:
    """Yield ENTITY_MISMATCH, DATE_MISMATCH, NEGATION_MISMATCH."""
    for reading in case.reworded:
        cited = case.bags.cited(reading.cited).low
        for pair in case.pairs(reading):
            if pair.forward.share < (_SURE_ACROSS if _both_ways(case, reading) else _SURE):
                continue
            for found in _rivals(case, pair):
                here = found.answer not in pair.unit.analysis.low and found.evidence in pair.evidence.low
                if (found.answer not in cited or (here and pair.forward.share >= _SURE_OF_CLAUSE)) and not _table(pair):
                    yield _finding(reading, pair, found, pair.answer.start)
            if _reversed_order(case, pair):
                yield _order(reading, pair)
        yield from _spans_turned(case, reading)
        for place, aligned in enumerate(case.align(reading, reading.cited)[:2]):
            sure = place == 0 and aligned.coverage.share >= _SURE_OF_UNIT
            for swap in modifier_swaps(reading.analysis, aligned.unit.analysis, case.config.lexicon):
                if sure or swap.answer not in cited:
                    yield _swap(reading, aligned.unit.citation, aligned.unit.start, swap)


def _both_ways(case: Case, reading: Reading) -> bool:
    """Told in the other language, two clauses have the two words of a set, each where the evidence has the other."""
    pairs = case.pairs(reading)
    if len(pairs) < _SWAP or all(p.answer.analysis.han == p.evidence.analysis.han for p in pairs):
        return False
    found = [(c.set, c.answer) for p in pairs if p.forward.share >= _SURE_ACROSS for c in _rivals(case, p)]
    return any(a[0] is b[0] and a[1] != b[1] for a, b in itertools.combinations(found, _SWAP))


_SWAP = 2


def _rivals(case: Case, pair: Pair) -> list[Contrast]:
    """Rivals in the clause itself, else in its sentence."""
    lexicon = case.config.lexicon
    near = rivals(pair.answer.low, pair.evidence.low, lexicon, polar=False)
    return near or rivals(pair.answer.low, pair.unit.analysis.low, lexicon, polar=False)


def _table(pair: Pair) -> bool:
    return bool(pair.unit.headers)


def _finding(reading: Reading, pair: Pair, contrast: Contrast, offset: int) -> Finding:
    place = pair.unit.analysis.low.find(contrast.evidence)
    return Finding(
        _TYPES[contrast.set.kind],
        reading.index,
        f"{contrast.answer}: the evidence says {contrast.evidence}",
        RemedyKind.REGENERATE,
        span=(offset + contrast.start, offset + contrast.end),
        citation=pair.unit.citation,
        evidence=(pair.unit.start + place, pair.unit.start + place + len(contrast.evidence)) if place >= 0 else None,
        found=contrast.answer,
        expected=contrast.evidence,
    )


def _swap(reading: Reading, citation: int, offset: int, contrast: Contrast) -> Finding:
    return Finding(
        _TYPES[contrast.set.kind],
        reading.index,
        f"{contrast.answer}: the evidence says {contrast.evidence}",
        RemedyKind.REGENERATE,
        span=(contrast.start, contrast.end),
        citation=citation,
        found=contrast.answer,
        expected=contrast.evidence,
    )


def _reversed_order(case: Case, pair: Pair) -> bool:
    """ "After X" for "before X" (the same X): the order in time is turned round."""
    answer = pair.answer.analysis.low[pair.answer.start : pair.answer.end]
    unit = pair.unit.analysis.low
    for first, second in ((_BEFORE, _AFTER), (_AFTER, _BEFORE)):
        mine = first.search(answer)
        theirs = second.search(unit) if mine else None
        if not mine or not theirs or second.search(answer) or first.search(unit):
            continue
        if _waits(answer, mine) or _waits(unit, theirs):
            continue
        x = case.analyser.analyse(mine["x"] or mine["z"] or "")
        y = case.analyser.analyse(theirs["x"] or theirs["z"] or "")
        if x.terms and y.terms and _overlap(x.keys, y.keys, mine["z"], theirs["z"]):
            return not _told_in_order(case, pair, first, mine)
    return False


def _told_in_order(case: Case, pair: Pair, order: Pattern, mine: re.Match[str]) -> bool:
    """Another sentence of the passage says "before X" too, and the clause only loosely follows this one."""
    if pair.forward.share >= _CLOSELY:
        return False
    x = case.analyser.analyse(mine["x"] or mine["z"] or "")
    for unit in case.units([pair.unit.citation]):
        found = order.search(unit.analysis.low) if unit is not pair.unit else None
        if found is not None:
            y = case.analyser.analyse(found["x"] or found["z"] or "")
            if x.keys & y.keys or _overlap(x.keys, y.keys, mine["z"], found["z"]):
                return True
    return False


_CLOSELY = 0.8


def _waits(low: str, found: re.Match[str]) -> bool:
    """ "Nothing leaves until it is signed", 未签字前不得: it happens after."""
    return found.re is _BEFORE.compiled and _DENIED.search(low) is not None


_DENIED = re.compile(r"\b(?:no|not|never|nobody|nothing|cannot|none)\b|n't\b|不得|不能|不可|不予|未|尚不|禁止")


def _spans_turned(case: Case, reading: Reading) -> Iterator[Finding]:
    """ "Two hours after the release" for "two hours before": the same span told on the other side of its event."""
    for quantity in reading.analysis.quantities:
        if quantity.interval or quantity.unit.dimension not in SPANS:
            continue
        mine = _side_of_event(reading.analysis, quantity)
        told = [
            (unit, side)
            for unit in case.units(reading.cited)
            for q in unit.analysis.quantities
            if comparable(quantity, q) and equal(quantity, q) and (side := _side_of_event(unit.analysis, q))
        ]
        if mine and told and all(side != mine for _, side in told):
            unit = told[0][0]
            yield Finding(
                IssueType.DATE_MISMATCH, reading.index, "before and after are exchanged", RemedyKind.REGENERATE,
                span=(quantity.start, quantity.end), citation=unit.citation, evidence=(unit.start, unit.end),
                found=quantity.surface, expected=unit.analysis.text,
            )  # fmt: skip
            return


def _side_of_event(analysis: Analysis, quantity: Quantity) -> str:
    """before or after, by the words right beside a span; empty where there are none or both."""
    before, after = analysis.low[: quantity.start], analysis.low[quantity.end :]
    if _WAITING.search(before):
        return ""
    earlier = _EARLIER_HERE.search(before) or _EARLIER_THERE.match(after)
    later = _LATER_HERE.search(before) or _LATER_THERE.match(after)
    return "" if bool(earlier) == bool(later) else "before" if earlier else "after"


# "After a lockout, wait 10 minutes before pressing reset" lies between two events.
_WAITING = re.compile(r"\b(?:wait|allow|leave|pause|rest)(?:s|ed|ing)?\s(?:\w+\s){0,3}$")
_EARLIER_HERE = re.compile(r"(?<![的最提])[\u4e00-\u9fff]{2}(?:之前|以前|(?<![之以提])前)$|提前(?:至少|最少)?$")
_LATER_HERE = re.compile(r"(?:之后|以后|[\u4e00-\u9fff]{2}后)$")
_EARLIER_THERE = re.compile(
    r"\s*(?:before|ahead of|prior to|in advance|earlier than|(?:之"
    r"|以)?前(?=[^\d，。；、]{0,6}[通申提告预报办登提交书送检]))"
)
_LATER_THERE = re.compile(
    r"\s*(?:after|following|later than|(?:之|以)?后(?=[^\d，。；、]{0,6}[通申提告预报办登提交书送检]))"
)


def _overlap(a: frozenset[str], b: frozenset[str], za: str | None, zb: str | None) -> bool:
    if a & b and len(a & b) / min(len(a), len(b)) >= 0.5:
        return True
    if za and zb:
        shared = set(za) & set(zb)
        return len(shared) / min(len(set(za)), len(set(zb))) >= 0.5
    return False


def _order(reading: Reading, pair: Pair) -> Finding:
    return Finding(
        IssueType.NEGATION_MISMATCH,
        reading.index,
        "before and after are exchanged",
        RemedyKind.REGENERATE,
        span=(pair.answer.start, pair.answer.end),
        citation=pair.unit.citation,
        evidence=(pair.unit.start, pair.unit.end),
        found=pair.answer.low.strip(),
        expected=pair.unit.analysis.text,
    )
