"""The trace store on a real PostgreSQL, started for these tests."""

from __future__ import annotations

from prometheus_client import CollectorRegistry

from services.orchestrator.adapters.migrate import migrate
from services.orchestrator.adapters.trace_store import TraceStore
from tests.unit.orchestrator.test_trace_store import record


async def test_trails_are_written_read_and_listed(postgres: str):
    migrate(postgres)
    migrate(postgres)
    async with TraceStore(postgres, 100, CollectorRegistry()) as store:
        for number in range(5):
            store.put(record(number, request_id=f"r{number}"))
        page = await store.page(3, None)
        rest = await store.page(3, (page[-1].started_at, page[-1].trace_id))
    assert [r.trace_id for r in page + rest] == ["t004", "t003", "t002", "t001", "t000"]
    async with TraceStore(postgres, 100, CollectorRegistry()) as store:
        assert await store.get("t003") == record(3, request_id="r3")
        found = await store.by_request_id("alice", "r2")
    assert found is not None
    assert found.payload == b"\x00trail"


async def test_a_question_that_postgresql_cannot_hold_costs_no_other_trail(postgres: str):
    migrate(postgres)
    async with TraceStore(postgres, 10, CollectorRegistry()) as store:
        store.put(record(60, question="nul \x00 inside"))
        store.put(record(61))
    async with TraceStore(postgres, 10, CollectorRegistry()) as store:
        odd, other = await store.get("t060"), await store.get("t061")
    assert odd is not None and odd.question == "nul  inside"
    assert other == record(61)


async def test_a_caller_with_too_long_a_name_costs_no_other_trail(postgres: str):
    migrate(postgres)
    registry = CollectorRegistry()
    async with TraceStore(postgres, 10, registry) as store:
        store.put(record(70, subject="a" * 300))
        store.put(record(71))
    assert registry.get_sample_value("trirag_trace_lost_total") == 1
    async with TraceStore(postgres, 10, CollectorRegistry()) as store:
        assert await store.get("t071") == record(71)


async def test_two_processes_with_one_request_id_keep_the_first_trail(postgres: str):
    migrate(postgres)
    async with (
        TraceStore(postgres, 10, CollectorRegistry()) as one,
        TraceStore(postgres, 10, CollectorRegistry()) as two,
    ):
        one.put(record(50, request_id="same"))
        await one.page(1, None)
        two.put(record(51, request_id="same"))
        two.put(record(52))
        await two.page(1, None)
        assert await two.get("t052") is not None
        found = await one.by_request_id("alice", "same")
    assert found is not None
    assert found.trace_id == "t050"
