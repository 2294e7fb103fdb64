"""Both spellings of an English word are one word."""

from __future__ import annotations

import pytest

from services.validation.domain.reading.text import stem


@pytest.mark.parametrize(
    ("british", "american"),
    [
        ("colour", "color"),
        ("neighbouring", "neighboring"),
        ("licence", "license"),
        ("organisations", "organizations"),
        ("authorised", "authorized"),
        ("centres", "centers"),
        ("analysed", "analyzed"),
        ("programme", "program"),
    ],
)
def test_spellings_meet(british: str, american: str) -> None:
    assert stem(british) == stem(american)


@pytest.mark.parametrize("word", ["size", "prize", "hour", "four", "pour", "citizen", "acre"])
def test_words_with_one_spelling_stay(word: str) -> None:
    assert stem(word) == stem(word.upper().lower())
    assert not stem(word).endswith(("isen", "or"))
