"""Sources that disagree are told as such, unless version, force or authority decides between them."""

from __future__ import annotations

from collections.abc import Iterator

from services.common.domain.verdict import IssueType, Lock, RemedyKind
from services.validation.domain.agreement import Disagreement, disagreements
from services.validation.domain.case import Case, Finding, Reading
from services.validation.domain.checks import register
from services.validation.domain.compare import equal, loosely


@register(
    "conflict",
    Lock.CONSISTENCY,
    sees="two retrieved passages with different values for the same measure, entity and period, of which the"
    " answer names one "
    "silently, or the one that gives way",
    blind="conflicts told in very different words, and with passages that were not retrieved",
)
def check(case: Case) -> Iterator[Finding]:
    """Yield CONFLICTING_SOURCES."""
    if case.config.lexicon.disclosure.search(" ".join(r.analysis.low for r in case.readings)):
        disclosed = {c for r in case.readings for c in r.cited}
    else:
        disclosed = set()
    for reading in case.readings:
        if reading.is_claim and reading.cited:
            found = _undecided(case, reading, disclosed)
            if found is not None:
                yield _finding(reading, found)


def _undecided(case: Case, reading: Reading, disclosed: set[int]) -> Disagreement | None:
    for unit in case.units(reading.cited):
        for quantity in unit.analysis.quantities:
            if quantity.weak or not any(equal(*loosely(q, quantity)) for q in reading.analysis.quantities):
                continue
            for found in disagreements(case, unit, quantity, case.others([unit.citation])):
                both_told = found.second.citation in reading.cited and any(
                    equal(*loosely(q, found.value_second)) for q in reading.analysis.quantities
                )
                if both_told or found.second.citation in disclosed or found.winner == unit.citation:
                    continue
                return found
    return None


def _finding(reading: Reading, found: Disagreement) -> Finding:
    rule = f"; {found.decided_by} decides for [{found.winner}]" if found.winner else ""
    return Finding(
        IssueType.CONFLICTING_SOURCES, reading.index,
        f"[{found.first.citation}] gives {found.value_first.surface}, [{found.second.citation}]"
        f" {found.value_second.surface}{rule}",
        RemedyKind.RECITE if found.winner else RemedyKind.DISCLOSE_CONFLICT, citation=found.second.citation,
        evidence=(found.second.start + found.value_second.start, found.second.start + found.value_second.end),
        found=found.value_first.surface, expected=found.value_second.surface, recite=found.winner,
    )  # fmt: skip
