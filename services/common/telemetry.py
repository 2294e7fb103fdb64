"""OpenTelemetry: on when the standard OTLP variables name an endpoint, off otherwise."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import grpc
from opentelemetry import trace

ENDPOINT_VARIABLES = ("OTEL_EXPORTER_OTLP_ENDPOINT", "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT")
tracer = trace.get_tracer("trirag")


def enabled() -> bool:
    """True if an OTLP endpoint is named and the SDK is not switched off."""
    switched_off = os.environ.get("OTEL_SDK_DISABLED", "").lower() == "true"
    return not switched_off and any(os.environ.get(v) for v in ENDPOINT_VARIABLES)


def configure_telemetry(service: str) -> None:
    """Sends spans by OTLP/gRPC or OTLP/HTTP as OTEL_EXPORTER_OTLP_PROTOCOL says; does nothing when off."""
    if not enabled():
        return
    from opentelemetry.sdk.resources import Resource
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.sdk.trace.export import BatchSpanProcessor

    name = os.environ.get("OTEL_SERVICE_NAME") or f"trirag-{service}"
    provider = TracerProvider(resource=Resource.create({"service.name": name}))
    provider.add_span_processor(BatchSpanProcessor(_exporter()))
    trace.set_tracer_provider(provider)


def _exporter() -> Any:
    protocol = os.environ.get("OTEL_EXPORTER_OTLP_PROTOCOL", "grpc")
    if protocol == "grpc":
        from opentelemetry.exporter.otlp.proto.grpc.trace_exporter import OTLPSpanExporter

        return OTLPSpanExporter()
    from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter as HttpSpanExporter

    return HttpSpanExporter()


def shutdown_telemetry() -> None:
    """Sends what is still queued."""
    provider = trace.get_tracer_provider()
    shutdown = getattr(provider, "shutdown", None)
    if shutdown is not None:
        shutdown()


def server_interceptors() -> list[grpc.aio.ServerInterceptor]:
    """Spans of served calls, health checks left out; nothing when off."""
    if not enabled():
        return []
    from opentelemetry.instrumentation.grpc import aio_server_interceptor, filters

    return [
        aio_server_interceptor(  # type: ignore[no-untyped-call]
            filter_=filters.negate(filters.health_check())
        )
    ]


def client_interceptors() -> list[grpc.aio.ClientInterceptor]:
    """Spans of calls made, with the W3C trace context in their metadata; nothing when off."""
    if not enabled():
        return []
    from opentelemetry.instrumentation.grpc import aio_client_interceptors

    return list(aio_client_interceptors())  # type: ignore[no-untyped-call]


@contextmanager
def stage_span(name: str, **attributes: Any) -> Iterator[trace.Span]:
    """A span for one stage of work inside a call."""
    with tracer.start_as_current_span(name, attributes={f"trirag.{k}": v for k, v in attributes.items()}) as span:
        yield span
