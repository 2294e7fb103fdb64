"""Days, months, quarters, halves and years in running text, English and Chinese."""

from __future__ import annotations

import re
from collections.abc import Iterator

from services.common.domain.months import MONTHS
from services.validation.domain.reading.patterns import Pattern
from services.validation.domain.times.han_times import ZH_DECADE, ZH_LATER_DAY, ZH_MONTH_TO
from services.validation.domain.times.moments import Moment
from services.validation.domain.times.more_days import days_after, days_before
from services.validation.domain.values.numerals import whole_number
from services.validation.domain.values.old_years import old_years

_MON = (
    r"(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|"
    r"nov(?:ember)?|dec(?:ember)?)\.?"
)
_ORD = r"(?:st|nd|rd|th)?"
_Y = r"(?:1[5-9]|20|21)\d{2}"
_ZD = "[零〇一二三四五六七八九]"
_ZN = r"(?:\d{1,2}|[一二三四五六七八九十]{1,3})"
_ORDINALS = {
    "first": 1,
    "second": 2,
    "third": 3,
    "fourth": 4,
    "1st": 1,
    "2nd": 2,
    "3rd": 3,
    "4th": 4,
    "last": 4,
    "一": 1,
    "二": 2,
    "三": 3,
    "四": 4,
    "1": 1,
    "2": 2,
    "3": 3,
    "4": 4,
}
_EN_DAY = [
    Pattern(rf"(?P<y>{_Y})-(?P<m>\d{{1,2}})-(?P<d>\d{{1,2}})(?!\d)"),
    Pattern(rf"(?P<y>{_Y})[/.](?P<m>\d{{1,2}})[/.](?P<d>\d{{1,2}})(?!\d)"),
    Pattern(rf"\b(?P<d>\d{{1,2}}){_ORD}(?:\s+(?:day\s+)?of)?\s+(?P<mon>{_MON}),?\s+(?P<y>{_Y})\b", re.I),
    Pattern(rf"\b(?P<mon>{_MON})\s+(?P<d>\d{{1,2}}){_ORD},?\s+(?P<y>{_Y})\b", re.I),
    Pattern(rf"\b(?P<d>\d{{1,2}}){_ORD}\s+(?:of\s+)?(?P<mon>{_MON})(?![a-z])", re.I),
    Pattern(rf"\b(?P<mon>{_MON})\s+(?P<d>\d{{1,2}}){_ORD}(?![\d:%,.]?\d)\b", re.I),
]
_SLASHED = Pattern(rf"\b(?P<a>\d{{1,2}})[/.](?P<b>\d{{1,2}})[/.](?P<y>{_Y})\b")
_ZH_DAY = Pattern(
    rf"(?:(?P<y>\d{{4}}|{_ZD}{{4}})\s*年\s*)?(?P<m>{_ZN})\s*月\s*(?P<d>\d{{1,2}}|[一二三四五六七八九十]{{1,3}})\s*[日号]"
)
_ZH_MORE_DAY = re.compile(r"\s*(?:至|到|和|及|与|、|-|~)\s*(?P<d>\d{1,2})\s*[日号](?!内|起内|以内)")
_EN_MONTH = Pattern(rf"\b(?P<mon>{_MON})\s*(?:of\s+)?,?\s*(?P<y>{_Y})\b", re.I)
_ISO_MONTH = Pattern(rf"(?<![\d-])(?P<y>{_Y})-(?P<m>0[1-9]|1[0-2])(?![\d-])")
_BARE_MONTH = Pattern(
    r"\b(?P<mon>January|February|April|June|July|August|September|October|November|December|"
    r"(?<=[Ii]n )March|(?<=[Ii]n )May|(?<=[Bb]y )March|(?<=[Bb]y )May|(?<=of )March|(?<=of )May|(?<=the )March"
    r"|(?<=until )March|"
    r"(?<=until )May|(?<=since )March|(?<=since )May"
    r"|(?:March|May)(?= (?:to|and|until|through) (?:January|February|March|April|May|June|July|August|September|October"
    r"|November|December)\b)|(?<=to )(?:March|May)(?=[ ,.;)]|$)"
    r"|(?:(?<=^)|(?<=from ))(?:March|May)(?=\s*\|| (?:to|until|through)\b))\b"
)
_ZH_MONTH = Pattern(rf"(?P<y>\d{{4}}|{_ZD}{{4}})\s*年\s*(?P<m>{_ZN})\s*月(?:份)?")
_ZH_BARE_MONTH = Pattern(
    r"(?<![\d个每])(?P<m>1[0-2]|[1-9])\s*月(?:份)?(?!\d(?!\d?[:：])|[个内龄])|(?P<mz>十[一二]|[一二三四五六七八九十])月份?(?=[底初末中份起前的，。]|[到至](?:十[一二]?|[一二三四五六七八九])月)"
    r"|(?<=月[到至])(?P<mt>十[一二]?|[一二三四五六七八九])月份?"
)
_QUARTER = [
    Pattern(rf"\b(?:Q(?P<q>[1-4])(?:\s*(?:of\s+)?|[-/ ])(?:FY\s*)?(?P<y>{_Y})?)(?!\d)", re.I),
    Pattern(rf"\b(?P<y>{_Y})\s*[-/]?\s*Q(?P<q>[1-4])\b", re.I),
    Pattern(
        rf"\b(?P<o>first|second|third|fourth|1st|2nd|3rd|4th"
        rf"|last)\s+quarter(?:\s+(?:of\s+)?(?:the\s+year\s+)?(?P<y>{_Y}))?",
        re.I,
    ),
    Pattern(
        rf"(?:(?P<y>\d{{4}}|{_ZD}{{4}})\s*年?(?:度)?\s*的?)?(?:第\s*(?P<o>[一二三四1-4])\s*季度?|(?P<o2>[一二三四])\s*季(?!度?一[付交结缴次])度?"
        rf"|(?P<o3>[1-4])\s*季度)"
    ),
    Pattern(r"(?P<y>\d{4})\s*年\s*Q(?P<q>[1-4])", re.I),
]
_HALF = [
    Pattern(rf"\bH(?P<h>[12])\s*(?:of\s+|-)?(?P<y>{_Y})?\b", re.I),
    Pattern(rf"\b(?P<y>{_Y})\s*-?\s*H(?P<h>[12])\b", re.I),
    Pattern(
        rf"\b(?P<o>first|second)\s+(?:half|six months)(?:[\s-]*year)?(?:\s+(?:of\s+)?(?:the\s+year\s+)?(?P<y>{_Y}))?",
        re.I,
    ),
    Pattern(rf"(?:(?P<y>\d{{4}}|{_ZD}{{4}})\s*年?(?:度)?\s*的?)?(?P<z>上半年|下半年)"),
]
_EN_YEAR = Pattern(r"(?<![\w.,/-])(?:FY\s*)?(?P<y>(?:19[5-9]|20[0-4])\d)(?:'s)?(?![\w%,]?\d|[\w°%/]|-\w|\.\d)")
_ZH_YEAR = Pattern(rf"(?<!\d)(?P<y>\d{{4}}|{_ZD}{{4}})\s*(?:年度|年(?!限|龄|级|检|票|会))")


