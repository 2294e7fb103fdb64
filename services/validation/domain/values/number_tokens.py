"""Where numbers stand in running text: digits, number words, shares, multiples, halves."""

from __future__ import annotations

import re
from collections.abc import Iterator

from services.validation.domain.reading.patterns import Pattern
from services.validation.domain.reading.text import has_han
from services.validation.domain.values import numerals
from services.validation.domain.values.numerals import Number

_NOT_NUMERALS = [
    "一般",
    "一些",
    "一定",
    "一起",
    "一致",
    "一旦",
    "一律",
    "一经",
    "一体",
    "一并",
    "一直",
    "一样",
    "一切",
    "一同",
    "一时",
    "一面",
    "一方",
    "一边",
    "一次性",
    "一贯",
    "一线",
    "一级市场",
    "一手",
    "统一",
    "唯一",
    "万一",
    "同一",
    "任一",
    "之一",
    "单一",
    "逐一",
    "专一",
    "第一",
    "千万不",
    "千方",
    "百姓",
    "三方",
    "双方",
    "四周",
    "四季",
    "五险",
    "三角",
    "三者",
    "二者",
    "两者",
    "二手",
    "二维",
    "三维",
    "八成新",
    "一成不变",
    "七夕",
    "百货",
    "万能",
    "一氧",
    "二氧",
    "五金",
    "十字",
    "一带",
    "百科",
    "千瓦",
    "万维",
    "亿元",
]
_SKIP = re.compile("|".join([*sorted(_NOT_NUMERALS, key=len, reverse=True), "十分(?![钟之米])"]))
# 二十千克, 二十五千克: a scale after a smaller one belongs to the unit.
_ENDS_WITH_UNIT = re.compile(r"(?:十[一二三四五六七八九]?|[万亿])百$|(?:[十百][一二三四五六七八九]?)千$")
_A_UNIT = Pattern(
    r"\b(?:for|within|after|over|about|lasts?|takes?|than|in|every|least|once|by"
    r"|valid)\s+(?P<a>an?)(?=\s+(?:year|month|week|day|hour|minute|decade|fortnight)\b(?!\s+and))",
    re.I,
)
_NUMBER = r"\d+(?:\.\d+)?|one|two|three|four|five|six|seven|eight|nine|ten|twelve|twenty|fifty|hundred|a hundred"
_AND_A_HALF = Pattern(
    rf"\b(?P<n>{_NUMBER}|an?)(?P<half>\s+and\s+(?P<f>a\s+half|(?:a|one|three)[\s-]quarters?))(?=\s+(?:hours?|years?|days?|months?|minutes?|times"
    rf"|million|billion|thousand|metres?|kilometres?|weeks?|tonnes?|litres?|percent))",
    re.I,
)
_UNIT_AND_A_HALF = Pattern(
    rf"\b(?P<n>{_NUMBER}|an?)\s+(?:hours?|days?|weeks?|months?|years?|minutes?|metres?|kilometres?|litres?|tonnes?)"
    r"\s+and\s+(?P<half>(?:a\s+)?half|(?:a|one|three)[\s-]quarters?)\b(?!\s+(?:hours?|days?|of)\b)",
    re.I,
)
_PART_OF_UNIT = Pattern(
    r"\b(?P<f>(?:a|one|three)[\s-]quarters?|(?:a|one|two)[\s-]thirds?|half)(?P<of>\s+of\s+an?)(?=\s+(?:hour|year"
    r"|mile|kilometre|litre|million|second|minute|day|tonne)\b)",
    re.I,
)
_RATIO_WORDS = Pattern(
    rf"\b(?P<a>{_NUMBER})\s+(?:out\s+of(?:\s+every)?|in(?:\s+every)?(?=\s+(?:two|three|four|five|six|eight|ten"
    rf"|twenty|\d+)\s+[a-z]))\s+(?P<b>{_NUMBER})\b",
    re.I,
)
_TENTHS = re.compile(r"(?P<a>[一二三四五六七八九])成(?P<b>[一二三四五六七八九半])?(?![立为果员品长功年新都交]|不变)")
_HAN_HALF = re.compile(r"(?<![过近])(?:一半|半数)(?!以|左)")
_MAGNITUDES = frozenset(["hundred", "thousand", "million", "billion", "trillion"])
_MULTIPLE_OF = {
    "doubled": 2.0,
    "tripled": 3.0,
    "trebled": 3.0,
    "quadrupled": 4.0,
    "halved": 0.5,
    "twice": 2.0,
    "翻一番": 2.0,
    "翻了一番": 2.0,
    "翻番": 2.0,
    "翻两番": 4.0,
    "翻了两番": 4.0,
    "减半": 0.5,
}
_MULTIPLES = Pattern(
    r"\b(?:doubled|tripled|trebled|quadrupled|halved|twice(?=\s+(?:as|the|that|those)))\b|翻了?[一两]番|翻番|减半", re.I
)


