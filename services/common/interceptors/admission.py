"""Admits a bounded number of calls; the rest are told to come back, before they cost anything."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import grpc
from prometheus_client import REGISTRY, CollectorRegistry, Counter

from services.common.errors import Overloaded
from services.common.interceptors.base import AroundInterceptor, Call

RETRY_AFTER_SECONDS = 1.0


class AdmissionInterceptor(AroundInterceptor):
    """Overload is answered with RESOURCE_EXHAUSTED and RetryInfo, not with collapse."""

    def __init__(self, limit: int, registry: CollectorRegistry = REGISTRY) -> None:
        self._limit = limit
        self._in_flight = 0
        self._refused = Counter(
            "trirag_server_refused_total", "Calls refused by the admission limit.", registry=registry
        )

    @asynccontextmanager
    async def around(self, call: Call, context: grpc.aio.ServicerContext) -> AsyncIterator[None]:
        """Holds a place for the call, or refuses it."""
        if self._in_flight >= self._limit:
            self._refused.inc()
            raise Overloaded(
                "TOO_MANY_IN_FLIGHT",
                f"{self._limit} calls are being served; try again in {RETRY_AFTER_SECONDS:g} s",
                metadata={"limit": str(self._limit)},
                retry_after=RETRY_AFTER_SECONDS,
            )
        self._in_flight += 1
        try:
            yield
        finally:
            self._in_flight -= 1
