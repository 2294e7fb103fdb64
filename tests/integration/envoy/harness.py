"""A real Envoy in front of small gRPC servers whose behaviour a test sets."""

from __future__ import annotations

import asyncio
import base64
import hashlib
import hmac
import json
import subprocess
import time
import urllib.request
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import grpc
from grpc_health.v1 import health, health_pb2, health_pb2_grpc

from cli.local.envoy_config import Tracing, envoy_binary, render
from cli.local.topology import Address, Place
from cli.local.traffic import Traffic

#: full method, request, context -> response
Behaviour = Callable[[str, bytes, grpc.aio.ServicerContext], Awaitable[bytes]]


async def echo(_method: str, request: bytes, _context: grpc.aio.ServicerContext) -> bytes:
    """Returns the request."""
    return request


SECRET = b"a secret of the tests, thirty-two bytes or more"


def token(claims: dict[str, Any], secret: bytes = SECRET) -> str:
    """A JWT signed with HS256."""

    def encode(data: bytes) -> str:
        return base64.urlsafe_b64encode(data).decode().rstrip("=")

    header = encode(json.dumps({"alg": "HS256", "typ": "JWT", "kid": "test"}).encode())
    signed = f"{header}.{encode(json.dumps(claims).encode())}"
    return f"{signed}.{encode(hmac.new(secret, signed.encode(), hashlib.sha256).digest())}"


def altered(traffic: Traffic, upstream: str, **parts: dict[str, Any]) -> Traffic:
    """`traffic` with some values of one upstream changed, such as breaker={"requests": 2}."""
    before = traffic.upstreams[upstream]
    changes = {name: getattr(before, name).model_copy(update=values) for name, values in parts.items()}
    return traffic.model_copy(update={"upstreams": {**traffic.upstreams, upstream: before.model_copy(update=changes)}})


class FakeService(grpc.GenericRpcHandler):
    """A gRPC server that answers every method by `behaviour` and counts the calls; health is real."""

    def __init__(self, services: list[str], behaviour: Behaviour = echo) -> None:
        self.services = services
        self.behaviour = behaviour
        self.calls: list[str] = []
        self.metadata: list[dict[str, str | bytes]] = []
        self.port = 0
        self._server: grpc.aio.Server | None = None
        self.health = health.aio.HealthServicer()

    def service(self, handler_call_details: grpc.HandlerCallDetails) -> grpc.RpcMethodHandler | None:
        method = handler_call_details.method
        if not method.startswith("/trirag."):
            return None

        async def unary(request: bytes, context: grpc.aio.ServicerContext) -> bytes:
            self.calls.append(method)
            self.metadata.append(dict(context.invocation_metadata()))
            return await self.behaviour(method, request, context)

        async def stream(request: bytes, context: grpc.aio.ServicerContext) -> Any:
            self.calls.append(method)
            for part in (await self.behaviour(method, request, context)).split(b"|||"):
                yield part

        if method.endswith("Stream"):
            return grpc.unary_stream_rpc_method_handler(stream)
        return grpc.unary_unary_rpc_method_handler(unary)

    async def start(self, port: int) -> None:
        self.port = port
        self._server = grpc.aio.server(options=[("grpc.so_reuseport", 0)])
        self._server.add_generic_rpc_handlers((self,))
        health_pb2_grpc.add_HealthServicer_to_server(self.health, self._server)
        for name in self.services:
            await self.health.set(name, health_pb2.HealthCheckResponse.SERVING)
        self._server.add_insecure_port(f"127.0.0.1:{port}")
        await self._server.start()

    async def stop(self) -> None:
        if self._server is not None:
            await self._server.stop(None)
            self._server = None


@dataclass
class RunningEnvoy:
    """One Envoy process with both listeners."""

    folder: Path
    place: Place
    traffic: Traffic
    image: Path
    tracing: Tracing | None = None
    process: subprocess.Popen[bytes] | None = None
    log: Path = field(init=False)

    def start(self) -> None:
        config = self.folder / "envoy.yaml"
        config.write_text(render(self.place, self.traffic, self.image, self.tracing))
        self.log = self.folder / "envoy.log"
        command = [
            envoy_binary(),
            "-c",
            str(config),
            "--concurrency",
            "1",
            "--disable-hot-restart",
            "-l",
            "warning",
        ]
        with self.log.open("wb") as out:
            self.process = subprocess.Popen(command, stdout=out, stderr=subprocess.STDOUT)

    def stop(self) -> None:
        if self.process is not None:
            self.process.terminate()
            self.process.wait(10)
            self.process = None

    @property
    def edge(self) -> str:
        return f"127.0.0.1:{self.place.edge_port}"

    @property
    def mesh(self) -> str:
        return f"127.0.0.1:{self.place.mesh_port}"

    def stats(self, prefix: str) -> dict[str, int]:
        """Counters and gauges whose name begins with `prefix`, without it."""
        url = f"http://127.0.0.1:{self.place.admin_port}/stats?format=json&filter=^{prefix}"
        with urllib.request.urlopen(url, timeout=5) as response:
            found = json.load(response)["stats"]
        return {s["name"].removeprefix(prefix): s["value"] for s in found if "name" in s}

    def access_log(self) -> list[dict[str, Any]]:
        """Access log entries written so far."""
        return [json.loads(line) for line in self.log.read_text().splitlines() if line.startswith("{")]

    async def until(self, prefix: str, name: str, accept: Callable[[int], bool], seconds: float = 20) -> int:
        """Waits until a statistic is acceptable and returns it; fails after `seconds`."""
        give_up = time.monotonic() + seconds
        while True:
            assert self.process is not None and self.process.poll() is None, self.log.read_text()[-2000:]
            try:
                value = (await asyncio.to_thread(self.stats, prefix)).get(name, 0)
                if accept(value):
                    return value
            except OSError:
                value = -1
            assert time.monotonic() < give_up, f"{prefix}{name} is {value} after {seconds} s"
            await asyncio.sleep(0.05)


def place_for(ports: dict[str, list[int]], listen: tuple[int, int, int], jwks: Path, image: Path) -> Place:
    """Both listeners on loopback; `listen` is the ports of edge, mesh and admin."""
    addresses = {name: Address(tuple(("127.0.0.1", p) for p in list_)) for name, list_ in ports.items()}
    here, (edge, mesh, admin) = "127.0.0.1", listen
    both = ("edge", "mesh")
    return Place("test", both, here, edge, here, mesh, admin, addresses, str(jwks), str(image))


Launch = Callable[..., Awaitable[RunningEnvoy]]


async def call(
    target: str,
    method: str,
    request: bytes = b"",
    timeout: float = 10.0,
    metadata: dict[str, str | bytes] | None = None,
) -> bytes:
    """One unary call with raw bytes. Raises grpc.aio.AioRpcError."""
    async with grpc.aio.insecure_channel(target, options=[("grpc.enable_retries", 0)]) as channel:
        answer: bytes = await channel.unary_unary(method)(
            request, timeout=timeout, metadata=tuple((metadata or {}).items())
        )
        return answer


async def answered(target: str, method: str, request: bytes, tries: int = 100) -> bytes:
    """Calls until answered: workers of Envoy learn of a change a moment after its statistics show it."""
    for _ in range(tries - 1):
        try:
            return await call(target, method, request)
        except grpc.aio.AioRpcError as error:
            if error.code() != grpc.StatusCode.UNAVAILABLE:
                raise
            await asyncio.sleep(0.02)
    return await call(target, method, request)
