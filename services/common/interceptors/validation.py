"""Checks every request against the field rules of its contract, naming every bad field at once."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

import grpc
from google.protobuf.message import DecodeError, Message

from services.common.errors import InvalidInput
from services.common.interceptors.base import AroundInterceptor, Call
from services.common.request_rules import violations


class ValidationInterceptor(AroundInterceptor):
    """The innermost interceptor: a servicer sees only requests that keep the contract."""

    @asynccontextmanager
    async def around(self, call: Call, context: grpc.aio.ServicerContext) -> AsyncIterator[None]:
        """Nothing around the call; the work is in :meth:`check`."""
        yield

    def reader(self, deserialize: Callable[[bytes], Any]) -> Callable[[bytes], Any]:
        """Passes bytes that are no message on to :meth:`check`; grpc would answer with the name of an exception."""

        def read(data: bytes) -> Any:
            try:
                return deserialize(data)
            except DecodeError:
                return None

        return read

    def check(self, request: Message | None) -> None:
        """Raises InvalidInput with every violation."""
        if request is None:
            raise InvalidInput(
                "MALFORMED_REQUEST", "the request is no message of this method; write it with the published protos"
            )
        found = violations(request)
        if found:
            raise InvalidInput.many(found)
