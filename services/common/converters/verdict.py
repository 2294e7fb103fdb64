"""Verdicts and judgements of sufficiency."""

from __future__ import annotations

from datetime import date

from services.common.converters.basics import from_proto_enum, from_proto_span, to_proto_enum, to_proto_span
from services.common.dates import from_proto_date, to_proto_date
from services.common.domain.verdict import (
    Conflict,
    Contribution,
    EvidenceLink,
    Issue,
    IssueType,
    Lock,
    Need,
    Remedy,
    RemedyKind,
    Severity,
    StatementVerdict,
    Sufficiency,
    SufficiencyLabel,
    Verdict,
)
from trirag.validation.v1 import validation_pb2 as pb


def to_proto_verdict(verdict: Verdict) -> pb.Verdict:
    """The message form of a verdict."""
    return pb.Verdict(
        valid=verdict.valid,
        confidence=verdict.confidence,
        statements=[_statement(s) for s in verdict.statements],
        issues=[_issue(i) for i in verdict.issues],
    )


def from_proto_verdict(message: pb.Verdict) -> Verdict:
    """The dataclass form of a verdict."""
    return Verdict(
        message.valid,
        message.confidence,
        tuple(_from_statement(s) for s in message.statements),
        tuple(_from_issue(i) for i in message.issues),
    )


def to_proto_sufficiency(sufficiency: Sufficiency) -> pb.CheckSufficiencyResponse:
    """The message form of a judgement."""
    return pb.CheckSufficiencyResponse(
        label=to_proto_enum(pb.SufficiencyLabel, "SUFFICIENCY_LABEL", sufficiency.label),
        score=sufficiency.score,
        needs=[
            pb.Need(
                need_id=n.need_id,
                description=n.description,
                kind=n.kind,
                covered_by=n.covered_by,
                queries=n.queries,
            )
            for n in sufficiency.needs
        ],
        conflicts=[
            pb.Conflict(
                citation_a=c.citation_a,
                citation_b=c.citation_b,
                value_a=c.value_a,
                value_b=c.value_b,
                about=c.about,
                sentence_a=c.sentence_a,
                sentence_b=c.sentence_b,
                decided_by=c.decided_by,
            )
            for c in sufficiency.conflicts
        ],
    )


def from_proto_sufficiency(message: pb.CheckSufficiencyResponse) -> Sufficiency:
    """The dataclass form of a judgement."""
    label = from_proto_enum(
        pb.SufficiencyLabel,
        "SUFFICIENCY_LABEL",
        SufficiencyLabel,
        message.label,
        SufficiencyLabel.INSUFFICIENT,
    )
    return Sufficiency(
        label,
        message.score,
        tuple(Need(n.need_id, n.description, n.kind, tuple(n.covered_by), tuple(n.queries)) for n in message.needs),
        tuple(
            Conflict(
                c.citation_a,
                c.citation_b,
                c.value_a,
                c.value_b,
                c.about,
                c.sentence_a,
                c.sentence_b,
                c.decided_by,
            )
            for c in message.conflicts
        ),
    )


def _statement(s: StatementVerdict) -> pb.StatementVerdict:
    return pb.StatementVerdict(
        index=s.index,
        text=s.text,
        span=to_proto_span(s.span),
        citations=s.citations,
        is_claim=s.is_claim,
        supported=s.supported,
        confidence=s.confidence,
        evidence=[
            pb.EvidenceLink(
                citation=e.citation,
                chunk_id=e.chunk_id,
                span=to_proto_span(e.span),
                score=e.score,
                matched=[to_proto_span(m) for m in e.matched],
                contributions=[
                    pb.Contribution(feature=c.feature, value=c.value, weight=c.weight) for c in e.contributions
                ],
            )
            for e in s.evidence
        ],
    )


def _from_statement(s: pb.StatementVerdict) -> StatementVerdict:
    return StatementVerdict(
        s.index,
        s.text,
        from_proto_span(s.span),
        tuple(s.citations),
        s.is_claim,
        s.supported,
        s.confidence,
        tuple(
            EvidenceLink(
                e.citation,
                e.chunk_id,
                from_proto_span(e.span),
                e.score,
                tuple(from_proto_span(m) for m in e.matched),
                tuple(Contribution(c.feature, c.value, c.weight) for c in e.contributions),
            )
            for e in s.evidence
        ),
    )


def _issue(issue: Issue) -> pb.Issue:
    as_of = date.fromisoformat(issue.remedy.as_of) if issue.remedy.as_of else None
    return pb.Issue(
        type=to_proto_enum(pb.IssueType, "ISSUE_TYPE", issue.type),
        lock=to_proto_enum(pb.Lock, "LOCK", issue.lock),
        severity=to_proto_enum(pb.Severity, "SEVERITY", issue.severity),
        statement_index=issue.statement_index,
        check_id=issue.check_id,
        message=issue.message,
        remedy=pb.Remedy(
            kind=to_proto_enum(pb.RemedyKind, "REMEDY_KIND", issue.remedy.kind),
            queries=issue.remedy.queries,
            citation=issue.remedy.citation,
            as_of=to_proto_date(as_of),
        ),
        statement_span=None if issue.statement_span is None else to_proto_span(issue.statement_span),
        citation=issue.citation,
        evidence_span=None if issue.evidence_span is None else to_proto_span(issue.evidence_span),
        found=issue.found,
        expected=issue.expected,
    )


def _from_issue(i: pb.Issue) -> Issue:
    as_of = from_proto_date(i.remedy.as_of, "remedy.as_of").isoformat() if i.remedy.HasField("as_of") else ""
    return Issue(
        from_proto_enum(pb.IssueType, "ISSUE_TYPE", IssueType, i.type, IssueType.UNSUPPORTED_STATEMENT),
        from_proto_enum(pb.Lock, "LOCK", Lock, i.lock, Lock.TRACEABILITY),
        from_proto_enum(pb.Severity, "SEVERITY", Severity, i.severity, Severity.BLOCK),
        i.statement_index,
        i.check_id,
        i.message,
        Remedy(
            from_proto_enum(pb.RemedyKind, "REMEDY_KIND", RemedyKind, i.remedy.kind, RemedyKind.REGENERATE),
            tuple(i.remedy.queries),
            i.remedy.citation,
            as_of,
        ),
        from_proto_span(i.statement_span) if i.HasField("statement_span") else None,
        i.citation,
        from_proto_span(i.evidence_span) if i.HasField("evidence_span") else None,
        i.found,
        i.expected,
    )
