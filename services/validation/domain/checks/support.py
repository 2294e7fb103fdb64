"""The cited passages carry the statement: its words stand there, no part of it is added."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from services.common.domain.verdict import IssueType, Lock, RemedyKind
from services.validation.domain.align import Bag, cover, in_span, match
from services.validation.domain.analysis import Analysis, Term
from services.validation.domain.case import Case, Finding, Reading
from services.validation.domain.checks import register
from services.validation.domain.support import support_of

_SEGMENT = re.compile(
    r"[，；、：。,;:()（）]|\s(?:and|or|but|because|since|due to|owing to|so that|in order to|as well as|along with|together with|with|without|"
    r"including|such as|unless|if|when|while|for|by|after|before|during|from|via|through|using|except)\s|(?:和|与|及|以及|或|并|因|由于|以便|为了)",
    re.I,
)


@register(
    "support",
    Lock.TRACEABILITY,
    sees="statements whose content words stand in none of the cited passages, or only in another passage; added reasons, "
    "parties, conditions and list items",
    blind="paraphrase without any shared, synonymous or translated word; additions made only of words the passage uses elsewhere",
)
def check(case: Case) -> Iterator[Finding]:
    """Yield UNSUPPORTED_STATEMENT."""
    floor = case.config.settings.get("support_floor", 0.34)
    for reading in case.readings:
        if not reading.is_claim or not reading.cited or not reading.analysis.terms:
            continue
        bag = _known(case, reading)
        whole = cover(reading.analysis.terms, bag)
        other = _better_elsewhere(case, reading, whole.share)
        if other:
            yield _finding(reading, f"the cited passage does not say this, [{other}] does", recite=other)
        elif whole.share < floor or support_of(case, reading).probability < case.config.support.thresholds["reject"]:
            yield _finding(reading, "the cited passages do not say this")
        else:
            part = _added_part(case, reading, bag)
            if part is not None:
                words = reading.analysis.text[part[0] : part[1]].strip()
                yield _finding(reading, f"not in the cited passages: {words}", span=part)


def _known(case: Case, reading: Reading) -> Bag:
    return case.bags.cited(reading.cited)


def _better_elsewhere(case: Case, reading: Reading, share: float) -> int:
    """A passage that is not cited and carries the statement clearly better than the cited ones, 0 if none."""
    rest = case.others(reading.cited)
    here = case.align(reading, reading.cited)
    there = case.align(reading, rest)
    if not there or not here:
        return 0
    gap = there[0].score - here[0].score
    better = cover(reading.analysis.terms, case.bags.cited([there[0].unit.citation])).share
    return there[0].unit.citation if gap >= _ELSEWHERE and better >= share + _ELSEWHERE / 2 and better >= 0.6 else 0


_ELSEWHERE = 0.35


def _finding(reading: Reading, message: str, *, recite: int = 0, span: tuple[int, int] | None = None) -> Finding:
    return Finding(
        IssueType.UNSUPPORTED_STATEMENT, reading.index, message,
        RemedyKind.RECITE if recite else RemedyKind.RETRIEVE_MISSING, span=span, citation=reading.cited[0], recite=recite,
        found=reading.analysis.text[span[0] : span[1]].strip() if span else "", expected=f"[{recite}]" if recite else "",
        queries=() if recite else (reading.statement.body.strip(),),
    )  # fmt: skip


def _added_part(case: Case, reading: Reading, bag: Bag) -> tuple[int, int] | None:
    """A stretch between joints whose words the cited passages lack."""
    analysis = reading.analysis
    elsewhere = case.bags.cited(case.others(reading.cited))
    cross = analysis.han != bag.han
    for start, end in segments(analysis):
        terms = in_span(analysis.terms, start, end)
        coverage = cover(terms, bag)
        missing = [t for t in coverage.missing if not _asked(case, t)]
        if not missing:
            continue
        weight = sum(t.weight for t in missing)
        borrowed = [t for t in missing if match(t, elsewhere) >= 0.9]
        if coverage.share < 0.34 and weight >= (3.0 if cross else 2.0):
            return _bounds(missing)
        if coverage.share < 0.5 and len(borrowed) >= 2 and not cross:
            return _bounds(missing)
    return None


def _asked(case: Case, term: Term) -> bool:
    """Words of the question need no evidence of their own."""
    return term.key in case.question.analysis.keys


def _bounds(terms: Sequence[Term]) -> tuple[int, int]:
    return min(t.start for t in terms), max(t.end for t in terms)


def segments(analysis: Analysis) -> list[tuple[int, int]]:
    """The stretches of a text between punctuation, conjunctions and prepositions."""
    cuts = sorted({0, len(analysis.text), *(m.end() for m in _SEGMENT.finditer(analysis.text))})
    return list(zip(cuts, cuts[1:], strict=False))