def _plain_number(text: str) -> float | None:
    """A short number in digits or words."""
    if text[0].isdigit():
        return numerals.parse_arabic(text).value
    number = numerals.parse_english(text)
    return number.value if number else None


# Rinse twice; not twice as much, which is a ratio, nor twice a day, which is an interval.
_OCCASIONS = Pattern(
    r"\b(?:twice|thrice)\b(?!\s+(?:as|the|that|those|a|an|per|every|each|daily|weekly|monthly|yearly)\b)", re.I
)
# Half an hour, a half-year, 半小时, 半个月: one half of the unit that follows.
_HALF_UNIT = Pattern(
    r"\b(?P<n>half(?:\s+an?|-a)?)[\s-](?=hour|year|day|month|minute|mile|dozen|litre|kilometre)"
    r"|(?<![大多一下上夏冬])(?P<z>半)个?(?=小时|年(?![度报])|天|个?月|日(?!制)|分钟|公里|吨|斤|学期|周|百分点)",
    re.I,
)
_HAN_AND_A_HALF = Pattern(r"(?P<n>[一二两三四五六七八九十]+|\d+)个半(?=小时|钟头|月|星期|礼拜)")
_HAN_PERCENT = re.compile(r"百分之(?P<n>[零〇一二两三四五六七八九十百点]+|\d+(?:\.\d+)?)")
_HAN_SHARE = Pattern(r"(?P<b>[一二两三四五六七八九十百千万]+|\d+)分之(?P<t>[一二两三四五六七八九十]+|\d+)")
_SLASHED = Pattern(r"(?<![\w])(\d{1,3})/(\d{1,3})(?![\w/])")
# 满3/4时: between Chinese characters only what is less than one (血压120/80).
_HAN_SLASHED = Pattern(r"(?<![A-Za-z0-9_./])(\d)/(\d{1,2})(?![A-Za-z0-9_/])")


Token = tuple[int, int, Number, str]


def number_tokens(text: str, before_number: re.Pattern[str]) -> Iterator[Token]:
    """Every number of a normalised text as (start, end, number, kind); earlier ones take precedence over later ones.

    ``before_number`` matches what may stand directly before digits (currencies). Kinds: percent, share, times, digits,
    fraction, words, han, article, occasion, nothing.
    """
    han = has_han(text)
    latin = _LETTER.search(text) is not None
    if han:
        yield from _han_measures(text)
    yield from _digits(text, before_number)
    if latin:
        yield from _english_parts(text)
    if han:
        yield from _han_parts(text)
    yield from _multiples(text)
    if latin:
        yield from _english_numbers(text)
    if han:
        yield from _han_numbers(text)


_LETTER = re.compile("[A-Za-z]")


def _han_measures(text: str) -> Iterator[Token]:
    """三个半小时, 百分之五, 三分之一."""
    for match in _HAN_AND_A_HALF.finditer(text):
        whole = (
            float(match["n"]) if match["n"].isdigit() else getattr(numerals.parse_chinese(match["n"]), "value", None)
        )
        if whole is not None:
            yield match.start(), match.end(), Number(whole + 0.5, 0.5), "digits"
    for match in _HAN_PERCENT.finditer(text):
        number = numerals.parse_arabic(match["n"]) if match["n"][0].isdigit() else numerals.parse_chinese(match["n"])
        if number:
            yield match.start(), match.end(), number, "percent"
    for match in _HAN_SHARE.finditer(text):
        bottom, top = (
            float(g) if g.isdigit() else getattr(numerals.parse_chinese(g), "value", 0.0)
            for g in (match["b"], match["t"])
        )
        if bottom:
            yield match.start(), match.end(), Number(top / bottom, 1e-9), "share"


def _digits(text: str, before_number: re.Pattern[str]) -> Iterator[Token]:
    """1/3, 3.5, 1,200; not the figures inside a name (A320)."""
    for match in _SLASHED.finditer(text):
        if int(match[2]):
            yield match.start(), match.end(), Number(int(match[1]) / int(match[2]), 1e-9), "share"
    for match in _HAN_SLASHED.finditer(text):
        if 0 < int(match[1]) < int(match[2]):
            yield match.start(), match.end(), Number(int(match[1]) / int(match[2]), 1e-9), "share"
    for match in numerals.ARABIC_NUMBER.finditer(text):
        before = text[match.start() - 1] if match.start() else ""
        if before and (
            before in "._"
            or (before.isascii() and before.isalpha() and not before_number.search(text[: match.start()]))
        ):
            continue
        yield match.start(), match.end(), numerals.parse_arabic(match.group()), "digits"


