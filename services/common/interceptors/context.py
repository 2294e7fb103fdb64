"""Puts the caller's identity and the request id into context, and writes one log line for each call."""

from __future__ import annotations

import re
import time
import uuid
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import grpc
import structlog

from services.common.identity import REQUEST_ID_HEADER, acting_as, identity_from_metadata
from services.common.interceptors.base import AroundInterceptor, Call
from services.common.interceptors.status import telling_outcome

log = structlog.get_logger("rpc")
SAFE_REQUEST_ID = re.compile(r"[A-Za-z0-9._:-]{1,128}")


class ContextInterceptor(AroundInterceptor):
    """The outermost interceptor of our own: everything inside can ask who calls."""

    @asynccontextmanager
    async def around(self, call: Call, context: grpc.aio.ServicerContext) -> AsyncIterator[None]:
        """Sets identity and request id; logs method, code and milliseconds."""
        given = dict(call.metadata).get(REQUEST_ID_HEADER, "")
        # A header is foreign text: anything that could forge a log line is replaced.
        usable = isinstance(given, str) and SAFE_REQUEST_ID.fullmatch(given)
        request_id = str(given) if usable else uuid.uuid4().hex
        identity = identity_from_metadata(call.metadata)
        started = time.perf_counter()

        def report(code: grpc.StatusCode) -> None:
            milliseconds = round((time.perf_counter() - started) * 1000, 2)
            log.info("call", method=call.method, code=code.name, duration_ms=milliseconds, subject=identity.subject)

        with (
            acting_as(identity, request_id),
            structlog.contextvars.bound_contextvars(request_id=request_id),
            telling_outcome(context, report),
        ):
            yield
