"""Number words and digits of English and Chinese, with the precision they were written in."""

from __future__ import annotations

import re
from dataclasses import dataclass

from services.common.domain.numerals import chinese_number
from services.validation.domain.reading.patterns import Pattern

_UNITS = [
    "zero",
    "one",
    "two",
    "three",
    "four",
    "five",
    "six",
    "seven",
    "eight",
    "nine",
    "ten",
    "eleven",
    "twelve",
    "thirteen",
    "fourteen",
    "fifteen",
    "sixteen",
    "seventeen",
    "eighteen",
    "nineteen",
]
_TENS = ["twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"]
_SMALL = {word: value for value, word in enumerate(_UNITS)} | {word: 20 + 10 * i for i, word in enumerate(_TENS)}
_SCALES = {"hundred": 100, "thousand": 1_000, "million": 1_000_000, "billion": 10**9, "trillion": 10**12}
_NUMBER_WORD = "|".join(sorted([*_SMALL, *_SCALES, "dozen"], key=len, reverse=True))
ENGLISH_NUMBER = Pattern(
    rf"\b(?:(?:a|half a)\s+(?=hundred|thousand|million|dozen))?(?:{_NUMBER_WORD})"
    rf"(?:(?:(?:(?<=hundred)|(?<=thousand)|(?<=million))\s+and\s+|\s*-\s*|\s+)(?:{_NUMBER_WORD}))*\b",
    re.IGNORECASE,
)
_FRACTIONS = {
    "half": 2, "halves": 2, "third": 3, "thirds": 3, "quarter": 4, "quarters": 4, "fourth": 4, "fourths": 4,
    "fifth": 5, "fifths": 5, "sixth": 6, "seventh": 7, "eighth": 8, "eighths": 8, "ninth": 9, "tenth": 10, "tenths": 10,
    "twelfth": 12, "fifteenth": 15, "sixteenth": 16, "twentieth": 20, "hundredth": 100, "thousandth": 1000,
}  # fmt: skip
# A third party, a fifth season; but a third of them, a fifth more, fell by a tenth.
_ORDINAL = (
    r"a\s+(?:third|fourth|fifth|sixth|eighth|tenth)(?:-[a-z]|\s+(?!(?:of|more|less|fewer|longer|shorter|higher|lower|larger"
    r"|smaller|bigger|faster|slower|cheaper|as|than|to|from|in|on|at|by|for|off|over|above|below|under|since|between|and"
    r"|or|but|while|when|if|is|are|was|were|has|have|had|each|per|a|an|the|this|that|these|those|its|their|all|every)\b)[a-z])"
)
ENGLISH_FRACTION = Pattern(
    rf"\b(?!{_ORDINAL})(?:(one|a|two|three|four|five|seven|nine)[\s-]+(third|quarter|fourth|fifth|sixth|eighth|tenth)s?"
    r"|(one|two|three|five|seven)[\s-](seventh|ninth|twelfth|fifteenth|sixteenth|twentieth|hundredth|thousandth)s?|half)\b"
    r"(?!\s*(?:of\s+)?(?:\d{4}|year of))",
    re.IGNORECASE,
)
_DIGITS = {c: i for i, c in enumerate("零一二三四五六七八九")} | {"〇": 0, "两": 2, "壹": 1, "贰": 2, "叁": 3, "肆": 4,
    "伍": 5, "陆": 6, "柒": 7, "捌": 8, "玖": 9}  # fmt: skip
_ZH_SCALES = {"十": 10, "百": 100, "千": 1_000, "拾": 10, "佰": 100, "仟": 1_000}
_ZH_BIG = {"万": 10**4, "亿": 10**8}
_KNOWN = frozenset((*_DIGITS, *_ZH_SCALES, *_ZH_BIG))
CHINESE_NUMBER = re.compile(
    r"[零〇一二两三四五六七八九十百千万亿壹贰叁肆伍陆柒捌玖拾佰仟]+(?:点[零〇一二三四五六七八九]+)?"
)
ARABIC_NUMBER = re.compile(r"\d{1,3}(?:,\d{3}|，000)+(?!\d)(?:\.\d+)?|\d{1,3}(?: \d{3})+(?![\d.])|\d+(?:\.\d+)?")


@dataclass(frozen=True, slots=True)
class Number:
    """A number as written: ``value`` and the place value of its last digit shown (0.1 for ``3.4``)."""

    value: float
    step: float


_SEPARATORS = re.compile(r"[,，\s]")


def parse_arabic(text: str) -> Number:
    """Read digits with thousands separators; trailing zeros of a whole number count as shown digits."""
    plain = text if text.isdigit() else _SEPARATORS.sub("", text)
    decimals = len(plain.split(".")[1]) if "." in plain else 0
    return Number(float(plain), 10.0**-decimals)


def parse_english(text: str) -> Number | None:
    """Read English number words such as ``twenty-five``, ``two hundred and ten``, ``half a dozen``."""
    total, current = 0, 0
    step = 1.0
    for part in re.findall(r"[a-z]+", text.lower()):
        if part in ("and", "a"):
            continue
        if part == "half":
            return Number(6.0, 1.0) if "dozen" in text.lower() else None
        if part in _SMALL:
            current += _SMALL[part]
            step = 1.0
        elif part == "dozen":
            current = max(current, 1) * 12
        elif part == "hundred":
            current = max(current, 1) * 100
            step = 100.0
        elif part in _SCALES:
            total += max(current, 1) * _SCALES[part]
            current = 0
            step = float(_SCALES[part])
        else:
            return None
    return Number(float(total + current), step)


def parse_english_fraction(text: str) -> float | None:
    """``two-thirds`` → 0.667, ``half`` → 0.5, ``a quarter`` → 0.25."""
    tokens = re.findall(r"[a-z]+", text.lower())
    if tokens == ["half"]:
        return 0.5
    bottom = _FRACTIONS.get(tokens[1], _FRACTIONS.get(tokens[1].removesuffix("s"))) if len(tokens) == 2 else None
    if bottom is None:
        return None
    top = 1 if tokens[0] in ("a", "one") else _SMALL.get(tokens[0])
    return None if top is None else top / bottom


# Beyond this nothing is counted; a row of 亿 would be a number that no float holds.
LARGEST = 10**24


def parse_chinese(text: str) -> Number | None:
    """Read Chinese numerals such as 三千五百, 十二, 一点五, 二〇二三; None for what is no number."""
    whole, _, decimals = text.partition("点")
    if not whole or any(c not in _KNOWN for c in whole) or any(c not in _DIGITS for c in decimals):
        return None
    value = chinese_number(whole)
    if value is None or value > LARGEST:
        return None
    step = _chinese_step(whole)
    if decimals:
        digits = "".join(str(_DIGITS[c]) for c in decimals)
        return Number(float(f"{int(value)}.{digits}"), 10.0 ** -len(digits))
    return Number(float(value), step)


def _chinese_step(text: str) -> float:
    last = text[-1]
    return float(_ZH_SCALES.get(last) or _ZH_BIG.get(last) or 1)


def whole_number(text: str | None) -> int:
    """Digits or Chinese numerals as a whole number, 0 for nothing."""
    if not text:
        return 0
    if text.isdigit():
        return int(text)
    parsed = parse_chinese(text)
    return int(parsed.value) if parsed else 0
