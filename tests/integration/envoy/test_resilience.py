"""Breakers, ejection, health and repeats, as Envoy's own statistics show them."""

from __future__ import annotations

import asyncio
from typing import Any

import grpc
import pytest
from google.rpc import error_details_pb2
from grpc_health.v1 import health_pb2
from grpc_status import rpc_status

from cli.local.traffic import Traffic
from tests.integration.envoy.harness import FakeService, Launch, altered, answered, call, echo

PARSE = "/trirag.perception.v1.PerceptionService/Parse"
SEARCH = "/trirag.retrieval.v1.RetrievalService/Search"
INGEST = "/trirag.retrieval.v1.KnowledgeBaseService/CreateKnowledgeBase"
ASK = "/trirag.orchestrator.v1.OrchestratorService/Ask"
PERCEPTION = ["trirag.perception.v1.PerceptionService"]
ORCHESTRATOR = ["trirag.orchestrator.v1.OrchestratorService"]
RETRIEVAL = ["trirag.retrieval.v1.RetrievalService", "trirag.retrieval.v1.KnowledgeBaseService"]


async def unavailable(_method: str, _request: bytes, context: grpc.aio.ServicerContext) -> bytes:
    await context.abort(grpc.StatusCode.UNAVAILABLE, "not now")
    return b""


async def hang(_method: str, _request: bytes, _context: grpc.aio.ServicerContext) -> bytes:
    await asyncio.Event().wait()
    return b""


def details(error: grpc.aio.AioRpcError) -> dict[str, Any]:
    """Error details by type name."""
    status = rpc_status.from_call(error)
    assert status is not None, error
    found: dict[str, Any] = {}
    for packed in status.details:
        for kind in (error_details_pb2.ErrorInfo, error_details_pb2.RetryInfo):
            message = kind()
            if packed.Unpack(message):
                found[kind.__name__] = message
    return found


async def test_a_safe_call_is_repeated_when_its_server_is_unavailable(launch: Launch) -> None:
    failures = 1

    async def fails_once(method: str, request: bytes, context: grpc.aio.ServicerContext) -> bytes:
        nonlocal failures
        failures -= 1
        return await (unavailable if failures >= 0 else echo)(method, request, context)

    fake = FakeService(PERCEPTION, fails_once)
    envoy = await launch(perception=[fake])
    assert await call(envoy.mesh, PARSE, b"q") == b"q"
    assert fake.calls == [PARSE] * 2
    stats = envoy.stats("cluster.perception.")
    assert stats["upstream_rq_retry"] == 1
    assert stats["upstream_rq_retry_success"] == 1


@pytest.mark.parametrize("method", [ASK, INGEST])
async def test_a_call_that_changes_something_is_never_repeated(launch: Launch, method: str) -> None:
    asked, stored = FakeService(ORCHESTRATOR, unavailable), FakeService(RETRIEVAL, unavailable)
    envoy = await launch(orchestrator=[asked], retrieval=[stored])
    with pytest.raises(grpc.aio.AioRpcError) as failure:
        await call(envoy.edge, method, b"q")
    assert failure.value.code() == grpc.StatusCode.UNAVAILABLE
    assert asked.calls + stored.calls == [method]


async def test_a_server_that_does_not_answer_costs_one_try_only(launch: Launch, traffic: Traffic) -> None:
    quick = altered(traffic, "perception", retry={"per_try_seconds": 0.2})
    hung, good = FakeService(PERCEPTION, hang), FakeService(PERCEPTION)
    envoy = await launch(quick, perception=[hung, good])
    answers = [await call(envoy.mesh, PARSE, b"q") for _ in range(6)]
    assert answers == [b"q"] * 6
    stats = envoy.stats("cluster.perception.")
    assert stats["upstream_rq_per_try_timeout"] == len(hung.calls) > 0


async def test_calls_over_the_breaker_fail_at_once_and_say_when_to_return(launch: Launch, traffic: Traffic) -> None:
    release = asyncio.Event()

    async def slow(method: str, request: bytes, context: grpc.aio.ServicerContext) -> bytes:
        await release.wait()
        return request

    small = altered(traffic, "orchestrator", breaker={"requests": 2})
    envoy = await launch(small, orchestrator=[FakeService(ORCHESTRATOR, slow)])
    calls = [asyncio.create_task(call(envoy.edge, ASK, b"q")) for _ in range(5)]
    await envoy.until("cluster.orchestrator.", "upstream_rq_active_overflow", lambda n: n == 3)
    assert envoy.stats("cluster.orchestrator.circuit_breakers.default.")["remaining_rq"] == 0
    assert envoy.stats("cluster.orchestrator.circuit_breakers.default.")["rq_open"] == 1
    release.set()
    results = await asyncio.gather(*calls, return_exceptions=True)
    refused = [r for r in results if isinstance(r, grpc.aio.AioRpcError)]
    assert len(refused) == 3 and results.count(b"q") == 2
    for error in refused:
        assert error.code() == grpc.StatusCode.UNAVAILABLE
        assert details(error)["ErrorInfo"].reason == "UPSTREAM_OVERLOADED"
        assert details(error)["RetryInfo"].retry_delay.seconds == 1
    assert envoy.stats("cluster.orchestrator.circuit_breakers.default.")["remaining_rq"] == 2


