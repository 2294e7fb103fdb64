"""What the dictionary tells of words: near-synonyms, the other language, names, parts of compounds."""

from __future__ import annotations

import pytest

from services.retrieval.domain.conflict.meanings import GroupedMeanings, Language, related, same_head, same_root
from services.retrieval.domain.conflict.wording import stem
from tests.unit.retrieval.conflict_pairs import words


@pytest.fixture(scope="module")
def meanings() -> GroupedMeanings:
    wording, dictionary = words()
    return GroupedMeanings(dictionary, wording)


@pytest.mark.parametrize(
    ("first", "second", "language"),
    [
        ("keep", "retain", Language.ENGLISH),
        ("remove", "delete", Language.ENGLISH),
        ("depart", "departure", Language.ENGLISH),
        ("deposit", "押金", Language.BOTH),
        ("borrow", "借阅", Language.BOTH),
        ("公告", "公告栏", Language.CHINESE),
    ],
)
def test_words_that_mean_the_same(first: str, second: str, language: Language, meanings: GroupedMeanings) -> None:
    first, second = (stem(word) if word.isascii() else word for word in (first, second))
    assert related(first, second, meanings, language) and related(second, first, meanings, language)


@pytest.mark.parametrize(
    ("first", "second", "language"),
    [
        ("import", "export", Language.ENGLISH),
        ("file", "document", Language.ENGLISH),  # 文件 is both, which is no reason in English
        ("employer", "employee", Language.ENGLISH),
        ("变更", "更换", Language.CHINESE),
        ("进口", "出口", Language.CHINESE),
        ("video", "图片", Language.BOTH),
    ],
)
def test_words_that_do_not(first: str, second: str, language: Language, meanings: GroupedMeanings) -> None:
    first, second = (stem(word) if word.isascii() else word for word in (first, second))
    assert not related(first, second, meanings, language)


def test_the_main_word_of_a_compound(meanings: GroupedMeanings) -> None:
    assert same_head("cabin", "客舱", meanings)
    assert not same_head("passenger", "客舱", meanings)


def test_a_word_that_the_dictionary_has_not_is_cut_into_those_that_it_has(meanings: GroupedMeanings) -> None:
    assert list(meanings.words("使用寿命")) == ["使用", "寿命"]


@pytest.mark.parametrize("name", ["北京", "germany", "france"])
def test_names(name: str, meanings: GroupedMeanings) -> None:
    assert meanings.is_name(stem(name) if name.isascii() else name)


@pytest.mark.parametrize("word", ["车间", "workshop", "leave"])
def test_words_that_are_no_names(word: str, meanings: GroupedMeanings) -> None:
    assert not meanings.is_name(stem(word) if word.isascii() else word)


def test_endings() -> None:
    assert same_root("inactiv", "inactivity")
    assert not same_root("trainer", "trainee")
    for pair in ("giving give", "ended end", "filed file", "paid pay", "sent send"):
        first, second = pair.split()
        assert stem(first) == stem(second), pair
    assert stem("settings") != stem("set")
