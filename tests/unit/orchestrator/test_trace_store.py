"""The trace store on SQLite; PostgreSQL runs the same cases in tests/integration."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from prometheus_client import CollectorRegistry

from services.orchestrator import bootstrap
from services.orchestrator.adapters.migrate import migrate
from services.orchestrator.adapters.trace_store import TraceRecord, TraceStore

START = datetime(2026, 11, 30, tzinfo=UTC)


def record(number: int, **fields: object) -> TraceRecord:
    values = {
        "trace_id": f"t{number:03d}",
        "subject": "alice",
        "groups": (),
        "request_id": "",
        "question": "年假 how many?",
        "started_at": START + timedelta(seconds=number),
        "status": "ANSWERED",
        "degraded": False,
        "latency_ms": 1.5,
        "policy_version": "p1",
        "payload": b"\x00trail",
    }
    return TraceRecord(**{**values, **fields})


def url(tmp_path) -> str:
    return f"sqlite:///{tmp_path}/deep/traces.db"


async def test_a_trail_is_read_back_whole_at_once_and_after_a_restart(tmp_path):
    migrate(url(tmp_path))
    async with TraceStore(url(tmp_path), 10, CollectorRegistry()) as store:
        store.put(record(1))
        assert await store.get("t001") == record(1)
    migrate(url(tmp_path))
    async with TraceStore(url(tmp_path), 10, CollectorRegistry()) as store:
        assert await store.get("t001") == record(1)
        assert await store.get("t002") is None


async def test_pages_are_newest_first_and_complete(tmp_path):
    migrate(url(tmp_path))
    async with TraceStore(url(tmp_path), 100, CollectorRegistry()) as store:
        for number in range(7):
            store.put(record(number))
        first = await store.page(4, None)
        rest = await store.page(4, (first[-1].started_at, first[-1].trace_id))
    assert [r.trace_id for r in first + rest] == [f"t{n:03d}" for n in range(6, -1, -1)]


async def test_a_request_id_is_found_for_its_subject_only(tmp_path):
    migrate(url(tmp_path))
    async with TraceStore(url(tmp_path), 10, CollectorRegistry()) as store:
        store.put(record(1, request_id="r1"))
        store.put(record(2, request_id="r1"))
        found = await store.by_request_id("alice", "r1")
        assert found is not None
        assert await store.by_request_id("bob", "r1") is None
    async with TraceStore(url(tmp_path), 10, CollectorRegistry()) as store:
        found = await store.by_request_id("alice", "r1")
        assert found is not None
        assert found.trace_id == "t001"
        later = await store.get("t002")
        assert later == record(2), "the second trail goes by its trace id alone"


async def test_a_store_that_was_down_at_the_start_gets_its_tables_when_it_is_back(tmp_path, monkeypatch):
    monkeypatch.setattr(bootstrap, "MIGRATION_PAUSE_SECONDS", 0.0)
    folder = tmp_path / "deep"
    folder.write_text("in the way of the store's folder")
    assert not await bootstrap.migrated(url(tmp_path))
    folder.unlink()
    await bootstrap.migrate_when_back(url(tmp_path))
    async with TraceStore(url(tmp_path), 10, CollectorRegistry()) as store:
        store.put(record(1))
    async with TraceStore(url(tmp_path), 10, CollectorRegistry()) as store:
        assert await store.get("t001") == record(1)


async def test_a_store_that_cannot_write_counts_its_losses(tmp_path, monkeypatch):
    monkeypatch.setattr("services.orchestrator.adapters.trace_store.RETRY_PAUSES", (0.0,))
    registry = CollectorRegistry()
    async with TraceStore(url(tmp_path).replace("/deep/", "/absent/"), 10, registry) as store:
        store.put(record(1))
    assert registry.get_sample_value("trirag_trace_lost_total") == 1
    assert registry.get_sample_value("trirag_trace_stored_total") == 0


async def test_what_is_unwritten_when_the_service_stops_is_counted(tmp_path, monkeypatch):
    monkeypatch.setattr("services.orchestrator.adapters.trace_store.CLOSE_SECONDS", 0.05)
    registry = CollectorRegistry()
    async with TraceStore(url(tmp_path).replace("/deep/", "/absent/"), 100, registry) as store:
        for number in range(70):  # more than one batch; the writer is at its pauses between tries
            store.put(record(number))
    assert registry.get_sample_value("trirag_trace_lost_total") == 70


async def test_a_full_queue_loses_and_counts_instead_of_waiting(tmp_path):
    registry = CollectorRegistry()
    store = TraceStore(url(tmp_path), 1, registry)
    store.put(record(1))
    store.put(record(2))
    assert registry.get_sample_value("trirag_trace_lost_total") == 1


def test_a_trail_is_for_readers_with_all_groups_of_its_asker():
    assert record(1, groups=("hr",)).readable_by(("finance", "hr"))
    assert not record(1, groups=("hr",)).readable_by(("finance",))
