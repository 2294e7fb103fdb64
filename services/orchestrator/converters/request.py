"""AskRequest to Ask."""

from __future__ import annotations

from datetime import UTC, date, datetime
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from services.common.dates import from_proto_date
from services.common.errors import InvalidInput
from services.orchestrator.domain.events import Ask
from services.orchestrator.domain.plan import SearchFilters
from trirag.orchestrator.v1 import orchestrator_pb2 as pb


def from_proto_ask(request: pb.AskRequest) -> Ask:
    """Raises InvalidInput for a date that does not exist or an unknown time zone."""
    filters = request.filter
    return Ask(
        question=request.question,
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


def today_in(time_zone: str) -> date:
    """Today in a time zone; empty means UTC. Raises InvalidInput for an unknown one."""
    if not time_zone:
        return datetime.now(UTC).date()
    try:
        return datetime.now(ZoneInfo(time_zone)).date()
    except (ZoneInfoNotFoundError, ValueError, OSError):
        raise InvalidInput.of_field(
            "time_zone", f"{time_zone!r} is no IANA time zone; write one such as Asia/Shanghai", "UNKNOWN_TIME_ZONE"
        ) from None
