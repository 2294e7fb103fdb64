"""The one channel factory for callers: a deadline on every call, identity and trace headers passed on."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import grpc

from services.common.identity import identity_metadata
from services.common.telemetry import client_interceptors

MAX_MESSAGE_BYTES = 64 * 1024 * 1024
MAX_RECONNECT_BACKOFF_MS = 2_000


class MissingDeadlineError(ValueError):
    """A call was made without a timeout; in TriRAG every call has one."""


def open_channel(target: str, *, propagate: bool = True) -> grpc.aio.Channel:
    """A channel to ``host:port``.

    With ``propagate`` the identity and request id of the call being served go along. Retries are Envoy's
    business, so gRPC's own are off.
    """
    interceptors = [*client_interceptors(), *_outgoing(propagate)]
    return grpc.aio.insecure_channel(
        target,
        interceptors=interceptors,
        options=[
            ("grpc.max_receive_message_length", MAX_MESSAGE_BYTES),
            ("grpc.max_send_message_length", MAX_MESSAGE_BYTES),
            ("grpc.enable_retries", 0),
            ("grpc.keepalive_time_ms", 30_000),
            ("grpc.keepalive_timeout_ms", 10_000),
            ("grpc.max_reconnect_backoff_ms", MAX_RECONNECT_BACKOFF_MS),
            ("grpc.initial_reconnect_backoff_ms", 200),
            # A proxy from the environment must never see calls between services.
            ("grpc.enable_http_proxy", 0),
        ],
    )


def _outgoing(propagate: bool) -> list[grpc.aio.ClientInterceptor]:
    return [kind(propagate) for kind in (_UnaryUnary, _UnaryStream, _StreamUnary, _StreamStream)]


class _Outgoing:
    def __init__(self, propagate: bool) -> None:
        self._propagate = propagate

    def prepared(self, details: grpc.aio.ClientCallDetails) -> grpc.aio.ClientCallDetails:
        if details.timeout is None:
            raise MissingDeadlineError(f"{details.method!r} was called without a timeout")
        metadata = grpc.aio.Metadata(*(details.metadata or ()))
        if self._propagate:
            for key, value in identity_metadata():
                if key not in metadata:
                    metadata.add(key, value)
        return grpc.aio.ClientCallDetails(
            details.method, details.timeout, metadata, details.credentials, details.wait_for_ready
        )


class _UnaryUnary(_Outgoing, grpc.aio.UnaryUnaryClientInterceptor):  # type: ignore[misc]
    async def intercept_unary_unary(self, continuation: Callable[..., Any], details: Any, request: Any) -> Any:
        return await continuation(self.prepared(details), request)


class _UnaryStream(_Outgoing, grpc.aio.UnaryStreamClientInterceptor):  # type: ignore[misc]
    async def intercept_unary_stream(self, continuation: Callable[..., Any], details: Any, request: Any) -> Any:
        return await continuation(self.prepared(details), request)


class _StreamUnary(_Outgoing, grpc.aio.StreamUnaryClientInterceptor):  # type: ignore[misc]
    async def intercept_stream_unary(self, continuation: Callable[..., Any], details: Any, requests: Any) -> Any:
        return await continuation(self.prepared(details), requests)


class _StreamStream(_Outgoing, grpc.aio.StreamStreamClientInterceptor):  # type: ignore[misc]
    async def intercept_stream_stream(self, continuation: Callable[..., Any], details: Any, requests: Any) -> Any:
        return await continuation(self.prepared(details), requests)
