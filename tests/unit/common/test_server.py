"""The server factory, exercised over a real socket with a small PerceptionService."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import grpc
import pytest
from google.rpc import error_details_pb2
from grpc_health.v1 import health_pb2, health_pb2_grpc
from prometheus_client import CollectorRegistry

from services.common.channel import MissingDeadlineError, open_channel
from services.common.errors import NotFound, Unavailable, detail_of, status_of
from services.common.health import Dependency
from services.common.identity import Identity, acting_as, current_identity, current_request_id
from services.common.server import RunningServer, ServiceBinding, ServiceBundle, start_server
from services.common.settings import ServiceSettings
from trirag.perception.v1 import parsed_question_pb2, perception_pb2, perception_pb2_grpc

SERVICE = "trirag.perception.v1.PerceptionService"
TIMEOUT = 10


class ScriptedPerception(perception_pb2_grpc.PerceptionServiceServicer):
    """Does what the question's text says; a stand-in for a service, not for a part of TriRAG."""

    def __init__(self) -> None:
        self.release = asyncio.Event()
        self.entered = asyncio.Semaphore(0)
        self.cancelled = asyncio.Event()

    async def Parse(self, request, context):  # noqa: N802
        match request.question:
            case "missing":
                raise NotFound("NO_SUCH_THING", "there is no such thing", metadata={"thing": "x"})
            case "down":
                raise Unavailable("STORE_DOWN", "the store is down", retry_after=1.5)
            case "crash":
                raise RuntimeError("secret detail")
            case "wait":
                self.entered.release()
                try:
                    await self.release.wait()
                except asyncio.CancelledError:
                    self.cancelled.set()
                    raise
        identity = current_identity()
        return perception_pb2.ParseResponse(
            parsed=parsed_question_pb2.ParsedQuestion(
                question=request.question,
                language=identity.subject,
                rules_version=current_request_id(),
                missing=identity.groups,
            )
        )


@asynccontextmanager
async def serving(
    dependency: Dependency | None = None, **settings: object
) -> AsyncIterator[
    tuple[RunningServer, ScriptedPerception, perception_pb2_grpc.PerceptionServiceStub, CollectorRegistry]
]:
    servicer, registry = ScriptedPerception(), CollectorRegistry()
    binding = ServiceBinding(SERVICE, perception_pb2_grpc.add_PerceptionServiceServicer_to_server, servicer)
    bundle = ServiceBundle([binding], [dependency] if dependency else [])
    values = {"drain_delay_seconds": 0, "dependency_check_seconds": 0.01, **settings}
    running = await start_server(ServiceSettings(**values), bundle, registry=registry)
    async with open_channel(running.address) as channel:
        yield running, servicer, perception_pb2_grpc.PerceptionServiceStub(channel), registry
    await running.drain()


def details(error: grpc.aio.AioRpcError, kind: type) -> object:
    found = detail_of(error, kind)
    assert found is not None, f"no {kind.__name__} in {error}"
    return found


async def fail(stub, question: str) -> grpc.aio.AioRpcError:
    with pytest.raises(grpc.aio.AioRpcError) as caught:
        await stub.Parse(perception_pb2.ParseRequest(question=question), timeout=TIMEOUT)
    return caught.value


async def test_every_bad_field_is_named_at_once():
    async with serving() as (_, _, stub, _):
        with pytest.raises(grpc.aio.AioRpcError) as caught:
            await stub.Parse(perception_pb2.ParseRequest(question=" \n", time_zone="Mars?"), timeout=TIMEOUT)
    assert caught.value.code() is grpc.StatusCode.INVALID_ARGUMENT
    bad = details(caught.value, error_details_pb2.BadRequest)
    assert [(v.field, v.reason) for v in bad.field_violations] == [
        ("question", "REQUIRED"),
        ("time_zone", "PATTERN"),
    ]


async def test_nested_and_repeated_fields_are_checked_with_their_path():
    async with serving() as (_, _, stub, _):
        requests = [
            perception_pb2.ParseRequest(question="fine"),
            perception_pb2.ParseRequest(question="x" * 4001),
        ]
        with pytest.raises(grpc.aio.AioRpcError) as caught:
            await stub.BatchParse(perception_pb2.BatchParseRequest(requests=requests), timeout=TIMEOUT)
    bad = details(caught.value, error_details_pb2.BadRequest)
    assert [(v.field, v.reason) for v in bad.field_violations] == [("requests[1].question", "TOO_LONG")]


async def test_bytes_that_are_no_message_are_the_callers_fault_and_name_no_exception():
    async with serving() as (running, _, _, _), grpc.aio.insecure_channel(running.address) as channel:
        for method, raw in (("Parse", b"\xff\xff\xff"), ("BatchParse", b"\x0a\x05\xff\xfe")):
            with pytest.raises(grpc.aio.AioRpcError) as caught:
                await channel.unary_unary(f"/{SERVICE}/{method}")(raw, timeout=TIMEOUT)
            assert caught.value.code() is grpc.StatusCode.INVALID_ARGUMENT
            assert details(caught.value, error_details_pb2.ErrorInfo).reason == "MALFORMED_REQUEST"
            assert "DecodeError" not in (caught.value.details() or "")


async def test_a_domain_error_carries_reason_domain_and_metadata():
    async with serving() as (_, _, stub, _):
        error = await fail(stub, "missing")
    info = details(error, error_details_pb2.ErrorInfo)
    assert error.code() is grpc.StatusCode.NOT_FOUND
    assert (info.reason, info.domain, dict(info.metadata)) == ("NO_SUCH_THING", "trirag", {"thing": "x"})


