"""Every command on the whole stack, and bad input by command line, gRPC and JSON."""

from __future__ import annotations

import json
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import grpc
import pytest
from bad_files import write_bad_files

from services.common.errors import status_of
from tests.stack import LocalStack
from trirag.orchestrator.v1 import orchestrator_pb2 as pb
from trirag.orchestrator.v1 import orchestrator_pb2_grpc

pytestmark = pytest.mark.stack
CASE = {
    "question": "Is the B737 faster than the A320, by 2023 data?",
    "answer": "A320's typical cruise speed is 440 kt [1]. B737's is 450 kt [2]. Therefore B737 is faster.",
    "chunks": [
        {
            "chunk_id": "a",
            "text": "In 2023 the typical cruise speed of the A320 was 440 kt.",
            "metadata": {"document_id": "a", "title": "Report 2023", "published_at": "2023-06-01"},
        },
        {
            "chunk_id": "b",
            "text": "The typical cruise speed of the B737 is 450 kt.",
            "metadata": {"document_id": "b", "title": "Report 2020", "published_at": "2020-06-01"},
        },
    ],
}


@pytest.fixture
def case(tmp_path: Path) -> str:
    file = tmp_path / "case.json"
    file.write_text(json.dumps(CASE))
    return str(file)


@pytest.fixture
def bad_kb(stack: LocalStack) -> Iterator[str]:
    """A name for a knowledge base that does not outlive the test."""
    yield "bad_files"
    stack.trirag("kb", "delete", "bad_files")


def post(stack: LocalStack, path: str, body: Any) -> tuple[int, Any]:
    """HTTP status and JSON of a POST."""
    data = body if isinstance(body, bytes) else json.dumps(body).encode()
    request = urllib.request.Request(
        f"http://{stack.url}{path}", data, {"content-type": "application/json"}, method="POST"
    )
    try:
        with urllib.request.urlopen(request, timeout=60) as reply:
            return reply.status, json.loads(reply.read())
    except urllib.error.HTTPError as error:
        return error.code, json.loads(error.read())


def test_ask_and_its_trace(stack: LocalStack) -> None:
    asked = stack.trirag("ask", "What does error E4027 mean?", "--kb", "runbooks", "--extractive", "--stream", "--json")
    assert asked.status == 0, asked.stderr
    answer = asked.json["answer"]
    assert answer["status"] == "ANSWER_STATUS_ANSWERED"
    assert answer["verdict"]["valid"] is True
    assert "E4027" in answer["text"]
    for step in ("parsed", "planned", "searched", "sufficiency", "validated"):
        assert step in asked.stderr
    trail = stack.trirag("trace", asked.json["trace_id"], "--json").json
    assert "answer" in trail["events"][-1]
    assert "E4027" in stack.trirag("trace", asked.json["trace_id"]).stdout
    assert asked.json["trace_id"] in stack.trirag("trace", "list", "--limit", "200").stdout


def test_understanding_and_planning(stack: LocalStack) -> None:
    question = "Compare the fuel efficiency of A320 and B737, focusing on data from 2023 reports."
    parsed = stack.trirag("perceive", question, "--json").json
    assert parsed["actions"][0]["action"] == "ACTION_COMPARE"
    assert parsed["time"]["interval"]["start"] == {"year": 2023, "month": 1, "day": 1}
    offline = stack.trirag("perceive", question, "--json", "--offline").json
    # The service knows the titles of its documents, too; its version says so behind that of the rules.
    assert parsed.pop("rules_version").split("+")[0] == offline.pop("rules_version")
    assert parsed == offline
    plan = stack.trirag("explain", question, "--kb", "fleet", "--json").json["plan"]
    assert {task["search"]["knowledge_base"] for task in plan["tasks"]} == {"fleet"}
    assert "config" not in stack.trirag("perceive", question).stdout
    assert "rule" in stack.trirag("perceive", question, "--explain").stdout


@pytest.mark.parametrize("kind", ["dense", "keyword", "hybrid", "two_stage"])
def test_search(stack: LocalStack, kind: str) -> None:
    found = stack.trirag("search", "error E4027", "--kb", "runbooks", "--type", kind, "--top-k", "3", "--json")
    assert found.status == 0, found.stderr
    hits = found.json["results"][0]["hits"]
    assert 0 < len(hits) <= 3
    assert "e4027-order-gateway-en" in {hit["chunk"]["document"]["document_id"] for hit in hits}


def test_judging_is_the_same_by_service_and_in_process(stack: LocalStack, case: str) -> None:
    for command in ("validate", "sufficiency"):
        served, local = (stack.trirag(command, case, "--json", *flags) for flags in ((), ("--offline",)))
        assert served.status == local.status == 0, served.stderr + local.stderr
        assert served.json == local.json
    issues = stack.trirag("validate", case, "--json").json["issues"]
    assert ("ISSUE_TYPE_OUTDATED_SOURCE", 1) in {(i["type"], i["statement_index"]) for i in issues}
    assert "✗ OUTDATED_SOURCE" in stack.trirag("validate", case).stdout


def test_knowledge_bases(stack: LocalStack) -> None:
    assert {"fleet", "company", "runbooks", "regulations"} <= {
        kb["name"] for kb in stack.trirag("kb", "list", "--json").json["knowledge_bases"]
    }
    listed = stack.trirag("kb", "documents", "runbooks", "--json").json["documents"]
    assert "it-faq-en" in {document["metadata"]["document_id"] for document in listed}
    report = stack.trirag("kb", "health", "runbooks", "--json")
    assert report.status == 0, report.stderr
    assert report.json["figures"]["documents"] == len(listed)


