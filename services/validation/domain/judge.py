"""Runs the checks under the policy and makes the verdict: issues with remedies, evidence, confidence."""

from __future__ import annotations

import math
from collections.abc import Sequence
from datetime import date

from services.common.domain.document import Chunk
from services.common.domain.question import ParsedQuestion, Span
from services.common.domain.verdict import (
    Issue,
    IssueType,
    Remedy,
    RemedyKind,
    Severity,
    StatementVerdict,
    Verdict,
)
from services.validation.domain.analysis import Analyser
from services.validation.domain.case import Case, Finding, Reading
from services.validation.domain.checks import Check, all_checks
from services.validation.domain.config import OFF, WARN, ValidationConfig
from services.validation.domain.wording.support import evidence_links, support_of

# What a blocking issue takes from the log-odds of a statement that follows its best sentence word for word. In a loose
# retelling it takes little: the support score has already seen what is missing, and findings are less certain.
_ISSUE_LOG_ODDS = 6.0
_CLOSENESS_POWER = 20


def judge(
    question: str, parsed: ParsedQuestion | None, answer: str, chunks: Sequence[Chunk], as_of: date | None, today: date,
    config: ValidationConfig, analyser: Analyser,
) -> Verdict:  # fmt: skip
    """Judge an answer; see ``validator.validate_answer``."""
    case = Case(question, parsed, answer[: config.limits.answer_chars], chunks, as_of, today, config, analyser)
    issues = _issues(case)
    statements = tuple(_statement_verdict(case, reading, issues) for reading in case.readings)
    valid = not any(issue.severity is Severity.BLOCK for issue in issues)
    claims = [s.confidence for s in statements if s.is_claim]
    confidence = min(claims, default=1.0 if valid else 0.0)
    if not valid and not any(s.is_claim and not s.supported for s in statements):
        confidence = _with_issue(confidence, 1.0)
    return Verdict(valid and bool(statements), confidence, statements, issues)


def _issues(case: Case) -> tuple[Issue, ...]:
    found: dict[tuple[IssueType, int, int], Issue] = {}
    for check in all_checks():
        policy = case.config.policy(check.check_id)
        if policy == OFF:
            continue
        severity = Severity.WARN if policy == WARN else Severity.BLOCK
        for finding in check.run(case):
            number = finding.citation if finding.type is IssueType.CITATION_NOT_RETRIEVED else 0
            key = (finding.type, finding.statement, number)
            issue = _issue(case, check, finding, severity)
            known = found.get(key)
            if known is None or _better(issue, known):
                found[key] = issue
    return tuple(sorted(found.values(), key=lambda issue: (issue.statement_index, issue.check_id, issue.type)))


def _better(issue: Issue, known: Issue) -> bool:
    """Of two issues of one type on one statement the blocking one stays, then the one with the cheaper repair."""
    if issue.severity is not known.severity:
        return issue.severity is Severity.BLOCK
    return issue.remedy.kind is RemedyKind.RECITE and known.remedy.kind is not RemedyKind.RECITE


def _issue(case: Case, check: Check, finding: Finding, severity: Severity) -> Issue:
    statement = case.readings[finding.statement].statement
    start, end = finding.span or (0, len(statement.text))
    as_of = (case.as_of or case.today).isoformat() if finding.remedy is RemedyKind.RETRIEVE_FRESHER else ""
    return Issue(
        type=finding.type,
        lock=check.lock,
        severity=severity,
        statement_index=finding.statement,
        check_id=check.check_id,
        message=finding.message,
        remedy=Remedy(finding.remedy, finding.queries, finding.recite, as_of),
        statement_span=Span(statement.span.start + start, statement.span.start + end),
        citation=finding.citation,
        evidence_span=Span(*finding.evidence) if finding.evidence else None,
        found=finding.found,
        expected=finding.expected,
    )


def _with_issue(confidence: float, closeness: float) -> float:
    """The confidence of a statement with a blocking issue; ``closeness`` is its best sentence's coverage in [0, 1]."""
    odds = confidence / max(1e-9, 1 - confidence) * math.exp(-_ISSUE_LOG_ODDS * closeness**_CLOSENESS_POWER)
    return odds / (1 + odds)


def _statement_verdict(case: Case, reading: Reading, issues: Sequence[Issue]) -> StatementVerdict:
    mine = [i for i in issues if i.statement_index == reading.index and i.severity is Severity.BLOCK]
    support = support_of(case, reading)
    confidence = support.probability if reading.is_claim else 1.0
    if mine:
        closeness = max((a.coverage.share for a in support.best), default=1.0)
        confidence = _with_issue(confidence, closeness)
    return StatementVerdict(
        index=reading.index,
        text=reading.statement.text,
        span=reading.statement.span,
        citations=reading.statement.citations,
        is_claim=reading.is_claim,
        supported=not mine,
        confidence=confidence,
        evidence=evidence_links(case, reading, support) if reading.is_claim else (),
    )
