"""A real OTLP/gRPC receiver that keeps the spans it is sent."""

from __future__ import annotations

import threading
from collections import defaultdict
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import grpc
from opentelemetry.proto.collector.trace.v1 import trace_service_pb2, trace_service_pb2_grpc


@dataclass(frozen=True, slots=True)
class ReceivedSpan:
    """One span; ids in hexadecimal, ``parent`` empty for a root."""

    service: str
    name: str
    span_id: str
    parent: str
    kind: int


class Collector(trace_service_pb2_grpc.TraceServiceServicer):
    """Listens on a loopback port of its own."""

    def __init__(self) -> None:
        self._spans: dict[str, list[ReceivedSpan]] = defaultdict(list)
        self._lock = threading.Lock()
        self._server = grpc.server(ThreadPoolExecutor(2))
        trace_service_pb2_grpc.add_TraceServiceServicer_to_server(self, self._server)
        self.port = self._server.add_insecure_port("127.0.0.1:0")
        self._server.start()

    @property
    def endpoint(self) -> str:
        """For OTEL_EXPORTER_OTLP_ENDPOINT."""
        return f"http://127.0.0.1:{self.port}"

    def Export(self, request, context):  # noqa: N802
        """Receives a batch."""
        with self._lock:
            for resource in request.resource_spans:
                names = {a.key: a.value.string_value for a in resource.resource.attributes}
                for scope in resource.scope_spans:
                    for span in scope.spans:
                        self._spans[span.trace_id.hex()].append(
                            ReceivedSpan(
                                names.get("service.name", ""),
                                span.name,
                                span.span_id.hex(),
                                span.parent_span_id.hex(),
                                span.kind,
                            )
                        )
        return trace_service_pb2.ExportTraceServiceResponse()

    def spans(self, trace_id: str) -> list[ReceivedSpan]:
        """What has come of a trace so far."""
        with self._lock:
            return list(self._spans[trace_id])

    def stop(self) -> None:
        """Ends the receiver."""
        self._server.stop(0).wait()
