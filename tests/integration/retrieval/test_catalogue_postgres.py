"""All tests of the catalogue again, on a real PostgreSQL; deletion and publication at once, which SQLite rules out."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

import pytest
from sqlalchemy import create_engine, text

from services.common.errors import NotFound
from services.retrieval.adapters import catalogue_schema as t
from services.retrieval.adapters.catalogue import Catalogue
from services.retrieval.adapters.catalogue_rows import document_row
from services.retrieval.adapters.leftovers import StaleWrite
from services.retrieval.domain.ports import RevisionRef
from tests.unit.retrieval import catalogue_v1 as v1
from tests.unit.retrieval.test_catalogue import *  # noqa: F403
from tests.unit.retrieval.test_catalogue import MODEL, _publication, publish
from tests.unit.retrieval.test_catalogue_schema import *  # noqa: F403
from tests.unit.retrieval.test_catalogue_schema import fill_old
from tests.unit.retrieval.test_leases import *  # noqa: F403


@pytest.fixture
def catalogue_url(new_database: Callable[[], str]) -> str:
    """A database of its own for each test."""
    return new_database()


def test_an_upgrade_grants_leases_by_the_clock_of_the_database(
    catalogue_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    fill_old(catalogue_url)
    engine = create_engine(catalogue_url)
    with engine.begin() as connection:
        connection.execute(
            v1.jobs.insert().values(
                job_id="j", knowledge_base="kb", owner="host:1:aa", state="running", started_at=1.0, updated_at=1.0,
                counts={},
            )
        )  # fmt: skip
    engine.dispose()
    here = time.time
    monkeypatch.setattr(time, "time", lambda: here() - 7200)
    catalogue = Catalogue(catalogue_url)
    assert [job.state for job in catalogue.jobs.latest("kb")] == ["running"]
    catalogue.close()


def test_a_commit_that_is_still_under_way_when_its_rows_are_noted_again_is_waited_for(catalogue_url: str) -> None:
    """Its process has lost the connection; the server goes on with what it was asked."""
    one, two = Catalogue(catalogue_url), Catalogue(catalogue_url)
    one.add_knowledge_base("kb", "c", MODEL)
    ref = RevisionRef("c", "r1", 3)
    one.leftovers.note("kb", [ref])
    noted = threading.Thread(target=one.leftovers.note_again, args=("kb", [ref]))
    with two.database.writing() as connection:
        connection.execute(t.leftovers.delete().where(t.leftovers.c.revision == "r1"))
        connection.execute(t.documents.insert().values(**document_row("kb", _publication("d", "r1"), 1)))
        noted.start()
        give_up = time.monotonic() + 30
        with two.database.reading() as other:
            waits = text("SELECT count(*) FROM pg_locks WHERE NOT granted")
            while not other.execute(waits).scalar_one() and time.monotonic() < give_up:
                noted.join(0.01)
    noted.join(30)
    assert one.leftovers.listed() == [] and one.document("kb", "d") is not None
    one.close()
    two.close()


def test_a_publication_during_a_deletion_leaves_nothing(catalogue_url: str) -> None:
    one, two = Catalogue(catalogue_url), Catalogue(catalogue_url)
    outcomes: list[str] = []

    def write(name: str) -> None:
        for number in range(50):
            try:
                publish(two, name, two.write_count(name), [_publication(f"d{number}", f"r{number}")])
            except (NotFound, StaleWrite) as error:
                outcomes.append(type(error).__name__)
                return

    for attempt in range(5):
        name = f"kb{attempt}"
        one.add_knowledge_base(name, f"c{attempt}", MODEL)
        writer = threading.Thread(target=write, args=(name,))
        writer.start()
        one.remove_knowledge_base(name)
        writer.join(30)
        one.add_knowledge_base(name, f"again{attempt}", MODEL)
        assert one.documents(name)[1] == {}
    assert outcomes
    one.close()
    two.close()


def test_several_processes_may_start_at_once(catalogue_url: str) -> None:
    problems: list[Exception] = []

    def start() -> None:
        try:
            Catalogue(catalogue_url).close()
        except Exception as error:
            problems.append(error)

    threads = [threading.Thread(target=start) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert problems == []
