"""From a verdict to what is done next: repair the draft, search again, write again, or give up on it."""

from __future__ import annotations

import enum
from collections.abc import Sequence
from dataclasses import dataclass, replace

from services.common.domain.verdict import Issue, IssueType, RemedyKind, Severity, Verdict
from services.orchestrator.domain.draft import Draft, DraftStatement
from services.orchestrator.domain.sentences import sentence_at

# These concern the answer as a whole: leaving a statement out makes them worse.
WHOLE_ANSWER = frozenset({IssueType.INCOMPLETE_ANSWER, IssueType.COMPARISON_MISSING_SIDE})
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


@dataclass(frozen=True, slots=True)
class RepairKit:
    """What a repair may use: the texts of the sources in citation order, and the lead-in of a disclosed conflict."""

    texts: Sequence[str]
    conflict_lead_in: str


def repaired(draft: Draft, verdict: Verdict, kit: RepairKit) -> Draft | None:
    """The draft with statements re-cited, dropped, or set beside what contradicts them; None if nothing is left.

    A statement with several issues is dropped unless one remedy mends all of them.
    """
    issues = blocking(verdict)
    if any(i.type in WHOLE_ANSWER for i in issues):
        return None
    by_statement: dict[int, list[Issue]] = {}
    for issue in issues:
        index = draft.at(issue.statement_span) if issue.statement_span else None
        if index is None:
            return None
        by_statement.setdefault(index, []).append(issue)
    statements: list[DraftStatement] = []
    for index, statement in enumerate(draft.statements):
        statements += _mended(statement, by_statement.get(index, []), kit)
    result = Draft(tuple(dict.fromkeys(statements))).trimmed()
    return result if result.claims and result != draft else None


def _mended(statement: DraftStatement, issues: Sequence[Issue], kit: RepairKit) -> list[DraftStatement]:
    if not issues:
        return [statement]
    kinds = {i.remedy.kind for i in issues}
    targets = {i.remedy.citation for i in issues if i.remedy.citation}
    if kinds == {RemedyKind.RECITE} and len(targets) == 1:
        return [replace(statement, citations=(targets.pop(),))]
    if kinds == {RemedyKind.DISCLOSE_CONFLICT}:
        others = [other for i in issues if (other := _other_side(i, kit)) is not None]
        if others and statement.citations:
            return [DraftStatement(kit.conflict_lead_in), statement, *others]
    return []


def _other_side(issue: Issue, kit: RepairKit) -> DraftStatement | None:
    """The contradicting sentence, quoted from its source."""
    if not 1 <= issue.citation <= len(kit.texts) or issue.evidence_span is None:
        return None
    quoted = sentence_at(kit.texts[issue.citation - 1], issue.evidence_span.start)
    return DraftStatement(quoted, (issue.citation,)) if quoted else None


def unanswered(verdict: Verdict) -> tuple[str, ...]:
    """What the answer as a whole lacks, in words: parts and sides."""
    lacking = [i for i in blocking(verdict) if i.type in WHOLE_ANSWER]
    return tuple(dict.fromkeys(q for i in lacking for q in (i.remedy.queries or (i.expected,)) if q.strip()))


def retrieval_queries(verdict: Verdict) -> tuple[str, ...]:
    """Searches that the issues ask for, without repetition."""
    found: dict[str, None] = {}
    for issue in blocking(verdict):
        if issue.remedy.kind in RETRIEVING:
            found.update(dict.fromkeys(q for q in issue.remedy.queries if q.strip()))
    return tuple(found)


def beside_the_point(verdict: Verdict) -> bool:
    """The verifier doubts that the answer speaks of what is asked.

    It only warns, for a writer may have words of its own. A quotation is chosen by its words: one that has none of the
    question's was chosen by nothing.
    """
    return any(
        i.severity is Severity.WARN and i.type in WHOLE_ANSWER and i.remedy.kind is RemedyKind.RETRIEVE_MISSING
        for i in verdict.issues
    )


def decide(draft: Draft, verdict: Verdict, chances: Chances, kit: RepairKit) -> Decision:
    """Accept what is valid; else the cheapest remedy that can still work."""
    if verdict.valid:
        return Decision.ACCEPT
    if chances.rounds > 0 and retrieval_queries(verdict):
        return Decision.RETRIEVE
    if not chances.repaired and repaired(draft, verdict, kit) is not None:
        return Decision.REPAIR
    return Decision.REGENERATE if chances.attempts > 0 else Decision.COMPOSE


def feedback(verdict: Verdict, limit: int = 4) -> Sequence[str]:
    """The issues in words, for the next attempt's prompt."""
    return [i.message for i in blocking(verdict)[:limit]]
