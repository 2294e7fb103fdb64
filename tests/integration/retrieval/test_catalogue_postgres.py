"""All tests of the catalogue again, on a real PostgreSQL; deletion and publication at once, which SQLite rules out."""

from __future__ import annotations

import threading
from collections.abc import Callable

import pytest

from services.common.errors import NotFound
from services.retrieval.adapters.catalogue import Catalogue
from services.retrieval.adapters.leftovers import StaleWrite
from tests.unit.retrieval.test_catalogue import *  # noqa: F403
from tests.unit.retrieval.test_catalogue import MODEL, _publication, publish
from tests.unit.retrieval.test_catalogue_schema import *  # noqa: F403
from tests.unit.retrieval.test_leases import *  # noqa: F403


@pytest.fixture
def catalogue_url(new_database: Callable[[], str]) -> str:
    """A database of its own for each test."""
    return new_database()


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
