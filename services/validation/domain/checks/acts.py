"""Acts: the passage's act with another of its things as the one that acts, that is acted on, that receives."""

from __future__ import annotations

from collections.abc import Iterator

from services.common.domain.verdict import IssueType, Lock, RemedyKind
from services.validation.domain.case import Case, Finding
from services.validation.domain.checks import register
from services.validation.domain.roles.acts_compared import exchanged_part


@register(
    "acts",
    Lock.TRACEABILITY,
    sees="an act of the passage told with another thing of the passages as the one that acts, that is acted on, or to"
    " which something is done, in either voice and language",
    blind="acts told with another verb, acts of pronouns",
)
def check(case: Case) -> Iterator[Finding]:
    """Yield ENTITY_MISMATCH."""
    for reading in case.reworded:
        found = exchanged_part(case, reading)
        if found is None:
            continue
        unit = found.unit
        yield Finding(
            IssueType.ENTITY_MISMATCH,
            reading.index,
            "the passage tells this of something else",
            RemedyKind.REGENERATE,
            span=(min(t.start for t in found.mine), max(t.end for t in found.mine)),
            citation=unit.citation,
            evidence=(unit.start + found.other.start, unit.start + found.other.end),
            found=" ".join(t.word.surface for t in found.mine),
            expected=" ".join(t.word.surface for t in found.theirs),
        )