def test_policy(stack: LocalStack, tmp_path: Path) -> None:
    shown = stack.trirag("policy", "get")
    file = tmp_path / "policy.yaml"
    file.write_text(shown.stdout)
    assert stack.trirag("policy", "validate", str(file)).status == 0
    file.write_text(shown.stdout.replace("routes:", "rowts:", 1))
    refused = stack.trirag("policy", "validate", str(file))
    assert refused.status == 1
    assert "rowts" in refused.stdout


def test_doctor(stack: LocalStack) -> None:
    examined = stack.trirag("doctor", "--json", **stack.environment)
    assert examined.status == 0, examined.stdout
    names = {check["name"] for check in examined.json["checks"]}
    assert {"edge", "orchestrator", "perception", "retrieval", "validation", "milvus", "llm"} <= names


def test_eval_answers(stack: LocalStack, repository: Path, tmp_path: Path) -> None:
    rows = (repository / "examples" / "questions.jsonl").read_text(encoding="utf-8").splitlines()
    file = tmp_path / "answers.jsonl"
    file.write_text("\n".join(rows[:3]), encoding="utf-8")
    measured = stack.trirag("eval", "answers", str(file), "--extractive")
    assert measured.status == 0, measured.stderr
    assert measured.json["n"] == 3
    assert measured.json["rounds_mean"] >= 1


def test_bad_files_are_named_and_nothing_of_them_is_stored(stack: LocalStack, tmp_path: Path, bad_kb: str) -> None:
    write_bad_files(tmp_path / "bad")
    done = stack.trirag("ingest", str(tmp_path / "bad"), "--kb", bad_kb, "--json")
    assert done.status == 1
    assert {r["origin"]: r["reason"] for r in done.json["rejected"]} == {
        "empty.pdf": "EMPTY_FILE",
        "locked.pdf": "ENCRYPTED_PDF",
        "picture.md": "NOT_TEXT",
        "lines.jsonl:2": "BROKEN_JSON",
        "lines.jsonl:3": "INVALID_METADATA",
    }
    stored = stack.trirag("kb", "documents", bad_kb, "--json").json["documents"]
    assert {document["metadata"]["document_id"] for document in stored} == {"good-1", "good-2"}


@pytest.mark.parametrize(
    ("arguments", "status", "told"),
    [
        (["ask", ""], 1, "question"),
        (["ask", "x" * 100_000], 1, "4000"),
        (["ask", "What does error E4027 mean?", "--kb", "nowhere"], 1, "nowhere"),
        (["ask", "Who?", "--as-of", "2024-02-30"], 2, "--as-of: '2024-02-30' is no calendar day"),
        (["search", "who", "--kb", "nowhere"], 1, "nowhere"),
        (["search", "who", "--kb", "no such"], 1, "knowledge_base"),
        (["perceive", ""], 1, "question"),
        (["perceive", "x" * 100_000], 1, "4000"),
        (["perceive", "who", "--time-zone", "Mars/Base"], 1, "Mars/Base"),
        (["trace", "0000"], 1, "0000"),
        (["kb", "delete", "nowhere"], 1, "nowhere"),
        (["kb", "health", "nowhere"], 1, "nowhere"),
    ],
)
def test_bad_input_is_one_line(stack: LocalStack, arguments: list[str], status: int, told: str) -> None:
    refused = stack.trirag(*arguments)
    assert (refused.status, refused.stdout) == (status, ""), refused.stderr
    lines = refused.stderr.splitlines()
    assert len(lines) == 1
    assert told in lines[0]


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({"question": ""}, "question"),
        ({"question": "x" * 100_000}, "question"),
        ({"question": "q", "knowledge_bases": ["no such"]}, "knowledge_bases[0]"),
        ({"question": "q", "filter": {"min_authority": 9}}, "filter.min_authority"),
        ({"question": "q", "as_of": {"year": 2024, "month": 2, "day": 30}}, "as_of"),
    ],
)
def test_bad_fields_are_named_in_json_and_grpc(stack: LocalStack, body: dict[str, Any], field: str) -> None:
    status, reply = post(stack, "/v1/ask", body)
    assert (status, reply["code"]) == (400, 3), reply
    assert field in json.dumps(reply)
    message = pb.AskRequest(**{name: value for name, value in body.items() if name != "filter"})
    if "filter" in body:
        message.filter.min_authority = body["filter"]["min_authority"]
    with grpc.insecure_channel(stack.url) as channel:
        stub = orchestrator_pb2_grpc.OrchestratorServiceStub(channel)
        with pytest.raises(grpc.RpcError) as refused:
            stub.Ask(message, timeout=30)
    assert refused.value.code() is grpc.StatusCode.INVALID_ARGUMENT
    details = status_of(refused.value)
    assert details is not None and field in str(details)


@pytest.mark.parametrize(
    "body",
    [
        b"{",
        b'{"question": "q", "filter": {"min_authority": "high"}}',
        b'{"question": "q", "as_of": "2024-13-45"}',
        b'{"question": ["q"]}',
    ],
)
def test_json_of_a_wrong_type_is_refused_in_words(stack: LocalStack, body: bytes) -> None:
    status, reply = post(stack, "/v1/ask", body)
    assert status == 400
    assert reply["message"]
    assert "Traceback" not in json.dumps(reply)


def test_a_wrong_token_is_refused(stack: LocalStack) -> None:
    refused = stack.trirag("kb", "list", token="abc.def.ghi")
    assert refused.status == 1
    assert "TRIRAG_TOKEN is refused" in refused.stderr
