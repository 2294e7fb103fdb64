"""Conditions and exceptions turned round: "even if" for "unless", "without registration" for "after registration"."""

from __future__ import annotations

import re
from collections.abc import Iterator

from services.common.domain.verdict import IssueType, RemedyKind
from services.validation.domain.align import Bag, cover, in_span
from services.validation.domain.analysis import Analysis, Term
from services.validation.domain.case import Case, Finding, Reading
from services.validation.domain.evidence import Unit

_CONCESSION = re.compile(
    r"\b(?:even (?:if|when|where|with|though|after)|regardless of (?:whether)?|irrespective of|whether or not"
    r"|no matter (?:if|whether))\b"
    r"|即使|即便|哪怕|就算|无论是否|不论是否|不管是否"
)
_EXCEPTING = re.compile(
    r"\b(?:unless|except (?:if|when|where|with|after)|only (?:if|when|where|with|after)|provided that|as long as"
    r"|on condition that|not (?:\w+ ){0,3}(?:until|without))\b|除非|只有|方可|才可以?|才能|(?P<back>的?除外)"
)
_STOP = re.compile(r"[;；。,，:：]")
_SAME_SCOPE = 0.6


def exception_turned(case: Case, reading: Reading) -> Iterator[Finding]:
    """ "Even if X" where the evidence says "unless X", and the reverse: the exception itself is denied."""
    for here, there in ((_CONCESSION, _EXCEPTING), (_EXCEPTING, _CONCESSION)):
        mine = here.search(reading.analysis.low)
        if mine is None or there.search(reading.analysis.low):
            continue
        scope = _scope(reading.analysis, mine)
        if not scope:
            continue
        for unit in case.units(reading.cited):
            other = there.search(unit.analysis.low)
            if other is None or here.search(unit.analysis.low):
                continue
            theirs = Bag.of([case.analyser.analyse(_scope_text(unit.analysis, other))])
            rest = [t for t in reading.analysis.terms if t not in scope]
            about = not rest or cover(rest, case.bags.unit(unit)).matched
            if about and cover(scope, theirs).share >= _SAME_SCOPE:
                yield _contradiction(reading, unit, (mine.start(), mine.end()), (other.start(), other.end()))
                return


def _scope_text(analysis: Analysis, found: re.Match[str]) -> str:
    """What an excepting word governs: the words up to the next comma, or before 除外."""
    if "back" in found.re.groupindex and found["back"]:
        cuts = [m.end() for m in _STOP.finditer(analysis.text, 0, found.start())]
        return analysis.text[cuts[-1] if cuts else 0 : found.start()]
    stop = _STOP.search(analysis.text, found.end())
    return analysis.text[found.end() : stop.start() if stop else len(analysis.text)]


def _scope(analysis: Analysis, found: re.Match[str]) -> list[Term]:
    text = _scope_text(analysis, found)
    start = analysis.text.find(text)
    return in_span(analysis.terms, start, start + len(text))


_WAIVES = re.compile(
    r"(?:无需|无须|不需要?|不必|毋须|未经|不用|免于|免予)(?:经过?|进行|办理|事先|另行|任何|再|提交|提供)?"
    r"(?P<zh>[\u4e00-\u9fff]{2,6})"
    r"|\bwithout (?:any |a |an |the |prior |previous |further |having to )*(?P<en>[a-z]+(?: [a-z]+)?)"
    r"|\bno (?:prior |previous |further )?(?P<no>[a-z]+) (?:is|are) (?:needed|required|necessary)"
)
_DEMANDS = re.compile(
    r"(?:须经|应经|应当经|需经|必须|应当|须|需|凭|经)[^，。；、]{0,14}?$"
    r"|\b(?:subject to|after|with|upon|requires?|on presentation of|must (?:have|obtain|give|submit|file)|needs?|once)"
    r"\s+(?:[\w'-]+\s+){0,4}?$"
)


def waived(case: Case, reading: Reading) -> Iterator[Finding]:
    """ "Without registration" where the evidence lets it happen after registration (经备案)."""
    low = reading.analysis.low
    for found in _WAIVES.finditer(low):
        group = next(g for g in ("zh", "en", "no") if found[g])
        inside = in_span(reading.analysis.terms, found.start(group), found.end(group))[:1]
        word = next(
            (t for t in inside if len(t.word.surface) > 1 and t.key not in case.config.lexicon.meta_words), None
        )
        if word is None:
            continue
        best = case.align(reading, reading.cited)[:2]
        for unit in (a.unit for a in best if a.coverage.share >= _CARRIES):
            if unit.analysis.han != reading.analysis.han or _WAIVES.search(unit.analysis.low):
                continue
            low, lexicon = unit.analysis.low, case.config.lexicon
            place = next((t for t in unit.analysis.terms if t.key == word.key), None)
            if place is None or lexicon.exception.search(low) or lexicon.unless.search(low):
                continue
            if _DEMANDS.search(low, max(0, place.start - _REACH), place.start):
                yield _contradiction(reading, unit, (found.start(), found.end()), (place.start, place.end))
                return


# A demand stands at most so many characters before what it demands.
_REACH = 40
_CARRIES = 0.45


def _contradiction(reading: Reading, unit: Unit, span: tuple[int, int], place: tuple[int, int]) -> Finding:
    return Finding(
        IssueType.NEGATION_MISMATCH, reading.index, "the statement turns a condition or an exception of the evidence"
                                                    " round", RemedyKind.REGENERATE,
        span=span, citation=unit.citation, evidence=(unit.start + place[0], unit.start + place[1]),
        found=reading.analysis.text[span[0] : span[1]].strip(), expected=unit.analysis.text,
    )  # fmt: skip
