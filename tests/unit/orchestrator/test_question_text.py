"""What a keyboard or a copied page adds to a question does not change what is asked."""

from __future__ import annotations

import pytest

from services.orchestrator.domain.question_text import legible


@pytest.mark.parametrize(
    ("typed", "read"),
    [
        ("Ｅ４０２７　ｅｒｒｏｒ", "E4027 error"),
        ("３．５％", "3.5%"),
        ("A320的油耗是多少？（２０２３年，全年）", "A320的油耗是多少？（2023年，全年）"),
        ("pre\u200bssure \u202eof\u202c the pump\ufeff", "pressure of the pump"),
        ("one\x00two\nthree", "one two\nthree"),
        ("10² m³ 歐洲 é", "10² m³ 歐洲 é"),
        ("\u200b\u200b", "\u200b\u200b"),
        ("", ""),
    ],
)
def test_the_question_is_read_as_it_was_meant(typed, read):
    assert legible(typed) == read
    assert legible(legible(typed)) == read
