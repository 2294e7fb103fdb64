"""Checks every request against the field rules of its contract, naming every bad field at once."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import grpc
from google.protobuf.message import Message

from services.common.errors import InvalidInput
from services.common.interceptors.base import AroundInterceptor, Call
from services.common.request_rules import violations


class ValidationInterceptor(AroundInterceptor):
    """The innermost interceptor: a servicer sees only requests that keep the contract."""

    @asynccontextmanager
    async def around(self, call: Call, context: grpc.aio.ServicerContext) -> AsyncIterator[None]:
        """Nothing around the call; the work is in :meth:`check`."""
        yield

    def check(self, request: Message) -> None:
        """Raises InvalidInput with every violation."""
        found = violations(request)
        if found:
            raise InvalidInput.many(found)
