"""What a failed call to another service means to the loop."""

from __future__ import annotations

import grpc
import pytest

from services.common.errors import STATUS_DETAILS_KEY, InvalidInput, to_status
from services.orchestrator.adapters.rpc import translated
from services.orchestrator.domain.messages import Reason
from services.orchestrator.ports import PartUnavailable


def failed(code: grpc.StatusCode, *details: tuple[str, bytes]) -> grpc.aio.AioRpcError:
    return grpc.aio.AioRpcError(code, grpc.aio.Metadata(), grpc.aio.Metadata(*details), "as it was told")


def refused() -> grpc.aio.AioRpcError:
    status = to_status(InvalidInput.of_field("time_zone", "is none")).SerializeToString()
    return failed(grpc.StatusCode.INVALID_ARGUMENT, (STATUS_DETAILS_KEY, status))


def test_a_field_that_the_caller_gave_is_the_callers_to_mend():
    error = translated("perception", refused(), callers_own=True)
    assert isinstance(error, InvalidInput)
    assert [v.field for v in error.violations] == ["time_zone"]


def test_a_request_made_here_is_not():
    error = translated("validation", refused())
    assert isinstance(error, PartUnavailable)
    assert error.reason is Reason.FAILED


@pytest.mark.parametrize(
    ("code", "reason"),
    [
        (grpc.StatusCode.UNAVAILABLE, Reason.UNAVAILABLE),
        (grpc.StatusCode.DEADLINE_EXCEEDED, Reason.TIMEOUT),
        (grpc.StatusCode.INTERNAL, Reason.FAILED),
    ],
)
def test_the_reason_is_told(code, reason):
    assert translated("retrieval", failed(code)).reason is reason
