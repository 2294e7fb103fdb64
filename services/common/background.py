"""Work beside the calls: file watchers, writers, monitors. None of them may die without a word."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager

import structlog
from prometheus_client import REGISTRY, CollectorRegistry, Counter

log = structlog.get_logger("background")

FIRST_PAUSE_SECONDS = 1.0
LONGEST_PAUSE_SECONDS = 60.0

Job = Callable[[], Awaitable[None]]


@asynccontextmanager
async def in_background(jobs: Mapping[str, Job], registry: CollectorRegistry = REGISTRY) -> AsyncIterator[None]:
    """Runs ``jobs`` (name to coroutine function) until the block ends, then cancels them and waits.

    A job that raises is logged, counted (``trirag_background_failures_total`` by name) and begun again after a pause
    that doubles from one second to a minute; a job that returns is finished.
    """
    failures = _counter(registry)
    tasks = [asyncio.create_task(_keep_running(name, job, failures), name=name) for name, job in jobs.items()]
    try:
        yield
    finally:
        for task in tasks:
            task.cancel()
        for task in tasks:
            with contextlib.suppress(asyncio.CancelledError):
                await task


async def _keep_running(name: str, job: Job, failures: Counter) -> None:
    pause = FIRST_PAUSE_SECONDS
    while True:
        try:
            await job()
        except Exception:
            failures.labels(name).inc()
            log.exception("background_job_failed", job=name, again_in_seconds=pause)
        else:
            return
        await asyncio.sleep(pause)
        pause = min(2 * pause, LONGEST_PAUSE_SECONDS)


_COUNTERS: dict[CollectorRegistry, Counter] = {}


def _counter(registry: CollectorRegistry) -> Counter:
    """One counter a registry: a service has several groups of jobs."""
    if registry not in _COUNTERS:
        _COUNTERS[registry] = Counter(
            "trirag_background_failures_total", "Background jobs that failed.", ["name"], registry=registry
        )
    return _COUNTERS[registry]
