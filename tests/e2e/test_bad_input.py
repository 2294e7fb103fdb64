"""Bad input by gRPC and JSON: a status, the field, the reason; never a traceback. The CLI's and the files' cases stand
in test_cli_*.py and tests/integration/retrieval."""

from __future__ import annotations

import json
import urllib.error
import urllib.request

import grpc
import pytest
from google.rpc import error_details_pb2
from google.type import date_pb2

from services.common.errors import detail_of
from tests.stack import LocalStack
from trirag.orchestrator.v1 import orchestrator_pb2 as pb
from trirag.orchestrator.v1 import orchestrator_pb2_grpc

pytestmark = pytest.mark.stack


def grpc_error(stack: LocalStack, **fields: object) -> grpc.RpcError:
    with grpc.insecure_channel(stack.url) as channel, pytest.raises(grpc.RpcError) as caught:
        orchestrator_pb2_grpc.OrchestratorServiceStub(channel).Ask(pb.AskRequest(**fields), timeout=30)
    return caught.value


def fields_of(error: grpc.RpcError) -> list[str]:
    bad = detail_of(error, error_details_pb2.BadRequest)
    return [] if bad is None else [v.field for v in bad.field_violations]


def post(stack: LocalStack, body: object, path: str = "/v1/ask") -> tuple[int, dict]:
    data = body if isinstance(body, bytes) else json.dumps(body).encode()
    request = urllib.request.Request(f"http://{stack.url}{path}", data, {"content-type": "application/json"})
    try:
        with urllib.request.urlopen(request, timeout=30) as reply:
            return reply.status, json.load(reply)
    except urllib.error.HTTPError as error:
        return error.code, json.load(error)


@pytest.mark.parametrize(
    ("fields", "names"),
    [
        ({"question": ""}, ["question"]),
        ({"question": " \u3000\n"}, ["question"]),
        ({"question": "x" * 100_000}, ["question"]),
        ({"question": "x", "as_of": date_pb2.Date(year=2024, month=13, day=1)}, ["as_of"]),
        ({"question": "x", "as_of": date_pb2.Date(year=2024)}, ["as_of"]),
        ({"question": "x", "time_zone": "Mars/Olympus"}, ["time_zone"]),
        (
            {"question": "", "request_id": "not ok", "filter": {"min_authority": 9}},
            ["question", "filter.min_authority", "request_id"],
        ),
        ({"question": "x", "knowledge_bases": ["a b"]}, ["knowledge_bases[0]"]),
    ],
    ids=["empty", "blank", "too long", "no such month", "year only", "time zone", "three at once", "kb pattern"],
)  # fmt: skip
def test_grpc_names_every_bad_field(stack: LocalStack, fields: dict, names: list[str]):
    error = grpc_error(stack, **fields)
    assert error.code() is grpc.StatusCode.INVALID_ARGUMENT
    assert fields_of(error) == names
    assert "Traceback" not in str(error)


def test_an_unknown_knowledge_base_is_not_found_by_name(stack: LocalStack):
    error = grpc_error(stack, question="anything?", knowledge_bases=["nowhere"])
    assert error.code() is grpc.StatusCode.NOT_FOUND
    assert "nowhere" in error.details()


@pytest.mark.parametrize(
    ("body", "says"),
    [
        ({"question": ""}, "question"),
        ({"question": "x" * 100_000}, "question"),
        ({"question": "x", "as_of": {"year": 2024, "month": 2, "day": 30}}, "as_of"),
        ({"question": "x", "filter": {"min_authority": "high"}}, "min_authority"),
        ({"question": "x", "no_such_field": 1}, "no_such_field"),
        (b"{not json", ""),
    ],
    ids=["empty", "too long", "no such day", "wrong type", "unknown field", "no json"],
)
def test_json_answers_400_with_the_reason(stack: LocalStack, body: object, says: str):
    code, reply = post(stack, body)
    assert code == 400
    assert reply["code"] == 3
    assert says in json.dumps(reply)


