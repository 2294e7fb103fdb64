"""The mesh listener: the language model over HTTP, and Envoy as part of a trace."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from concurrent import futures

import grpc
import httpx
import pytest_asyncio
from opentelemetry.proto.collector.trace.v1 import trace_service_pb2, trace_service_pb2_grpc
from opentelemetry.proto.trace.v1 import trace_pb2

from cli.local.envoy_config import tracing_from_environment
from tests.integration.envoy.harness import FakeService, Launch, call

PARSE = "/trirag.perception.v1.PerceptionService/Parse"
PERCEPTION = ["trirag.perception.v1.PerceptionService"]


class FakeLlm:
    """An HTTP server that answers /health with 200 and every POST with `status`."""

    def __init__(self, status: int = 200) -> None:
        self.status = status
        self.posts: list[str] = []

    async def start(self, port: int) -> asyncio.Server:
        return await asyncio.start_server(self._serve, "127.0.0.1", port)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while head := await reader.readuntil(b"\r\n\r\n"):
                method, path, _ = head.split(b"\r\n", 1)[0].decode().split(" ")
                length = next(
                    (int(h.split(b":")[1]) for h in head.lower().split(b"\r\n") if h.startswith(b"content-length")),
                    0,
                )
                body = await reader.readexactly(length)
                if method == "POST":
                    self.posts.append(path)
                status = self.status if method == "POST" else 200
                writer.write(b"HTTP/1.1 %d X\r\ncontent-length: %d\r\n\r\n%b" % (status, len(body), body))
                await writer.drain()
        except (asyncio.IncompleteReadError, ConnectionError):
            pass
        finally:
            writer.close()


class Collector(trace_service_pb2_grpc.TraceServiceServicer):
    """Receives OTLP and keeps the spans."""

    def __init__(self) -> None:
        self.spans: list[tuple[str, trace_pb2.Span]] = []

    def Export(self, request: trace_service_pb2.ExportTraceServiceRequest, context: grpc.ServicerContext):  # noqa: N802
        for group in request.resource_spans:
            names = [a.value.string_value for a in group.resource.attributes if a.key == "service.name"]
            self.spans += [(names[0], span) for scope in group.scope_spans for span in scope.spans]
        return trace_service_pb2.ExportTraceServiceResponse()


@pytest_asyncio.fixture
async def collector(free_port: Callable[[], int]) -> AsyncIterator[tuple[Collector, int]]:
    servicer, port = Collector(), free_port()
    server = grpc.server(futures.ThreadPoolExecutor(2))
    trace_service_pb2_grpc.add_TraceServiceServicer_to_server(servicer, server)
    server.add_insecure_port(f"127.0.0.1:{port}")
    server.start()
    yield servicer, port
    server.stop(None).wait()


async def test_generation_reaches_the_model_once_whatever_it_answers(
    launch: Launch, free_port: Callable[[], int]
) -> None:
    llm, port = FakeLlm(status=503), free_port()
    server = await llm.start(port)
    try:
        envoy = await launch(llm=port)
        await envoy.until("cluster.llm.", "membership_healthy", (1).__eq__)
        async with httpx.AsyncClient(base_url=f"http://{envoy.mesh}") as client:
            response = await client.post("/v1/chat/completions", json={"model": "m"})
        assert response.status_code == 503
        assert llm.posts == ["/v1/chat/completions"]
    finally:
        server.close()


async def test_without_a_model_server_the_call_fails_at_once(launch: Launch) -> None:
    envoy = await launch()
    await envoy.until("cluster.llm.", "membership_healthy", (0).__eq__)
    async with httpx.AsyncClient(base_url=f"http://{envoy.mesh}") as client:
        response = await client.post("/v1/chat/completions", json={"model": "m"})
    assert response.status_code == 503
    assert response.headers["retry-after"] == "2"
    assert "no healthy" in response.json()["message"]


async def test_envoy_is_a_link_of_the_callers_trace(launch: Launch, collector: tuple[Collector, int]) -> None:
    received, port = collector
    tracing = tracing_from_environment({"OTEL_EXPORTER_OTLP_ENDPOINT": f"http://127.0.0.1:{port}"})
    fake = FakeService(PERCEPTION)
    envoy = await launch(tracing=tracing, perception=[fake])
    trace, parent = "0af7651916cd43dd8448eb211c80319c", "b7ad6b7169203331"
    await call(envoy.mesh, PARSE, metadata={"traceparent": f"00-{trace}-{parent}-01"})
    for _ in range(400):
        ours = [(name, span) for name, span in received.spans if span.trace_id.hex() == trace]
        if len(ours) >= 2:
            break
        await asyncio.sleep(0.05)
    by_parent = {span.parent_span_id.hex(): (name, span) for name, span in ours}
    name, server_span = by_parent[parent]
    assert name == "trirag-envoy-mesh"
    _, client_span = by_parent[server_span.span_id.hex()]
    assert fake.metadata[-1]["traceparent"] == f"00-{trace}-{client_span.span_id.hex()}-01"
