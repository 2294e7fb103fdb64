"""From a verdict to what is done next: repair the draft, search again, write again, or give up on it."""

from __future__ import annotations

import enum
from collections.abc import Sequence
from dataclasses import dataclass

from services.common.domain.verdict import Issue, RemedyKind, Severity, Verdict
from services.orchestrator.domain.draft import Draft

RETRIEVING = frozenset({RemedyKind.RETRIEVE_MISSING, RemedyKind.RETRIEVE_FRESHER})


class Decision(enum.StrEnum):
    """What is done about a verdict."""

    ACCEPT = "accept"
    REPAIR = "repair"
    RETRIEVE = "retrieve"
    REGENERATE = "regenerate"
    COMPOSE = "compose"
    REFUSE = "refuse"
    WITHHOLD = "withhold"


@dataclass(frozen=True, slots=True)
class Chances:
    """What is left: search rounds, writing attempts, and whether the draft was repaired already."""

    rounds: int
    attempts: int
    repaired: bool


def blocking(verdict: Verdict) -> tuple[Issue, ...]:
    """The issues that make it invalid."""
    return tuple(i for i in verdict.issues if i.severity is Severity.BLOCK)


def repaired(draft: Draft, verdict: Verdict) -> Draft | None:
    """The draft with statements re-cited or dropped as the issues say; None if no claim would be left.

    A statement with several issues is dropped unless re-citing is the remedy of all of them.
    """
    by_statement: dict[int, list[Issue]] = {}
    for issue in blocking(verdict):
        index = draft.at(issue.statement_span) if issue.statement_span else None
        if index is None:
            return None
        by_statement.setdefault(index, []).append(issue)
    dropped: list[int] = []
    result = draft
    for index, issues in by_statement.items():
        targets = {i.remedy.citation for i in issues if i.remedy.kind is RemedyKind.RECITE and i.remedy.citation}
        recitable = len(targets) == 1 and all(i.remedy.kind is RemedyKind.RECITE for i in issues)
        if recitable:
            result = result.recited(index, targets.pop())
        else:
            dropped.append(index)
    result = result.without(dropped)
    return result if result.claims and result != draft else None


def retrieval_queries(verdict: Verdict) -> tuple[str, ...]:
    """Searches that the issues ask for, without repetition."""
    found: dict[str, None] = {}
    for issue in blocking(verdict):
        if issue.remedy.kind in RETRIEVING:
            found.update(dict.fromkeys(q for q in issue.remedy.queries if q.strip()))
    return tuple(found)


def decide(draft: Draft, verdict: Verdict, chances: Chances) -> Decision:
    """Accept what is valid; else the cheapest remedy that can still work."""
    if verdict.valid:
        return Decision.ACCEPT
    if chances.rounds > 0 and retrieval_queries(verdict):
        return Decision.RETRIEVE
    if not chances.repaired and repaired(draft, verdict) is not None:
        return Decision.REPAIR
    return Decision.REGENERATE if chances.attempts > 0 else Decision.COMPOSE


def feedback(verdict: Verdict, limit: int = 4) -> Sequence[str]:
    """The issues in words, for the next attempt's prompt."""
    return [i.message for i in blocking(verdict)[:limit]]
