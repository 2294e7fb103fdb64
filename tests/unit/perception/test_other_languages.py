"""Questions in languages without packs of their own: marked, and answered with codes and dates."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from services.common.domain.question import ParsedQuestion

Parse = Callable[..., ParsedQuestion]


@pytest.mark.parametrize(
    ("question", "language", "codes", "time"),
    [
        ("Was bedeutet der Fehlercode E4027 seit 2021?", "de", ["E4027"], "since 2021-01-01 None"),
        ("Wie hoch war der Umsatz am 15. März 2024?", "de", [], "in 2024-03-15 2024-03-15"),
        ("Wie viele Unfälle gab es bis 30. April 2024?", "de", [], "as_of None 2024-04-30"),
        ("Combien d'incidents le 3 mars 2024 ?", "fr", [], "in 2024-03-03 2024-03-03"),
        ("Quel couple pour le CFM56-7B avant juin 2023 ?", "fr", ["CFM56-7B"], "before None 2023-05-31"),
        ("¿Qué significa ORA-01555?", "es", ["ORA-01555"], None),
        ("ORA-01555とは何ですか？", "ja", ["ORA-01555"], None),
        ("2024年3月5日からA320neoの何が変わりましたか", "ja", ["A320neo"], "since 2024-03-05 None"),
        ("2024년 3월 A320neo 사고는 몇 건입니까", "ko", ["A320neo"], "in 2024-03-01 2024-03-31"),
        ("Что значит ошибка ORA-01555 с 2023?", "ru", ["ORA-01555"], "since 2023-01-01 None"),
    ],
)
def test_what_can_be_had(parse: Parse, question: str, language: str, codes: list[str], time: str | None) -> None:
    parsed = parse(question)
    assert parsed.language == language
    assert [m.text for m in parsed.codes] == codes
    told = parsed.time and f"{parsed.time.relation} {parsed.time.interval.start} {parsed.time.interval.end}"
    assert told == time


@pytest.mark.parametrize(
    "question",
    [
        "What was his résumé like?",
        "Was the war in 2003 legal?",
        "Who wrote Les Misérables?",
        "How do I get to São Paulo?",
    ],
)
def test_a_borrowed_word_leaves_english_english(parse: Parse, question: str) -> None:
    assert parse(question).language == "en"


def test_neighbours_of_one_language_are_one_stretch(parse: Parse) -> None:
    assert [s.language for s in parse("ORA-01555とは何ですか？").language_spans] == ["en", "ja"]
