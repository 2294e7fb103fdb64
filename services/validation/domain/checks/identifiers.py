"""Numbers of requirements and sections with three parts or more (10.4.5) stand in the cited passage as they are."""

from __future__ import annotations

import re
from collections.abc import Iterator

from services.common.domain.verdict import IssueType, Lock, RemedyKind
from services.validation.domain.case import Case, Finding, Reading
from services.validation.domain.checks import register

_DOTTED = re.compile(r"(?<![a-z0-9.])v?(?P<n>\d{1,4}(?:\.\d{1,4}){2,5})(?![a-z0-9]|\.\d)")


@register(
    "identifiers",
    Lock.TRACEABILITY,
    sees="numbers of three parts or more that neither the cited passages and their titles nor the question have",
    blind="numbers of one or two parts, which may be values",
)
def check(case: Case) -> Iterator[Finding]:
    """Yield MISQUOTED_REFERENCE."""
    for reading in case.claims:
        for match in _DOTTED.finditer(reading.analysis.low):
            dated = any(m.start < match.end() and match.start() < m.end for m in reading.analysis.moments)
            if not dated and not _known(case, reading, match["n"]):
                yield _finding(case, reading, match)


def _known(case: Case, reading: Reading, number: str) -> bool:
    passages = [case.passage(citation) for citation in reading.cited]
    texts = [case.question.text, *(p.low for p in passages), *(p.title.low for p in passages)]
    exact = re.compile(rf"(?<![\d.]){re.escape(number)}(?!\d|\.\d)")
    return any(exact.search(text) for text in texts)


def _finding(case: Case, reading: Reading, match: re.Match[str]) -> Finding:
    others = case.others(reading.cited)
    recite = next((c for c in others if match["n"] in case.passage(c).low), 0)
    return Finding(
        IssueType.MISQUOTED_REFERENCE,
        reading.index,
        f"{match['n']} is not in the cited passage" + (f", [{recite}] has it" if recite else ""),
        RemedyKind.RECITE if recite else RemedyKind.DROP_STATEMENT,
        span=(match.start("n"), match.end("n")),
        citation=reading.cited[0],
        found=match["n"],
        expected=f"[{recite}]" if recite else "",
        recite=recite,
    )
