"""Codes are found exactly; English is stemmed; Chinese is segmented; tokens survive any tokenizer."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from services.common.domain.numerals import chinese_number
from services.retrieval.adapters.segmenter import Segmenter
from services.retrieval.domain.passages.codes import asked_codes, find_codes
from services.retrieval.domain.ranking.lexical import analyze

_SEGMENTER = Segmenter()


@pytest.fixture(scope="module")
def segmenter() -> Segmenter:
    return _SEGMENTER


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("Error E4027 appears", "E4027"),
        ("见ALM-209处理", "ALM-209"),
        ("under § 1013.2(e) of", "1013.2(E)"),
        ("comment 2(e)-9 says", "2(E)-9"),
        ("v4.0.3 2.1.1?", "2.1.1"),
        ("AC-2(3) applies", "AC-2(3)"),
        ("Does V6.2.4 hold?", "6.2.4"),
        ("Does V6.2.4 hold?", "V6.2.4"),
        ("发动机LEAP-1A", "LEAP-1A"),
        ("第五十九条规定", "ARTICLE 59"),
        ("see Article 59 of", "ARTICLE 59"),
        ("Ｅ４０２７", "E4027"),
    ],
)
def test_codes_are_found(text: str, code: str) -> None:
    assert code in find_codes(text)


def test_a_question_asks_for_the_spelling_that_all_have() -> None:
    assert asked_codes("Does V6.2.4 hold for E4027?") == ("6.2.4", "E4027")


@pytest.mark.parametrize(
    ("text", "value"), [("十", 10), ("二十一", 21), ("一百零二", 102), ("1013", 1013), ("两千", 2000)]
)
def test_chinese_numbers(text: str, value: int) -> None:
    assert chinese_number(text) == value


def test_codes_that_differ_share_no_exact_token(segmenter: Segmenter) -> None:
    def exact(text: str) -> set[str]:
        return {token for token in analyze(text, segmenter) if token.startswith("z")}

    assert exact("E4027") & exact("E4027")
    assert not exact("E4027") & exact("E4072")
    assert not exact("2.1.11") & exact("21.1.1")
    assert set(analyze("ALM209", segmenter)) & set(analyze("ALM-209", segmenter))


def test_english_inflections_meet(segmenter: Segmenter) -> None:
    assert set(analyze("requirements for passwords", segmenter)) == set(analyze("The password requirement", segmenter))


def test_chinese_words_meet_whole_and_in_part(segmenter: Segmenter) -> None:
    assert set(analyze("起降性能", segmenter)) & set(analyze("高原机场的起降性能差异", segmenter))


def test_a_query_of_stop_words_still_has_tokens(segmenter: Segmenter) -> None:
    assert analyze("what is it", segmenter)


@settings(deadline=None)
@given(st.text(max_size=200))
def test_tokens_are_plain_ascii_words(text: str) -> None:
    for token in analyze(text, _SEGMENTER):
        assert re.fullmatch(r"[0-9a-z]+", token), token
