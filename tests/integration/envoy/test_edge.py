"""What a client meets at the edge: JSON and SSE, identity, limits, health."""

from __future__ import annotations

import time
from typing import Any

import grpc
import httpx
import pytest
from google.protobuf import any_pb2
from google.rpc import code_pb2, error_details_pb2, status_pb2
from grpc_health.v1 import health_pb2
from grpc_status import rpc_status

from cli.local.traffic import Traffic
from tests.integration.envoy.harness import SECRET, FakeService, Launch, call, token
from trirag.orchestrator.v1 import orchestrator_pb2

ASK = "/trirag.orchestrator.v1.OrchestratorService/Ask"
ORCHESTRATOR = ["trirag.orchestrator.v1.OrchestratorService"]


async def answers(method: str, request: bytes, context: grpc.aio.ServicerContext) -> bytes:
    """Sends the question back as the answer; as two events where it is asked for as a stream."""
    if method.endswith("Stream"):
        asked = orchestrator_pb2.AskStreamRequest.FromString(request).ask.question
        parts = [
            orchestrator_pb2.AskStreamResponse(parsed=orchestrator_pb2.ParsedEvent(degraded=True)),
            orchestrator_pb2.AskStreamResponse(answer={"answer": {"text": asked}}),
        ]
        return b"|||".join(part.SerializeToString() for part in parts)
    asked = orchestrator_pb2.AskRequest.FromString(request).question
    return orchestrator_pb2.AskResponse(answer={"text": asked}).SerializeToString()


async def refuses(_method: str, _request: bytes, context: grpc.aio.ServicerContext) -> bytes:
    """INVALID_ARGUMENT with BadRequest, as the services' error interceptor sends it."""
    detail = any_pb2.Any()
    violation = {"field": "question", "description": "must not be empty"}
    detail.Pack(error_details_pb2.BadRequest(field_violations=[violation]))
    status = status_pb2.Status(code=code_pb2.INVALID_ARGUMENT, message="question is empty", details=[detail])
    context.set_trailing_metadata((("grpc-status-details-bin", status.SerializeToString()),))
    await context.abort(grpc.StatusCode.INVALID_ARGUMENT, status.message)
    return b""


async def post(target: str, path: str, **kwargs: Any) -> httpx.Response:
    async with httpx.AsyncClient(timeout=20) as client:
        return await client.post(f"http://{target}{path}", **kwargs)


async def test_json_in_json_out(launch: Launch) -> None:
    fake = FakeService(ORCHESTRATOR, answers)
    envoy = await launch(orchestrator=[fake])
    response = await post(envoy.edge, "/v1/ask", json={"question": "起降性能?", "as_of": {"year": 2023}})
    assert response.status_code == 200, response.text
    body = response.json()
    assert body["answer"]["text"] == "起降性能?"
    assert body["answer"]["degraded"] is False
    assert fake.calls == [ASK]


async def test_a_stream_comes_as_server_sent_events(launch: Launch) -> None:
    envoy = await launch(orchestrator=[FakeService(ORCHESTRATOR, answers)])
    response = await post(envoy.edge, "/v1/ask:stream", json={"ask": {"question": "q"}})
    assert response.status_code == 200, response.text
    assert response.headers["content-type"].startswith("text/event-stream")
    events = [line for line in response.text.split("\n") if line]
    assert len(events) == 2 and all(line.startswith("data: ") for line in events)
    assert '"degraded":true' in events[0] and '"text":"q"' in events[1]


async def test_an_error_of_a_service_keeps_its_details_in_json(launch: Launch) -> None:
    envoy = await launch(orchestrator=[FakeService(ORCHESTRATOR, refuses)])
    response = await post(envoy.edge, "/v1/ask", json={"question": ""})
    assert response.status_code == 400
    body = response.json()
    assert body["code"] == 3 and body["message"] == "question is empty"
    assert body["details"][0]["field_violations"][0]["field"] == "question"