async def test_a_retryable_error_says_when_to_retry():
    async with serving() as (_, _, stub, _):
        error = await fail(stub, "down")
    assert details(error, error_details_pb2.RetryInfo).retry_delay.ToMilliseconds() == 1500


async def test_an_unexpected_error_leaks_nothing():
    async with serving() as (_, _, stub, _):
        error = await fail(stub, "crash")
    assert error.code() is grpc.StatusCode.INTERNAL
    assert "secret" not in str(status_of(error)) + str(error.details())


async def test_more_calls_than_admitted_are_told_to_retry():
    async with serving(max_in_flight=1) as (_, servicer, stub, registry):
        waiting = asyncio.create_task(_await(stub.Parse(perception_pb2.ParseRequest(question="wait"), timeout=TIMEOUT)))
        await servicer.entered.acquire()
        error = await fail(stub, "one too many")
        servicer.release.set()
        assert (await waiting).parsed.question == "wait"
    assert error.code() is grpc.StatusCode.RESOURCE_EXHAUSTED
    assert details(error, error_details_pb2.RetryInfo).retry_delay.seconds == 1
    assert registry.get_sample_value("trirag_server_refused_total") == 1


async def _await(call):
    return await call


async def test_metrics_have_the_standard_names():
    async with serving() as (_, _, stub, registry):
        await stub.Parse(perception_pb2.ParseRequest(question="hello"), timeout=TIMEOUT)
        await fail(stub, "missing")
    labels = {"grpc_type": "unary", "grpc_service": SERVICE, "grpc_method": "Parse"}
    assert registry.get_sample_value("grpc_server_started_total", labels) == 2
    assert registry.get_sample_value("grpc_server_handled_total", {**labels, "grpc_code": "OK"}) == 1
    assert registry.get_sample_value("grpc_server_handled_total", {**labels, "grpc_code": "NotFound"}) == 1
    assert registry.get_sample_value("grpc_server_handling_seconds_count", labels) == 2


@pytest.mark.parametrize(("subject", "groups"), [("alice", ("finance", "hr")), ("张三", ("hr", "财务部"))])
async def test_identity_and_request_id_travel_with_the_call(subject, groups):
    async with serving() as (_, _, stub, _):
        with acting_as(Identity(subject, groups), "req-1"):
            reply = await stub.Parse(perception_pb2.ParseRequest(question="who"), timeout=TIMEOUT)
    assert (reply.parsed.language, tuple(reply.parsed.missing)) == (subject, groups)
    assert reply.parsed.rules_version == "req-1"


async def test_a_request_id_that_could_forge_a_log_line_is_replaced():
    async with serving() as (_, _, stub, _):
        reply = await stub.Parse(
            perception_pb2.ParseRequest(question="who"),
            timeout=TIMEOUT,
            metadata=(("x-request-id", "a b {}"),),
        )
    assert reply.parsed.rules_version not in ("", "a b {}")


async def test_a_call_without_a_deadline_is_refused_by_the_client():
    async with serving() as (_, _, stub, _):
        with pytest.raises(MissingDeadlineError):
            await stub.Parse(perception_pb2.ParseRequest(question="hello"))


async def test_a_passed_deadline_cancels_the_work():
    async with serving() as (_, servicer, stub, _):
        with pytest.raises(grpc.aio.AioRpcError) as caught:
            await stub.Parse(perception_pb2.ParseRequest(question="wait"), timeout=0.2)
        await asyncio.wait_for(servicer.cancelled.wait(), TIMEOUT)
    assert caught.value.code() is grpc.StatusCode.DEADLINE_EXCEEDED


async def test_health_follows_a_hard_dependency_and_watch_sees_it():
    down = False

    async def check() -> None:
        if down:
            raise ConnectionError("no route")

    async with (
        serving(Dependency("store", check)) as (running, _, _, _),
        grpc.aio.insecure_channel(running.address) as c,
    ):
        seen: list[int] = []
        async for reply in health_pb2_grpc.HealthStub(c).Watch(
            health_pb2.HealthCheckRequest(service=SERVICE), timeout=TIMEOUT
        ):
            seen.append(reply.status)
            down = len(seen) == 1
            if len(seen) == 3:
                break
    serving_status = health_pb2.HealthCheckResponse.SERVING
    assert seen == [serving_status, health_pb2.HealthCheckResponse.NOT_SERVING, serving_status]


async def test_draining_finishes_calls_in_flight_and_says_not_serving_first():
    async with serving(drain_delay_seconds=0.05) as (running, servicer, stub, _):
        waiting = asyncio.create_task(_await(stub.Parse(perception_pb2.ParseRequest(question="wait"), timeout=TIMEOUT)))
        await servicer.entered.acquire()
        async with grpc.aio.insecure_channel(running.address) as channel:
            watch = health_pb2_grpc.HealthStub(channel).Watch(health_pb2.HealthCheckRequest(), timeout=TIMEOUT)
            first = await watch.read()
            draining = asyncio.create_task(running.drain())
            second = await watch.read()
            assert not waiting.done()
            servicer.release.set()
            assert (await waiting).parsed.question == "wait"
            watch.cancel()
            await draining
    assert first.status == health_pb2.HealthCheckResponse.SERVING
    assert second.status == health_pb2.HealthCheckResponse.NOT_SERVING
