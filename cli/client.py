"""One connection to the edge: a deadline on every call, the token with every call, errors in one line."""

from __future__ import annotations

import importlib
from collections.abc import Iterable, Iterator
from functools import cached_property
from types import TracebackType
from typing import Any

import grpc

from cli.render.console import note
from cli.rpc_errors import request_failed
from cli.settings import ClientSettings

MAX_MESSAGE_BYTES = 64 * 1024 * 1024
DEFAULT_TIMEOUT = 30.0


class Client:
    """Stubs of TriRAG's services on one channel. Use as a context manager."""

    def __init__(self, settings: ClientSettings, default_timeout: float = DEFAULT_TIMEOUT) -> None:
        self.settings = settings
        self.timeout = settings.timeout or default_timeout
        self._channel = _open(settings)
        self._metadata: list[tuple[str, str]] = []
        if settings.token:
            self._metadata.append(("authorization", f"Bearer {settings.token}"))
            if not settings.tls and not settings.loopback:
                note(f"the token travels unencrypted to {settings.target}; use an https:// address")

    def __enter__(self) -> Client:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._channel.close()

    @cached_property
    def orchestrator(self) -> Any:
        """OrchestratorService."""
        return self._stub("orchestrator", "orchestrator", "OrchestratorService")

    @cached_property
    def policy(self) -> Any:
        """PolicyService."""
        return self._stub("orchestrator", "policy", "PolicyService")

    @cached_property
    def perception(self) -> Any:
        """PerceptionService."""
        return self._stub("perception", "perception", "PerceptionService")

    @cached_property
    def retrieval(self) -> Any:
        """RetrievalService."""
        return self._stub("retrieval", "retrieval", "RetrievalService")

    @cached_property
    def knowledge_bases(self) -> Any:
        """KnowledgeBaseService."""
        return self._stub("retrieval", "knowledge_base", "KnowledgeBaseService")

    @cached_property
    def validation(self) -> Any:
        """ValidationService."""
        return self._stub("validation", "validation", "ValidationService")

    def call(self, method: Any, request: Any, timeout: float | None = None) -> Any:
        """One unary call.

        Raises:
            RequestFailed: the service refused or failed it.
        """
        seconds = timeout or self.timeout
        try:
            return method(request, timeout=seconds, metadata=self._metadata)
        except grpc.RpcError as error:
            raise request_failed(error, self.settings, seconds) from None

    def stream(self, method: Any, request: Any | Iterable[Any], timeout: float | None = None) -> Iterator[Any]:
        """The responses of a server or bidirectional stream, as they arrive. Leaving early cancels the call.

        Raises:
            RequestFailed: the service refused or failed it.
        """
        seconds = timeout or self.timeout
        call = method(request, timeout=seconds, metadata=self._metadata)
        try:
            yield from call
        except grpc.RpcError as error:
            raise request_failed(error, self.settings, seconds) from None
        finally:
            call.cancel()

    def _stub(self, package: str, module: str, service: str) -> Any:
        loaded = importlib.import_module(f"trirag.{package}.v1.{module}_pb2_grpc")
        return getattr(loaded, f"{service}Stub")(self._channel)


def _open(settings: ClientSettings) -> grpc.Channel:
    options = [
        ("grpc.max_receive_message_length", MAX_MESSAGE_BYTES),
        ("grpc.max_send_message_length", MAX_MESSAGE_BYTES),
        ("grpc.primary_user_agent", "trirag-cli"),
        ("grpc.keepalive_time_ms", 60_000),
        # A call that is made while gRPC waits for its next try to connect fails; its own waits grow to two minutes.
        ("grpc.initial_reconnect_backoff_ms", 300),
        ("grpc.max_reconnect_backoff_ms", 2_000),
        # A proxy of the environment has no business between this machine and itself.
        ("grpc.enable_http_proxy", 0 if settings.loopback else 1),
    ]
    if settings.tls:
        return grpc.secure_channel(settings.target, grpc.ssl_channel_credentials(), options=options)
    return grpc.insecure_channel(settings.target, options=options)
