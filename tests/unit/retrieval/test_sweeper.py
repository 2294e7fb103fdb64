"""A sweep is not ended by one collection that does not answer."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from services.common.errors import Unavailable
from services.retrieval.adapters.catalogue import Catalogue
from services.retrieval.domain.ports import RevisionRef
from services.retrieval.service.sweeper import Sweeper


class Store:
    """Collections of which some do not answer."""

    def __init__(self) -> None:
        self.silent: set[str] = set()
        self.is_down = False
        self.asked: list[str] = []
        self.removed: list[str] = []

    def ping(self) -> None:
        if self.is_down:
            raise Unavailable("STORE_UNAVAILABLE", "the store is down")

    def delete_revision(self, ref: RevisionRef) -> None:
        self.asked.append(ref.revision)
        if self.is_down or ref.collection in self.silent:
            raise Unavailable("STORE_UNAVAILABLE", f"{ref.collection} is not loaded")
        self.removed.append(ref.revision)


@pytest.fixture
def catalogue(tmp_path: Path) -> Iterator[Catalogue]:
    made = Catalogue(f"sqlite:///{tmp_path / 'catalogue.db'}")
    for base in ("a", "b"):
        made.leftovers.note(base, [RevisionRef(f"{base}_c", f"{base}{n}", 3) for n in (1, 2)])
    yield made
    made.close()


def test_what_one_collection_keeps_does_not_keep_the_others(catalogue: Catalogue) -> None:
    store: Any = Store()
    store.silent = {"a_c"}
    sweeper = Sweeper(catalogue.leftovers, store)
    assert sweeper.sweep() == 2
    assert store.removed == ["b1", "b2"]
    assert store.asked == ["a1", "b1", "b2"]  # the silent one once
    assert {ref.revision for ref in catalogue.leftovers.listed()} == {"a1", "a2"}
    store.silent = set()
    assert sweeper.sweep() == 2
    assert catalogue.leftovers.listed() == []


def test_a_store_that_is_down_is_asked_once(catalogue: Catalogue) -> None:
    store: Any = Store()
    store.is_down = True
    with pytest.raises(Unavailable):
        Sweeper(catalogue.leftovers, store).sweep()
    assert len(store.asked) == 1 and len(catalogue.leftovers.listed()) == 4
