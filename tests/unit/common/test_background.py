"""Background jobs: a failure is counted and the job begun again; the end of the block ends them."""

from __future__ import annotations

import asyncio

import pytest
from prometheus_client import CollectorRegistry

from services.common import background
from services.common.background import in_background


async def test_a_job_that_fails_is_counted_and_begun_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(background, "FIRST_PAUSE_SECONDS", 0.0)
    registry, runs, well = CollectorRegistry(), [], asyncio.Event()

    async def job() -> None:
        runs.append(1)
        if len(runs) < 3:
            raise ValueError("no")
        well.set()
        await asyncio.Event().wait()

    async with in_background({"shaky": job}, registry), asyncio.timeout(10):
        await well.wait()
    assert len(runs) == 3
    assert registry.get_sample_value("trirag_background_failures_total", {"name": "shaky"}) == 2


async def test_the_end_of_the_block_ends_the_jobs_and_waits_for_them() -> None:
    ended, begun = [], asyncio.Event()

    async def job() -> None:
        begun.set()
        try:
            await asyncio.Event().wait()
        finally:
            await asyncio.sleep(0)
            ended.append(1)

    async with in_background({"steady": job}, CollectorRegistry()):
        await begun.wait()
    assert ended == [1]


async def test_a_job_that_returns_is_not_begun_again() -> None:
    runs, done = [], asyncio.Event()

    async def job() -> None:
        runs.append(1)
        done.set()

    async with in_background({"once": job}, CollectorRegistry()):
        await done.wait()
        await asyncio.sleep(0)
    assert runs == [1]
