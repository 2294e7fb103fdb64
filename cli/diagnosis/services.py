"""The edge, and each service behind it: a harmless call that takes the way every client's calls take."""

from __future__ import annotations

import socket
import time
from collections.abc import Callable, Iterator
from typing import Any

from cli.client import Client
from cli.diagnosis.check import Check, State
from cli.errors import RequestFailed
from cli.local.health import serving_state
from cli.local.processes import HEALTH_SERVICE
from cli.local.topology import LocalSettings
from trirag.orchestrator.v1 import policy_pb2
from trirag.perception.v1 import perception_pb2
from trirag.retrieval.v1 import knowledge_base_pb2
from trirag.validation.v1 import validation_pb2

PROBE_SECONDS = 5.0
# What a service that answers says of itself, and what to do about it; empty where all is well.
Probed = tuple[str, str]


def check_edge(client: Client) -> Check:
    """Whether anything listens on TRIRAG_URL."""
    settings = client.settings
    try:
        with socket.create_connection((settings.host, settings.port), timeout=PROBE_SECONDS):
            return Check("edge", State.OK, f"{settings.target} accepts connections")
    except OSError as error:
        told = f"{settings.target}: {error.strerror or error}"
        return Check("edge", State.DOWN, told, "start TriRAG with `make up`, or set TRIRAG_URL to where it runs")


def check_services(client: Client, local: LocalSettings | None) -> Iterator[Check]:
    """Each service through the edge; ``local`` tells its own address where it runs on this machine."""
    for name, probe in PROBES.items():
        started = time.perf_counter()
        try:
            told, remedy = probe(client)
        except RequestFailed as error:
            yield _failed(name, error, local)
        else:
            took = (time.perf_counter() - started) * 1000
            state = State.WARNING if remedy else State.OK
            yield Check(name, state, f"answers in {took:.0f} ms{told}", remedy)


def _failed(name: str, error: RequestFailed, local: LocalSettings | None) -> Check:
    if error.code in ("UNAUTHENTICATED", "PERMISSION_DENIED"):
        return Check(name, State.DOWN, error.message, "set TRIRAG_TOKEN to a valid token")
    if local is None:
        return Check(name, State.DOWN, error.message, f"look at the {name} deployment and its logs")
    address = f"{local.host}:{local.port_of(name)}"
    state = serving_state(address, HEALTH_SERVICE[name], PROBE_SECONDS)
    if state == "SERVING":
        told = f"not through the edge ({error.code}), but SERVING on {address} itself"
        return Check(name, State.DOWN, told, f"look at Envoy: {local.run_dir}/logs/envoy.log")
    return Check(name, State.DOWN, f"{address}: {state}", f"see {local.run_dir}/logs/{name}.log, then `make up`")


def _orchestrator(client: Client) -> Probed:
    policy: Any = client.call(client.policy.GetPolicy, policy_pb2.GetPolicyRequest(), PROBE_SECONDS)
    told = f", policy {policy.version}"
    if not policy.pending_error:
        return told, ""
    return (
        f"{told}; the file on disk is refused: {policy.pending_error}",
        "mend it; `trirag policy validate FILE` checks it",
    )


def _perception(client: Client) -> Probed:
    request = perception_pb2.ParseRequest(question="Is anybody there?")
    return f", rules {client.call(client.perception.Parse, request, PROBE_SECONDS).parsed.rules_version}", ""


def _retrieval(client: Client) -> Probed:
    request = knowledge_base_pb2.ListKnowledgeBasesRequest()
    response = client.call(client.knowledge_bases.ListKnowledgeBases, request, PROBE_SECONDS)
    return f", {len(response.knowledge_bases)} knowledge bases", ""


def _validation(client: Client) -> Probed:
    request = validation_pb2.CheckSufficiencyRequest(question="Is anybody there?")
    client.call(client.validation.CheckSufficiency, request, PROBE_SECONDS)
    return "", ""


PROBES: dict[str, Callable[[Client], Probed]] = {
    "orchestrator": _orchestrator,
    "perception": _perception,
    "retrieval": _retrieval,
    "validation": _validation,
}