def days(text: str) -> Iterator[Moment]:
    """3 May 2024, 5/3/2024, 3月1日、8日和15日."""
    for pattern in _EN_DAY:
        for m in pattern.finditer(text):
            groups = m.groupdict()
            if groups.get("mon") in _WORDS_TOO and not groups.get("y"):
                continue  # "a pupil in year 9 may leave", "pages 12 march"
            month = MONTHS.get(groups["mon"].lower().rstrip("."), 0) if groups.get("mon") else int(groups["m"])
            yield from _day(m, int(groups.get("y") or 0), month, int(groups["d"]))
            if groups.get("mon"):
                yield from _more_days(text, m, month)
    for m in _SLASHED.finditer(text):
        a, b = int(m["a"]), int(m["b"])
        day, month = (a, b) if b <= 12 else (b, a)
        yield from _day(m, int(m["y"]), month, day)
    for m in _ZH_DAY.finditer(text):
        year, month = whole_number(m["y"]), whole_number(m["m"])
        yield from _day(m, year, month, whole_number(m["d"]))
        # 11月9日至10日, 3月1日、8日和15日: more days of the same month.
        more = _ZH_MORE_DAY.match(text, m.end())
        while more is not None:
            if 1 <= month <= 12 and 1 <= int(more["d"]) <= 31:
                yield Moment("day", more.start("d"), more.end(), year, month, int(more["d"]))
            more = _ZH_MORE_DAY.match(text, more.end())
        # 3月1日上午9点开始，到15号下午5点: a later day of the same month.
        later = ZH_LATER_DAY.search(text, m.end())
        if later is not None and 1 <= month <= 12 and whole_number(m["d"]) < int(later["d"]) <= 31:
            yield Moment("day", later.start("d"), later.end("d") + 1, year, month, int(later["d"]))


