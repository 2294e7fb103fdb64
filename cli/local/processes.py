"""The parts of the local stack: what is started, where it listens, how it is known to be well."""

from __future__ import annotations

import json
import os
import sys
from dataclasses import dataclass, field
from pathlib import Path

from cli.local import vllm
from cli.local.envoy_config import envoy_binary
from cli.local.supervise import MARKER
from cli.local.topology import METRICS_PORT_OFFSET, ROOT, LocalSettings

SERVICES = ("perception", "retrieval", "validation", "orchestrator")

#: Full gRPC name of the service whose health stands for the process.
HEALTH_SERVICE = {
    "perception": "trirag.perception.v1.PerceptionService",
    "retrieval": "trirag.retrieval.v1.RetrievalService",
    "validation": "trirag.validation.v1.ValidationService",
    "orchestrator": "trirag.orchestrator.v1.OrchestratorService",
}


@dataclass(frozen=True, slots=True)
class Check:
    """How a part is known to be well.

    kind: `grpc` (health by service name), `http` (GET gives 200), `envoy` (clusters by name), `milvus` (it tells its
    version).
    """

    kind: str
    host: str
    port: int
    path: str = ""


@dataclass(frozen=True, slots=True)
class Part:
    """One line of the Procfile."""

    name: str
    command: tuple[str, ...]
    ports: tuple[int, ...]
    checks: tuple[Check, ...]
    environment: dict[str, str] = field(default_factory=dict)
    #: The stack is up without it.
    optional: bool = False
    #: Added to the process's niceness.
    nice: int = 0


def parts(settings: LocalSettings, with_vllm: bool) -> list[Part]:
    """All parts for these settings, in the order in which they are shown. Raises EnvoyConfigError without Envoy."""
    found = [_milvus(settings)] if settings.local_milvus else []
    found += [_service(name, settings) for name in SERVICES]
    if with_vllm:
        found.append(_vllm(settings))
    return [*found, _envoy(settings)]


def shared_environment(settings: LocalSettings) -> dict[str, str]:
    """What every part is told: which stack it belongs to and where the others are."""
    environment = {
        MARKER: str(settings.run_path()),
        "PYTHONPATH": os.pathsep.join([str(ROOT), str(ROOT / "gen")]),
        "PYTHONUNBUFFERED": "1",
        "TRIRAG_CONFIG_DIR": str(settings.config_path()),
        "TRIRAG_HOST": settings.host,
    }
    for name in SERVICES:
        environment[f"TRIRAG_{name.upper()}_PORT"] = str(settings.port_of(name))
        environment[f"TRIRAG_{name.upper()}_WORKERS"] = str(settings.workers_of(name))
    return environment


def write_specs(all_parts: list[Part], settings: LocalSettings) -> None:
    """Writes what the supervisors read (`<run>/specs/NAME.json`) and removes those of parts that are gone."""
    folder = settings.run_path() / "specs"
    folder.mkdir(parents=True, exist_ok=True)
    for old in folder.glob("*.json"):
        old.unlink()
    for part in all_parts:
        spec = {
            "command": part.command,
            "environment": {**shared_environment(settings), **part.environment},
            "folder": str(ROOT),
            "nice": part.nice,
        }
        (folder / f"{part.name}.json").write_text(json.dumps(spec, indent=2))


def _milvus(settings: LocalSettings) -> Part:
    data = settings.run_path() / "milvus"
    data.mkdir(parents=True, exist_ok=True)
    binary = Path(sys.executable).parent / "milvus-lite"
    # Without --host it listens on every address of the machine.
    listen = ("--host", settings.host, "--port", str(settings.milvus_port))
    command = (str(binary), "server", "--data-dir", str(data), *listen)
    check = Check("milvus", settings.host, settings.milvus_port)
    return Part("milvus", command, (settings.milvus_port,), (check,))


def _service(name: str, settings: LocalSettings) -> Part:
    ports = settings.worker_ports(name)
    checks = tuple(Check("grpc", settings.host, port, HEALTH_SERVICE[name]) for port in ports)
    metrics = [port + METRICS_PORT_OFFSET for port in ports if port + METRICS_PORT_OFFSET <= 65535]
    special = {
        "perception": _perception_environment,
        "retrieval": _retrieval_environment,
        "orchestrator": _orchestrator_environment,
    }
    environment = special[name](settings) if name in special else {}
    return Part(name, (sys.executable, "-m", f"services.{name}"), (*ports, *metrics), checks, environment)


def _perception_environment(settings: LocalSettings) -> dict[str, str]:
    """The titles of public documents are known names; "" in the environment turns that off."""
    stack = {
        "TRIRAG_PERCEPTION_TITLES_FROM": f"{settings.host}:{settings.mesh_port}",
        "TRIRAG_PERCEPTION_KEPT_DIR": str(settings.run_path() / "perception"),
    }
    return {name: value for name, value in stack.items() if name not in os.environ}


def _retrieval_environment(settings: LocalSettings) -> dict[str, str]:
    environment = {}
    if settings.local_milvus:
        environment["TRIRAG_RETRIEVAL_MILVUS_URI"] = f"http://{settings.host}:{settings.milvus_port}"
    if "TRIRAG_RETRIEVAL_DATA_DIR" not in os.environ:
        environment["TRIRAG_RETRIEVAL_DATA_DIR"] = str(settings.run_path() / "retrieval")
    return environment


def _orchestrator_environment(settings: LocalSettings) -> dict[str, str]:
    environment = {
        "TRIRAG_ORCHESTRATOR_MESH_ADDRESS": f"{settings.host}:{settings.mesh_port}",
        # A model server that is away makes answers degraded; no model at all is a choice.
        "TRIRAG_ORCHESTRATOR_LLM_MODEL": "" if settings.llm_url == "none" else settings.llm_model,
    }
    if "TRIRAG_ORCHESTRATOR_DATABASE_URL" not in os.environ:
        environment["TRIRAG_ORCHESTRATOR_DATABASE_URL"] = f"sqlite:///{settings.run_path() / 'traces.db'}"
    return environment


def _vllm(settings: LocalSettings) -> Part:
    return Part(
        "vllm",
        tuple(vllm.serve_command(settings)),
        (settings.vllm_port,),
        (Check("http", settings.host, settings.vllm_port, "/health"),),
        vllm.serve_environment(),
        optional=True,
        # On a small machine the services answer first.
        nice=5,
    )


def _envoy(settings: LocalSettings) -> Part:
    command = (
        envoy_binary(),
        *("-c", str(settings.run_path() / "envoy.yaml")),
        *("--concurrency", str(settings.envoy_threads)),
        *("--disable-hot-restart", "--log-level", "warning", "--drain-time-s", "5"),
    )
    ports = (settings.edge_port, settings.mesh_port, settings.envoy_admin_port)
    check = Check("http", "127.0.0.1", settings.envoy_admin_port, "/ready")
    return Part("envoy", command, ports, (check,))
