"""One Ask is one trace: the edge, the orchestrator's stages, the mesh and every service, by real OTLP."""

from __future__ import annotations

import grpc
import pytest

from tests.collector import Collector
from tests.stack import LocalStack, until
from trirag.orchestrator.v1 import orchestrator_pb2 as pb
from trirag.orchestrator.v1 import orchestrator_pb2_grpc

pytestmark = pytest.mark.stack
TRACE = "4bf92f3577b34da6a3ce929d0e0e4736"
PARENT = "00f067aa0ba902b7"
STAGES = {"perceive", "plan", "search", "fuse", "sufficiency", "compose", "validate"}
ENVOY = {"trirag-envoy-edge", "trirag-envoy-mesh"}
SERVICES = {"trirag-orchestrator", "trirag-perception", "trirag-retrieval", "trirag-validation"}


def test_one_ask_is_one_connected_trace_through_envoy(stack: LocalStack, collector: Collector):
    with grpc.insecure_channel(stack.url) as channel:
        response = orchestrator_pb2_grpc.OrchestratorServiceStub(channel).Ask(
            pb.AskRequest(question="What does error E4027 mean?", knowledge_bases=["runbooks"], extractive_only=True),
            timeout=60,
            metadata=(("traceparent", f"00-{TRACE}-{PARENT}-01"),),
        )
    assert response.trace_id.startswith(TRACE)

    def orphans() -> set[str]:
        spans = collector.spans(TRACE)
        return {s.parent for s in spans} - {s.span_id for s in spans} - {PARENT}

    def complete() -> bool:
        spans = collector.spans(TRACE)
        names, services = {s.name for s in spans}, {s.service for s in spans}
        return names >= STAGES and services >= SERVICES and services >= ENVOY and not orphans()

    until(
        complete, f"the trace is not whole: {sorted({(s.service, s.name) for s in collector.spans(TRACE)})}", seconds=30
    )
