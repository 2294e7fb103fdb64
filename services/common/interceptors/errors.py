"""The one mapping from exceptions to gRPC status. No stack trace ever leaves a service."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import NoReturn

import grpc
import structlog

from services.common.errors import (
    STATUS_DETAILS_KEY,
    DeadlineExceeded,
    Internal,
    TriragError,
    Unavailable,
    to_status,
)
from services.common.identity import current_request_id
from services.common.interceptors.base import AroundInterceptor, Call

log = structlog.get_logger("rpc")


class ErrorInterceptor(AroundInterceptor):
    """Turns whatever a servicer raises into a status that tells the client what to do."""

    @asynccontextmanager
    async def around(self, call: Call, context: grpc.aio.ServicerContext) -> AsyncIterator[None]:
        """Maps exceptions; cancellation and aborts pass as they are."""
        try:
            yield
        except (asyncio.CancelledError, GeneratorExit, grpc.aio.AbortError):
            raise
        except TriragError as error:
            if error.code is grpc.StatusCode.INTERNAL:
                log.error("internal_error", method=call.method, reason=error.reason, message=error.message)
            await _abort(context, error)
        except grpc.aio.AioRpcError as error:
            log.warning("upstream_failed", method=call.method, code=error.code().name, details=error.details())
            await _abort(context, _from_upstream(error))
        except TimeoutError:
            await _abort(context, DeadlineExceeded("DEADLINE_EXCEEDED", "the deadline passed before the work was done"))
        except Exception:
            log.exception("unexpected_error", method=call.method)
            await _abort(context, _unexpected())


def _from_upstream(error: grpc.aio.AioRpcError) -> TriragError:
    if error.code() is grpc.StatusCode.DEADLINE_EXCEEDED:
        return DeadlineExceeded("DEADLINE_EXCEEDED", "a service that is needed did not answer in time")
    return Unavailable("UPSTREAM_FAILED", "a service that is needed is unavailable; try again", retry_after=1.0)


def _unexpected() -> Internal:
    request_id = current_request_id()
    return Internal(
        "UNEXPECTED",
        f"an unexpected fault; give the operator request id {request_id}",
        metadata={"request_id": request_id},
    )


async def _abort(context: grpc.aio.ServicerContext, error: TriragError) -> NoReturn:
    status = to_status(error)
    await context.abort(
        error.code, error.message, trailing_metadata=((STATUS_DETAILS_KEY, status.SerializeToString()),)
    )
    raise AssertionError("abort returns never")
