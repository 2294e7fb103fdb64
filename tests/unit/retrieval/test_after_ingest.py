"""What follows an ingest never harms it: jobs are closed, memory stays bounded, exact scans are not repeated."""

from __future__ import annotations

from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any
from unittest.mock import Mock

import numpy as np
import pytest

from services.common.domain.document import DocumentMetadata
from services.common.errors import Unavailable
from services.common.offload import BlockingPool
from services.retrieval.adapters.milvus_store import MilvusStore
from services.retrieval.domain.conflict.conflicts import ConflictReport
from services.retrieval.domain.conflict.meanings import NoMeanings
from services.retrieval.domain.conflict.wording import Wording
from services.retrieval.domain.filters import ChunkFilter
from services.retrieval.domain.leases import JobLease
from services.retrieval.domain.ports import SWITCHING
from services.retrieval.domain.quality.rejection import Reason
from services.retrieval.service import conflict_watch, group_writer
from services.retrieval.service.aftermath import IngestAftermath
from services.retrieval.service.conflict_watch import ConflictWatch
from services.retrieval.service.group_writer import GroupWriter
from services.retrieval.service.ingest import IngestService
from services.retrieval.service.items import IngestTally
from services.retrieval.service.running import RunningJob


@pytest.fixture
def pool() -> Iterator[BlockingPool]:
    made = BlockingPool(1, "test")
    yield made
    made.close()


async def test_a_job_is_closed_where_refusals_cannot_be_noted(pool: BlockingPool) -> None:
    catalogue, aftermath = Mock(), Mock()
    aftermath.note.side_effect = ValueError("too long")
    service = IngestService(catalogue, Mock(), Mock(), Mock(), Mock(), Mock(), pool, aftermath)
    job: Any = RunningJob(JobLease("j", 1), None)
    run: Any = SimpleNamespace(job=job, target=SimpleNamespace(name="kb"), tally=IngestTally("j"), started=1.0)
    await service._finish(run, "done")
    [call] = catalogue.jobs.close.call_args_list
    assert (call.args[0].job_id, call.args[0].state) == ("j", "done")


async def outcomes_of(errors: list[Exception], pool: BlockingPool, monkeypatch: pytest.MonkeyPatch) -> tuple[Any, list]:
    """What a group meets whose writes fail so before one succeeds, and the pauses it made; no time goes by."""
    now, pauses = [0.0], []

    async def sleep(seconds: float) -> None:
        pauses.append(seconds)
        now[0] += seconds

    monkeypatch.setattr(group_writer, "asyncio", SimpleNamespace(sleep=sleep))
    monkeypatch.setattr(group_writer, "time", SimpleNamespace(monotonic=lambda: now[0]))
    writers = Mock()
    writers.documents.write.side_effect = [*errors, ["written"]]
    groups = GroupWriter(writers, Mock(), pool)
    document: Any = SimpleNamespace(origin="a.md", metadata=DocumentMetadata("a"))
    run: Any = SimpleNamespace(job=RunningJob(JobLease("j", 1), None), target=Mock())
    return await groups.write(run, [document]), pauses


async def test_an_ingest_waits_for_a_switch_and_keeps_its_pauses_for_the_store(
    pool: BlockingPool, monkeypatch: pytest.MonkeyPatch
) -> None:
    switching = [Unavailable(SWITCHING, "switches", retry_after=2.0) for _ in range(20)]
    store = [Unavailable("STORE_UNAVAILABLE", "no answer") for _ in range(3)]
    written, pauses = await outcomes_of([*switching, *store], pool, monkeypatch)
    assert written == ["written"] and pauses == [2.0] * 20 + [0.5, 2.0, 5.0]


@pytest.mark.parametrize(("reason", "most"), [(SWITCHING, 140.0), ("STORE_UNAVAILABLE", 10.0)])
async def test_no_ingest_waits_for_ever(
    reason: str, most: float, pool: BlockingPool, monkeypatch: pytest.MonkeyPatch
) -> None:
    errors: list[Exception] = [Unavailable(reason, "not now", retry_after=2.0) for _ in range(100)]
    [outcome], pauses = await outcomes_of(errors, pool, monkeypatch)
    assert outcome.reason == Reason.STORE_UNAVAILABLE and "nothing of the document was kept" in outcome.message
    assert sum(pauses) <= most


def test_no_error_of_the_conflict_search_gets_out() -> None:
    watch = Mock()
    watch.find.side_effect = RecursionError("deep")
    tally: Any = SimpleNamespace(written=["d"])
    snapshots: Any = Mock()
    snapshots.get.return_value.documents = {}
    assert IngestAftermath(snapshots, watch, Mock()).conflicts("kb", tally, frozenset()) == ConflictReport()
    assert watch.find.called


def test_statements_of_documents_not_compared_are_dropped(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(conflict_watch, "_KEPT_STATEMENTS", 1)
    catalogue: Any = Mock()
    catalogue.text.return_value = SimpleNamespace(text="Employees get 15 days of annual leave per year.")
    stored: Any = {f"d{n}": SimpleNamespace(metadata=DocumentMetadata(f"d{n}", checksum="c")) for n in range(5)}
    snapshot: Any = SimpleNamespace(record=SimpleNamespace(name="kb", collection="c"), documents=stored)
    monkeypatch.setattr(conflict_watch, "find_conflicts", lambda *_: [])
    watch = ConflictWatch(catalogue, Wording({}), NoMeanings())
    for document_id in stored:
        assert watch.find(snapshot, stored, {document_id}).left_out == 4
        assert set(watch._kept["c"]) == {document_id}


@pytest.mark.parametrize(("index", "searches"), [("FLAT", 2), ("HNSW", 4)])
def test_only_a_graph_is_searched_a_second_time(index: str, searches: int) -> None:
    store = MilvusStore("http://127.0.0.1:1")
    client = Mock()
    client.search.return_value = [[]]
    client.list_indexes.return_value = ["dense"]
    client.describe_index.return_value = {"index_type": index}
    store._connection._client = client
    for _ in range(2):
        assert store.search_dense("c", np.ones(2, dtype=np.float32), ChunkFilter(("public",)), 5, 1.0) == []
    assert client.search.call_count == searches
    assert client.describe_index.call_count == 1
