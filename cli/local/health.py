"""Asks the parts of the stack whether they are well."""

from __future__ import annotations

import http.client
from collections.abc import Callable

import grpc
from grpc_health.v1 import health_pb2, health_pb2_grpc

from cli.local.processes import Check

#: Longest wait for one answer, seconds.
PATIENCE = 2.0
# A proxy of the environment has no business between this machine and itself.
_DIRECT = (("grpc.enable_http_proxy", 0),)


def well(check: Check) -> bool:
    """Whether the check succeeds now; False for anything else, never an exception."""
    return _CHECKS[check.kind](check)


def serving_state(address: str, service: str, patience: float) -> str:
    """What grpc.health.v1 says at an address: SERVING, NOT_SERVING, or why nothing is said in ``patience`` seconds."""
    with grpc.insecure_channel(address, options=_DIRECT) as channel:
        stub = health_pb2_grpc.HealthStub(channel)
        try:
            response = stub.Check(health_pb2.HealthCheckRequest(service=service), timeout=patience)
        except grpc.RpcError as error:
            words = {
                grpc.StatusCode.UNAVAILABLE: "nothing answers",
                grpc.StatusCode.DEADLINE_EXCEEDED: f"is up but does not answer within {patience:g} s",
            }
            return words.get(error.code(), str(error.code().name))
    return str(health_pb2.HealthCheckResponse.ServingStatus.Name(response.status))


def _grpc(check: Check) -> bool:
    return serving_state(f"{check.host}:{check.port}", check.path, PATIENCE) == "SERVING"


def _http(check: Check) -> bool:
    connection = http.client.HTTPConnection(check.host, check.port, timeout=PATIENCE)
    try:
        connection.request("GET", check.path)
        return connection.getresponse().status == 200
    except (OSError, http.client.HTTPException):
        return False
    finally:
        connection.close()


def _envoy(check: Check) -> bool:
    """Whether Envoy's admin at this place knows a healthy host for every cluster that `path` names (by commas)."""
    connection = http.client.HTTPConnection(check.host, check.port, timeout=PATIENCE)
    try:
        connection.request("GET", "/stats?filter=membership_healthy$&format=text")
        lines = connection.getresponse().read().decode().splitlines()
    except (OSError, http.client.HTTPException):
        return False
    finally:
        connection.close()
    healthy = dict(line.split(": ", 1) for line in lines if ": " in line)
    return all(healthy.get(f"cluster.{name}.membership_healthy", "0") != "0" for name in check.path.split(","))


def _milvus(check: Check) -> bool:
    """Whether it tells its version. The system accepts connections for a process that stands still as well."""
    with grpc.insecure_channel(f"{check.host}:{check.port}", options=_DIRECT) as channel:
        try:
            # The question is an empty message, and the answer's content does not matter: no need of pymilvus, which
            # takes a second to import.
            channel.unary_unary("/milvus.proto.milvus.MilvusService/GetVersion")(b"", timeout=PATIENCE)
        except grpc.RpcError:
            return False
    return True


_CHECKS: dict[str, Callable[[Check], bool]] = {
    "grpc": _grpc,
    "http": _http,
    "envoy": _envoy,
    "milvus": _milvus,
}