def _more_days(text: str, m: re.Match[str], month: int) -> Iterator[Moment]:
    """The other days of a month that stand beside the one which it names."""
    first, year = int(m["d"]), int(m.groupdict().get("y") or 0)
    if m.start("d") < m.start("mon"):
        more = days_before(text, m.start(), first)
    else:
        more = days_after(text, m.end(), first) if not year else iter(())
    for start, end, day in more:
        yield Moment("day", start, end, year, month, day)


_WORDS_TOO = ("may", "march", "mar", "dec")


def _day(m: re.Match[str], year: int, month: int, day: int) -> Iterator[Moment]:
    if 1 <= month <= 12 and 1 <= day <= 31:
        yield Moment("day", m.start(), m.end(), year, month, day)


def periods(text: str) -> Iterator[Moment]:
    """The first quarter of 2024, 上半年, 5月上旬, May 2024, 2024年."""
    for pattern in _QUARTER:
        for m in pattern.finditer(text):
            g = m.groupdict()
            value = g.get("q") or g.get("o") or g.get("o2") or g.get("o3") or ""
            quarter = _ORDINALS.get(value.lower(), 0)
            if quarter:
                yield Moment(
                    "quarter", m.start(), len(m.group().rstrip()) + m.start(), whole_number(g.get("y")), quarter
                )
    for pattern in _HALF:
        for m in pattern.finditer(text):
            g = m.groupdict()
            half = (
                int(g["h"])
                if g.get("h")
                else {"first": 1, "second": 2, "上半年": 1, "下半年": 2}[(g.get("o") or g.get("z") or "").lower()]
            )
            yield Moment("half", m.start(), m.end(), whole_number(g.get("y")), half)
    for m in ZH_DECADE.finditer(text):
        month = whole_number(m["m"])
        if 1 <= month <= 12:
            yield Moment("decade", m.start(), m.end(), whole_number(m["y"]), month, 1 + 10 * "上中下".index(m["d"]))
    for pattern in (_EN_MONTH, _ISO_MONTH, _ZH_MONTH):
        for m in pattern.finditer(text):
            g = m.groupdict()
            month = MONTHS.get(g["mon"].lower().rstrip("."), 0) if g.get("mon") else whole_number(g.get("m"))
            if 1 <= month <= 12:
                yield Moment("month", m.start(), m.end(), whole_number(g["y"]), month)
    for m in _ZH_YEAR.finditer(text):
        if 1500 <= whole_number(m["y"]) <= 2199 and not re.match(r"的?历史|以上|以来", text[m.end() : m.end() + 4]):
            yield Moment("year", m.start(), m.end(), whole_number(m["y"]))
    for m in _EN_YEAR.finditer(text):
        yield Moment("year", m.start(), m.end(), int(m["y"]))
    for start, end, year in old_years(text):
        yield Moment("year", start, end, year)
    for m in ZH_MONTH_TO.finditer(text):
        yield Moment("month", m.start("m"), m.end("m"), 0, int(m["m"]))
    for m in _ZH_BARE_MONTH.finditer(text):
        yield Moment("month", m.start(), m.end(), 0, whole_number(m["m"] or m["mz"] or m["mt"]))


def bare_months(text: str) -> Iterator[Moment]:
    """Months without a year: in March."""
    for m in _BARE_MONTH.finditer(text):
        yield Moment("month", m.start(), m.end(), 0, MONTHS[m["mon"].lower()])