def test_json_gives_404_for_an_unknown_knowledge_base_and_an_unknown_trace(stack: LocalStack):
    assert post(stack, {"question": "anything?", "knowledge_bases": ["nowhere"]})[0] == 404
    request = urllib.request.Request(f"http://{stack.url}/v1/traces/none")
    with pytest.raises(urllib.error.HTTPError) as caught:
        urllib.request.urlopen(request, timeout=30)
    assert caught.value.code == 404


def test_a_wrong_token_is_refused_and_identity_headers_of_a_client_are_ignored(stack: LocalStack):
    salaries = pb.AskRequest(
        question="What is the salary range of band B3?", knowledge_bases=["company"], extractive_only=True
    )

    def ask(*metadata: tuple[str, str]) -> pb.Answer:
        with grpc.insecure_channel(stack.url) as channel:
            return (
                orchestrator_pb2_grpc.OrchestratorServiceStub(channel)
                .Ask(salaries, timeout=30, metadata=metadata)
                .answer
            )

    with pytest.raises(grpc.RpcError) as caught:
        ask(("authorization", "Bearer no.such.token"))
    assert caught.value.code() is grpc.StatusCode.UNAUTHENTICATED
    forged = ask(("x-trirag-groups", "hr"), ("x-trirag-subject", "boss"))
    sources = {s.chunk.document.document_id for s in forged.sources}
    assert "salary-bands-2026-en" not in sources
    allowed = ask(("authorization", f"Bearer {stack.token('alice', 'hr')}"))
    assert "salary-bands-2026-en" in {s.chunk.document.document_id for s in allowed.sources}


def test_a_request_id_makes_ask_idempotent(stack: LocalStack):
    with grpc.insecure_channel(stack.url) as channel:
        stub = orchestrator_pb2_grpc.OrchestratorServiceStub(channel)
        request = pb.AskRequest(
            question="What does error E4027 mean?",
            knowledge_bases=["runbooks"],
            extractive_only=True,
            request_id="once-1",
        )
        first, second = stub.Ask(request, timeout=30), stub.Ask(request, timeout=30)
        assert (first.replayed, second.replayed) == (False, True)
        assert first.trace_id == second.trace_id
        request.question = "Something else?"
        with pytest.raises(grpc.RpcError) as caught:
            stub.Ask(request, timeout=30)
    assert caught.value.code() is grpc.StatusCode.INVALID_ARGUMENT
    assert fields_of(caught.value) == ["request_id"]


def test_a_trace_is_read_whole_and_only_by_those_who_may_read_its_evidence(stack: LocalStack):
    token = (("authorization", f"Bearer {stack.token('alice', 'hr')}"),)
    with grpc.insecure_channel(stack.url) as channel:
        stub = orchestrator_pb2_grpc.OrchestratorServiceStub(channel)
        asked = pb.AskRequest(
            question="What is the salary range of band B3?", knowledge_bases=["company"], extractive_only=True
        )
        response = stub.Ask(asked, timeout=30, metadata=token)
        trail = stub.GetTrace(pb.GetTraceRequest(trace_id=response.trace_id), timeout=30, metadata=token).trace
        assert trail.events[-1].answer == response
        assert [e.WhichOneof("event") for e in trail.events][:4] == ["parsed", "planned", "searched", "sufficiency"]
        with pytest.raises(grpc.RpcError) as caught:
            stub.GetTrace(pb.GetTraceRequest(trace_id=response.trace_id), timeout=30)
    assert caught.value.code() is grpc.StatusCode.NOT_FOUND


def test_the_stream_tells_every_step_as_json_events(stack: LocalStack):
    body = json.dumps({"ask": {"question": "What does error E4027 mean?", "extractive_only": True}}).encode()
    request = urllib.request.Request(f"http://{stack.url}/v1/ask:stream", body, {"content-type": "application/json"})
    with urllib.request.urlopen(request, timeout=60) as reply:
        lines = [line.decode() for line in reply if line.strip()]
    events = [json.loads(line.removeprefix("data:")) for line in lines]
    kinds = [k for e in events for k in e if k not in ("trace_id", "traceId", "elapsed_ms", "elapsedMs")]
    assert kinds[0] == "parsed"
    assert kinds[-1] == "answer"
    assert {"planned", "searched", "sufficiency", "attempt", "validated"} <= set(kinds)
