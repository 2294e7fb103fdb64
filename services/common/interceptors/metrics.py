"""The grpc-standard Prometheus metrics: started, handled by code, handling seconds."""

from __future__ import annotations

import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import grpc
from prometheus_client import REGISTRY, CollectorRegistry, Counter, Gauge, Histogram

from services.common.interceptors.base import AroundInterceptor, Call
from services.common.interceptors.status import telling_outcome

BUCKETS = (0.001, 0.0025, 0.005, 0.01, 0.015, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60)
LABELS = ("grpc_type", "grpc_service", "grpc_method")


class MetricsInterceptor(AroundInterceptor):
    """Counts calls under the names that go-grpc-prometheus made standard."""

    def __init__(self, registry: CollectorRegistry = REGISTRY) -> None:
        self._started = Counter("grpc_server_started_total", "Calls started.", LABELS, registry=registry)
        self._handled = Counter(
            "grpc_server_handled_total",
            "Calls completed, by code.",
            (*LABELS, "grpc_code"),
            registry=registry,
        )
        self._seconds = Histogram(
            "grpc_server_handling_seconds",
            "Seconds from start to end of a call.",
            LABELS,
            registry=registry,
            buckets=BUCKETS,
        )
        self._in_flight = Gauge("trirag_server_in_flight", "Calls being served.", registry=registry)

    @asynccontextmanager
    async def around(self, call: Call, context: grpc.aio.ServicerContext) -> AsyncIterator[None]:
        """Counts the call and its outcome."""
        labels = (call.kind, call.service, call.name)
        self._started.labels(*labels).inc()
        self._in_flight.inc()
        started = time.perf_counter()

        def count(code: grpc.StatusCode) -> None:
            self._in_flight.dec()
            self._seconds.labels(*labels).observe(time.perf_counter() - started)
            self._handled.labels(*labels, _camel(code)).inc()

        with telling_outcome(context, count):
            yield


def _camel(code: grpc.StatusCode) -> str:
    """``InvalidArgument`` for INVALID_ARGUMENT, as the standard names have it."""
    return "OK" if code is grpc.StatusCode.OK else "".join(w.capitalize() for w in code.name.split("_"))