async def test_a_server_that_keeps_failing_is_put_aside(launch: Launch, traffic: Traffic) -> None:
    # Its health checks fail to notice; the rare check keeps them from taking it back within the test.
    quick = altered(
        traffic,
        "perception",
        outlier={"gateway_failures": 3},
        health={"interval_seconds": 60, "timeout_seconds": 1},
    )
    bad, good = FakeService(PERCEPTION, unavailable), FakeService(PERCEPTION)
    envoy = await launch(quick, perception=[bad, good])
    while envoy.stats("cluster.perception.outlier_detection.")["ejections_active"] == 0:
        assert await call(envoy.mesh, PARSE, b"q") == b"q"
        assert len(bad.calls) < 10
    stats = envoy.stats("cluster.perception.outlier_detection.")
    assert stats["ejections_enforced_consecutive_gateway_failure"] == 1
    failed = len(bad.calls)
    assert [await call(envoy.mesh, PARSE, b"q") for _ in range(10)] == [b"q"] * 10
    assert len(bad.calls) == failed


async def test_a_server_that_says_not_serving_gets_no_calls_until_it_serves(launch: Launch) -> None:
    fake = FakeService(PERCEPTION)
    envoy = await launch(perception=[fake])
    await fake.health.set(PERCEPTION[0], health_pb2.HealthCheckResponse.NOT_SERVING)
    await envoy.until("cluster.perception.", "membership_healthy", lambda n: n == 0)
    with pytest.raises(grpc.aio.AioRpcError) as failure:
        await call(envoy.mesh, PARSE, b"q")
    assert failure.value.code() == grpc.StatusCode.UNAVAILABLE
    assert details(failure.value)["ErrorInfo"].reason == "NO_HEALTHY_UPSTREAM"
    assert fake.calls == []
    await fake.health.set(PERCEPTION[0], health_pb2.HealthCheckResponse.SERVING)
    await envoy.until("cluster.perception.", "membership_healthy", lambda n: n == 1)
    assert await answered(envoy.mesh, PARSE, b"q") == b"q"


async def test_the_deadline_of_a_caller_reaches_the_server_and_ends_the_call(launch: Launch) -> None:
    cancelled = asyncio.Event()
    seen: list[float] = []

    async def waits(_method: str, _request: bytes, context: grpc.aio.ServicerContext) -> bytes:
        seen.append(context.time_remaining())
        try:
            await asyncio.Event().wait()
        finally:
            cancelled.set()
        return b""

    envoy = await launch(orchestrator=[FakeService(ORCHESTRATOR, waits)])
    with pytest.raises(grpc.aio.AioRpcError) as failure:
        await call(envoy.edge, ASK, b"q", timeout=2.0)
    assert failure.value.code() == grpc.StatusCode.DEADLINE_EXCEEDED
    await asyncio.wait_for(cancelled.wait(), 10)
    assert 0 < seen[0] < 3  # as much as was left, not the longest call


async def test_repeats_have_a_budget(launch: Launch, traffic: Traffic) -> None:
    tight = altered(traffic, "perception", retry_budget={"percent": 0.1, "min_concurrent": 1},
                    outlier={"gateway_failures": 1000, "server_errors": 1000})  # fmt: skip
    fake = FakeService(PERCEPTION, unavailable)
    envoy = await launch(tight, perception=[fake])
    results = await asyncio.gather(*(call(envoy.mesh, PARSE, b"q") for _ in range(30)), return_exceptions=True)
    assert all(isinstance(r, grpc.aio.AioRpcError) for r in results)
    stats = envoy.stats("cluster.perception.")
    assert stats["upstream_rq_retry_overflow"] > 0
    assert len(fake.calls) < 60


async def test_the_longest_call_ends_what_its_caller_would_not(launch: Launch, traffic: Traffic) -> None:
    before = traffic.upstreams["orchestrator"]
    short = before.model_copy(update={"longest_call_seconds": 1.0})
    limited = traffic.model_copy(update={"upstreams": {**traffic.upstreams, "orchestrator": short}})
    envoy = await launch(limited, orchestrator=[FakeService(ORCHESTRATOR, hang)])
    with pytest.raises(grpc.aio.AioRpcError) as failure:
        await call(envoy.edge, ASK, b"q", timeout=120)
    assert failure.value.code() == grpc.StatusCode.DEADLINE_EXCEEDED


async def test_no_connection_is_no_call_and_another_server_gets_it(launch: Launch, traffic: Traffic) -> None:
    # The active check is too slow to tell; the first call to the dead server finds out.
    slow = altered(traffic, "orchestrator", health={"interval_seconds": 60, "healthy_after": 1})
    dead, good = FakeService(ORCHESTRATOR), FakeService(ORCHESTRATOR)
    envoy = await launch(slow, orchestrator=[dead, good])
    await dead.stop()
    assert [await call(envoy.edge, ASK, b"q") for _ in range(6)] == [b"q"] * 6
    assert len(good.calls) == 6
    assert envoy.stats("cluster.orchestrator.")["upstream_cx_connect_fail"] > 0
