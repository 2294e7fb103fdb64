"""Choosing hits that differ."""

from __future__ import annotations

from collections.abc import Sequence

from hypothesis import given
from hypothesis import strategies as st

from services.retrieval.domain.ranking.diversity import Choice, Option, choose
from services.retrieval.domain.search import Diversity


def _option(document: str, text: str, score: float, since: int = 0, passage: str = "") -> Option:
    return Option(f"{document}#{text}", document, passage or text, text, frozenset(text.split()), score, since)


def _texts(options: Sequence[Option], choices: Sequence[Choice]) -> list[str]:
    return [options[choice.index].text for choice in choices]


def test_by_default_the_best_are_taken() -> None:
    options = [_option("a", "one", 3.0), _option("a", "one", 2.0), _option("b", "two", 1.0)]
    assert choose(options, Diversity(), 2) == [Choice(0), Choice(1)]


def test_a_document_has_at_most_as_many_hits_as_allowed_and_others_move_up() -> None:
    options = [
        _option("a", "one", 4.0),
        _option("a", "two", 3.0),
        _option("a", "three", 2.0),
        _option("b", "four", 1.0),
    ]
    assert _texts(options, choose(options, Diversity(max_per_document=1), 3)) == ["one", "four"]
    assert _texts(options, choose(options, Diversity(max_per_document=2), 3)) == ["one", "two", "four"]


def test_the_same_text_is_shown_once_at_the_best_place_by_the_version_in_force_last() -> None:
    options = [
        _option("v1", "the same  text", 4.0, since=10),
        _option("x", "other", 3.0),
        _option("v2", "the same text", 2.0, since=20),
    ]
    assert choose(options, Diversity(merge_same_text=True), 3) == [Choice(2, (0,)), Choice(1)]


def test_parts_of_one_passage_are_shown_once_by_the_best_part() -> None:
    options = [_option("a", "p1", 3.0, passage="p"), _option("b", "q1", 2.0), _option("a", "p2", 1.0, passage="p")]
    assert choose(options, Diversity(), 3, one_a_passage=True) == [Choice(0, (2,)), Choice(1)]


def test_novelty_prefers_what_has_not_been_said() -> None:
    options = [
        _option("a", "pump pressure limit", 1.0),
        _option("b", "pump pressure limits", 0.9),
        _option("c", "pump pressure limit high", 0.8),
        _option("d", "valve colour", 0.5),
        _option("e", "nothing", 0.0),
    ]
    assert _texts(options, choose(options, Diversity(novelty=0.5), 2)) == ["pump pressure limit", "valve colour"]
    assert _texts(options, choose(options, Diversity(novelty=0.01), 2)) == [
        "pump pressure limit",
        "pump pressure limits",
    ]


@given(
    st.lists(st.tuples(st.sampled_from("abc"), st.sampled_from(["x y", "x z", "w"]), st.integers(0, 9)), max_size=12),
    st.integers(0, 3),
    st.floats(0, 1),
    st.booleans(),
    st.integers(1, 12),
)
def test_whatever_is_asked_no_candidate_is_shown_twice_and_no_bound_is_broken(
    rows: list[tuple[str, str, int]], most: int, novelty: float, merge: bool, limit: int
) -> None:
    rows = sorted(rows, key=lambda row: -row[2])
    options = [_option(document, text, float(score), index) for index, (document, text, score) in enumerate(rows)]
    choices = choose(options, Diversity(most, novelty, merge), limit)
    shown = [choice.index for choice in choices]
    assert len(set(shown)) == len(shown) <= limit
    assert not set(shown) & {index for choice in choices for index in choice.stands_for}
    if most:
        documents = [options[index].document_id for index in shown]
        assert all(documents.count(one) <= most for one in documents)
    if merge:
        assert len({options[index].text for index in shown}) == len(shown)
