"""Which of the conflicts that were found is one a reader would call so: the same thing, the same period, two values."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from services.common.domain.verdict import Conflict, Sufficiency
from services.orchestrator.domain.evidence import Evidence
from services.orchestrator.domain.growth import PERIOD
from services.orchestrator.domain.sentences import sentence_at

NAMED = re.compile(r"(?<![A-Za-z0-9])[A-Za-z]+-?\d[A-Za-z0-9-]*")


@dataclass(frozen=True, slots=True)
class OpenConflict:
    """An undecided conflict of two quotable sentences; numbers are those of the sources."""

    conflict: Conflict
    sentences: dict[int, str]

    def concerns(self, number: int, text: str) -> bool:
        """True if the sentence of that source is one of its sides."""
        return self.sentences.get(number) == text


def open_conflicts(sufficiency: Sufficiency | None, evidence: Sequence[Evidence]) -> list[OpenConflict]:
    """The conflicts to be told. Headings cannot be quoted; other models or other periods may differ in peace."""
    found = []
    for conflict in sufficiency.conflicts if sufficiency else ():
        sides = {
            number: quotable(text, evidence, number)
            for number, text in ((conflict.citation_a, conflict.sentence_a), (conflict.citation_b, conflict.sentence_b))
        }
        if conflict.decided_by or len(sides) != 2 or not all(sides.values()):
            continue
        one, other = sides.values()
        if _compatible(NAMED, one, other) and _compatible(PERIOD, one, other):
            found.append(OpenConflict(conflict, sides))
    return found


def quotable(text: str, evidence: Sequence[Evidence], number: int) -> str:
    """The sentence of a passage that a conflict's sentence is; empty if it is none that can be quoted."""
    if not 1 <= number <= len(evidence):
        return ""
    passage = evidence[number - 1].chunk.text
    at = passage.find(text)
    return sentence_at(passage, at) if at >= 0 else ""


def _compatible(pattern: re.Pattern[str], one: str, other: str) -> bool:
    """False if both name such things and not the same ones."""
    first = {m.group().lower() for m in pattern.finditer(one)}
    second = {m.group().lower() for m in pattern.finditer(other)}
    return not first or not second or first == second
