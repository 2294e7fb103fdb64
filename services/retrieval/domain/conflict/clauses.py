"""Sentences cut into clauses, so that a value is read with what is said of it and not with all that is beside it."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from services.retrieval.domain.values.number_words import ENGLISH_NUMBER
from services.retrieval.domain.values.time_spans import UNIT

_BREAK = re.compile(
    r"(?P<asked>[?？])\s+|[;；]\s*|[,，](?!\s?\d)\s*(?:(?:and|but)(?: then)?\s)?"
    r"|\s(?=(?:although|though|while|whereas|but|unless)\s)|\sand then\s"
    # What is told of a pronoun alone (after you noticed it), and what comes only then (before an agency is engaged).
    r"|\s(?=(?:after|before|once|when|until|unless|as soon as)\s(?:you|they|it|we|he|she|one)\s)"
    r"|(?<!days)(?<!hours)(?<!weeks)(?<!months)(?<!minutes)(?<!years)\s(?=before\s(?:an?|the)\s)"
    # Within 30 days and by post; but between two hours and four hours.
    r"|(?:(?<=days)|(?<=weeks)|(?<=months)|(?<=hours)|(?<=minutes)|(?<=years)|(?<=percent)|(?<=%))"
    rf"\sand\s(?!\d|(?:{ENGLISH_NUMBER})\s|half\s)(?!(?:{UNIT}))",
    re.IGNORECASE,
)
# A clause that tells when something is done stands beside what is stated; one that tells a case belongs to it.
_BESIDE = re.compile(r"\s*(?:before|after|to|in order to|as soon as|once)\s", re.IGNORECASE)
# Whom one turns to and by what: to the security team, through the portal, 向安全组, 通过系统.
_CHANNEL = re.compile(
    r"(?<![A-Za-z])(?:to|via|through|using|in) (?:the|your|our|their) (?:[a-z]+ ){0,2}"
    r"(?:team|department|desk|office|unit|portal|hotline|helpdesk|tool|form|app)(?![A-Za-z])"
    r"|(?:向|给|通过|经由)[\u3400-\u9fff]{1,6}?(?:部门|部|组|中心|办公室|人员|平台|系统|窗口)",
    re.IGNORECASE,
)
# More clauses are a list of names.
_MOST_CLAUSES = 12


@dataclass(frozen=True, slots=True)
class Clause:
    """``text`` states values, with the cases before it; ``beside`` is the rest of the sentence that states none, and
    ``series`` what does."""

    text: str
    beside: str
    series: str = ""


def clauses(sentence: str, has_value: Callable[[str], bool]) -> list[Clause]:
    """The clauses of ``sentence`` that state values; none if it is one clause."""
    cuts = list(_BREAK.finditer(sentence))
    if not cuts or len(cuts) >= _MOST_CLAUSES:
        return []
    starts, ends = [0, *(m.end() for m in cuts)], [*(m.start() for m in cuts), len(sentence)]
    asked = [bool(m["asked"]) for m in cuts]
    parts = [sentence[a:b] for a, b in zip(starts, ends, strict=True)]
    valued = [has_value(part) for part in parts]
    found = []
    for index, part in enumerate(parts):
        if not valued[index]:
            continue
        first = index
        while first and not valued[first - 1] and not asked[first - 1] and not _BESIDE.match(parts[first - 1]):
            first -= 1
        text = sentence[starts[first] : ends[index]] if first < index else part
        rest = [n for n in range(len(parts)) if not first <= n <= index]
        beside, series = (" ".join(parts[n] for n in rest if valued[n] is which) for which in (False, True))
        if (beside + series).strip(" .。"):
            found.append(Clause(text, beside, series))
    return found


def without_channels(text: str) -> str:
    """``text`` without whom one turns to and by what, which is no part of the rule that has a value."""
    return _CHANNEL.sub(" ", text)
