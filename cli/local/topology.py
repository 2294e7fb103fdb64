"""Where every part listens: by environment on one machine, by service name on Kubernetes."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

from pydantic import Field, ValidationError
from pydantic_settings import BaseSettings, SettingsConfigDict

ROOT = Path(__file__).resolve().parent.parent.parent

#: Distance between the ports of two workers of one service.
WORKER_PORT_STEP = 10
#: A worker's Prometheus port is its gRPC port plus this.
METRICS_PORT_OFFSET = 10_000


class TopologyError(ValueError):
    """A setting is wrong; the message is one line that names it."""


class LocalSettings(BaseSettings):
    """Environment of the local stack; names are TRIRAG_ plus the field's name in capitals."""

    model_config = SettingsConfigDict(env_prefix="TRIRAG_", extra="ignore", frozen=True)

    host: str = Field("127.0.0.1", description="Address that everything listens on.")
    edge_port: int = Field(8080, ge=1, le=65535, description="Envoy for clients: gRPC, JSON.")
    mesh_port: int = Field(9090, ge=1, le=65535, description="Envoy between the services.")
    envoy_admin_port: int = Field(9901, ge=1, le=65535, description="Envoy's admin and statistics.")
    envoy_threads: int = Field(2, ge=1, le=64, description="Worker threads of Envoy.")
    orchestrator_port: int = Field(50050, ge=1, le=65535)
    perception_port: int = Field(50051, ge=1, le=65535)
    retrieval_port: int = Field(50052, ge=1, le=65535)
    validation_port: int = Field(50053, ge=1, le=65535)
    orchestrator_workers: int = Field(1, ge=1, le=64)
    perception_workers: int = Field(1, ge=1, le=64)
    retrieval_workers: int = Field(1, ge=1, le=64)
    validation_workers: int = Field(1, ge=1, le=64)
    milvus_port: int = Field(19530, ge=1, le=65535, description="Local Milvus server.")
    retrieval_milvus_uri: str = Field("", description="A Milvus of yours; then none is started here.")
    vllm_port: int = Field(8000, ge=1, le=65535, description="Local vLLM server.")
    vllm_venv: Path = Field(Path(".venv-vllm"), description="Virtual environment of the local vLLM.")
    llm_url: str = Field(
        "",
        description="OpenAI base URL of a server of yours, such as https://host/v1; "
        "then no vLLM is installed or started here. `none`: no language model at all.",
    )
    llm_model: str = Field("smollm2-135m-instruct", description="Model name that the server knows.")
    llm_health_path: str = Field("", description="Path that Envoy checks on the server at llm_url; empty: none.")
    config_dir: Path = Field(Path("config"), description="Folder of envoy.yaml, rule packs and policy.")
    run_dir: Path = Field(Path(".run"), description="Folder of logs, data and everything else that is not kept.")
    start_seconds: float = Field(240, ge=1, le=3600, description="Longest wait for the stack to be healthy.")

    @property
    def local_llm(self) -> bool:
        """Whether a vLLM server of our own is wanted."""
        return self.llm_url == ""

    @property
    def local_milvus(self) -> bool:
        """Whether a Milvus server of our own is wanted."""
        return self.retrieval_milvus_uri == ""

    def run_path(self) -> Path:
        """`run_dir`, absolute (relative to the checkout)."""
        return ROOT / self.run_dir

    def config_path(self) -> Path:
        """`config_dir`, absolute (relative to the checkout)."""
        return ROOT / self.config_dir

    def vllm_venv_path(self) -> Path:
        """`vllm_venv`, absolute (relative to the checkout)."""
        return ROOT / self.vllm_venv

    def port_of(self, service: str) -> int:
        """gRPC port of worker 0."""
        return int(getattr(self, f"{service}_port"))

    def workers_of(self, service: str) -> int:
        """Number of workers."""
        return int(getattr(self, f"{service}_workers"))

    def worker_ports(self, service: str) -> list[int]:
        """gRPC ports of all workers of a service."""
        return [self.port_of(service) + WORKER_PORT_STEP * i for i in range(self.workers_of(service))]


def load_local_settings() -> LocalSettings:
    """Reads the environment. Raises TopologyError naming the first wrong setting."""
    try:
        settings = LocalSettings()
    except ValidationError as error:
        first = error.errors()[0]
        name = "TRIRAG_" + "_".join(str(part) for part in first["loc"]).upper()
        raise TopologyError(f"{name}={first['input']}: {first['msg']}") from None
    if settings.llm_url not in ("", "none") and "llm_model" not in settings.model_fields_set:
        raise TopologyError(f"TRIRAG_LLM_URL={settings.llm_url}: TRIRAG_LLM_MODEL must say which of its models to use")
    return settings


@dataclass(frozen=True, slots=True)
class Address:
    """Hosts of one upstream. `resolve`: names are looked up again and again and all addresses used."""

    endpoints: tuple[tuple[str, int], ...]
    resolve: bool = False
    tls: bool = False
    #: Sent as Host where the server is a shared one.
    host_header: str = ""
    #: What `/v1` of the mesh listener becomes on the server.
    path_prefix: str = "/v1"
    #: None: as the traffic file says; empty: no active check.
    health_path: str | None = None


@dataclass(frozen=True, slots=True)
class Place:
    """One Envoy: which listeners it has, where it listens and where its upstreams are."""

    name: str
    listeners: tuple[str, ...]
    edge_host: str
    edge_port: int
    mesh_host: str
    mesh_port: int
    admin_port: int
    addresses: dict[str, Address]
    jwks_file: str
    descriptor_file: str
    #: Port that serves readiness and statistics to other hosts; 0: none (the admin port is on loopback).
    metrics_port: int = 0


def local_place(settings: LocalSettings) -> Place:
    """The single Envoy of one machine: both listeners, every worker an endpoint."""
    run = settings.run_path()
    addresses = {
        service: Address(tuple((settings.host, port) for port in settings.worker_ports(service)))
        for service in ("orchestrator", "perception", "retrieval", "validation")
    }
    addresses["llm"] = llm_address(settings)
    return Place(
        name="trirag-local",
        listeners=("edge", "mesh"),
        edge_host=settings.host,
        edge_port=settings.edge_port,
        mesh_host=settings.host,
        mesh_port=settings.mesh_port,
        admin_port=settings.envoy_admin_port,
        addresses=addresses,
        jwks_file=str(run / "jwks.json"),
        descriptor_file=str(ROOT / "gen" / "image.binpb"),
    )


def llm_address(settings: LocalSettings) -> Address:
    """Where /v1/ of the mesh listener goes. Raises TopologyError if TRIRAG_LLM_URL is no http(s) URL."""
    if settings.llm_url in ("", "none"):
        return Address(((settings.host, settings.vllm_port),))
    return external_llm("TRIRAG_LLM_URL", settings.llm_url, settings.llm_health_path)


def external_llm(setting: str, written: str, health_path: str = "") -> Address:
    """Address of an OpenAI base URL. Raises TopologyError naming `setting` if it is no http(s) URL."""
    url = urlsplit(written)
    if url.scheme not in ("http", "https") or not url.hostname:
        raise TopologyError(f"{setting}={written}: no URL such as http://127.0.0.1:8000/v1")
    tls = url.scheme == "https"
    try:
        port = url.port or (443 if tls else 80)
    except ValueError:
        raise TopologyError(f"{setting}={written}: wrong port") from None
    return Address(
        ((url.hostname, port),),
        resolve=True,
        tls=tls,
        host_header=url.netloc.rsplit("@", 1)[-1],
        path_prefix=url.path.rstrip("/") or "/v1",
        health_path=health_path,
    )
