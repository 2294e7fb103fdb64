"""The one aio server factory: every service starts, serves, drains and stops the same way."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import sys
from collections.abc import Callable, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from typing import Any, TypeVar

import grpc
import structlog
from grpc_health.v1 import health, health_pb2_grpc
from grpc_reflection.v1alpha import reflection
from prometheus_client import REGISTRY, CollectorRegistry, start_http_server

from services.common.background import in_background
from services.common.errors import TriragError
from services.common.health import Dependency, HealthMonitor
from services.common.interceptors.admission import AdmissionInterceptor
from services.common.interceptors.context import ContextInterceptor
from services.common.interceptors.errors import ErrorInterceptor
from services.common.interceptors.metrics import MetricsInterceptor
from services.common.interceptors.validation import ValidationInterceptor
from services.common.logs import configure_logging
from services.common.memory import bound_heaps
from services.common.settings import ServiceSettings, SettingsError, load_settings
from services.common.telemetry import configure_telemetry, server_interceptors, shutdown_telemetry
from services.common.usage import read_arguments
from services.common.workers import run_workers, worker_index

log = structlog.get_logger("server")
S = TypeVar("S", bound=ServiceSettings)


@dataclass(frozen=True, slots=True)
class ServiceBinding:
    """A servicer, the generated function that adds it to a server, and its full service name."""

    full_name: str
    add_to_server: Callable[[Any, grpc.aio.Server], None]
    servicer: Any


@dataclass(frozen=True, slots=True)
class ServiceBundle:
    """What one process serves, and what it cannot serve without."""

    bindings: Sequence[ServiceBinding]
    dependencies: Sequence[Dependency] = ()


Build = Callable[[S], AbstractAsyncContextManager[ServiceBundle]]


def run_service(name: str, settings_class: type[S], build: Build[S]) -> None:
    """The whole ``main`` of a service.

    ``build`` is an async context manager that wires the service and takes it down again. Exits with status 2
    and one line on stderr if a setting is wrong, with 1 if the service cannot start. ``--help`` prints the settings.
    """
    read_arguments(name, settings_class, sys.argv[1:])
    try:
        settings = load_settings(settings_class)
    except SettingsError as error:
        print(f"trirag-{name}: {error}", file=sys.stderr)
        raise SystemExit(2) from None
    if settings.workers > 1 and worker_index() is None:
        raise SystemExit(run_workers(f"services.{name}", settings.workers))
    bound_heaps()
    configure_logging(name, settings.log_level, settings.log_format)
    configure_telemetry(name)
    try:
        asyncio.run(_serve_until_signal(name, settings, build))
    except TriragError as error:
        print(f"trirag-{name}: cannot start: {error.message}", file=sys.stderr)
        raise SystemExit(1) from None
    except OSError as error:
        print(f"trirag-{name}: cannot start: {error}", file=sys.stderr)
        raise SystemExit(1) from None
    finally:
        shutdown_telemetry()
    # The drain is bounded; the interpreter's own exit is not: it would wait for threads whose callers are long gone.
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(0)


async def _serve_until_signal(name: str, settings: S, build: Build[S]) -> None:
    index = worker_index() or 0
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, stop.set)
    metrics_port = settings.worker_metrics_port(index)
    if metrics_port:
        start_http_server(metrics_port, addr=settings.host)
    async with build(settings) as bundle:
        running = await start_server(settings, bundle, settings.worker_port(index))
        log.info("serving", address=running.address, worker=index, metrics_port=metrics_port)
        await stop.wait()
        log.info("draining")
        await running.drain()
    log.info("stopped")


@dataclass(slots=True)
class RunningServer:
    """A started server and its health monitor."""

    server: grpc.aio.Server
    monitor: HealthMonitor
    background: contextlib.AsyncExitStack
    address: str
    settings: ServiceSettings

    async def drain(self) -> None:
        """NOT_SERVING first, then no new calls, then a bounded wait for the calls in flight."""
        await self.monitor.drain()
        await asyncio.sleep(self.settings.drain_delay_seconds)
        await self.server.stop(self.settings.drain_seconds)
        await self.background.aclose()


async def start_server(
    settings: ServiceSettings, bundle: ServiceBundle, port: int = 0, registry: CollectorRegistry = REGISTRY
) -> RunningServer:
    """Builds and starts a server with health, reflection and all interceptors.

    Raises:
        OSError: the port is taken.
    """
    server = grpc.aio.server(
        interceptors=[
            *server_interceptors(),
            ContextInterceptor(),
            MetricsInterceptor(registry),
            ErrorInterceptor(),
            AdmissionInterceptor(settings.max_in_flight, registry),
            ValidationInterceptor(),
        ],
        options=_options(settings),
    )
    for binding in bundle.bindings:
        binding.add_to_server(binding.servicer, server)
    names = [b.full_name for b in bundle.bindings]
    health_servicer = health.aio.HealthServicer()
    health_pb2_grpc.add_HealthServicer_to_server(health_servicer, server)
    reflection.enable_server_reflection([*names, health.SERVICE_NAME, reflection.SERVICE_NAME], server)
    address = f"{settings.host}:{port}"
    try:
        bound = server.add_insecure_port(address)
    except RuntimeError:
        raise OSError(f"cannot listen on {address}: is the port taken?") from None
    monitor = HealthMonitor(health_servicer, names, bundle.dependencies, settings.dependency_check_seconds, registry)
    await server.start()
    await monitor.start()
    background = contextlib.AsyncExitStack()
    await background.enter_async_context(in_background({"health-monitor": monitor.run}, registry))
    return RunningServer(server, monitor, background, f"{settings.host}:{bound}", settings)


def _options(settings: ServiceSettings) -> list[tuple[str, int]]:
    size = settings.max_message_mib * 1024 * 1024
    return [
        ("grpc.max_receive_message_length", size),
        ("grpc.max_send_message_length", size),
        ("grpc.keepalive_time_ms", 30_000),
        ("grpc.keepalive_timeout_ms", 10_000),
        ("grpc.http2.min_ping_interval_without_data_ms", 10_000),
        ("grpc.keepalive_permit_without_calls", 1),
        # Two processes on one port would share it silently; each worker has a port of its own.
        ("grpc.so_reuseport", 0),
    ]
