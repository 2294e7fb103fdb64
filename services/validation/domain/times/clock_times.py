"""Clock times and weekdays in running text, English and Chinese."""

from __future__ import annotations

import re
from collections.abc import Iterator

from services.validation.domain.reading.patterns import Pattern
from services.validation.domain.times.clock_ranges import clock_ranges
from services.validation.domain.times.han_times import A_LITTLE, TWO_O_CLOCK, UNTIL_ONE
from services.validation.domain.times.moments import EITHER, Moment
from services.validation.domain.values import numerals
from services.validation.domain.values.numerals import whole_number

WEEKDAYS = {
    name: number
    for number, names in enumerate(
        (
            "monday mon 周一 星期一 礼拜一",
            "tuesday tue tues 周二 星期二 礼拜二",
            "wednesday wed 周三 星期三 礼拜三",
            "thursday thu thurs 周四 星期四 礼拜四",
            "friday fri 周五 星期五 礼拜五",
            "saturday sat 周六 星期六 礼拜六",
            "sunday sun 周日 星期日 周天 星期天 礼拜天",
        )
    )
    for name in names.split()
}
_CLOCK = [
    Pattern(r"(?<![\d:.])(?P<h>[01]?\d|2[0-4])[:.](?P<mi>[0-5]\d)\s*(?P<ap>a\.?m\.?|p\.?m\.?)", re.I),
    Pattern(r"(?<![\d:])(?P<h>[01]?\d|2[0-4])[:：](?P<mi>[0-5]\d)(?::[0-5]\d)?(?!\d)"),
    Pattern(r"(?<![\d:.])(?P<h>1[0-2]|0?[1-9])\s*(?P<ap>a\.m\.?|p\.m\.?|am\b|pm\b)", re.I),
    # 装满四分之三时, 剩1/3时: a share, and no time of day.
    Pattern(
        r"(?P<zp>凌晨|早上|早晨|清晨|上午|中午|下午|傍晚|晚上|晚|夜间|次日|当日)?\s*(?<![A-Za-z\d])(?<!\d/)(?<!分之)(?P<h>\d{1,2}|[一二三四五六七八九十]{1,3}|两)\s*(?:时(?!间|长|段|候|速|许"
        r"|起)|点(?!五|[一二三四六七八九零]?[^\w]*%)(?:钟|整)?)(?:(?P<half>半)|(?P<mi>[0-5]?\d|[一二三四五六七八九十]{1,3})\s*分)?"
    ),
    # 自6月3日12时起, 从上午8时起: without a day or a part of it, 时起 may end a span (满8小时起).
    Pattern(
        r"(?:(?<=[日号自从])|(?P<zp>凌晨|早上|早晨|清晨|上午|中午|下午|傍晚|晚上|晚))\s*"
        r"(?P<h>\d{1,2}|[一二三四五六七八九十]{1,3})\s*时(?=起)"
    ),
    Pattern(
        r"\b(?P<rel>half past|(?:a )?quarter past|(?:a )?quarter to|(?:five|ten|twenty|twenty-five) past"
        r"|(?:(?<=\bat )|(?<=\bby )|(?<=\buntil )|(?<=\btill )|(?<=\baround ))(?:five|ten|twenty|twenty-five) to)"
        r"\s+(?P<h>\d{1,2}|one|two|three|four|five|six|seven|eight|nine|ten"
        r"|eleven|twelve)\b(?:\s+(?:in the|at)\s+(?P<part>morning|afternoon|evening|night))?",
        re.I,
    ),
    Pattern(r"\b(?P<word>noon|midnight|midday)\b|(?P<zw>正午|中午12点|午夜|零时|零点)", re.I),
]
_WEEKDAY = Pattern(
    r"\b(?P<w>monday|tuesday|wednesday|thursday|friday|saturday|sunday)s?\b"
    # Short forms only in ranges: "sun", "sat" and "wed" are words.
    r"|\b(?P<s>mon|tues?|wed|thurs?|fri|sat|sun)\b(?=\.?\s?(?:-|–|—|to|through)\s?(?:mon|tue|wed|thu|fri|sat|sun))"
    r"|(?<=-|–|—)\s?(?P<e>mon|tues?|wed|thurs?|fri|sat|sun)\b|\b(?:to|through)\s(?P<t>mon|tues?|wed|thurs?|fri|sat|sun)\b"
    # 每两周一次 is a rate.
    r"|(?P<z>(?:周|星期|礼拜)[一二三四五六日天](?!年|次|回|趟|期))",
    re.I,
)


def clock_times(text: str) -> Iterator[Moment]:
    """8:30 am, half past four, noon, 下午3点半."""
    for start, end, minutes in clock_ranges(text):
        yield Moment("clock", start, end, sub=minutes)
    for pattern in _CLOCK:
        afternoon_until = -9
        for m in pattern.finditer(text):
            g = m.groupdict()
            if g.get("word") or g.get("zw"):
                word = (g.get("word") or g.get("zw") or "").lower()
                yield Moment(
                    "clock", m.start(), m.end(), sub=0 if word in ("midnight", "午夜", "零时", "零点") else 720
                )
                continue
            if g.get("rel"):
                yield from _relative_clock(m)
                continue
            if g["h"] == "两" and not g.get("zp") and not TWO_O_CLOCK.match(text, m.end()):
                continue
            if A_LITTLE.match(text, m.start()) and not UNTIL_ONE.search(text, 0, m.start()):
                continue
            hour, minute = whole_number(g["h"]), 30 if g.get("half") else whole_number(g.get("mi"))
            suffix = (g.get("ap") or "").lower()
            carried = not g.get("zp") and m.start() - afternoon_until <= 2
            if (suffix.startswith("p") or g.get("zp") in ("下午", "傍晚", "晚上", "晚") or carried) and hour < 12:
                hour += 12
                afternoon_until = m.end() if g.get("zp") else -9
            if suffix.startswith("a") and hour == 12:
                hour = 0
            if hour <= 24 and minute < 60:
                yield Moment("clock", m.start(), m.end(), sub=hour * 60 + minute)


_MINUTES = {"half": 30, "quarter": 15, "five": 5, "ten": 10, "twenty": 20, "twenty-five": 25}


def _relative_clock(m: re.Match[str]) -> Iterator[Moment]:
    """Half past eight, a quarter to nine in the evening."""
    number = None if m["h"].isdigit() else numerals.parse_english(m["h"])
    hour = int(m["h"]) if m["h"].isdigit() else int(number.value) if number else 0
    amount, way = m["rel"].lower().removeprefix("a ").split()
    minutes = hour * 60 + _MINUTES[amount] * (1 if way == "past" else -1)
    later = (m["part"] or "").lower() in ("afternoon", "evening", "night") and hour < 12
    open_half = not m["part"] and hour <= 12
    if 0 < hour <= 24:
        yield Moment("clock", m.start(), m.end(), sub=minutes + 720 * later, edge=EITHER if open_half else "")


def weekdays(text: str) -> Iterator[Moment]:
    """On Mondays, 周三, Mon-Fri."""
    for m in _WEEKDAY.finditer(text):
        name = m["w"] or m["z"] or m["s"] or m["e"] or m["t"]
        yield Moment("weekday", m.start(), m.end(), sub=WEEKDAYS[name.lower()])
