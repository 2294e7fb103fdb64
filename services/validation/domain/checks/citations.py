"""Every claim carries a citation, and every citation was retrieved."""

from __future__ import annotations

from collections.abc import Iterator

from services.common.domain.verdict import IssueType, Lock, RemedyKind
from services.validation.domain.case import Case, Finding, Reading
from services.validation.domain.checks import register

_GOOD_SUPPORT = 0.75


@register(
    "citations",
    Lock.TRACEABILITY,
    sees="claims without a citation; citation numbers that no retrieved passage has",
    blind="whether the cited passage supports the claim (support, quantities and the other checks do)",
)
def check(case: Case) -> Iterator[Finding]:
    """Yield UNCITED_STATEMENT and CITATION_NOT_RETRIEVED."""
    for reading in case.readings:
        for number in reading.unknown:
            recite = _best_passage(case, reading)
            yield Finding(
                IssueType.CITATION_NOT_RETRIEVED,
                reading.index,
                f"[{number}] is not among the {len(case.passages)} retrieved passages",
                RemedyKind.RECITE if recite else RemedyKind.DROP_STATEMENT,
                citation=number,
                found=f"[{number}]",
                expected=f"[{recite}]" if recite else f"1 to {len(case.passages)}",
                recite=recite,
            )
        if reading.is_claim and not reading.statement.citations:
            recite = _best_passage(case, reading)
            yield Finding(
                IssueType.UNCITED_STATEMENT,
                reading.index,
                "the statement asserts something and cites nothing",
                RemedyKind.RECITE if recite else RemedyKind.DROP_STATEMENT,
                expected=f"[{recite}]" if recite else "",
                recite=recite,
            )


def _best_passage(case: Case, reading: Reading) -> int:
    """The passage that carries the statement well enough to be cited instead, 0 if none does."""
    best = case.align(reading, [p.citation for p in case.passages])
    return best[0].unit.citation if best and best[0].score >= _GOOD_SUPPORT else 0
