"""Dates, periods, clock times and weekdays in running text, English and Chinese."""

from __future__ import annotations

import calendar
import re
from dataclasses import dataclass, replace
from datetime import date, timedelta

from services.validation.domain import numerals
from services.validation.domain.clock_ranges import clock_ranges
from services.validation.domain.han_times import A_LITTLE, TWO_O_CLOCK, UNTIL_ONE, ZH_DECADE, ZH_LATER_DAY, ZH_MONTH_TO
from services.validation.domain.old_years import old_years
from services.validation.domain.patterns import Pattern

MONTHS = {
    name: number
    for number, names in enumerate(
        (
            "january jan",
            "february feb",
            "march mar",
            "april apr",
            "may",
            "june jun",
            "july jul",
            "august aug",
            "september sept sep",
            "october oct",
            "november nov",
            "december dec",
        ),
        start=1,
    )
    for name in names.split()
}
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


# "Half past four" leaves open which half of the day is meant.
EITHER = "either half"


@dataclass(frozen=True, slots=True)
class Moment:
    """A point or period of time as written.

    ``kind``: ``day``, ``decade`` (a third of a month: 上旬, 中旬, 下旬), ``month``, ``quarter``, ``half``, ``year``,
    ``clock``, ``weekday``. ``year`` is 0 where the text names none; ``sub`` is the month, quarter, half, weekday
    (0 = Monday) or the minute of the day; ``day`` is the day of the month, the first one of a decade, 0 if none.
    ``edge`` is ``start`` or ``end`` for "end of 2023" and the like, and ``EITHER`` for clock times that leave open
    which half of the day is meant.
    """

    kind: str
    start: int
    end: int
    year: int = 0
    sub: int = 0
    day: int = 0
    edge: str = ""

    def interval(self) -> tuple[date, date] | None:
        """The first and last day, where the year is known."""
        if not self.year or self.kind in ("clock", "weekday"):
            return None
        if self.kind == "year":
            return date(self.year, 1, 1), date(self.year, 12, 31)
        if self.kind == "day":
            day = _safe_date(self.year, self.sub, self.day)
            return (day, day) if day else None
        if self.kind == "decade":
            opening = _safe_date(self.year, self.sub, self.day)
            closing = self.day + 9 if self.day < 21 else calendar.monthrange(self.year, self.sub)[1]
            return (opening, opening.replace(day=closing)) if opening else None
        months = {"month": 1, "quarter": 3, "half": 6}[self.kind]
        first = (self.sub - 1) * months + 1 if self.kind != "month" else self.sub
        last = first + months - 1
        if not 1 <= first <= last <= 12:
            return None
        return date(self.year, first, 1), date(self.year, last, calendar.monthrange(self.year, last)[1])

    def key(self) -> tuple[str, int, int, int]:
        """What makes two mentions the same time."""
        return self.kind, self.year, self.sub, self.day


def _safe_date(year: int, month: int, day: int) -> date | None:
    try:
        return date(year, month, day)
    except ValueError:
        return None


def same_time(a: Moment, b: Moment) -> bool:
    """True if the mentions agree as far as both are specific about kind (a missing year agrees with any)."""
    if a.kind != b.kind or a.sub != b.sub or a.day != b.day:
        return False
    return a.year == b.year or not a.year or not b.year


