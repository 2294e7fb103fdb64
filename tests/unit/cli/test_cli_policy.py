"""trirag policy: what is in force, what would be, and what was."""

from __future__ import annotations

from collections.abc import Callable
from io import BytesIO, TextIOWrapper
from pathlib import Path

import pytest
from cli_fakes import FakeEdge, Result

from services.common.errors import FailedPrecondition
from trirag.orchestrator.v1 import insight_pb2, policy_pb2

Trirag = Callable[..., Result]


def test_policy_get_prints_the_yaml_alone_on_stdout(edge: FakeEdge, trirag: Trirag) -> None:
    edge.answers["GetPolicy"] = policy_pb2.GetPolicyResponse(yaml="rounds: 2\n", version="f00d", pending_error="line 3")
    result = trirag("policy", "get")
    assert result.out == "rounds: 2\n"
    assert "f00d" in result.err and "not in force: line 3" in result.err


def test_a_bad_policy_is_told_by_line_and_exits_with_1(edge: FakeEdge, trirag: Trirag, tmp_path: Path) -> None:
    problem = policy_pb2.PolicyProblem(
        field="routes[0].when", line=4, message="unknown name entitys; did you mean entities?"
    )
    edge.answers["ValidatePolicy"] = policy_pb2.ValidatePolicyResponse(valid=False, problems=[problem])
    file = tmp_path / "policy.yaml"
    file.write_text("routes: []")
    result = trirag("policy", "validate", str(file))
    assert result.status == 1
    assert f"{file}:4: routes[0].when: unknown name entitys" in result.out
    edge.answers["ValidatePolicy"] = policy_pb2.ValidatePolicyResponse(valid=True)
    assert trirag("policy", "validate", str(file)).status == 0


@pytest.fixture
def file(edge: FakeEdge, tmp_path: Path) -> Path:
    """A policy that may be applied; `f00d` is in force."""
    edge.answers["GetPolicy"] = policy_pb2.GetPolicyResponse(yaml="rounds: 2\n", version="f00d")
    edge.answers["ValidatePolicy"] = policy_pb2.ValidatePolicyResponse(valid=True)
    edge.answers["UpdatePolicy"] = policy_pb2.UpdatePolicyResponse(version="beef")
    path = tmp_path / "policy.yaml"
    path.write_text("rounds: 3\n")
    return path


def test_a_policy_is_applied_over_the_one_in_force(edge: FakeEdge, trirag: Trirag, file: Path) -> None:
    result = trirag("policy", "apply", str(file), "--note", "more rounds")
    assert result.out == "policy beef is in force; `trirag policy rollback f00d` goes back\n"
    [sent] = edge.requests["UpdatePolicy"]
    assert (sent.yaml, sent.etag, sent.note) == ("rounds: 3\n", "f00d", "more rounds")
    trirag("policy", "apply", str(file), "--from", "abcd")
    assert edge.requests["UpdatePolicy"][1].etag == "abcd"
    assert trirag("policy", "apply", str(file), "--json").json == {"version": "beef"}


def test_a_policy_may_come_from_standard_input(
    edge: FakeEdge, trirag: Trirag, file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.stdin", TextIOWrapper(BytesIO(b"rounds: 4\n")))
    assert trirag("policy", "validate", "-").status == 0
    assert edge.requests["ValidatePolicy"][0].yaml == "rounds: 4\n"


def test_a_policy_with_a_problem_is_not_applied(edge: FakeEdge, trirag: Trirag, file: Path) -> None:
    problem = policy_pb2.PolicyProblem(field="rounds", line=1, message="is too much")
    edge.answers["ValidatePolicy"] = policy_pb2.ValidatePolicyResponse(valid=False, problems=[problem])
    result = trirag("policy", "apply", str(file))
    assert (result.status, result.out) == (1, f"{file}:1: rounds: is too much\n")
    assert trirag("policy", "apply", str(file), "--json").json["problems"][0]["line"] == 1
    assert "UpdatePolicy" not in edge.requests


def test_a_refused_change_is_told_in_one_line(edge: FakeEdge, trirag: Trirag, file: Path) -> None:
    edge.answers["UpdatePolicy"] = FailedPrecondition("POLICY_READ_ONLY", "policy.yaml cannot be written")
    result = trirag("policy", "apply", str(file))
    assert result.status == 1
    assert "policy.yaml cannot be written" in result.complaint


def history(*versions: str) -> insight_pb2.ListPolicyVersionsResponse:
    return insight_pb2.ListPolicyVersionsResponse(
        versions=[insight_pb2.PolicyVersion(version=v, in_force=not n) for n, v in enumerate(versions)]
    )


def test_the_history_tells_who_and_why(edge: FakeEdge, trirag: Trirag) -> None:
    listed = history("beef", "f00d")
    listed.versions[0].subject, listed.versions[0].note = "ana", "more rounds"
    edge.answers["ListPolicyVersions"] = listed
    first, second = trirag("policy", "history").out.splitlines()[1:]
    assert first.split() == ["beef", "(in", "force)", "ana", "more", "rounds"]
    assert second.split() == ["f00d", "the", "file", "was", "changed"]
    assert trirag("policy", "history", "--json").json["versions"][0]["in_force"] is True


def test_rollback_goes_to_the_one_before_or_the_one_named(edge: FakeEdge, trirag: Trirag) -> None:
    edge.answers["ListPolicyVersions"] = history("beef", "f00d", "cafe")
    edge.answers["RollbackPolicy"] = policy_pb2.RollbackPolicyResponse(former_version="beef")
    assert trirag("policy", "rollback").out == "policy f00d is in force again; before it was beef\n"
    trirag("policy", "rollback", "cafe", "--note", "back")
    assert [(r.version, r.note) for r in edge.requests["RollbackPolicy"]] == [("f00d", ""), ("cafe", "back")]


def test_there_is_no_going_back_from_the_first(edge: FakeEdge, trirag: Trirag) -> None:
    edge.answers["ListPolicyVersions"] = history("beef")
    result = trirag("policy", "rollback")
    assert result.status == 1 and "no policy before" in result.complaint