def _english_parts(text: str) -> Iterator[Token]:
    """Two and a half hours, an hour and a half, half of a year, for a day, nine out of ten."""
    for match in _AND_A_HALF.finditer(text):
        whole = _counted(match["n"])
        part = _part(match["f"])
        if whole is not None:
            yield match.start(), match.end("half"), Number(whole + part, min(part, 1 - part)), "digits"
    for match in _UNIT_AND_A_HALF.finditer(text):
        whole = _counted(match["n"])
        part = _part(match["half"])
        if whole is not None:
            yield match.start(), match.end("n"), Number(whole + part, min(part, 1 - part)), "digits"
            yield match.start("half"), match.end("half"), Number(0.0, 0.0), "nothing"
    for match in _PART_OF_UNIT.finditer(text):
        share = numerals.parse_english_fraction(match["f"])
        if share is not None:
            yield match.start(), match.end("of"), Number(share, 1e-9), "digits"
    for match in _A_UNIT.finditer(text):
        yield match.start("a"), match.end("a"), Number(1.0, 1.0), "article"
    for match in _RATIO_WORDS.finditer(text):
        top, bottom = _plain_number(match["a"]), _plain_number(match["b"])
        if top is not None and bottom:
            yield match.start(), match.end(), Number(top / bottom, 1e-9), "share"


def _part(words: str) -> float:
    """A half, a quarter, three quarters."""
    if words[-4:].lower() == "half":
        return 0.5
    return 0.75 if words[0] in "tT" else 0.25


def _counted(word: str) -> float | None:
    return 1.0 if word.lower() in ("a", "an", "one") else _plain_number(word)


def _han_parts(text: str) -> Iterator[Token]:
    """三成五, 一半."""
    for match in _TENTHS.finditer(text):
        digits = "一二三四五六七八九"
        second = 5 if match["b"] == "半" else digits.find(match["b"]) + 1 if match["b"] else 0
        value = (digits.find(match["a"]) + 1) / 10 + second / 100
        yield match.start(), match.end(), Number(value, 0.01 if match["b"] else 0.1), "share"
    for match in _HAN_HALF.finditer(text):
        yield match.start(), match.end(), Number(0.5, 1e-9), "share"


def _multiples(text: str) -> Iterator[Token]:
    """Doubled, 翻番; rinse twice; half an hour, 半小时."""
    for match in _MULTIPLES.finditer(text):
        yield match.start(), match.end(), Number(_MULTIPLE_OF[match.group().lower()], 1e-9), "times"
    for match in _OCCASIONS.finditer(text):
        times = {"twice": 2.0, "thrice": 3.0}[match.group().lower()]
        yield match.start(), match.end(), Number(times, 1.0), "occasion"
    for match in _HALF_UNIT.finditer(text):
        yield match.start(), match.end("n" if match["n"] else "z"), Number(0.5, 0.5), "digits"


def _english_numbers(text: str) -> Iterator[Token]:
    """Two thirds, twenty-five."""
    for match in numerals.ENGLISH_FRACTION.finditer(text):
        fraction = numerals.parse_english_fraction(match.group())
        if fraction is not None:
            yield match.start(), match.end(), Number(fraction, 1e-9), "fraction"
    for match in numerals.ENGLISH_NUMBER.finditer(text):
        number = numerals.parse_english(match.group())
        # "EUR million" above a table is a unit, no number.
        if number is not None and match.group().lower() not in _MAGNITUDES:
            yield match.start(), match.end(), number, "words"


def _han_numbers(text: str) -> Iterator[Token]:
    """二十五, 三万; not 一般, 第三, nor the scale of a unit (二十千克)."""
    blocked = {i for m in _SKIP.finditer(text) for i in range(m.start(), m.end())}
    for match in numerals.CHINESE_NUMBER.finditer(text):
        if blocked.intersection(range(match.start(), match.end())) or text[: match.start()].endswith("第"):
            continue
        token = match.group()
        if len(token) > 1 and _ENDS_WITH_UNIT.search(token):
            # 二十千克: the last character belongs to the unit.
            token = token[:-1]
        number = numerals.parse_chinese(token)
        if number is not None:
            yield match.start(), match.start() + len(token), number, "han"
