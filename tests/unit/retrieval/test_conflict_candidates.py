"""Pairs to compare do not depend on the order of the documents, and a document's own rows cost nothing."""

from __future__ import annotations

import itertools

import pytest

from services.common.domain.document import DocumentMetadata
from services.retrieval.domain.conflict import conflict_candidates
from services.retrieval.domain.conflict.conflict_candidates import Candidates
from services.retrieval.domain.conflict.meanings import NoMeanings
from services.retrieval.domain.conflict.statements import Statement
from tests.unit.retrieval.conflict_pairs import conflicts_of, read

_SHORT = "The battery lasts 20 minutes in strong wind."
_LONG = "The Acme Falcon Drone battery lasts 30 minutes in strong wind."


def _pairs(statements: list[Statement], changed: set[str] | None = None) -> set[frozenset[str]]:
    pairs = [frozenset((a.sentence, b.sentence)) for a, b in Candidates(statements, NoMeanings(), changed).pairs()]
    assert len(pairs) == len(set(pairs))
    return set(pairs)


@pytest.mark.parametrize("ids", [("a", "b"), ("b", "a")])
@pytest.mark.parametrize("turned", [False, True])
@pytest.mark.parametrize("changed", [None, {"a"}, {"b"}])
def test_the_order_of_documents_does_not_matter(ids: tuple[str, str], turned: bool, changed: set[str] | None) -> None:
    known = [DocumentMetadata(ids[0], title="Acme Falcon Drone"), DocumentMetadata(ids[1], title="Product overview")]
    texts = (_SHORT, _LONG)
    step = -1 if turned else 1
    [conflict] = conflicts_of(known[::step], texts[::step], changed)
    assert {conflict.first.sentence, conflict.second.sentence} == {_SHORT, _LONG}


@pytest.mark.parametrize("order", list(itertools.permutations(range(3))))
@pytest.mark.parametrize(("changed", "left_out"), [(None, ()), ({"d0"}, (1, 2)), ({"d1"}, ()), ({"d2"}, (0, 1))])
def test_a_pair_is_found_from_either_side(
    order: tuple[int, ...], changed: set[str] | None, left_out: tuple[int, ...]
) -> None:
    texts = (
        "The valve seal is greased after 300 hours.",
        # Its rarest words lead to the last one only.
        "Quarry crusher jaw seal is greased after 200 hours.",
        "The quarry crusher jaw is painted after 100 hours.",
    )
    known = [read(text, f"d{n}") for n, text in enumerate(texts)]
    pairs = _pairs([statement for n in order for statement in known[n]], changed)
    expected = {frozenset((texts[0], texts[1])), frozenset((texts[1], texts[2]))}
    assert pairs == expected - {frozenset(texts[n] for n in left_out)}


def test_rows_of_the_same_document_are_never_looked_at(monkeypatch: pytest.MonkeyPatch) -> None:
    looked_at = 0
    honest = conflict_candidates._without

    def counted(numbers: list[int], start: int, end: int) -> tuple[list[int], list[int]]:
        nonlocal looked_at
        parts = honest(numbers, start, end)
        looked_at += sum(map(len, parts))
        return parts

    monkeypatch.setattr(conflict_candidates, "_without", counted)
    rows = [
        statement
        for n in range(500)
        for statement in read(
            f"Shelf {chr(97 + n % 26)}{chr(97 + n // 26)}x of the warehouse holds {n + 3} boxes.", "d"
        )
    ]
    other = read("Each shelf of the warehouse holds 4 boxes.", "e")
    assert len(rows) == 500
    assert _pairs(rows) == set()
    assert looked_at == 0
    _pairs(rows + other)
    assert looked_at <= 2 * 3 * len(rows)


def test_rows_of_the_same_document_do_not_crowd_out_another() -> None:
    rows = [s for n in range(300) for s in read(f"The warehouse shelf holds {n + 3} boxes of kind{'x' * n}.", "d")]
    pairs = _pairs(rows + read("The warehouse shelf holds 9999 boxes.", "e"))
    assert pairs
    assert all("9999" in " ".join(pair) for pair in pairs)
