"""Numbers in Chinese characters: with and without the words for tens and hundreds, and with decimals."""

from __future__ import annotations

from decimal import Decimal

import pytest

from services.common.domain.numerals import chinese_decimal, chinese_number
from services.perception.domain.numerals import number
from services.retrieval.domain.passages.codes import find_codes
from services.validation.domain.values.numerals import parse_chinese


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("十", 10), ("二十一", 21), ("一百零二", 102), ("两千", 2000), ("二〇二四", 2024), ("二○二四", 2024),
        ("一千二百万", 12_000_000), ("一亿二千万", 120_000_000), ("一百二", 120), ("三万五", 35_000), ("万", 10_000),
        ("一二〇", 120), ("叁佰", 300), ("1013", 1013), ("两三", None), ("", None), ("三点五", None), ("三a", None),
    ],
)  # fmt: skip
def test_whole_numbers(text: str, value: int | None) -> None:
    assert chinese_number(text) == value


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("三点五", "3.5"), ("零点五", "0.5"), ("十五点二五", "15.25"), ("三点五万", "35000"), ("一点二亿", "120000000"),
        ("三十", "30"), ("三点", None), ("点五", None), ("三点十", None),
    ],
)  # fmt: skip
def test_decimals(text: str, value: str | None) -> None:
    assert chinese_decimal(text) == (None if value is None else Decimal(value))


def test_every_service_reads_them_alike() -> None:
    assert number("一百二十") == 120
    assert number("二〇二四") == 2024
    assert find_codes("第一二〇条") == ("ARTICLE 120",)
    parsed = parse_chinese("一百二十")
    assert parsed is not None and parsed.value == 120