def covers(wide: Moment, narrow: Moment) -> bool:
    """True if ``narrow`` lies inside ``wide`` (12 May 2023 inside 2023), or both are the same time."""
    if same_time(wide, narrow):
        return True
    outer, inner = wide.interval(), narrow.interval()
    if outer is None or inner is None:
        if wide.kind == "month" and narrow.kind in ("day", "decade") and not (wide.year and narrow.year):
            return wide.sub == narrow.sub
        if wide.kind == "decade" and narrow.kind == "day" and not (wide.year and narrow.year):
            return wide.sub == narrow.sub and wide.day <= narrow.day <= (wide.day + 9 if wide.day < 21 else 31)
        return False
    return outer[0] <= inner[0] and inner[1] <= outer[1]


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
    r"(?<![\d个每])(?P<m>1[0-2]|[1-9])\s*月(?:份)?(?!\d(?!\d?[:：])|[个内龄])|(?P<mz>十[一二]|[一二三四五六七八九十])月份?(?=[底初末中份起前的，。])"
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
_CLOCK = [
    Pattern(r"(?<![\d:.])(?P<h>[01]?\d|2[0-4])[:.](?P<mi>[0-5]\d)\s*(?P<ap>a\.?m\.?|p\.?m\.?)", re.I),
    Pattern(r"(?<![\d:])(?P<h>[01]?\d|2[0-4])[:：](?P<mi>[0-5]\d)(?::[0-5]\d)?(?!\d)"),
    Pattern(r"(?<![\d:.])(?P<h>1[0-2]|0?[1-9])\s*(?P<ap>a\.m\.?|p\.m\.?|am\b|pm\b)", re.I),
    Pattern(
        r"(?P<zp>凌晨|早上|早晨|清晨|上午|中午|下午|傍晚|晚上|晚|夜间|次日|当日)?\s*(?<![A-Za-z\d])(?P<h>\d{1,2}|[一二三四五六七八九十]{1,3}|两)\s*(?:时(?!间|长|段|候|速|许"
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


_TIMELY = re.compile(r"\d|quarter|half|six months|[年月日时点周期季]", re.I)


def _number(text: str | None) -> int:
    if not text:
        return 0
    if text.isdigit():
        return int(text)
    parsed = numerals.parse_chinese(text)
    return int(parsed.value) if parsed else 0


def find_moments(text: str) -> list[Moment]:
    """Every time mention of a normalised text, left to right, without overlaps."""
    found: list[Moment] = []
    taken = bytearray(len(text))

    def add(moment: Moment | None) -> None:
        if moment is not None and 1 not in taken[moment.start : moment.end]:
            taken[moment.start : moment.end] = b"\x01" * (moment.end - moment.start)
            found.append(moment)

    if _TIMELY.search(text):
        _scan_days(text, add)
        _scan_periods(text, add)
    _scan_clocks(text, add)
    _scan_names(text, add)
    found.sort(key=lambda m: m.start)
    return _inherit_years(text, _mark_edges(text, found))


def _scan_days(text: str, add) -> None:  # type: ignore[no-untyped-def]
    for pattern in _EN_DAY:
        for m in pattern.finditer(text):
            groups = m.groupdict()
            if groups.get("mon") in _WORDS_TOO and not groups.get("y"):
                continue  # "a pupil in year 9 may leave", "pages 12 march"
            month = MONTHS.get(groups["mon"].lower().rstrip("."), 0) if groups.get("mon") else int(groups["m"])
            add(_day(m, int(groups.get("y") or 0), month, int(groups["d"])))
    for m in _SLASHED.finditer(text):
        a, b = int(m["a"]), int(m["b"])
        day, month = (a, b) if b <= 12 else (b, a)
        add(_day(m, int(m["y"]), month, day))
    for m in _ZH_DAY.finditer(text):
        year, month = _number(m["y"]), _number(m["m"])
        add(_day(m, year, month, _number(m["d"])))
        # 11月9日至10日, 3月1日、8日和15日: more days of the same month.
        more = _ZH_MORE_DAY.match(text, m.end())
        while more is not None:
            if 1 <= month <= 12 and 1 <= int(more["d"]) <= 31:
                add(Moment("day", more.start("d"), more.end(), year, month, int(more["d"])))
            more = _ZH_MORE_DAY.match(text, more.end())
        # 3月1日上午9点开始，到15号下午5点: a later day of the same month.
        later = ZH_LATER_DAY.search(text, m.end())
        if later is not None and 1 <= month <= 12 and _number(m["d"]) < int(later["d"]) <= 31:
            add(Moment("day", later.start("d"), later.end("d") + 1, year, month, int(later["d"])))


_WORDS_TOO = ("may", "march", "mar", "dec")


def _day(m: re.Match[str], year: int, month: int, day: int) -> Moment | None:
    if not 1 <= month <= 12 or not 1 <= day <= 31:
        return None
    return Moment("day", m.start(), m.end(), year, month, day)


def _scan_periods(text: str, add) -> None:  # type: ignore[no-untyped-def]
    for pattern in _QUARTER:
        for m in pattern.finditer(text):
            g = m.groupdict()
            value = g.get("q") or g.get("o") or g.get("o2") or g.get("o3") or ""
            quarter = _ORDINALS.get(value.lower(), 0)
            if quarter:
                add(Moment("quarter", m.start(), len(m.group().rstrip()) + m.start(), _number(g.get("y")), quarter))
    for pattern in _HALF:
        for m in pattern.finditer(text):
            g = m.groupdict()
            half = (
                int(g["h"])
                if g.get("h")
                else {"first": 1, "second": 2, "上半年": 1, "下半年": 2}[(g.get("o") or g.get("z") or "").lower()]
            )
            add(Moment("half", m.start(), m.end(), _number(g.get("y")), half))
    for m in ZH_DECADE.finditer(text):
        month = _number(m["m"])
        if 1 <= month <= 12:
            add(Moment("decade", m.start(), m.end(), _number(m["y"]), month, 1 + 10 * "上中下".index(m["d"])))
    for pattern in (_EN_MONTH, _ISO_MONTH, _ZH_MONTH):
        for m in pattern.finditer(text):
            g = m.groupdict()
            month = MONTHS.get(g["mon"].lower().rstrip("."), 0) if g.get("mon") else _number(g.get("m"))
            if 1 <= month <= 12:
                add(Moment("month", m.start(), m.end(), _number(g["y"]), month))
    for m in _ZH_YEAR.finditer(text):
        if 1500 <= _number(m["y"]) <= 2199 and not re.match(r"的?历史|以上|以来", text[m.end() : m.end() + 4]):
            add(Moment("year", m.start(), m.end(), _number(m["y"])))
    for m in _EN_YEAR.finditer(text):
        add(Moment("year", m.start(), m.end(), int(m["y"])))
    for start, end, year in old_years(text):
        add(Moment("year", start, end, year))
    for m in ZH_MONTH_TO.finditer(text):
        add(Moment("month", m.start("m"), m.end("m"), 0, int(m["m"])))
    for m in _ZH_BARE_MONTH.finditer(text):
        add(Moment("month", m.start(), m.end(), 0, _number(m["m"] or m["mz"])))


def _scan_clocks(text: str, add) -> None:  # type: ignore[no-untyped-def]
    for start, end, minutes in clock_ranges(text):
        add(Moment("clock", start, end, sub=minutes))
    for pattern in _CLOCK:
        afternoon_until = -9
        for m in pattern.finditer(text):
            g = m.groupdict()
            if g.get("word") or g.get("zw"):
                word = (g.get("word") or g.get("zw") or "").lower()
                add(Moment("clock", m.start(), m.end(), sub=0 if word in ("midnight", "午夜", "零时", "零点") else 720))
                continue
            if g.get("rel"):
                add(_relative_clock(m))
                continue
            if g["h"] == "两" and not g.get("zp") and not TWO_O_CLOCK.match(text, m.end()):
                continue
            if A_LITTLE.match(text, m.start()) and not UNTIL_ONE.search(text, 0, m.start()):
                continue
            hour, minute = _number(g["h"]), 30 if g.get("half") else _number(g.get("mi"))
            suffix = (g.get("ap") or "").lower()
            carried = not g.get("zp") and m.start() - afternoon_until <= 2
            if (suffix.startswith("p") or g.get("zp") in ("下午", "傍晚", "晚上", "晚") or carried) and hour < 12:
                hour += 12
                afternoon_until = m.end() if g.get("zp") else -9
            if suffix.startswith("a") and hour == 12:
                hour = 0
            if hour <= 24 and minute < 60:
                add(Moment("clock", m.start(), m.end(), sub=hour * 60 + minute))


_MINUTES = {"half": 30, "quarter": 15, "five": 5, "ten": 10, "twenty": 20, "twenty-five": 25}


def _relative_clock(m: re.Match[str]) -> Moment | None:
    """Half past eight, a quarter to nine in the evening."""
    number = None if m["h"].isdigit() else numerals.parse_english(m["h"])
    hour = int(m["h"]) if m["h"].isdigit() else int(number.value) if number else 0
    amount, way = m["rel"].lower().removeprefix("a ").split()
    minutes = hour * 60 + _MINUTES[amount] * (1 if way == "past" else -1)
    later = (m["part"] or "").lower() in ("afternoon", "evening", "night") and hour < 12
    if not 0 < hour <= 24:
        return None
    open_half = not m["part"] and hour <= 12
    return Moment("clock", m.start(), m.end(), sub=minutes + 720 * later, edge=EITHER if open_half else "")


def _scan_names(text: str, add) -> None:  # type: ignore[no-untyped-def]
    for m in _WEEKDAY.finditer(text):
        name = m["w"] or m["z"] or m["s"] or m["e"] or m["t"]
        add(Moment("weekday", m.start(), m.end(), sub=WEEKDAYS[name.lower()]))
    for m in _BARE_MONTH.finditer(text):
        add(Moment("month", m.start(), m.end(), 0, MONTHS[m["mon"].lower()]))


_EDGE_BEFORE = re.compile(
    r"\b(end|close|start|beginning)\s+of\s+(?:the\s+year\s+|the\s+)?$|\b(year-end)\s+$|(截至|截止)\s*$", re.I
)
_EDGE_AFTER = re.compile(r"^\s*(底|末|年底|年末|初|年初)|^\s+(year-end)", re.I)


def _mark_edges(text: str, moments: list[Moment]) -> list[Moment]:
    marked: list[Moment] = []
    for moment in moments:
        before = _EDGE_BEFORE.search(text[max(0, moment.start - 24) : moment.start])
        after = _EDGE_AFTER.search(text[moment.end : moment.end + 10])
        word = next((g for m in (after, before) if m for g in m.groups() if g), "").lower()
        if word and moment.kind != "day":
            edge = "start" if word in ("start", "beginning", "初", "年初") else "end"
            moment = replace(moment, edge=edge if word not in ("截至", "截止") or after else "")
        marked.append(moment)
    return marked


_RANGE = re.compile(r"\s*(?:to|and|until|till|through|or|-|至|到|和)\s*", re.I)


def _inherit_years(text: str, moments: list[Moment]) -> list[Moment]:
    """A quarter, half, month or day without a year takes the year named before it in the same text, else after."""
    result: list[Moment] = []
    known = 0
    for position, moment in enumerate(moments):
        following = moments[position + 1] if position + 1 < len(moments) else None
        if not moment.year and following and following.year and _RANGE.fullmatch(text[moment.end : following.start]):
            moment = replace(moment, year=following.year)
        if moment.year:
            known = moment.year
        elif known and moment.kind in ("quarter", "half", "month", "decade", "day"):
            moment = replace(moment, year=known)
        result.append(moment)
    later = next((m.year for m in moments if m.year), 0)
    return [
        replace(m, year=later)
        if not m.year and later and m.kind in ("quarter", "half", "month", "decade", "day")
        else m
        for m in result
    ]


def add_days(day: date, days: int) -> date | None:
    """``day`` plus a number of days, None outside the calendar."""
    try:
        return day + timedelta(days=days)
    except OverflowError:
        return None


def add_months(day: date, months: int) -> date | None:
    """``day`` plus calendar months, the day clipped to the month's last one; None outside the calendar."""
    index = day.year * 12 + day.month - 1 + months
    year, month = divmod(index, 12)
    if not 1 <= year <= 9999:
        return None
    return date(year, month + 1, min(day.day, calendar.monthrange(year, month + 1)[1]))
