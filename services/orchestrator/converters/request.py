"""AskRequest and ExplainPlanRequest to Ask."""

from __future__ import annotations

from services.common.dates import from_proto_date, today_in
from services.orchestrator.domain.events import Ask
from services.orchestrator.domain.plan import SearchFilters
from services.orchestrator.domain.question_text import legible
from trirag.orchestrator.v1 import orchestrator_pb2 as pb


def from_proto_ask(request: pb.AskRequest) -> Ask:
    """Raises InvalidInput for a date that does not exist or an unknown time zone."""
    filters = request.filter
    return Ask(
        question=legible(request.question),
        today=today_in(request.time_zone),
        as_of=from_proto_date(request.as_of, "as_of") if request.HasField("as_of") else None,
        knowledge_bases=tuple(dict.fromkeys(request.knowledge_bases)),
        filters=SearchFilters(
            doc_types=tuple(filters.doc_types),
            languages=tuple(filters.languages),
            document_ids=tuple(filters.document_ids),
            min_authority=filters.min_authority,
        ),
        time_zone=request.time_zone,
        extractive_only=request.extractive_only,
    )


def from_proto_explain(request: pb.ExplainPlanRequest) -> Ask:
    """The Ask whose plan is to be explained; raises as :func:`from_proto_ask` does."""
    return from_proto_ask(
        pb.AskRequest(
            question=request.question,
            as_of=request.as_of if request.HasField("as_of") else None,
            knowledge_bases=request.knowledge_bases,
            time_zone=request.time_zone,
        )
    )
