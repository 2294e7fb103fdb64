"""Numbers written in words, English and Chinese."""

from __future__ import annotations

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

_HAN_DIGITS = {char: number for number, char in enumerate("零一二三四五六七八九")} | {"两": 2, "〇": 0}
HAN_NUMBER = "[零〇一二两三四五六七八九十百千]{1,7}"
"""Pattern of a number in Chinese characters."""


def english_number(text: str) -> int:
    """The value of a match of ``ENGLISH_NUMBER``."""
    total = 0
    for word in text.lower().replace("-", " ").split():
        total = total * 100 if word == "hundred" else total + (_UNITS.get(word) or _TENS[word])
    return total


def han_number(text: str) -> int:
    """The value of a match of ``HAN_NUMBER``."""
    total, digit = 0, 0
    for char in text:
        if char in _HAN_DIGITS:
            digit = _HAN_DIGITS[char]
        elif char in "十百千":
            total += (digit or 1) * {"十": 10, "百": 100, "千": 1000}[char]
            digit = 0
    return total + digit
