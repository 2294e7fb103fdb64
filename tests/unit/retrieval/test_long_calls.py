"""Calls that last leave places to those that are short."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from typing import Any

import pytest

from services.common.errors import Overloaded
from services.retrieval.domain.ports import IngestJob
from services.retrieval.kb_servicer import KnowledgeBaseServicer
from services.retrieval.long_calls import LongCall, LongCalls
from trirag.retrieval.v1 import knowledge_base_pb2 as pb


def test_each_kind_has_a_quarter_of_the_places_and_gives_them_back() -> None:
    calls = LongCalls(8)
    with calls.place(LongCall.WATCH), calls.place(LongCall.WATCH):
        with pytest.raises(Overloaded) as refused, calls.place(LongCall.WATCH):
            pass
        assert refused.value.reason == "TOO_MANY_WATCHERS"
        assert "2 watchers" in refused.value.message and "try again" in refused.value.message
        assert refused.value.retry_after
        with calls.place(LongCall.INGEST), calls.place(LongCall.MIGRATION):
            pass
    with calls.place(LongCall.WATCH):
        pass


def test_there_is_always_one_place() -> None:
    with LongCalls(1).place(LongCall.INGEST):
        pass


class RunningJobs:
    """Every job runs until the test lets it end."""

    def __init__(self) -> None:
        self.ends = asyncio.Event()

    async def watch_job(self, job_id: str) -> AsyncGenerator[IngestJob, None]:
        yield IngestJob(job_id, "docs", "running", 0.0, 0.0, {})
        await self.ends.wait()


async def test_one_watcher_too_many_is_refused_until_another_leaves() -> None:
    bases: Any = RunningJobs()
    nothing: Any = None
    servicer = KnowledgeBaseServicer(nothing, bases, 1, "", nothing, LongCalls(4))
    first = servicer.WatchIngestJob(pb.WatchIngestJobRequest(job_id="a"), None)
    assert (await anext(first)).job.job_id == "a"
    second = servicer.WatchIngestJob(pb.WatchIngestJobRequest(job_id="a"), None)
    with pytest.raises(Overloaded):
        await anext(second)
    bases.ends.set()
    assert [event async for event in first] == []
    third = servicer.WatchIngestJob(pb.WatchIngestJobRequest(job_id="a"), None)
    assert (await anext(third)).job.job_id == "a"
    await third.aclose()


def test_a_worker_of_few_calls_keeps_one_for_short_ones() -> None:
    calls = LongCalls(3)
    with (
        calls.place(LongCall.INGEST),
        calls.place(LongCall.WATCH),
        pytest.raises(Overloaded),
        calls.place(LongCall.MIGRATION),
    ):
        pass
