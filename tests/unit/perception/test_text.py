from __future__ import annotations

import pytest

from services.perception.domain.text import normalise


@pytest.mark.parametrize(
    ("original", "expected"),
    [
        ("Ａ３２０　和 Ｂ７３７", "A320和B737"),
        ("error\u200b 809", "error 809"),
        ("cafe\u0301", "café"),
        ("10² m", "10² m"),
        ("ﬁle “x”", 'file "x"'),
        ("用 SAP 过账", "用SAP过账"),
        ("  a \t\n b  ", "a b"),
        ("\u202eabc\u202c", "abc"),
    ],
)
def test_folding(original: str, expected: str) -> None:
    assert normalise(original).text == expected


def test_traditional_characters_are_folded_for_matching_only() -> None:
    text = normalise("這個怎麼辦", {"這": "这", "個": "个", "麼": "么", "辦": "办"})
    assert text.text == "这个怎么办"
    assert text.surface(0, 5) == "這個怎麼辦"


def test_spans_index_the_original() -> None:
    text = normalise("  ｅｒｒｏｒ   ８０９ ")
    start = text.text.index("809")
    span = text.span(start, start + 3)
    assert text.original[span.start : span.end] == "８０９"
