"""Nobody's consent is added: a step "with the council's consent" needs a passage that speaks of consenting at all."""

from __future__ import annotations

import re
from collections.abc import Iterator

from services.common.domain.verdict import IssueType, Lock, RemedyKind
from services.validation.domain.case import Case, Finding, Reading
from services.validation.domain.checks import register
from services.validation.domain.reading.evidence import Unit
from services.validation.domain.reading.patterns import Pattern

_CONSENT = r"(?:consent|approval|permission|agreement|authori[sz]ation|sign-off)"
_ADDED = Pattern(
    r"\b(?:with|without|after|upon|on|given|subject to|obtain\w*|needs?|requires?)"
    r" (?:the |an? |prior |written |express )*"
    rf"(?:[\w'-]+ ){{0,4}}?{_CONSENT}\b"
    r"|\b(?:once|after|if|provided that|unless) [^,;.]{1,50}? (?:has |have )?"
    r"(?:agreed|agrees?|approved?s?|consented|consents?)\b"
    r"|(?:经|征得|取得|获得?|须|需|未经)[^，。；、]{0,14}?(?:同意|批准|许可|核准|审批)"
)
# Whatever speaks of letting something be done, in either language.
_SPEAKS = re.compile(
    r"consent|approv|agree|permi|authori[sz]|clear(?:ed|ance)|sign|endors|allow|licen[cs]e|accept|confirm|grant|veto"
    r"|\badmit|decid|decision|\bmay be \w+ by\b|决定"
    r"|\b(?:may|can) only\b|only (?:if|after|when|with)"
    r"|同意|批准|许可|核准|审批|准许|准予|签字|签批|签署|授权|认可|允许|审核|审查|确认|核发|通过|报请|批复|备案"
)


@register(
    "consents",
    Lock.TRACEABILITY,
    sees="somebody's consent, approval or permission told as a condition where no cited passage speaks of any,"
    " or waived where the passage demands it",
    blind="consent of another person than the passage names (roles does)",
)
def check(case: Case) -> Iterator[Finding]:
    """Yield UNSUPPORTED_STATEMENT."""
    for reading in case.reworded:
        waived = _WAIVED.search(reading.analysis.low)
        if waived is not None and (unit := _demanding(case, reading, waived)) is not None:
            yield Finding(
                IssueType.NEGATION_MISMATCH, reading.index, "the passage lets it happen only with consent",
                RemedyKind.REGENERATE, span=waived.span(), citation=unit.citation, evidence=(unit.start, unit.end),
                found=waived.group().strip(), expected=unit.analysis.text,
            )  # fmt: skip
            continue
        found = _ADDED.search(reading.analysis.low)
        if found is None or _SPEAKS.search(case.bags.cited(reading.cited).low):
            continue
        yield Finding(
            IssueType.UNSUPPORTED_STATEMENT, reading.index, f"no cited passage speaks of this: {found.group().strip()}",
            RemedyKind.REGENERATE, span=found.span(), citation=reading.cited[0], found=found.group().strip(),
        )  # fmt: skip


# "Without asking anybody", 无需经理同意: the statement does without a consent.
_WAIVED = Pattern(
    rf"\bwithout (?:having to |needing to |first )?(?:ask(?:ing)?\b|(?:the |any |prior |\w+'s? )*{_CONSENT}\b)"
    rf"|\bno (?:prior |further )?{_CONSENT} (?:is |are )?(?:needed|required|necessary)\b"
    rf"|\b(?:need not|needn't|don't need to|do not need to|does not need to|not have to) (?:ask|obtain|get|seek)\b"
    r"|(?:无需|无须|不需要?|不必|毋须|不用)[^，。；、]{0,10}?(?:同意|批准|许可|核准|审批)"
)
_DEMANDED = re.compile(
    rf"\b(?:only )?(?:with|subject to|after|upon|on|requires?|needs?) (?:the |an? |prior |written |express )*"
    rf"(?:[\w'-]+ ){{0,3}}?{_CONSENT}\b"
    r"|(?<!未)(?:经|征得|取得|须|需)[^，。；、无不]{0,14}?(?:同意|批准|许可|核准|审批)"
)


def _demanding(case: Case, reading: Reading, waived: re.Match[str]) -> Unit | None:
    """The sentence that the statement follows best, if it demands a consent that neither text waives."""
    low = reading.analysis.low
    start = max(low.rfind(mark, 0, waived.start()) for mark in ",;，；。") + 1
    end = _PART_END.search(low, waived.end())
    if _NOT_WITHOUT.search(low, start, end.start() if end else len(low)):
        return None
    for aligned in case.align(reading, reading.cited)[:1]:
        unit = aligned.unit
        if aligned.coverage.share < (_FOLLOWS if unit.analysis.han == reading.analysis.han else _ACROSS):
            continue
        if _DEMANDED.search(unit.analysis.low) and not _WAIVED.search(unit.analysis.low):
            return unit
    return None


_PART_END = re.compile(r"[,;，；。]|\.\s")
_FOLLOWS, _ACROSS = 0.4, 0.25
_NOT_WITHOUT = re.compile(
    r"\b(?:not|never|no(?:body| one)?|cannot|can't|mustn't|forbidden|prohibited|banned|unless|except)\b"
    r"|不得|不能|不可|禁止|不许|除非|除"
)