@pytest.mark.parametrize(
    ("path", "body", "status"),
    [
        ("/v1/ask", b'{"question": "q", "as_of": {"year": "last"}}', 400),
        ("/v1/ask", b'{"question": ["q"]}', 400),
        ("/v1/ask", b'{"question": "q"', 400),
        ("/v1/ask", b'{"nobody_knows": 1}', 400),
        ("/v1/ask:stream", b'{"ask": {"question": "q", "filter": {"min_authorty": 3}}}', 400),
        ("/v1/ask", b'{"question": "' + b"q" * 2_000_000 + b'"}', 413),
        ("/v1/nothing", b"{}", 404),
        ("/trirag.retrieval.v1.Nothing/Here", b"{}", 404),
    ],
)
async def test_bad_json_is_refused_in_json(launch: Launch, path: str, body: bytes, status: int) -> None:
    fake = FakeService(ORCHESTRATOR, answers)
    envoy = await launch(orchestrator=[fake])
    response = await post(envoy.edge, path, content=body, headers={"content-type": "application/json"})
    assert (response.status_code, fake.calls) == (status, []), response.text
    assert response.json()["message"] and response.json()["code"] in (3, 5, 8)


@pytest.mark.parametrize(
    ("body", "told"),
    [
        (b'{"question": "q", "as_off": {"year": 2024}}', "unknown field as_off; known here are as_of,"),
        (b'{"question": "q", "as_of": {"yaer": 2024}}', "unknown field as_of.yaer; known here are day, month, year"),
        (b'{"question": "q", "b\xc3\xa9 \\"d": 1}', "unknown field b?????d;"),
    ],
)
async def test_a_misspelt_field_is_named_with_those_that_exist(launch: Launch, body: bytes, told: str) -> None:
    envoy = await launch(orchestrator=[FakeService(ORCHESTRATOR, answers)])
    response = await post(envoy.edge, "/v1/ask", content=body, headers={"content-type": "application/json"})
    assert response.status_code == 400
    assert response.json()["code"] == 3 and told in response.json()["message"]


@pytest.mark.parametrize(
    "body",
    [
        b' { "question" : "a \\" { } [ ] : , b", "as_of":{"year":2024,"month":5,"day":1} , "knowledge_bases":["a"] }',
        b'{"question":"q","knowledgeBases":[],"asOf":null,"filter":{"docTypes":["x"],"minAuthority":1e0}}',
        b'{"question":"q","extractive_only":true}\n',
    ],
)
async def test_every_form_of_a_right_body_passes(launch: Launch, body: bytes) -> None:
    envoy = await launch(orchestrator=[FakeService(ORCHESTRATOR, answers)])
    response = await post(envoy.edge, "/v1/ask", content=body, headers={"content-type": "application/json"})
    assert response.status_code == 200, response.text


async def test_an_orchestrator_that_is_away_is_a_clear_answer_in_json(launch: Launch) -> None:
    envoy = await launch()
    response = await post(envoy.edge, "/v1/ask", json={"question": "q"})
    assert response.status_code == 503
    body = response.json()
    assert body["code"] == 14
    assert [d["@type"].rsplit(".", 1)[1] for d in body["details"]] == ["ErrorInfo", "RetryInfo"]


async def test_identity_comes_from_the_token_and_from_nothing_else(launch: Launch) -> None:
    fake = FakeService(ORCHESTRATOR, answers)
    envoy = await launch(orchestrator=[fake])
    forged = {
        "x-trirag-subject": "root",
        "x-trirag-groups": "finance",
        "x-trirag-other": "1",
        "x-envoy-max-retries": "9",
    }
    await call(envoy.edge, ASK, metadata=forged)
    assert not [name for name in fake.metadata[-1] if name.startswith("x-trirag-")]
    good = token({"sub": "mei", "groups": "hr finance", "exp": time.time() + 600})
    await call(envoy.edge, ASK, metadata={**forged, "authorization": f"Bearer {good}"})
    seen = fake.metadata[-1]
    assert (seen["x-trirag-subject"], seen["x-trirag-groups"]) == ("mei", "hr finance")
    assert "authorization" not in seen
    chinese = token({"sub": "张三", "groups": "财务部 hr"})
    await call(envoy.edge, ASK, metadata={"x-trirag-groups-bin": b"root", "authorization": f"Bearer {chinese}"})
    seen = fake.metadata[-1]
    assert {name: value for name, value in seen.items() if name.startswith("x-trirag-")} == {
        "x-trirag-subject": "张三",
        "x-trirag-groups": "财务部 hr",
    }


