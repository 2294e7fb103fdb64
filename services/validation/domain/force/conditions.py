"""Conditions and exceptions turned round: "even if" for "unless", "without registration" for "after registration"."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from services.common.domain.verdict import IssueType, RemedyKind
from services.validation.domain.analysis import Analysis, Term
from services.validation.domain.case import Case, Finding, Reading
from services.validation.domain.reading.evidence import Unit
from services.validation.domain.reading.patterns import Pattern
from services.validation.domain.wording.align import TRANSLATION, Bag, cover, in_span, match

_CONCESSION = Pattern(
    r"\b(?:even (?:if|when|where|with|though|after|while|during|for|in|at|on)"
    r"|regardless of (?:whether)?|irrespective of|whether or not"
    r"|no matter (?:if|whether)|(?:also|and) (?:if|when|where|in case))\b"
    r"|(?<![相接])连(?=[^，。；]{1,16}[也都])|即使|即便|哪怕|就算|无论是否|不论是否|不管是否"
    r"|(?P<back>[时的]?也(?:不例外|一样|同样|照样|受限|受此限)|,? (?:is|are|being) no exceptions?\b)"
)
_EXCEPTING = Pattern(
    r"\b(?:unless|except(?: (?:if|when|where|with|after|while|during|for|in|at|on))?"
    r"|only (?:if|when|where|with|after)|provided that|as long as"
    r"|on condition that|not (?:\w+ ){0,3}(?:until|without))\b|除非"
    r"|除(?=[^，。；]{1,20}外(?!，?[^，。；]{0,8}[还也另]))"
    r"|未经|非经|未获得?|未取得|只有|方可|才可以?"
    r"|才能|(?P<back>的?除外)"
)
# Where the main clause begins without a comma: 即使拿到同意也不能, 未经同意不得.
_MAIN_CLAUSE = re.compile(r"也|都|仍|不得|不能|不可|才|方可|就")
_STOP = re.compile(r"[;；。,，:：]")
_SAME_SCOPE = 0.5


def exception_turned(case: Case, reading: Reading) -> Iterator[Finding]:
    """ "Even if X" where the evidence says "unless X", and the reverse: the exception itself is denied."""
    for here, there in ((_CONCESSION, _EXCEPTING), (_EXCEPTING, _CONCESSION)):
        for mine in here.finditer(reading.analysis.low):
            scope = _scope(reading.analysis, mine)
            if not scope or _also_there(case, reading, there, scope):
                continue
            found = _denying(case, reading, scope, here, there)
            if found is not None:
                unit, place = found
                yield _contradiction(reading, unit, (mine.start(), mine.end()), place)
                return


def _also_there(case: Case, reading: Reading, there: Pattern, scope: Sequence[Term]) -> bool:
    """The statement says the other of the same condition too."""
    texts = (_scope_text(reading.analysis, found) for found in there.finditer(reading.analysis.low))
    return any(cover(scope, Bag.of([case.analyser.analyse(text)])).share >= _SAME_SCOPE for text in texts)


def _denying(
    case: Case, reading: Reading, scope: Sequence[Term], here: Pattern, there: Pattern
) -> tuple[Unit, tuple[int, int]] | None:
    """The sentence that makes an exception of what the statement includes, or the reverse, and where it says so."""
    rest = [t for t in reading.analysis.terms if t not in scope]
    for unit in case.units(reading.cited):
        if rest and not cover(rest, case.bags.unit(unit)).matched:
            continue
        for other in there.finditer(unit.analysis.low):
            theirs = Bag.of([case.analyser.analyse(_scope_text(unit.analysis, other))])
            if cover(scope, theirs).share >= _SAME_SCOPE and not here.search(unit.analysis.low):
                return unit, other.span()
    return None


def _scope_text(analysis: Analysis, found: re.Match[str]) -> str:
    """What an excepting word governs: the words up to the next comma, or before 除外."""
    if "back" in found.re.groupindex and found["back"]:
        cuts = [m.end() for m in _STOP.finditer(analysis.text, 0, found.start())]
        return analysis.text[cuts[-1] if cuts else 0 : found.start()]
    stop = _STOP.search(analysis.text, found.end())
    concedes = found.re is _CONCESSION.compiled
    inner = _MAIN_CLAUSE.search(analysis.text, found.end()) if concedes or analysis.han else None
    if inner is not None and (stop is None or inner.start() < stop.start()):
        stop = inner
    return analysis.text[found.end() : stop.start() if stop else len(analysis.text)]


def _scope(analysis: Analysis, found: re.Match[str]) -> list[Term]:
    text = _scope_text(analysis, found)
    start = analysis.text.find(text)
    return in_span(analysis.terms, start, start + len(text))


_WAIVES = Pattern(
    r"(?:无需|无须|不需要?|不必|毋须|未经|不用|免于|免予)(?:经过?|进行|办理|事先|另行|任何|再|提交|提供)?"
    r"(?P<zh>[\u4e00-\u9fff]{2,6})"
    r"|\bwithout (?:any |a |an |the |prior |previous |further |having to )*(?!such\b)(?P<en>[a-z]+(?: [a-z]+)?)"
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
            if _WAIVES.search(unit.analysis.low):
                continue
            across = unit.analysis.han != reading.analysis.han
            low, lexicon = unit.analysis.low, case.config.lexicon
            place = next(
                (t for t in unit.analysis.terms if t.key == word.key or (across and _means(case, word, t))), None
            )
            if place is None or lexicon.exception.search(low) or lexicon.unless.search(low):
                continue
            if _DEMANDS.search(low, max(0, place.start - _REACH), place.start):
                yield _contradiction(reading, unit, (found.start(), found.end()), (place.start, place.end))
                return


def _means(case: Case, word: Term, other: Term) -> bool:
    """A word of one language is a word of the other."""
    return match(word, Bag.of([case.analyser.analyse(other.word.surface)])) >= TRANSLATION


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
