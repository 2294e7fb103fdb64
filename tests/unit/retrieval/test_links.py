"""Passages that name other documents."""

from __future__ import annotations

import pytest

from services.retrieval.domain.ranking.links import Linkable, mention_name, mentions, named_by, softmax

ACTOR = Linkable("actor", "Ada Lovell", "Ada Lovell starred in Nine Rivers and in a play.")
FILM = Linkable("film", "Nine Rivers (film)", "A film directed by Bo Tan.")
OTHER = Linkable("other", "Ten Lakes", "A lake district.")


def test_the_document_that_a_likely_passage_names_is_credited_with_its_chance() -> None:
    assert named_by("Who directed the film with Ada Lovell?", [ACTOR, FILM, OTHER], [0.7, 0.2, 0.1]) == [0.0, 0.7, 0.0]


def test_a_title_in_the_question_is_no_news() -> None:
    assert named_by("Who directed Nine Rivers?", [ACTOR, FILM], [0.7, 0.3]) == [0.0, 0.0]


def test_a_document_shares_its_credit_among_its_passages_and_lends_none_to_itself() -> None:
    second = Linkable("film", "Nine Rivers (film)", "Nine Rivers was shot in spring.")
    assert named_by("q", [ACTOR, FILM, second], [0.5, 0.25, 0.25]) == [0.0, 0.25, 0.25]


def test_passages_without_a_chance_lend_nothing() -> None:
    assert named_by("q", [ACTOR, FILM], [0.001, 0.999]) == [0.0, 0.0]


@pytest.mark.parametrize(
    ("text", "name", "found"),
    [
        ("the rain in spain", "rain", True),
        ("the train and the rain", "rain", True),
        ("the train", "rain", False),
        ("依照民法典的规定", "民法典", True),
        ("采用iso标准的", "iso", True),
    ],
)
def test_latin_names_are_found_as_whole_words_and_chinese_ones_anywhere(text: str, name: str, found: bool) -> None:
    assert mentions(text, name) is found


@pytest.mark.parametrize(
    ("title", "name"), [("Nine (film)", "nine"), ("《九》（电影）", "《九》"), ("It", ""), ("法", ""), ("", "")]
)
def test_qualifiers_are_left_out_and_short_titles_are_not_looked_for(title: str, name: str) -> None:
    assert mention_name(title) == name


def test_chances_sum_to_one_whatever_the_scores() -> None:
    assert sum(softmax([1000.0, 999.0, -1000.0])) == pytest.approx(1.0)
    assert softmax([]) == []
