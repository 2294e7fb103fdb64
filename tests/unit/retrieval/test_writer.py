"""A write is all or nothing: ended in the middle, swept by another process, or waiting for its turn."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import numpy as np
import pytest

from services.common.domain.document import DocumentMetadata
from services.common.errors import FailedPrecondition, Unavailable
from services.retrieval.adapters.catalogue import Catalogue
from services.retrieval.domain.documents import PreparedDocument
from services.retrieval.domain.embedding import EmbedderIdentity
from services.retrieval.domain.ingest_config import IngestConfig
from services.retrieval.domain.leases import JobLease
from services.retrieval.domain.passages.chunks import ChunkDraft
from services.retrieval.domain.ports import ChunkRow, IngestJob, RevisionRef
from services.retrieval.service import sources, write_turns
from services.retrieval.service.items import Outcome
from services.retrieval.service.running import RunningJob, ingest_cancelled
from services.retrieval.service.snapshot import Snapshots
from services.retrieval.service.write_turns import NO_JOB, WritingJob
from services.retrieval.service.writing import Writers, make_writers

MODEL = EmbedderIdentity("m", "1", 8, 512)
WORD = "word "


class Store:
    """Rows by revision; ``before`` is called with the number of each insertion."""

    def __init__(self) -> None:
        self.rows: dict[str, list[int]] = {}
        self.made: set[str] = set()
        self.insertions = 0
        self.before: Callable[[int], None] = lambda _: None

    def insert(self, collection: str, rows: Sequence[ChunkRow], vectors: Any) -> None:
        assert len(rows) == len(vectors)
        self.insertions += 1
        self.before(self.insertions)
        for row in rows:
            self.rows.setdefault(row.revision, []).append(row.ordinal)

    def delete_revision(self, ref: RevisionRef) -> None:
        self.rows.pop(ref.revision, None)

    def new_collection_name(self, knowledge_base: str) -> str:
        return f"{knowledge_base}_c1"

    def drop_collection(self, collection: str) -> None:
        self.made.discard(collection)


class Job:
    """A job that is ended when ``ended`` is."""

    lease: JobLease | None = None

    def __init__(self) -> None:
        self.ended = False

    def check(self) -> None:
        if self.ended:
            raise ingest_cancelled()


class Rig:
    """The writer with a store in memory, and a catalogue."""

    def __init__(self, url: str) -> None:
        self.url = url
        self.catalogue = Catalogue(url)
        self.store: Any = Store()
        self.writers = writers_of(self.catalogue, self.store)
        if self.catalogue.knowledge_base("kb") is None:
            self.catalogue.add_knowledge_base("kb", "c", MODEL)

    def write(self, chunks: int, job: WritingJob = NO_JOB, document_id: str = "d") -> Outcome:
        """Writes one document of so many chunks."""
        record = self.catalogue.knowledge_base("kb")
        assert record is not None
        [outcome] = self.writers.documents.write("kb", [prepared(chunks, document_id)], MODEL, record.created_at, job)
        return outcome.outcome

    def visible(self) -> dict[str, list[int]]:
        """What readers see: the rows of each document's revision."""
        _, documents = self.catalogue.documents("kb")
        return {key: sorted(self.store.rows.get(d.revision, [])) for key, d in documents.items()}


def writers_of(catalogue: Catalogue, store: Any) -> Writers:
    embedder = Mock(identity=MODEL)
    embedder.embed_passages = lambda texts: np.zeros((len(texts), 8), np.float32)
    guard: Any = Mock()
    guard.check.return_value = embedder
    guard.embedders.default.identity = MODEL
    segmenter: Any = Mock()
    segmenter.stem = lambda word: word
    return make_writers(catalogue, Snapshots(catalogue), store, guard, segmenter, IngestConfig())


def prepared(chunks: int, document_id: str) -> PreparedDocument:
    text = WORD * chunks
    drafts = tuple(ChunkDraft(n, n * len(WORD), (n + 1) * len(WORD), (), 1, "") for n in range(chunks))
    return PreparedDocument(document_id, DocumentMetadata(document_id, "kb"), text, (), drafts, f"{chunks}", (), {})


@pytest.fixture
def rig(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Rig]:
    monkeypatch.setattr(sources, "_PART", 4)
    made = Rig(f"sqlite:///{tmp_path / 'catalogue.db'}")
    yield made
    made.catalogue.close()


def test_a_document_that_is_ended_in_its_last_write_leaves_the_old_one_as_it_was(rig: Rig) -> None:
    assert rig.write(6) is Outcome.CREATED
    job = Job()

    def end(number: int) -> None:
        job.ended = number == 4

    rig.store.before = end
    with pytest.raises(FailedPrecondition) as ended:
        rig.write(100, job)
    assert ended.value.reason == "INGEST_CANCELLED"
    assert rig.store.insertions == 4  # two of the old one, two of 25
    assert rig.visible() == {"d": list(range(6))}
    assert len(rig.store.rows) == 1 and rig.catalogue.leftovers.listed() == []
    rig.store.before = lambda _: None
    assert rig.write(100) is Outcome.REPLACED
    assert rig.visible() == {"d": list(range(100))} and len(rig.store.rows) == 1


