"""The parts that are not TriRAG's own: Envoy, Milvus, the language model; and versions."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterator
from importlib.metadata import PackageNotFoundError, version
from typing import Any
from urllib.error import HTTPError, URLError
from urllib.parse import urlsplit
from urllib.request import ProxyHandler, Request, build_opener

from cli.diagnosis.check import Check, State
from cli.local.topology import LocalSettings

SECONDS = 5.0
PACKAGES = ("trirag", "grpcio", "protobuf", "pymilvus", "spacy")


def check_envoy(settings: LocalSettings) -> Iterator[Check]:
    """Every upstream of the local Envoy: hosts that are in, of hosts there are."""
    admin = f"http://{settings.host}:{settings.envoy_admin_port}"
    try:
        clusters = _get_json(f"{admin}/clusters?format=json")["cluster_statuses"]
    except (OSError, ValueError, KeyError) as error:
        told = f"admin of Envoy at {admin}: {_why(error)}"
        yield Check("envoy", State.WARNING, told, "start TriRAG with `make up`, or set TRIRAG_ENVOY_ADMIN_PORT")
        return
    for cluster in sorted(clusters, key=lambda c: str(c["name"])):
        hosts = cluster.get("host_statuses", [])
        healthy = [host for host in hosts if _healthy(host)]
        name = f"envoy {cluster['name']}"
        told = f"{len(healthy)} of {len(hosts)} hosts in"
        if healthy:
            state = State.OK if len(healthy) == len(hosts) else State.WARNING
            yield Check(name, state, told, "" if state is State.OK else _out(hosts))
        elif "llm" in cluster["name"]:
            yield Check(name, State.WARNING, told, "answers are quoted instead of written until it is back")
        else:
            yield Check(
                name, State.DOWN, told, _out(hosts) or f"no host is known; look at {settings.run_dir}/logs/envoy.log"
            )


def check_milvus(settings: LocalSettings) -> Check:
    """Whether Milvus answers at the address that retrieval uses."""
    uri = settings.retrieval_milvus_uri or f"http://{settings.host}:{settings.milvus_port}"
    remedy = f"see {settings.run_dir}/logs/milvus.log, then `make up`; or set TRIRAG_RETRIEVAL_MILVUS_URI"
    try:
        from pymilvus import MilvusClient
    except ImportError:
        return Check("milvus", State.WARNING, f"{uri}: not checked, pymilvus is not installed here")
    try:
        client = MilvusClient(uri=uri, token=os.environ.get("TRIRAG_RETRIEVAL_MILVUS_TOKEN", ""), timeout=SECONDS)
        found = client.get_server_version(timeout=SECONDS)
        client.close()
    except Exception as error:  # pymilvus raises what the transport raises
        return Check("milvus", State.DOWN, f"{uri}: {_why(error)}", remedy)
    return Check("milvus", State.OK, f"{uri} answers, version {found}")


def check_llm(settings: LocalSettings) -> Check:
    """Whether the language model's server lists the model. Answers are quoted without it, so it is no failure."""
    if settings.llm_url == "none":
        return Check("llm", State.OK, "switched off by TRIRAG_LLM_URL=none; answers are quoted")
    base = (settings.llm_url or f"http://{settings.host}:{settings.vllm_port}/v1").rstrip("/")
    log = f"{settings.run_dir}/logs/vllm.log"
    remedy = f"answers are quoted and marked degraded until it is back; see {log}, then `make up`"
    key = os.environ.get("TRIRAG_LLM_API_KEY", "")
    try:
        listed = _get_json(f"{base}/models", {"Authorization": f"Bearer {key}"} if key else {})
        names = [str(model["id"]) for model in listed["data"]]
    except (OSError, ValueError, KeyError, TypeError) as error:
        return Check("llm", State.WARNING, f"{base}: {_why(error)}", remedy)
    if settings.llm_model not in names:
        told = f"{base} serves {', '.join(names) or 'no model'}, not {settings.llm_model}"
        return Check("llm", State.WARNING, told, "set TRIRAG_LLM_MODEL to a model that is served")
    return Check("llm", State.OK, f"{base} serves {settings.llm_model}")


def check_versions() -> Check:
    """Versions of what decides whether client and server understand each other."""
    found = [f"python {sys.version_info.major}.{sys.version_info.minor}.{sys.version_info.micro}"]
    for package in PACKAGES:
        try:
            found.append(f"{package} {version(package)}")
        except PackageNotFoundError:
            continue
    return Check("versions", State.OK, ", ".join(found))


def _get_json(url: str, headers: dict[str, str] | None = None) -> Any:
    if urlsplit(url).scheme not in ("http", "https"):
        raise ValueError("is no http(s) address")
    opener = build_opener(ProxyHandler({}))
    with opener.open(Request(url, headers=headers or {}), timeout=SECONDS) as response:  # noqa: S310
        return json.loads(response.read())


def _healthy(host: dict[str, Any]) -> bool:
    status = host.get("health_status", {})
    faults = [name for name, value in status.items() if name.startswith("failed_") and value]
    return not faults and status.get("eds_health_status", "HEALTHY") in ("HEALTHY", "UNKNOWN")


def _out(hosts: list[dict[str, Any]]) -> str:
    told = []
    for host in hosts:
        if not _healthy(host):
            address = host.get("address", {}).get("socket_address", {})
            faults = [
                name for name, value in host.get("health_status", {}).items() if name.startswith("failed_") and value
            ]
            told.append(f"{address.get('address', '?')}:{address.get('port_value', '?')} is out ({', '.join(faults)})")
    return "; ".join(told)


def _why(error: Exception) -> str:
    if isinstance(error, HTTPError):
        return f"HTTP {error.code}"
    if isinstance(error, URLError):
        return str(getattr(error.reason, "strerror", None) or error.reason)
    told = str(getattr(error, "message", "") or error)
    return " ".join(told.split())[:200] or type(error).__name__
