"""Numbers written in words, English and Chinese."""

from __future__ import annotations

import re
from decimal import Decimal

from services.common.domain.numerals import chinese_decimal, chinese_number

_ONES_TEXT = "one two three four five six seven eight nine"
_TEENS_TEXT = "ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen"
_TENS_TEXT = "twenty thirty forty fifty sixty seventy eighty ninety"
_ONES = {word: number for number, word in enumerate(_ONES_TEXT.split(), 1)}
_UNITS = _ONES | {word: number for number, word in enumerate(_TEENS_TEXT.split(), 10)}
_TENS = {word: 10 * number for number, word in enumerate(_TENS_TEXT.split(), 2)}
ENGLISH_NUMBER = (
    rf"(?:{'|'.join(_TENS)})(?:[\s-](?:{'|'.join(_ONES)}))?(?![A-Za-z-]?[a-z]*th)"
    rf"|(?:{'|'.join(sorted(_UNITS, key=len, reverse=True))})(?:\shundred)?(?![A-Za-z])"
)
"""Pattern of a number in English words, 1 to 99 and full hundreds."""

WORD_NUMBERS = frozenset({*_UNITS, *_TENS})
"""The single words of such numbers."""

_ORDINALS_TEXT = "first second third fourth fifth sixth seventh eighth ninth tenth"
ORDINALS = {word: number for number, word in enumerate(_ORDINALS_TEXT.split(), 1)} | {"fifteenth": 15, "twentieth": 20}
"""Ordinals by which days of a month are named."""

HAN_NUMBER = "[零〇一二两三四五六七八九十百千]{1,7}"
"""Pattern of a whole number in Chinese characters, below ten thousand."""

HAN_AMOUNT = (
    "[零〇一二两三四五六七八九十百千][零〇一二两三四五六七八九十百千万亿]{0,12}"
    "(?:点[零〇一二三四五六七八九]{1,4}[万亿]{0,2})?"
)
"""Pattern of any number in Chinese characters."""

# Three or four days: 三四天, 二三十人.
_ROUGHLY = re.compile(
    "(?<![零〇一二三四五六七八九])(?:一二|[二两]三|三四|四五|五六|六七|七八|八九)(?![零〇一二三四五六七八九])"
)
_HAN_DIGIT = "[零〇○一二三四五六七八九]"
_HAN_DAY = re.compile(
    rf"(?<![零〇○一二两三四五六七八九十百千])(?P<y>[一二]{_HAN_DIGIT}{{3}})年"
    "(?:(?P<m>[一二三四五六七八九十]{1,2})月(?:(?P<d>[一二三四五六七八九十]{1,3})[日号])?)?"
    "|(?<![零〇一二两三四五六七八九十百千每])(?P<m2>[一二三四五六七八九十]{1,2})月(?P<d2>[一二三四五六七八九十]{1,3})[日号]"
)


def english_number(text: str) -> int:
    """The value of a match of ``ENGLISH_NUMBER``."""
    total = 0
    for word in text.lower().replace("-", " ").split():
        total = total * 100 if word == "hundred" else total + (_UNITS.get(word) or _TENS[word])
    return total


def han_number(text: str) -> Decimal | None:
    """The value of a match of ``HAN_NUMBER`` or ``HAN_AMOUNT``; None for two or three of something (三四天)."""
    return None if _ROUGHLY.search(text) else chinese_decimal(text)


def with_figured_days(text: str) -> str:
    """``text`` with the years and days that stand in Chinese characters in figures: 二〇二四年三月一日, 三月一日."""
    return _HAN_DAY.sub(_figured, text) if "年" in text or "月" in text else text


def _figured(match: re.Match[str]) -> str:
    year = chinese_number(match["y"] or "")
    month, day = (chinese_number(part or "") for part in (match["m"] or match["m2"], match["d"] or match["d2"]))
    if (month or 1) > 12 or (day or 1) > 31:
        return match.group()
    return "".join(f"{part}{name}" for part, name in ((year, "年"), (month, "月"), (day, "日")) if part is not None)
