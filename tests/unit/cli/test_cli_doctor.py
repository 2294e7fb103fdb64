"""The doctor looks at every part, names the remedy, and fails only where a needed part is down."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from cli_fakes import FakeEdge, Result

from cli.diagnosis.check import Check, State
from services.common.errors import Unavailable
from tests.loopback import LoopbackServer, Request
from trirag.orchestrator.v1 import policy_pb2
from trirag.perception.v1 import perception_pb2
from trirag.retrieval.v1 import knowledge_base_pb2
from trirag.validation.v1 import validation_pb2

Trirag = Callable[..., Result]


@pytest.fixture
def web(monkeypatch: pytest.MonkeyPatch) -> Iterator[dict[str, Any]]:
    """An HTTP server that plays Envoy's admin and the language model; pages by path."""
    pages: dict[str, Any] = {}

    def answer(request: Request) -> tuple[int, bytes]:
        page = pages.get(request.path)
        return 404 if page is None else 200, json.dumps(page).encode()

    with LoopbackServer(answer) as server:
        monkeypatch.setenv("TRIRAG_ENVOY_ADMIN_PORT", str(server.port))
        monkeypatch.setenv("TRIRAG_LLM_URL", f"{server.url}/v1")
        monkeypatch.setenv("TRIRAG_LLM_MODEL", "small")
        yield pages


@pytest.fixture
def healthy(edge: FakeEdge, web: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> FakeEdge:
    """Everything answers."""
    edge.answers["GetPolicy"] = policy_pb2.GetPolicyResponse(version="f00d")
    edge.answers["Parse"] = perception_pb2.ParseResponse()
    edge.answers["ListKnowledgeBases"] = knowledge_base_pb2.ListKnowledgeBasesResponse()
    edge.answers["CheckSufficiency"] = validation_pb2.CheckSufficiencyResponse()
    web["/clusters?format=json"] = {"cluster_statuses": [cluster("perception", {})]}
    web["/v1/models"] = {"data": [{"id": "small"}]}
    monkeypatch.setattr("cli.diagnosis.parts.check_milvus", lambda settings: Check("milvus", State.OK, "answers"))
    return edge


def cluster(name: str, *hosts: dict[str, Any]) -> dict[str, Any]:
    address = {"socket_address": {"address": "127.0.0.1", "port_value": 50051}}
    return {"name": name, "host_statuses": [{"address": address, "health_status": status} for status in hosts]}


def states(result: Result) -> dict[str, str]:
    return {check["name"]: check["state"] for check in result.json["checks"]}


def test_all_well(healthy: FakeEdge, trirag: Trirag) -> None:
    result = trirag("doctor", "--json")
    assert result.status == 0
    assert set(states(result).values()) == {"ok"}
    assert "policy f00d" in result.out
    assert trirag("doctor").out.count("✓") == len(result.json["checks"])


def test_a_service_that_is_down_fails_with_its_address(
    healthy: FakeEdge, trirag: Trirag, free_port: Callable[[], int], monkeypatch: pytest.MonkeyPatch
) -> None:
    port = free_port()
    monkeypatch.setenv("TRIRAG_PERCEPTION_PORT", str(port))
    healthy.answers["Parse"] = Unavailable("DOWN", "no healthy upstream")
    result = trirag("doctor", "--json")
    assert result.status == 1
    assert states(result)["perception"] == "down"
    assert f"127.0.0.1:{port}: nothing answers" in result.out


def test_a_host_that_envoy_put_out_is_named(healthy: FakeEdge, web: dict[str, Any], trirag: Trirag) -> None:
    out = {"failed_active_health_check": True, "eds_health_status": "HEALTHY"}
    web["/clusters?format=json"] = {
        "cluster_statuses": [cluster("perception", {}, out), cluster("retrieval", out), cluster("llm", out)]
    }
    result = trirag("doctor", "--json")
    found = states(result)
    assert (found["envoy perception"], found["envoy retrieval"], found["envoy llm"]) == ("warning", "down", "warning")
    assert "127.0.0.1:50051 is out (failed_active_health_check)" in result.out
    assert result.status == 1


def test_answers_need_no_language_model(healthy: FakeEdge, web: dict[str, Any], trirag: Trirag) -> None:
    web["/v1/models"] = {"data": [{"id": "other"}]}
    result = trirag("doctor", "--json")
    assert result.status == 0
    assert states(result)["llm"] == "warning"
    assert "serves other, not small" in result.out
    del web["/v1/models"]
    assert "HTTP 404" in trirag("doctor", "--json").out


def test_a_policy_file_that_is_refused_is_a_warning(healthy: FakeEdge, trirag: Trirag) -> None:
    healthy.answers["GetPolicy"] = policy_pb2.GetPolicyResponse(version="f00d", pending_error="line 3: routes")
    result = trirag("doctor", "--json")
    assert (result.status, states(result)["orchestrator"]) == (0, "warning")
    assert "refused: line 3: routes" in result.out


def test_a_wrong_setting_is_named(edge: FakeEdge, trirag: Trirag, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TRIRAG_PERCEPTION_PORT", "high")
    result = trirag("doctor")
    assert result.status == 2
    assert "TRIRAG_PERCEPTION_PORT=high" in result.complaint
