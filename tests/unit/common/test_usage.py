"""What ``python -m services.NAME --help`` tells, and that no other argument is taken."""

from __future__ import annotations

import importlib

import pytest

from services.common.server import run_service
from services.common.settings import SHARED_PREFIX, ServiceSettings
from services.common.usage import read_arguments
from services.orchestrator.settings import OrchestratorSettings
from services.perception.settings import PerceptionSettings
from services.retrieval.settings import RetrievalSettings
from services.validation.settings import ValidationSettings

SERVICES: dict[str, type[ServiceSettings]] = {
    "orchestrator": OrchestratorSettings,
    "perception": PerceptionSettings,
    "retrieval": RetrievalSettings,
    "validation": ValidationSettings,
}


def help_of(name: str, capsys: pytest.CaptureFixture[str]) -> str:
    with pytest.raises(SystemExit) as ended:
        read_arguments(name, SERVICES[name], ["--help"])
    assert ended.value.code == 0
    return capsys.readouterr().out


@pytest.mark.parametrize("name", SERVICES)
def test_help_says_what_a_service_is_and_names_every_setting(name, capsys):
    shown = help_of(name, capsys)
    about = importlib.import_module(f"services.{name}").__doc__
    assert about and about.splitlines()[0] in shown
    prefix = f"{SHARED_PREFIX}{name.upper()}_"
    for field in SERVICES[name].model_fields:
        assert f"  {prefix}{field.upper()}=" in shown


@pytest.mark.parametrize("name", SERVICES)
def test_every_setting_has_a_meaning(name, capsys):
    lines = help_of(name, capsys).splitlines()
    settings = [at for at, line in enumerate(lines) if line.startswith(f"  {SHARED_PREFIX}")]
    assert all(lines[at + 1].startswith("      ") for at in settings)


def test_help_gives_defaults_and_what_is_taken(capsys):
    shown = " ".join(help_of("retrieval", capsys).split())
    assert "TRIRAG_RETRIEVAL_PORT=50052 gRPC port of worker 0. 0 to 65535." in shown
    assert "hybrid search combines its two lists. One of rrf, weighted." in shown
    assert "^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$" in shown


def test_a_secret_default_is_not_shown(capsys):
    assert "TRIRAG_RETRIEVAL_MILVUS_TOKEN=\n" in help_of("retrieval", capsys)


@pytest.mark.parametrize("argument", ["--port=1", "start", "--hel"])
def test_an_unknown_argument_is_refused_before_anything_starts(argument, monkeypatch, capsys):
    monkeypatch.setattr("sys.argv", ["services.perception", argument])

    def build(settings: PerceptionSettings) -> None:
        raise AssertionError("started")

    with pytest.raises(SystemExit) as ended:
        run_service("perception", PerceptionSettings, build)
    assert ended.value.code == 2
    assert argument in capsys.readouterr().err


def test_no_argument_is_right():
    read_arguments("perception", PerceptionSettings, [])