@pytest.mark.parametrize(
    "bad",
    [
        token({"sub": "mei", "exp": time.time() + 600}, secret=b"another secret"),
        token({"sub": "mei", "exp": 1_000_000_000}),
        "no.token.atall",
        "eyJhbGciOiJub25lIn0.eyJzdWIiOiJtZWkifQ.",
    ],
)
async def test_a_wrong_token_is_refused(launch: Launch, bad: str) -> None:
    fake = FakeService(ORCHESTRATOR, answers)
    envoy = await launch(orchestrator=[fake])
    with pytest.raises(grpc.aio.AioRpcError) as failure:
        await call(envoy.edge, ASK, metadata={"authorization": f"Bearer {bad}"})
    assert failure.value.code() == grpc.StatusCode.UNAUTHENTICATED
    assert fake.calls == []


async def test_a_token_can_be_demanded(launch: Launch, traffic: Traffic) -> None:
    jwt = traffic.edge.jwt.model_copy(update={"required": True})
    strict = traffic.model_copy(update={"edge": traffic.edge.model_copy(update={"jwt": jwt})})
    envoy = await launch(strict, orchestrator=[FakeService(ORCHESTRATOR, answers)])
    response = await post(envoy.edge, "/v1/ask", json={"question": "q"})
    assert response.status_code == 401 and "missing" in response.json()["message"].lower()
    bearer = {"authorization": f"Bearer {token({'sub': 'mei', 'exp': time.time() + 600}, SECRET)}"}
    assert (await post(envoy.edge, "/v1/ask", json={"question": "q"}, headers=bearer)).status_code == 200


async def test_over_the_rate_a_caller_is_told_when_to_return(launch: Launch, traffic: Traffic) -> None:
    bucket = traffic.edge.rate_limit.model_copy(update={"requests_per_second": 1, "burst": 3})
    slow = traffic.model_copy(update={"edge": traffic.edge.model_copy(update={"client_rate_limit": bucket})})
    envoy = await launch(slow, orchestrator=[FakeService(ORCHESTRATOR, answers)])
    failures = []
    for _ in range(20):
        try:
            await call(envoy.edge, ASK)
        except grpc.aio.AioRpcError as error:
            failures.append(error)
    assert failures
    assert {e.code() for e in failures} == {grpc.StatusCode.RESOURCE_EXHAUSTED}
    names = [d.type_url.rsplit(".", 1)[1] for d in rpc_status.from_call(failures[0]).details]
    assert names == ["ErrorInfo", "RetryInfo"]
    response = await post(envoy.edge, "/v1/ask", json={"question": "q"})
    if response.status_code != 200:
        assert response.status_code == 429 and response.headers["retry-after"] == "1"


async def test_healthz_follows_the_orchestrator(launch: Launch) -> None:
    fake = FakeService(ORCHESTRATOR, answers)
    envoy = await launch(orchestrator=[fake])
    async with httpx.AsyncClient() as client:
        assert (await client.get(f"http://{envoy.edge}/healthz")).status_code == 200
        await fake.health.set(ORCHESTRATOR[0], health_pb2.HealthCheckResponse.NOT_SERVING)
        await envoy.until("cluster.orchestrator.", "membership_healthy", lambda n: n == 0)
        assert (await client.get(f"http://{envoy.edge}/healthz")).status_code == 503


async def test_services_that_are_not_exposed_cannot_be_called(launch: Launch, traffic: Traffic) -> None:
    closed = traffic.model_copy(update={"edge": traffic.edge.model_copy(update={"expose": ("orchestrator",)})})
    retrieval = FakeService(["trirag.retrieval.v1.RetrievalService"])
    envoy = await launch(closed, retrieval=[retrieval])
    with pytest.raises(grpc.aio.AioRpcError) as failure:
        await call(envoy.edge, "/trirag.retrieval.v1.KnowledgeBaseService/DeleteKnowledgeBase")
    assert failure.value.code() == grpc.StatusCode.UNIMPLEMENTED
    assert retrieval.calls == []


async def test_the_access_log_is_json_with_ids(launch: Launch) -> None:
    envoy = await launch(orchestrator=[FakeService(ORCHESTRATOR, answers)])
    parent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
    await call(envoy.edge, ASK, metadata={"traceparent": parent})
    envoy.stop()
    entry = envoy.access_log()[-1]
    assert entry["path"] == ASK and entry["traceparent"] == parent and entry["request_id"]
    assert entry["cluster"] == "orchestrator"
