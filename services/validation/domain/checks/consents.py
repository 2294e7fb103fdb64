"""Nobody's consent is added: a step "with the council's consent" needs a passage that speaks of consenting at all."""

from __future__ import annotations

import re
from collections.abc import Iterator

from services.common.domain.verdict import IssueType, Lock, RemedyKind
from services.validation.domain.case import Case, Finding
from services.validation.domain.checks import register

_CONSENT = r"(?:consent|approval|permission|agreement|authori[sz]ation|sign-off)"
_ADDED = re.compile(
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
    sees="somebody's consent, approval or permission told as a condition where no cited passage speaks of any",
    blind="consent of another person than the passage names (roles does)",
)
def check(case: Case) -> Iterator[Finding]:
    """Yield UNSUPPORTED_STATEMENT."""
    for reading in case.reworded:
        found = _ADDED.search(reading.analysis.low)
        if found is None or _SPEAKS.search(case.bags.cited(reading.cited).low):
            continue
        yield Finding(
            IssueType.UNSUPPORTED_STATEMENT, reading.index, f"no cited passage speaks of this: {found.group().strip()}",
            RemedyKind.REGENERATE, span=found.span(), citation=reading.cited[0], found=found.group().strip(),
        )  # fmt: skip