def test_rows_that_another_process_swept_are_written_again(rig: Rig) -> None:
    """The writer stands still in the middle for longer than its lease."""
    other = Catalogue(rig.url)
    sweeper = writers_of(other, rig.store).sweeper

    def stand_still(number: int) -> None:
        if number == 2:
            rig.catalogue.leases.release()
            assert sweeper.sweep() == 1
            rig.catalogue.leases.renew()

    rig.store.before = stand_still
    assert rig.write(10) is Outcome.CREATED
    assert rig.visible() == {"d": list(range(10))}
    assert len(rig.store.rows) == 1 and rig.catalogue.leftovers.listed() == []
    other.close()


def test_a_job_that_was_taken_up_elsewhere_publishes_nothing_and_tidies_up(rig: Rig) -> None:
    other = Catalogue(rig.url)
    record = IngestJob("j", "kb", "running", 1.0, 1.0)
    job = RunningJob(rig.catalogue.jobs.open(record), None)

    def stand_still(number: int) -> None:
        if number == 2:
            rig.catalogue.leases.release()
            assert other.jobs.take_up(record) is not None
            rig.catalogue.leases.renew()

    rig.store.before = stand_still
    with pytest.raises(FailedPrecondition) as lost:
        rig.write(10, job)
    assert lost.value.reason == "INGEST_TAKEN_OVER"
    assert rig.visible() == {} and rig.store.rows == {} and rig.catalogue.leftovers.listed() == []
    other.close()


def test_who_waits_for_a_turn_can_be_ended(rig: Rig, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(write_turns, "_LOOK_SECONDS", 0.01)
    writing, go_on = threading.Event(), threading.Event()

    def wait(_: int) -> None:
        writing.set()
        go_on.wait(30)

    rig.store.before = wait
    slow = threading.Thread(target=rig.write, args=(3,))
    slow.start()
    assert writing.wait(30)
    job = Job()
    caught: list[FailedPrecondition] = []

    def write() -> None:
        try:
            rig.write(3, job, "other")
        except FailedPrecondition as error:
            caught.append(error)

    waiting = threading.Thread(target=write)
    waiting.start()
    job.ended = True
    waiting.join(30)
    assert [error.reason for error in caught] == ["INGEST_CANCELLED"]
    go_on.set()
    slow.join(30)
    assert rig.visible() == {"d": [0, 1, 2]}


def test_what_became_visible_though_the_answer_was_lost_is_not_swept(rig: Rig, monkeypatch: pytest.MonkeyPatch) -> None:
    """The catalogue commits, and the connection breaks before it says so."""
    publish = rig.catalogue.publish

    def lose_the_answer(*arguments: Any) -> list[RevisionRef]:
        publish(*arguments)
        raise Unavailable("CATALOGUE_DOWN", "the connection was lost")

    with monkeypatch.context() as patch:
        patch.setattr(rig.catalogue, "publish", lose_the_answer)
        with pytest.raises(Unavailable):
            rig.write(10)
    rig.writers.sweeper.sweep()
    assert rig.visible() == {"d": list(range(10))} and rig.catalogue.leftovers.listed() == []
    assert rig.write(12) is Outcome.REPLACED
    assert rig.visible() == {"d": list(range(12))} and len(rig.store.rows) == 1


def test_a_collection_that_was_made_after_its_name_was_swept_is_removed(rig: Rig) -> None:
    """The process stands still between noting the collection and making it."""
    other = Catalogue(rig.url)
    sweeper = writers_of(other, rig.store).sweeper

    def stand_still(name: str, _: object) -> None:
        rig.catalogue.leases.release()
        assert sweeper.sweep() == 1
        rig.catalogue.leases.renew()
        rig.store.made.add(name)

    rig.store.create_collection = stand_still
    with pytest.raises(Unavailable) as busy:
        rig.writers.bases.create("new")
    assert busy.value.reason == "BUSY" and rig.catalogue.knowledge_base("new") is None
    assert rig.store.made == set() and rig.catalogue.leftovers.listed() == []
    other.close()


def test_a_knowledge_base_that_was_made_though_the_answer_was_lost_keeps_its_collection(
    rig: Rig, monkeypatch: pytest.MonkeyPatch
) -> None:
    add = rig.catalogue.add_knowledge_base

    def lose_the_answer(*arguments: Any, **more: Any) -> None:
        add(*arguments, **more)
        raise Unavailable("CATALOGUE_DOWN", "the connection was lost")

    rig.store.create_collection = lambda name, _: rig.store.made.add(name)
    monkeypatch.setattr(rig.catalogue, "add_knowledge_base", lose_the_answer)
    with pytest.raises(Unavailable):
        rig.writers.bases.create("new")
    assert rig.writers.sweeper.sweep() == 0
    assert rig.catalogue.knowledge_base("new") is not None and rig.store.made == {"new_c1"}
