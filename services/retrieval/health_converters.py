"""Health reports, conflicts and refusals as protobuf."""

from __future__ import annotations

from collections.abc import Mapping

from services.common.printable import printable
from services.retrieval.converters import to_proto_knowledge_base, to_timestamp
from services.retrieval.domain.conflict.conflicts import Conflict, ConflictKind
from services.retrieval.domain.conflict.statements import Statement
from services.retrieval.domain.ports import RejectedDocument
from services.retrieval.domain.quality.document_health import DocumentHealth
from services.retrieval.service.knowledge_bases import HealthReport
from trirag.retrieval.v1 import knowledge_base_pb2 as pb

_KINDS = {
    ConflictKind.SUPERSEDED: pb.CONFLICT_KIND_SUPERSEDED,
    ConflictKind.CONFLICT: pb.CONFLICT_KIND_CONFLICT,
}


def to_proto_report(report: HealthReport) -> pb.GetHealthReportResponse:
    """Every field has its namesake."""
    return pb.GetHealthReportResponse(
        knowledge_base=to_proto_knowledge_base(report.record),
        figures=dict(report.figures),
        findings=[
            pb.HealthFinding(kind=f.kind, document_ids=f.document_ids, message=f.message) for f in report.findings
        ],
        documents=[_to_proto_document(document) for document in report.documents],
        rejected=[_to_proto_rejected(document, earlier) for document, earlier in report.rejected],
        conflicts=[to_proto_conflict(conflict, report.titles) for conflict in report.conflicts],
    )


def to_proto_conflict(conflict: Conflict, titles: Mapping[str, str]) -> pb.Conflict:
    """A conflict; ``titles`` by document id."""
    return pb.Conflict(
        kind=_KINDS[conflict.kind],
        first=_to_proto_side(conflict.first, titles),
        second=_to_proto_side(conflict.second, titles),
        remedy=conflict.remedy,
        reason=conflict.reason,
    )


def _to_proto_side(statement: Statement, titles: Mapping[str, str]) -> pb.ConflictSide:
    return pb.ConflictSide(
        document_id=statement.document_id,
        title=titles.get(statement.document_id, ""),
        heading_path=statement.heading_path,
        sentence=statement.sentence,
        values=statement.values,
    )


def _to_proto_document(health: DocumentHealth) -> pb.DocumentHealth:
    return pb.DocumentHealth(
        document_id=health.document_id,
        title=health.title,
        language=health.language,
        content_health=health.content_health,
        figures=dict(health.figures),
        extracted_dates=health.extracted_dates,
        dated=health.dated,
        findings=health.findings,
    )


def _to_proto_rejected(document: RejectedDocument, earlier: bool) -> pb.RejectedDocument:
    return pb.RejectedDocument(
        origin=printable(document.origin),
        document_id=document.document_id,
        reason=document.reason,
        message=document.message,
        rejected_at=to_timestamp(document.rejected_at),
        earlier_version_stored=earlier,
    )
