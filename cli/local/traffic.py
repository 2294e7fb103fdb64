"""`config/envoy.yaml`: what Envoy does with TriRAG's traffic, typed and checked."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, model_validator

from services.common.config_file import ConfigError, read_config

Seconds = Annotated[float, Field(gt=0, le=86400)]
Count = Annotated[int, Field(ge=1, le=1_000_000)]
Percent = Annotated[float, Field(gt=0, le=100)]

UPSTREAMS = ("orchestrator", "perception", "retrieval", "validation", "llm")


class TrafficError(ValueError):
    """The file is wrong; the message names file, line, field, reason."""


class _Model(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class RateLimit(_Model):
    """A token bucket: `requests_per_second` refill it, at most `burst` are kept."""

    requests_per_second: Count
    burst: Count


class Jwt(_Model):
    """What a token must satisfy at the edge."""

    required: bool
    issuer: str | None = None
    audiences: tuple[str, ...] = ()
    clock_skew_seconds: Annotated[int, Field(ge=0, le=3600)] = 60


class Edge(_Model):
    """The listener that clients reach."""

    max_json_bytes: Annotated[int, Field(ge=1024, le=1 << 30)]
    rate_limit: RateLimit
    client_rate_limit: RateLimit | None = None
    max_connections: Count
    max_streams_per_connection: Count
    cors_allow_origins: tuple[str, ...] = ()
    expose: tuple[str, ...]
    jwt: Jwt

    @model_validator(mode="after")
    def _known_services(self) -> Edge:
        unknown = [name for name in self.expose if name not in UPSTREAMS or name == "llm"]
        if unknown:
            raise ValueError(f"expose names {unknown[0]}; known: {', '.join(UPSTREAMS[:-1])}")
        return self


class Mesh(_Model):
    """The listener through which the orchestrator reaches everything."""

    max_streams_per_connection: Count


class Breaker(_Model):
    """What may be under way to all hosts of an upstream at once."""

    connections: Count
    pending: Count
    requests: Count
    retries: Count


class Health(_Model):
    """The active check of a host: gRPC health, or HTTP GET where `http_path` is set."""

    interval_seconds: Seconds
    timeout_seconds: Seconds
    unhealthy_after: Count
    healthy_after: Count
    http_path: str | None = None


class Outlier(_Model):
    """The passive check: failures in a row after which a host is put aside (None: never), and for how long."""

    gateway_failures: Count | None
    server_errors: Count | None
    local_failures: Count
    interval_seconds: Seconds
    base_ejection_seconds: Seconds
    max_ejection_seconds: Seconds


class RetryBudget(_Model):
    """Share of the calls under way that may be repeats."""

    percent: Percent
    min_concurrent: Annotated[int, Field(ge=0, le=1000)]


class Retry(_Model):
    """Calls that are safe to repeat, as `Service/Method`, and how."""

    methods: tuple[Annotated[str, Field(pattern=r"^[A-Za-z]+Service/[A-Za-z]+$")], ...]
    attempts: Annotated[int, Field(ge=1, le=5)]
    per_try_seconds: Seconds
    back_off_seconds: Seconds
    max_back_off_seconds: Seconds


class Upstream(_Model):
    """One cluster."""

    grpc_services: tuple[str, ...]
    longest_call_seconds: Seconds
    breaker: Breaker
    health: Health
    outlier: Outlier
    retry_budget: RetryBudget
    retry: Retry | None = None

    @model_validator(mode="after")
    def _consistent(self) -> Upstream:
        if self.retry is None:
            return self
        if self.retry.per_try_seconds >= self.longest_call_seconds:
            raise ValueError("retry.per_try_seconds must be below longest_call_seconds")
        short_names = {name.rsplit(".", 1)[1] for name in self.grpc_services}
        for method in self.retry.methods:
            if method.split("/")[0] not in short_names:
                raise ValueError(f"retry.methods: {method} is not of {', '.join(sorted(short_names))}")
        return self

    def retried_paths(self) -> list[str]:
        """gRPC paths of the calls that may be repeated: /trirag.perception.v1.PerceptionService/Parse ..."""
        full = {name.rsplit(".", 1)[1]: name for name in self.grpc_services}
        methods = self.retry.methods if self.retry else ()
        return [f"/{full[service]}/{rpc}" for service, rpc in (m.split("/") for m in methods)]


class Kubernetes(_Model):
    """What the environment says on one machine."""

    llm_url: str | None = None
    otlp_endpoint: str | None = None


class Traffic(_Model):
    """The whole file."""

    edge: Edge
    mesh: Mesh
    trace_sampling_percent: Annotated[float, Field(ge=0, le=100)]
    kubernetes: Kubernetes = Kubernetes()
    upstreams: dict[str, Upstream]

    @model_validator(mode="after")
    def _complete(self) -> Traffic:
        if set(self.upstreams) != set(UPSTREAMS):
            raise ValueError(f"upstreams must be exactly {', '.join(UPSTREAMS)}")
        return self


def load_traffic(path: Path) -> Traffic:
    """Reads and checks the file. Raises TrafficError: file, line, field and reason of the first problem."""
    try:
        return read_config(path, Traffic)
    except ConfigError as error:
        raise TrafficError(error.message) from None
