"""What a failed call to another service means to the loop."""

from __future__ import annotations

import grpc
import structlog
from google.rpc import error_details_pb2

from services.common.errors import FieldViolation, InvalidInput, detail_of
from services.orchestrator.domain.messages import Reason
from services.orchestrator.ports import PartUnavailable

log = structlog.get_logger("rpc")
REASONS = {
    grpc.StatusCode.UNAVAILABLE: Reason.UNAVAILABLE,
    grpc.StatusCode.DEADLINE_EXCEEDED: Reason.TIMEOUT,
    grpc.StatusCode.RESOURCE_EXHAUSTED: Reason.OVERLOADED,
    grpc.StatusCode.CANCELLED: Reason.CUT_OFF,
}


def translated(part: str, error: grpc.aio.AioRpcError, *, callers_own: bool = False) -> Exception:
    """PartUnavailable; of a request with the ``callers_own`` fields, InvalidInput with those that were complained of.

    Any other request is made here: if it is refused, its caller has nothing to mend.
    """
    if error.code() is grpc.StatusCode.INVALID_ARGUMENT:
        if callers_own:
            return _invalid(error)
        log.error("request_refused", part=part, details=error.details())
    reason = REASONS.get(error.code(), Reason.FAILED)
    return PartUnavailable(part, reason, f"failed with {error.code().name}" if reason is Reason.FAILED else "")


def _invalid(error: grpc.aio.AioRpcError) -> InvalidInput:
    bad = detail_of(error, error_details_pb2.BadRequest)
    if bad is not None and bad.field_violations:
        return InvalidInput.many([FieldViolation(v.field, v.description, v.reason) for v in bad.field_violations])
    return InvalidInput("INVALID_REQUEST", error.details() or "a service refused the request")
