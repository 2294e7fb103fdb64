"""One shape for interceptors that act around a call, whatever its arity."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from typing import Any

import grpc
from google.protobuf.message import Message

# Health and reflection are grpc's own services: they must answer when nothing else does.
INFRASTRUCTURE_PREFIX = "/grpc."

Continuation = Callable[[grpc.HandlerCallDetails], Awaitable[grpc.RpcMethodHandler | None]]


@dataclass(frozen=True, slots=True)
class Call:
    """The call that is being served."""

    method: str
    kind: str
    metadata: tuple[tuple[str, str | bytes], ...]

    @property
    def service(self) -> str:
        """Full service name."""
        return self.method.strip("/").split("/")[0]

    @property
    def name(self) -> str:
        """Method name without the service."""
        return self.method.rsplit("/", 1)[-1]


class AroundInterceptor(grpc.aio.ServerInterceptor):  # type: ignore[misc]
    """Wraps every call of TriRAG's own services in :meth:`around` and shows each request to :meth:`check`."""

    @abstractmethod
    def around(self, call: Call, context: grpc.aio.ServicerContext) -> AbstractAsyncContextManager[None]:
        """What happens before and after; exceptions of the call pass through it."""

    def check(self, request: Message) -> None:
        """Sees every request message; raises to refuse it."""

    def reader(self, deserialize: Callable[[bytes], Any]) -> Callable[[bytes], Any]:
        """How a request is read from its bytes."""
        return deserialize

    async def intercept_service(
        self, continuation: Continuation, details: grpc.HandlerCallDetails
    ) -> grpc.RpcMethodHandler | None:
        """Wraps the handler, unless it belongs to grpc's own services."""
        handler = await continuation(details)
        if handler is None or details.method.startswith(INFRASTRUCTURE_PREFIX):
            return handler
        return self._wrap(handler, details)

    def _wrap(self, handler: Any, details: Any) -> grpc.RpcMethodHandler:
        streams = (bool(handler.request_streaming), bool(handler.response_streaming))
        kind = {
            (False, False): "unary",
            (False, True): "server_stream",
            (True, False): "client_stream",
            (True, True): "bidi_stream",
        }[streams]
        call = Call(details.method, kind, tuple(details.invocation_metadata or ()))
        build, behaviour = {
            "unary": (grpc.unary_unary_rpc_method_handler, self._one(call, handler.unary_unary)),
            "server_stream": (grpc.unary_stream_rpc_method_handler, self._many(call, handler.unary_stream)),
            "client_stream": (grpc.stream_unary_rpc_method_handler, self._one(call, handler.stream_unary)),
            "bidi_stream": (grpc.stream_stream_rpc_method_handler, self._many(call, handler.stream_stream)),
        }[kind]
        return build(
            behaviour,
            request_deserializer=self.reader(handler.request_deserializer),
            response_serializer=handler.response_serializer,
        )

    def _one(self, call: Call, inner: Any) -> Any:
        async def serve(request: Any, context: grpc.aio.ServicerContext) -> Any:
            async with self.around(call, context):
                return await inner(self._checked(call, request), context)

        return serve

    def _many(self, call: Call, inner: Any) -> Any:
        async def serve(request: Any, context: grpc.aio.ServicerContext) -> AsyncIterator[Any]:
            async with self.around(call, context):
                async for response in inner(self._checked(call, request), context):
                    yield response

        return serve

    def _checked(self, call: Call, request: Any) -> Any:
        if call.kind in ("unary", "server_stream"):
            self.check(request)
            return request
        return self._checked_stream(request)

    async def _checked_stream(self, requests: AsyncIterator[Any]) -> AsyncIterator[Any]:
        async for request in requests:
            self.check(request)
            yield request
