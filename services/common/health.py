"""grpc.health.v1 for each service, following the hard dependencies."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass

import structlog
from grpc_health.v1 import health, health_pb2
from prometheus_client import REGISTRY, CollectorRegistry, Gauge

log = structlog.get_logger("health")
SERVING = health_pb2.HealthCheckResponse.SERVING
NOT_SERVING = health_pb2.HealthCheckResponse.NOT_SERVING
CHECK_TIMEOUT_SECONDS = 2.0


@dataclass(frozen=True, slots=True)
class Dependency:
    """Something without which the service cannot serve; ``check`` raises while it is down."""

    name: str
    check: Callable[[], Awaitable[None]]


class HealthMonitor:
    """Keeps the health of every service name in step with the dependencies; Watch sees each change."""

    def __init__(
        self,
        servicer: health.aio.HealthServicer,
        service_names: Sequence[str],
        dependencies: Sequence[Dependency],
        interval: float,
        registry: CollectorRegistry = REGISTRY,
    ) -> None:
        self._servicer = servicer
        self._names = ("", *service_names)
        self._dependencies = dependencies
        self._interval = interval
        self._down: dict[str, str] = {}
        self._gauge = Gauge("trirag_dependency_up", "1 while the dependency answers.", ["name"], registry=registry)

    async def start(self) -> None:
        """Looks once, then sets the first status: a service never says SERVING before it can serve."""
        await self._look()
        await self._publish()

    async def run(self) -> None:
        """Looks again and again until cancelled."""
        if not self._dependencies:
            return
        while True:
            await asyncio.sleep(self._interval)
            before = set(self._down)
            await self._look()
            if set(self._down) != before:
                await self._publish()

    async def drain(self) -> None:
        """NOT_SERVING for good."""
        await self._servicer.enter_graceful_shutdown()

    async def _look(self) -> None:
        results = await asyncio.gather(*(self._ask(d) for d in self._dependencies))
        for dependency, problem in zip(self._dependencies, results, strict=True):
            if problem is None and self._down.pop(dependency.name, None) is not None:
                log.info("dependency_back", dependency=dependency.name)
            elif problem is not None and dependency.name not in self._down:
                log.error("dependency_down", dependency=dependency.name, problem=problem)
                self._down[dependency.name] = problem
            self._gauge.labels(dependency.name).set(0 if problem else 1)

    async def _ask(self, dependency: Dependency) -> str | None:
        try:
            async with asyncio.timeout(CHECK_TIMEOUT_SECONDS):
                await dependency.check()
        except TimeoutError:
            return f"no answer within {CHECK_TIMEOUT_SECONDS:g} s"
        except Exception as error:  # a check may fail in any way its library knows
            return f"{type(error).__name__}: {error}"[:300]
        return None

    async def _publish(self) -> None:
        status = NOT_SERVING if self._down else SERVING
        for name in self._names:
            await self._servicer.set(name, status)
