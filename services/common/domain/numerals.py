"""Numbers written in Chinese characters."""

from __future__ import annotations

from decimal import Decimal

_DIGITS = {char: value for value, char in enumerate("零一二三四五六七八九")}
_DIGITS |= {char: value for value, char in enumerate("零壹贰叁肆伍陆柒捌玖")}
_DIGITS |= {"〇": 0, "○": 0, "两": 2, "俩": 2}
_SCALES = {"十": 10, "百": 100, "千": 1_000, "拾": 10, "佰": 100, "仟": 1_000}
_BIG = {"万": 10_000, "亿": 10**8}
# The last digit behind these counts tenths of them: 一百二 is 120, 三万五 is 35,000.
_TENTHS = {"百": 10, "千": 100, "万": 1_000, "亿": 10**7}


def chinese_number(text: str) -> int | None:
    """The whole number that ``text`` spells, Arabic figures included; None for anything else.

    三十二 is 32, 二〇二三 is 2023, 一百二 is 120, 一千二百万 is 12,000,000; 两三 (two or three) is none.
    """
    if text.isascii() and text.isdigit():
        return int(text)
    if not text or any(char not in _DIGITS and char not in _SCALES and char not in _BIG for char in text):
        return None
    if all(char in _DIGITS for char in text):
        return None if len(text) > 1 and "两" in text else int("".join(str(_DIGITS[char]) for char in text))
    total = section = digit = 0
    for char in text:
        if char in _DIGITS:
            digit = _DIGITS[char]
        elif char in _SCALES:
            section += (digit or 1) * _SCALES[char]
            digit = 0
        elif char == "万":
            total += (section + digit or 1) * _BIG[char]
            section = digit = 0
        else:
            total = (total + (section + digit or (0 if total else 1))) * _BIG[char]
            section = digit = 0
    return total + section + digit * (_TENTHS.get(text[-2], 1) if len(text) > 1 else 1)


def chinese_decimal(text: str) -> Decimal | None:
    """The same with what may stand behind 点: 三点五 is 3.5, 一点二亿 is 120,000,000."""
    whole, point, behind = text.partition("点")
    if not point:
        number = chinese_number(whole)
        return None if number is None else Decimal(number)
    digits = behind.rstrip("万亿")
    number = chinese_number(whole)
    if number is None or not digits or any(char not in _DIGITS for char in digits):
        return None
    value = Decimal(f"{number}.{''.join(str(_DIGITS[char]) for char in digits)}")
    for scale in behind[len(digits) :]:
        value *= _BIG[scale]
    return value
