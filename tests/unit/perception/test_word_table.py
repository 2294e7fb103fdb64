from __future__ import annotations

from services.perception.adapters.word_table import WordEntry, WordTable

WORDS = [
    ("中", 5, "n"),
    ("中华", 7, "ns"),
    ("中华人民", 3, "nz"),
    ("中华人民共和国", 9, "ns"),
    ("a", 2, "eng"),
    ("飞机", 4, "n"),
]


def test_words_beginnings_and_strangers() -> None:
    table = WordTable.of(WORDS)
    for word, frequency, flag in WORDS:
        assert table.find(word) == WordEntry(frequency, flag)
    for beginning in ("飞", "中华人", "中华人民共", "中华人民共和"):
        assert table.find(beginning) == WordEntry(0, "")
    for stranger in ("", "人", "机", "中华人民国", "飞机场", "中华人民共和国家", "𠀀", "\ud800"):
        assert table.find(stranger) is None
    assert table.total == 30


def test_what_was_asked_before_is_answered_alike() -> None:
    table = WordTable.of(WORDS)
    for number in range(20_000):
        assert table.find(chr(0x5000 + number % 9_000)) is None
    assert table.find("飞机") == table.find("飞机") == WordEntry(4, "n")


def test_a_table_made_of_what_was_kept_is_the_same() -> None:
    table = WordTable.restored(WordTable.of(WORDS).plain())
    for word, frequency, flag in WORDS:
        assert table.find(word) == WordEntry(frequency, flag)
    assert table.find("中华人民共") == WordEntry(0, "")
    assert table.find("飞机场") is None
    assert table.total == 30
