"""Ingests that run at once take turns, and one that is ended leaves nothing at work and nothing half-stored."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from unittest.mock import Mock

import numpy as np
import pytest

from services.common.errors import FailedPrecondition, Unavailable
from services.common.offload import BlockingPool
from services.retrieval.adapters.catalogue import Catalogue
from services.retrieval.domain.conflict.conflicts import ConflictReport
from services.retrieval.domain.documents import ParsedFile, PreparedDocument
from services.retrieval.domain.embedding import EmbedderIdentity
from services.retrieval.domain.ingest_config import IngestConfig
from services.retrieval.domain.leases import Hold, JobLease
from services.retrieval.domain.ports import IngestJob
from services.retrieval.domain.quality.rejection import DocumentRejected, Reason
from services.retrieval.service import ingest, running
from services.retrieval.service.fair_pool import FairPool
from services.retrieval.service.ingest import IngestService
from services.retrieval.service.items import (
    DocumentOutcome,
    FileItem,
    IngestItem,
    IngestProgress,
    IngestStarted,
    IngestTally,
    Outcome,
)

MODEL = EmbedderIdentity("m", "1", 8, 512)
BOUND = 30.0


class Embedder:
    """Vectors of nothing; ``gate`` closed: embedding waits."""

    identity = MODEL

    def __init__(self) -> None:
        self.gate = threading.Event()
        self.gate.set()
        self.asked = threading.Semaphore(0)
        self.embedded: list[str] = []

    def count_tokens(self, text: str) -> int:
        return len(text) // 4

    def embed_passages(self, texts: Sequence[str]) -> Any:
        self.asked.release()
        self.gate.wait(BOUND)
        self.embedded += texts
        return np.zeros((len(texts), 8), np.float32)


class Writer:
    """Stores what it is given in a list."""

    def __init__(self) -> None:
        self.stored: list[str] = []

    def open(self, name: str, born: float | None) -> Any:
        return SimpleNamespace(created_at=1.0)

    def write(self, name: str, group: Sequence[PreparedDocument], *_: object) -> list[DocumentOutcome]:
        self.stored += [one.metadata.document_id for one in group]
        return [DocumentOutcome(p.origin, p.metadata.document_id, Outcome.CREATED, len(p.chunks)) for p in group]


class Readers:
    """Reads a file whose name begins with slow until its job ends; ``at_work`` are those being read."""

    def __init__(self) -> None:
        self.at_work: list[str] = []
        self.most = 0
        self.changed = threading.Condition()

    def job(self) -> Any:
        ended = threading.Event()

        def parse(content: bytes, path: str) -> ParsedFile:
            if path.startswith("slow"):
                with self.changed:
                    self.at_work.append(path)
                    self.most = max(self.most, len(self.at_work))
                    self.changed.notify_all()
                ended.wait(BOUND)
                with self.changed:
                    self.at_work.remove(path)
                    self.changed.notify_all()
            if ended.is_set():
                raise DocumentRejected(Reason.CANCELLED, "ended")
            return ParsedFile(content.decode())

        return SimpleNamespace(parse=parse, end=ended.set)

    async def until(self, count: int) -> None:
        """Returns when so many files are being read."""

        def wait() -> bool:
            with self.changed:
                return self.changed.wait_for(lambda: len(self.at_work) == count, BOUND)

        assert await asyncio.to_thread(wait), f"{len(self.at_work)} files are being read, not {count}"


class Rig:
    """The service with fakes around it, and a catalogue."""

    def __init__(self, folder: Path) -> None:
        self.url = f"sqlite:///{folder / 'catalogue.db'}"
        self.catalogue = Catalogue(self.url)
        self.embedder, self.writer, self.readers = Embedder(), Writer(), Readers()
        self.pool = BlockingPool(4, "ingest")
        guard, self.aftermath = Mock(), Mock()
        guard.embedders.default = self.embedder
        self.aftermath.conflicts.return_value = ConflictReport()
        writers: Any = SimpleNamespace(bases=self.writer, documents=self.writer, sweeper=Mock())
        self.service = IngestService(
            self.catalogue, Mock(), Mock(), writers, guard, IngestConfig(), self.pool, self.aftermath,
            self.readers.job, FairPool(3, "read"),
        )  # fmt: skip

    def start(self, base: str, *items: IngestItem, job_id: str = "", then: asyncio.Event | None = None) -> Ingest:
        """An ingest of these items, which go on with ``then`` if that is given."""

        async def stream() -> AsyncIterator[IngestItem]:
            for item in items:
                yield item
            if then is not None:
                await then.wait()

        return Ingest(self.service.ingest(base, stream(), job_id=job_id))


class Ingest:
    """An ingest under way and what came of it."""

    def __init__(self, events: Any) -> None:
        self.events: list[Any] = []
        self.changed = asyncio.Event()
        self.task = asyncio.create_task(self._take(events))

    async def _take(self, events: Any) -> None:
        async for event in events:
            self.events.append(event)
            self.changed.set()

    async def job_id(self) -> str:
        """Its id, once it has one."""
        await asyncio.wait_for(self.changed.wait(), BOUND)
        assert isinstance(self.events[0], IngestStarted)
        return self.events[0].job_id

    async def summary(self) -> IngestTally:
        """Its end."""
        await asyncio.wait_for(self.task, BOUND)
        assert isinstance(self.events[-1], IngestTally)
        return self.events[-1]


@pytest.fixture
def rig(tmp_path: Path) -> Iterator[Rig]:
    made = Rig(tmp_path)
    yield made
    made.embedder.gate.set()
    made.service.close()
    made.pool.close()
    made.catalogue.close()


def pdfs(count: int) -> list[IngestItem]:
    return [FileItem(f"slow{number}.pdf", b"%PDF-1.7") for number in range(count)]


def small(name: str) -> IngestItem:
    return FileItem(name, b"# Pumps\n\nThe pump runs at 12 bar and needs no oil.")


@pytest.mark.parametrize("name", ["small.md", "small.html"])
async def test_a_dozen_slow_files_do_not_starve_another_ingest(rig: Rig, name: str) -> None:
    slow = rig.start("slow", *pdfs(12))
    await rig.readers.until(2)  # all that one ingest gets of three
    assert (await rig.start("other", small(name)).summary()).created == 1
    assert rig.readers.most == 2 and not slow.task.done()
    slow.task.cancel()


async def test_ingests_of_slow_files_share_the_readers(rig: Rig) -> None:
    first, second = rig.start("a", *pdfs(12)), None
    await rig.readers.until(2)
    second = rig.start("b", *pdfs(12))
    await rig.readers.until(3)
    rig.service.end(await first.job_id())
    await rig.readers.until(2)  # the second's two; the first has none
    with pytest.raises(FailedPrecondition):
        await asyncio.wait_for(first.task, BOUND)
    second.task.cancel()
    await rig.readers.until(0)


async def test_ingests_that_wait_for_the_model_do_not_hold_up_others(rig: Rig) -> None:
    rig.embedder.gate.clear()
    waiting = [rig.start(f"kb{number}", small("a.md")) for number in range(6)]
    for _ in range(4):  # as many as are embedded at once
        assert await asyncio.to_thread(rig.embedder.asked.acquire, timeout=BOUND)
    refused = await rig.start("other", FileItem("empty.md", b"")).summary()
    assert [outcome.reason for outcome in refused.rejected] == [Reason.EMPTY_TEXT]
    assert not any(one.task.done() for one in waiting)
    rig.embedder.gate.set()
    assert [(await one.summary()).created for one in waiting] == [1] * 6


async def test_a_client_that_leaves_as_it_comes_leaves_no_running_job(
    rig: Rig, monkeypatch: pytest.MonkeyPatch
) -> None:
    noted, go_on = threading.Event(), threading.Event()
    open_job = rig.catalogue.jobs.open

    def slowly(job: IngestJob) -> JobLease:
        lease = open_job(job)
        noted.set()
        go_on.wait(BOUND)
        return lease

    monkeypatch.setattr(rig.catalogue.jobs, "open", slowly)
    leaving = rig.start("kb", small("a.md"))
    assert await asyncio.to_thread(noted.wait, BOUND)
    leaving.task.cancel()
    await asyncio.sleep(0)
    go_on.set()
    with pytest.raises(asyncio.CancelledError):
        await asyncio.wait_for(leaving.task, BOUND)
    assert [job.state for job in rig.catalogue.jobs.latest("kb")] == ["interrupted"]


Leave = Callable[[Rig, Ingest], Any]


async def by_call(rig: Rig, ingest: Ingest) -> None:
    """CancelIngestJob of this process."""
    rig.catalogue.jobs.cancel(await ingest.job_id())
    rig.service.end(await ingest.job_id())


async def by_another_process(rig: Rig, ingest: Ingest) -> None:
    """CancelIngestJob of another worker: only the catalogue tells."""
    rig.catalogue.jobs.cancel(await ingest.job_id())


async def by_leaving(rig: Rig, ingest: Ingest) -> None:
    """The client, or what lies between, ends the call."""
    await ingest.job_id()
    ingest.task.cancel()


@pytest.mark.parametrize(
    ("leave", "state"),
    [(by_call, "cancelled"), (by_another_process, "cancelled"), (by_leaving, "interrupted")],
)
async def test_the_end_of_an_ingest_ends_what_is_read_for_it(
    rig: Rig, monkeypatch: pytest.MonkeyPatch, leave: Leave, state: str
) -> None:
    monkeypatch.setattr(running, "_LOOK_SECONDS", 0.01)
    ingest = rig.start("kb", small("first.md"), *pdfs(5))
    await rig.readers.until(2)
    await leave(rig, ingest)
    await rig.readers.until(0)
    with pytest.raises((FailedPrecondition, asyncio.CancelledError)):
        await asyncio.wait_for(ingest.task, BOUND)
    job = rig.catalogue.jobs.find(await ingest.job_id())
    assert job is not None and job.state == state
    assert set(rig.writer.stored) <= {"first"}
    # All places are free again.
    again = rig.start("kb", *[FileItem(f"{number}.html", b"# A\n\nSome text of it.") for number in range(4)])
    assert (await again.summary()).created == 4


async def test_an_ingest_that_waits_for_its_client_can_be_ended(rig: Rig) -> None:
    ingest = rig.start("kb", then=asyncio.Event())
    await by_call(rig, ingest)
    with pytest.raises(FailedPrecondition) as refused:
        await asyncio.wait_for(ingest.task, BOUND)
    assert refused.value.reason == "INGEST_CANCELLED"


async def test_the_end_stops_the_cutting_of_a_large_document(rig: Rig, monkeypatch: pytest.MonkeyPatch) -> None:
    counting, go_on = threading.Event(), threading.Event()
    counted = 0

    def count_tokens(text: str) -> int:
        nonlocal counted
        counted += 1
        counting.set()
        go_on.wait(BOUND)
        return 100

    monkeypatch.setattr(rig.embedder, "count_tokens", count_tokens)
    text = "\n\n".join(f"Paragraph {number} is about the pump." for number in range(2000))
    ingest = rig.start("kb", FileItem("large.md", text.encode()))
    assert await asyncio.to_thread(counting.wait, BOUND)
    await by_call(rig, ingest)
    with pytest.raises(FailedPrecondition):
        await asyncio.wait_for(ingest.task, BOUND)
    go_on.set()
    await rig.start("other", *[small(f"{number}.html") for number in range(3)]).summary()
    assert counted < 100


async def test_a_large_document_tells_how_far_it_is_and_can_be_ended_in_between(rig: Rig) -> None:
    paragraph = "The pump runs at 12 bar and needs no oil, whatever the day and the weather are like. " * 20
    text = "\n\n".join(f"## Part {number}\n\n{paragraph}" for number in range(200))
    whole = rig.start("kb", FileItem("large.md", text.encode()))
    await whole.summary()
    told = [event for event in whole.events if isinstance(event, IngestProgress)]
    assert [event.embedded for event in told[:3]] == [64, 128, 192]
    assert (
        told[-1].embedded == told[-1].passages == sum(e.chunk_count for e in whole.events[1:] if hasattr(e, "origin"))
    )
    rig.embedder.gate.clear()
    rig.writer.stored.clear()
    ended = rig.start("kb", FileItem("large.md", text.encode()))
    await by_call(rig, ended)
    with pytest.raises(FailedPrecondition):
        await asyncio.wait_for(ended.task, BOUND)
    assert rig.writer.stored == []


async def test_a_job_whose_client_comes_back_keeps_its_id(rig: Rig) -> None:
    first = rig.start("kb", *pdfs(1))
    await rig.readers.until(1)
    await by_leaving(rig, first)
    with pytest.raises(asyncio.CancelledError):
        await first.task
    job_id = await first.job_id()
    again = rig.start("kb", small("a.md"), job_id=job_id)
    assert (await again.summary()).job_id == job_id
    job = rig.catalogue.jobs.find(job_id)
    assert job is not None and (job.state, job.counts["created"]) == ("done", 1)
    # One that is done, of another knowledge base or unknown is not taken up.
    for base, given in (("kb", job_id), ("other", job_id), ("kb", "f" * 32)):
        new = (await rig.start(base, small("a.md"), job_id=given).summary()).job_id
        assert new != given and rig.catalogue.jobs.find(new) is not None


async def test_a_job_that_was_cancelled_while_its_client_was_away_is_not_gone_on_with(rig: Rig) -> None:
    first = rig.start("kb", *pdfs(1))
    await rig.readers.until(1)
    await by_leaving(rig, first)
    with pytest.raises(asyncio.CancelledError):
        await first.task
    job_id = await first.job_id()
    rig.catalogue.jobs.cancel(job_id)
    again = rig.start("kb", small("a.md"), job_id=job_id)
    with pytest.raises(FailedPrecondition) as refused:
        await asyncio.wait_for(again.task, BOUND)
    assert refused.value.reason == "INGEST_CANCELLED"
    assert rig.writer.stored == [] and [job.state for job in rig.catalogue.jobs.latest("kb")] == ["cancelled"]


async def test_a_job_is_taken_up_again_while_its_first_part_is_still_being_tidied_up(rig: Rig) -> None:
    tidying, go_on = threading.Event(), threading.Event()

    def note(*_: object) -> None:
        tidying.set()
        go_on.wait(BOUND)

    rig.aftermath.note.side_effect = note
    first = rig.start("kb", *pdfs(1))
    await rig.readers.until(1)
    await by_leaving(rig, first)
    assert await asyncio.to_thread(tidying.wait, BOUND)
    again = rig.start("kb", small("a.md"), job_id=await first.job_id())
    assert await again.job_id() == await first.job_id()
    go_on.set()
    assert (await again.summary()).created == 1


async def test_an_ingest_whose_job_was_taken_up_elsewhere_ends_and_leaves_the_job_alone(
    rig: Rig, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(running, "_LOOK_SECONDS", 0.01)
    late = rig.start("kb", *pdfs(1), FileItem("empty.md", b""))
    await rig.readers.until(1)
    job_id = await late.job_id()
    other = Catalogue(rig.url)
    rig.catalogue.leases.release()  # as if it had stood still
    taken = other.jobs.take_up(IngestJob(job_id, "kb", "running", 1.0, 2.0))
    assert taken is not None
    with pytest.raises(FailedPrecondition) as ended:
        await asyncio.wait_for(late.task, BOUND)
    assert ended.value.reason == "INGEST_TAKEN_OVER" and job_id in ended.value.message
    await rig.readers.until(0)
    assert rig.writer.stored == [] and not rig.aftermath.note.called
    job = other.jobs.find(job_id)
    assert job is not None and (job.state, job.updated_at) == ("running", 2.0)
    other.close()


async def test_a_client_that_comes_back_goes_on_when_the_lease_of_the_dead_process_has_run_out(rig: Rig) -> None:
    dead = Catalogue(rig.url, lease_seconds=1.0)
    dead.jobs.open(IngestJob("j" * 32, "kb", "running", time.time(), time.time()))
    again = rig.start("kb", small("a.md"), job_id="j" * 32)
    assert (await again.summary()).job_id == "j" * 32
    dead.close()


async def test_a_client_that_comes_back_does_not_wait_for_a_process_that_lives(
    rig: Rig, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ingest, "_HOLD_LOOK_SECONDS", 0.01)
    alive = Catalogue(rig.url, lease_seconds=3600.0)
    alive.jobs.open(IngestJob("j" * 32, "kb", "running", time.time(), time.time()))
    hold, looked = rig.catalogue.jobs.hold, threading.Event()

    def look(job_id: str) -> Hold | None:
        found = hold(job_id)
        looked.set()
        return found

    monkeypatch.setattr(rig.catalogue.jobs, "hold", look)
    again = rig.start("kb", small("a.md"), job_id="j" * 32)
    assert await asyncio.to_thread(looked.wait, BOUND)
    alive.leases.renew()
    assert (await again.summary()).job_id != "j" * 32
    alive.close()


async def test_a_service_that_stops_leaves_no_job_as_if_it_ran(rig: Rig) -> None:
    ended = [rig.start(base, *pdfs(3)) for base in ("kb", "other")]
    await rig.readers.until(3)
    for one in ended:  # as the server does with calls that outlast its drain
        one.task.cancel()
    await rig.service.settled()
    rig.service.close()
    rig.pool.close()
    jobs = [rig.catalogue.jobs.find(await one.job_id()) for one in ended]
    assert [job.state for job in jobs if job] == ["interrupted", "interrupted"]


async def test_a_service_that_stops_does_not_wait_for_ever(rig: Rig, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ingest, "_SETTLE_SECONDS", 0.01)
    running_on = rig.start("kb", *pdfs(1))
    await rig.readers.until(1)
    await asyncio.wait_for(rig.service.settled(), BOUND)
    assert not running_on.task.done()
    running_on.task.cancel()


async def test_a_catalogue_that_takes_no_report_for_a_moment_ends_no_ingest(
    rig: Rig, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(rig.catalogue.jobs, "report", Mock(side_effect=Unavailable("CATALOGUE_DOWN", "busy")))
    assert (await rig.start("kb", small("a.md")).summary()).created == 1


async def test_a_job_that_ended_while_the_catalogue_was_down_is_closed_when_it_is_back(
    rig: Rig, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as down:
        down.setattr(rig.catalogue.jobs, "close", Mock(side_effect=Unavailable("CATALOGUE_DOWN", "gone")))
        job_id = (await rig.start("kb", small("a.md")).summary()).job_id
        with pytest.raises(Unavailable):
            rig.service.close_left()
    assert [job.state for job in rig.catalogue.jobs.latest("kb")] == ["running"]
    rig.service.close_left()
    job = rig.catalogue.jobs.find(job_id)
    assert job is not None and (job.state, job.counts["created"]) == ("done", 1)


async def test_a_file_that_takes_long_to_read_gives_signs_of_life(rig: Rig, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ingest, "_SIGN_OF_LIFE_SECONDS", 0.01)
    slow = rig.start("kb", *pdfs(1))
    await rig.readers.until(1)
    while IngestProgress(0, 0) not in slow.events:
        slow.changed.clear()
        await asyncio.wait_for(slow.changed.wait(), BOUND)
    slow.task.cancel()
