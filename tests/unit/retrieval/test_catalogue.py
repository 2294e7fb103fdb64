"""The catalogue decides what is visible, in one step, and remembers what is left to sweep."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import date
from pathlib import Path

import pytest

from services.common.domain.document import DocumentMetadata
from services.common.errors import AlreadyExists, NotFound
from services.retrieval.adapters.catalogue import Catalogue
from services.retrieval.adapters.leftovers import StaleWrite
from services.retrieval.domain.documents import StoredDocument
from services.retrieval.domain.embedding import EmbedderIdentity
from services.retrieval.domain.passages.chunks import PageStart
from services.retrieval.domain.ports import IngestJob, Publication, RevisionRef
from services.retrieval.domain.versions.families import Window
from services.retrieval.service.snapshot import Snapshots

MODEL = EmbedderIdentity("m", "1", 8, 512)


@pytest.fixture
def catalogue_url(tmp_path: Path) -> str:
    """The tests of PostgreSQL give another one."""
    return f"sqlite:///{tmp_path / 'catalogue.db'}"


@pytest.fixture
def catalogue(catalogue_url: str) -> Iterator[Catalogue]:
    made = Catalogue(catalogue_url)
    made.add_knowledge_base("kb", "kb_kb_c1", MODEL)
    yield made
    made.close()


def _publication(document_id: str, revision: str, **fields: object) -> Publication:
    metadata = DocumentMetadata(document_id, "kb", effective_from=date(2024, 1, 1), **fields)  # type: ignore[arg-type]
    document = StoredDocument(metadata, revision, "f" * 64, Window(1, 2), 3, 1.5, {"pages": 2.0})
    return Publication(document, f"text of {document_id}", (PageStart(0, 1),), b"sig")


def publish(
    catalogue: Catalogue, name: str, count: int, publications: Sequence[Publication], removals: Sequence[str] = ()
) -> list[RevisionRef]:
    """A write as a writer does it, without a vector store."""
    refs = [RevisionRef("c", p.document.revision, p.document.chunk_count) for p in publications]
    catalogue.leftovers.note(name, refs)
    return catalogue.publish(name, count, publications, removals)


def test_a_document_comes_back_as_it_was_stored(catalogue: Catalogue) -> None:
    publication = _publication("d", "r1", access_groups=("hr",), extracted_fields=("title",))
    publish(catalogue, "kb", catalogue.write_count("kb"), [publication])
    assert catalogue.document("kb", "d") == publication.document
    stored = catalogue.text("kb", "d")
    assert stored is not None and stored.text == "text of d" and stored.pages == (PageStart(0, 1),)


def test_replacing_names_the_old_rows_to_sweep(catalogue: Catalogue) -> None:
    refs = [RevisionRef("kb_kb_c1", "r1", 3)]
    catalogue.leftovers.note("kb", refs)
    assert catalogue.leftovers.listed() == refs
    catalogue.publish("kb", catalogue.write_count("kb"), [_publication("d", "r1")])
    assert catalogue.leftovers.listed() == []
    old = publish(catalogue, "kb", catalogue.write_count("kb"), [_publication("d", "r2")])
    assert old == refs
    assert catalogue.leftovers.listed() == refs
    catalogue.leftovers.forget(old)
    assert catalogue.leftovers.listed() == []


def test_an_overtaken_write_changes_nothing(catalogue: Catalogue) -> None:
    count = catalogue.write_count("kb")
    publish(catalogue, "kb", count, [_publication("d", "r1")])
    with pytest.raises(StaleWrite):
        publish(catalogue, "kb", count, [_publication("d", "r2"), _publication("e", "r3")])
    found = catalogue.document("kb", "d")
    assert found is not None and found.revision == "r1"
    assert catalogue.document("kb", "e") is None


def test_snapshots_follow_writes_removals_and_a_new_life(catalogue: Catalogue) -> None:
    snapshots = Snapshots(catalogue)
    publish(catalogue, "kb", catalogue.write_count("kb"), [_publication("a", "r1", access_groups=("hr",))])
    first = snapshots.get("kb")
    assert first.is_current("a", "r1")
    assert first.readable(frozenset()) == ("public",)
    assert len(first.readable(frozenset({"hr"}))) == 2
    publish(catalogue, "kb", catalogue.write_count("kb"), [_publication("b", "r2")], ["a"])
    second = snapshots.get("kb")
    assert set(second.documents) == {"b"}
    documents, collections = catalogue.remove_knowledge_base("kb")
    assert documents == 1 and [ref.chunk_count for ref in collections] == [-1]
    with pytest.raises(NotFound):
        snapshots.get("kb")
    catalogue.add_knowledge_base("kb", "kb_kb_c2", MODEL)
    assert snapshots.get("kb").documents == {}
    assert snapshots.get("kb").write_count > second.write_count


def test_names_are_taken_once(catalogue: Catalogue) -> None:
    with pytest.raises(AlreadyExists):
        catalogue.add_knowledge_base("kb", "other", MODEL)


def _job(state: str, updated_at: float) -> IngestJob:
    return IngestJob("j", "kb", state, 1.0, updated_at, {})


def test_who_leaves_and_says_so_has_cancelled_whichever_is_seen_first(catalogue: Catalogue) -> None:
    for cancelled_first in (True, False):
        job = replace(_job("running", time.time()), job_id=f"j{cancelled_first}")
        lease = catalogue.jobs.open(job)
        steps = [lambda job=job: catalogue.jobs.cancel(job.job_id)]
        left = replace(job, state="interrupted")
        steps.insert(cancelled_first, lambda left=left, lease=lease: catalogue.jobs.close(left, lease))
        for step in steps:
            step()
        catalogue.jobs.cancel(job.job_id)  # again, by one who did not hear the first answer
        ended = catalogue.jobs.find(job.job_id)
        assert ended is not None and ended.state == "cancelled"


@pytest.mark.parametrize("state", ["done", "failed"])
def test_what_has_ended_by_itself_cannot_be_cancelled(catalogue: Catalogue, state: str) -> None:
    job = _job("running", time.time())
    catalogue.jobs.close(replace(job, state=state), catalogue.jobs.open(job))
    for unknown in (job.job_id, "another"):
        with pytest.raises(NotFound):
            catalogue.jobs.cancel(unknown)
