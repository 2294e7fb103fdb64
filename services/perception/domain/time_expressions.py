"""Time expressions: what a time rule's groups mean as days.

A time rule names a resolver (its ``value``) and captures groups; the vocabulary of groups is in ``_date``.
Adding a way to say a date is a rule in a pack; adding a way to compute one is a function in ``RESOLVERS``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from datetime import date, timedelta

from services.common.domain.time import DayInterval
from services.perception.domain import periods
from services.perception.domain.matching import Match
from services.perception.domain.month_names import month_named
from services.perception.domain.numerals import is_vague, number
from services.perception.domain.periods import PartialDate

_YEAR_WORDS = {
    "去年": -1, "上年": -1, "上一年": -1, "前年": -2, "大前年": -3, "今年": 0, "本年": 0, "当年": 0, "本年度": 0,
    "上年度": -1, "明年": 1, "后年": 2, "下一年": 1, "last year": -1, "this year": 0, "next year": 1,
    "the previous year": -1, "previous year": -1, "the year before last": -2,
}  # fmt: skip
_MONTH_WORDS = {"上个月": -1, "上月": -1, "本月": 0, "这个月": 0, "当月": 0, "下个月": 1, "下月": 1}
_UNITS = {
    "天": "day", "日": "day", "day": "day", "周": "week", "星期": "week", "礼拜": "week", "week": "week",
    "月": "month", "个月": "month", "month": "month", "季度": "quarter", "个季度": "quarter", "quarter": "quarter",
    "季": "quarter", "半年": "half", "half": "half", "half-year": "half", "年": "year", "年度": "year",
    "载": "year", "year": "year", "decade": "decade", "个年度": "year", "财年": "year", "个财年": "year",
    "财政年度": "year", "会计年度": "year",
    "fortnight": "fortnight",
}  # fmt: skip
_BACK = ("last", "past", "previous", "prior", "上", "上个", "上一", "上一个", "preceding")
_FORWARD = ("next", "coming", "下", "下个", "下一", "下一个", "upcoming", "following")
_WEEKDAYS = {
    "monday": 0, "tuesday": 1, "wednesday": 2, "thursday": 3, "friday": 4, "saturday": 5, "sunday": 6,
    "一": 0, "二": 1, "三": 2, "四": 3, "五": 4, "六": 5, "日": 6, "天": 6,
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class TimeSettings:
    """``fiscal_start_month``: 1 makes fiscal years calendar years; 7 makes FY2024 July 2023 to June 2024."""

    reference: date
    fiscal_start_month: int = 1


@dataclass(frozen=True, slots=True)
class TimeValue:
    """What an expression means before its neighbours are known.

    Exactly one of ``partial`` and ``interval`` is set, except for ``latest``, which has neither. ``now`` marks
    the reference date itself, which means "latest" unless it closes a range. ``options`` are other readings.
    """

    partial: PartialDate | None = None
    interval: DayInterval | None = None
    latest: bool = False
    now: bool = False
    options: tuple[str, ...] = ()
    relation: str = ""


Groups = Mapping[str, str]
Resolver = Callable[[Groups, TimeSettings, Mapping[str, str]], TimeValue | None]


def value_of(match: Match, text: str, settings: TimeSettings) -> TimeValue | None:
    """The meaning of a time rule's match; None where its numbers form no date (31 February, month 13)."""
    groups = {name: text[start:end] for name, start, end in match.groups}
    try:
        value = RESOLVERS[match.rule.value](groups, settings, match.rule.options)
        if value is not None and value.partial is not None:
            value.partial.resolve(settings.reference)  # raises for a date that does not exist
    except (ValueError, OverflowError):
        return None
    return value


def _year(text: str | None, reference: date) -> int | None:
    if not text:
        return None
    word = text.strip().casefold()
    if word in _YEAR_WORDS:
        return reference.year + _YEAR_WORDS[word]
    if word[0] in "'" and len(word) == 3:
        word = word[1:]
    value = number(word)
    if value is None:
        return None
    if value < 100 and len(word) == 2:
        return 2000 + value if value <= (reference.year + 10) % 100 else 1900 + value
    return value


def _month(text: str | None) -> int | None:
    if not text:
        return None
    word = text.strip().casefold().rstrip(".")
    value = month_named(word) or (1 if word == "正" else number(word))
    if value is None or not 1 <= value <= 12:
        raise ValueError(f"no month {text!r}")
    return value


def _day(text: str | None) -> int | None:
    if not text:
        return None
    digits = text.strip().casefold()
    for ending in ("st", "nd", "rd", "th"):
        digits = digits.removesuffix(ending)
    value = number(digits)
    if value is None or not 1 <= value <= 31:
        raise ValueError(f"no day {text!r}")
    return value


def _date(groups: Groups, settings: TimeSettings, options: Mapping[str, str]) -> TimeValue | None:
    """Groups: ``year``, ``month``, ``day``, ``quarter``, ``half``, ``edge``; any of them may be missing."""
    reference = settings.reference
    year, month = _year(groups.get("year"), reference), None
    month_word = (groups.get("month") or "").strip()
    if month_word in _MONTH_WORDS:
        there = periods.shift_months(reference.replace(day=1), _MONTH_WORDS[month_word])
        year, month = there.year, there.month
    else:
        month = _month(groups.get("month") or options.get("month"))
    quarter, half = _small(groups.get("quarter"), 4), _small(groups.get("half"), 2)
    edge = groups.get("edge", "").strip().casefold().removesuffix(" of")
    partial = PartialDate(
        year=year,
        month=month,
        day=_day(groups.get("day") or options.get("day")),
        quarter=quarter,
        half=half,
        edge=_EDGES.get(edge, options.get("edge", "")),
        first_month=settings.fiscal_start_month if options.get("fiscal") or groups.get("fiscal") else 1,
    )
    if all(value is None for value in (year, month, partial.day, quarter, half)) and not partial.edge:
        return None
    if partial.day is not None and month is None:
        there = reference if partial.day <= reference.day else periods.shift_months(reference.replace(day=1), -1)
        partial = replace(partial, year=there.year, month=there.month)
    return TimeValue(partial=partial, relation=options.get("relation", ""), options=_date_options(groups, options))


_EDGES = {
    "初": "start", "年初": "start", "beginning": "start", "start": "start", "上旬": "start", "月初": "start",
    "early": "start", "底": "end", "末": "end", "年底": "end", "年末": "end", "end": "end", "下旬": "end",
    "late": "end",
    "月底": "end", "月末": "end", "中旬": "mid", "中": "mid", "年中": "mid", "middle": "mid", "mid": "mid",
}  # fmt: skip
_SEASONS = {"spring": 1, "summer": 2, "autumn": 3, "fall": 3, "winter": 4, "春": 1, "夏": 2, "秋": 3, "冬": 4}
_HALVES = {"上": 1, "下": 2, "h1": 1, "h2": 2, "first": 1, "second": 2, "前": 1, "后": 2, "1": 1, "2": 2}


def _small(text: str | None, limit: int) -> int | None:
    if not text:
        return None
    word = text.strip().casefold()
    if limit == 2 and word in _HALVES:
        return _HALVES[word]
    value = number(word.removeprefix("q"))
    if value is None or not 1 <= value <= limit:
        raise ValueError(f"no period {text!r}")
    return value


def _date_options(groups: Groups, options: Mapping[str, str]) -> tuple[str, ...]:
    if options.get("ambiguous"):
        return tuple(part.strip() for part in options["ambiguous"].split("|"))
    return ()


def _slashed(groups: Groups, settings: TimeSettings, options: Mapping[str, str]) -> TimeValue | None:
    """``a``/``b``/``year``: 03/04/2024 is day first unless the second number cannot be a month."""
    first, second = int(groups["a"]), int(groups["b"])
    year = _year(groups.get("year"), settings.reference)
    day_first = second <= 12
    day, month = (first, second) if day_first else (second, first)
    readings: tuple[str, ...] = ()
    if first <= 12 and second <= 12 and first != second:
        readings = ("day/month/year", "month/day/year")
    return TimeValue(partial=PartialDate(year=year, month=month, day=day), options=readings)


def _range(groups: Groups, settings: TimeSettings, options: Mapping[str, str]) -> TimeValue | None:
    """Two dates sharing fields: the second of each group has the ending ``2`` (``month2``, ``day2``, …)."""
    if options.get("from_start"):  # "the first three quarters"
        groups = {**groups, ("month" if groups.get("month2") else "quarter"): "1"}
    first = _date(groups, settings, options)
    later = {name: groups.get(f"{name}2") or "" for name in ("year", "month", "day", "quarter", "half")}
    second = _date({k: v for k, v in later.items() if v}, settings, options)
    if first is None or second is None or first.partial is None or second.partial is None:
        return None
    one, two = first.partial, second.partial
    if two.month is None and two.quarter is None and two.half is None:
        two = replace(two, month=one.month)
    if later["day"] and not later["month"]:
        two = replace(two, year=one.year, month=one.month)
    year = two.year if two.year is not None else one.year
    begin = one.with_year(year).resolve(settings.reference)
    base = year if year is not None else (begin.start.year if begin.start else None)
    end = two.with_year(base).resolve(settings.reference)
    if begin.start is None or end.end is None or begin.start > end.end:
        return None
    return TimeValue(interval=DayInterval(begin.start, end.end), relation=options.get("relation", "between"))


def _relative(groups: Groups, settings: TimeSettings, options: Mapping[str, str]) -> TimeValue | None:
    """``dir`` (last, this, next), ``unit`` and perhaps ``fiscal``; ``dir`` may repeat (上上周)."""
    direction, unit = groups.get("dir", "").strip().casefold(), _unit(groups["unit"])
    if direction in _BACK:
        offset = -1
    elif direction in _FORWARD:
        offset = 1
    elif direction.startswith("上上") or "before last" in direction:
        offset = -2
    else:
        offset = 0
    first_month = settings.fiscal_start_month if groups.get("fiscal") else 1
    return TimeValue(interval=periods.unit_around(settings.reference, unit, offset, first_month))


def _unit(text: str) -> str:
    word = text.strip().casefold()
    return _UNITS.get(word) or _UNITS.get(word.removesuffix("s")) or _UNITS[word.removesuffix("'s")]


def _count(groups: Groups) -> int:
    text = groups.get("n", "").strip()
    value = number(text) if text else 1
    if value is None:
        raise ValueError(f"no count {text!r}")
    return value


def _span(groups: Groups) -> tuple[str, int]:
    """``unit`` and how many of them; a fortnight is two weeks."""
    unit, count = _unit(groups["unit"]), _count(groups)
    return ("week", 2 * count) if unit == "fortnight" else (unit, count)


def _season(groups: Groups, settings: TimeSettings, options: Mapping[str, str]) -> TimeValue | None:
    """``season`` and ``year``, or ``dir``: the last one that has ended, or the one of now or of this year."""
    number, reference = _SEASONS[groups["season"].strip().casefold()], settings.reference
    year = _year(groups.get("year"), reference)
    if year is None and not groups.get("dir"):
        return None
    if year is None:
        year = reference.year - (number == _WINTER and reference.month < _SPRING_MONTH)
        last = groups["dir"].strip().casefold().endswith("last")
        while last and (end := periods.season(year, number).end) is not None and end >= reference:
            year -= 1
    return TimeValue(interval=periods.season(year, number))


_WINTER, _SPRING_MONTH = 4, 3


def _window(groups: Groups, settings: TimeSettings, options: Mapping[str, str]) -> TimeValue | None:
    """``n`` and ``unit``: the days up to the reference date."""
    vague = ("3", "2", "5") if is_vague(groups.get("n", "")) else ()
    unit, count = _span(groups)
    interval = periods.window(settings.reference, unit, count)
    return TimeValue(interval=interval, options=vague)


def _ahead(groups: Groups, settings: TimeSettings, options: Mapping[str, str]) -> TimeValue | None:
    """``n`` and ``unit``: the days from the reference date on."""
    unit, count = _span(groups)
    start = settings.reference
    if unit in ("day", "week"):
        end = start + timedelta(days=count * (7 if unit == "week" else 1))
    else:
        size = {"month": 1, "quarter": 3, "half": 6, "year": 12, "decade": 120}[unit]
        end = periods.shift_months(start, count * size)
    return TimeValue(interval=DayInterval(start, end))


def _ago(groups: Groups, settings: TimeSettings, options: Mapping[str, str]) -> TimeValue | None:
    """``n`` and ``unit`` back: that calendar period, or the ``month`` and ``day`` in it.

    Option ``before``: ``last`` for the one before the last, which names no number.
    """
    unit, count = _span(groups)
    if options.get("before") == "last":
        count *= 2
    there = periods.unit_around(settings.reference, unit, -count)
    if unit == "half":
        there = periods.unit_around(settings.reference, "month", -6 * count)
    if groups.get("month") and there.start is not None:
        return _date({**groups, "year": str(there.start.year)}, settings, options)
    if groups.get("day2") and there.start is not None:
        partial = PartialDate(year=there.start.year, month=there.start.month, day=_day(groups["day2"]))
        return TimeValue(partial=partial)
    return TimeValue(interval=there)


def _day_word(groups: Groups, settings: TimeSettings, options: Mapping[str, str]) -> TimeValue | None:
    """Option ``offset``: days from the reference date."""
    return TimeValue(interval=periods.day(settings.reference + timedelta(days=int(options.get("offset", "0")))))


def _weekday(groups: Groups, settings: TimeSettings, options: Mapping[str, str]) -> TimeValue | None:
    """``weekday`` and perhaps ``dir``: of that week (Chinese), or the last one (English)."""
    target = _WEEKDAYS[groups["weekday"].strip().casefold()]
    direction = groups.get("dir", "").strip().casefold()
    if options.get("week"):
        weeks = -direction.count("上") if direction in ("上", "上个", "上上") else int(direction.startswith("下"))
        monday = periods.week(settings.reference + timedelta(weeks=weeks)).start
        return None if monday is None else TimeValue(interval=periods.day(monday + timedelta(days=target)))
    back = (settings.reference.weekday() - target) % 7
    if direction in _FORWARD:
        return TimeValue(interval=periods.day(settings.reference + timedelta(days=7 - back if back else 7)))
    if direction in _BACK and back == 0:
        back = 7
    return TimeValue(interval=periods.day(settings.reference - timedelta(days=back)))


def _week(groups: Groups, settings: TimeSettings, options: Mapping[str, str]) -> TimeValue | None:
    """``week`` (1 to 53) of ``year``, as ISO 8601 numbers them."""
    year, count = _year(groups["year"], settings.reference), number(groups["week"])
    if year is None or count is None:
        return None
    return TimeValue(interval=periods.week(date.fromisocalendar(year, count, 1)))


def _weekend(groups: Groups, settings: TimeSettings, options: Mapping[str, str]) -> TimeValue | None:
    """``dir`` (上, 上上, 下 or none): Saturday and Sunday of that week."""
    direction = groups.get("dir", "").strip()
    weeks = -direction.count("上") or int(direction.startswith("下"))
    saturday = periods.week(settings.reference).start
    if saturday is None:
        return None
    saturday += timedelta(weeks=weeks, days=5)
    return TimeValue(interval=DayInterval(saturday, saturday + timedelta(days=1)))


_DECADES = {
    "noughties": 2000, "nineties": 90, "eighties": 80, "seventies": 70, "sixties": 60, "fifties": 50, "forties": 40,
    "thirties": 30, "twenties": 20,
}  # fmt: skip


def _decade(groups: Groups, settings: TimeSettings, options: Mapping[str, str]) -> TimeValue | None:
    """``decade`` (1990, 70) and perhaps ``century`` (20): ten years."""
    word = groups["decade"].strip().casefold()
    value = _DECADES.get(word) or number(word)
    if value is None:
        return None
    if groups.get("century"):
        century = number(groups["century"])
        value = None if century is None else (century - 1) * 100 + value
    elif value < 100:
        value += 1900 if value > settings.reference.year % 100 else 2000
    if value is None or value % 10:
        return None
    return TimeValue(interval=DayInterval(date(value, 1, 1), date(value + 9, 12, 31)))


def _century(groups: Groups, settings: TimeSettings, options: Mapping[str, str]) -> TimeValue | None:
    """``century``: a hundred years, counted as people do (the 20th begins in 1901)."""
    value = number(
        groups["century"].casefold().removesuffix("st").removesuffix("nd").removesuffix("rd").removesuffix("th")
    )
    if value is None or not 1 <= value <= 99:
        return None
    return TimeValue(interval=DayInterval(date((value - 1) * 100 + 1, 1, 1), date(value * 100, 12, 31)))


def _to_date(groups: Groups, settings: TimeSettings, options: Mapping[str, str]) -> TimeValue | None:
    """From the first day of the current ``unit`` on."""
    whole = periods.unit_around(
        settings.reference, _unit(groups.get("unit") or groups.get("unit2") or options["unit"]), 0
    )
    return TimeValue(interval=whole, relation="since")


def _latest(groups: Groups, settings: TimeSettings, options: Mapping[str, str]) -> TimeValue | None:
    """The newest there is."""
    return TimeValue(latest=True)


def _now(groups: Groups, settings: TimeSettings, options: Mapping[str, str]) -> TimeValue | None:
    """The reference date, as the end of a range; the newest there is elsewhere."""
    return TimeValue(interval=periods.day(settings.reference), now=True)


RESOLVERS: Mapping[str, Resolver] = {
    "week": _week, "weekend": _weekend,
    "date": _date, "slashed": _slashed, "range": _range, "relative": _relative, "window": _window, "ago": _ago,
    "ahead": _ahead, "day_word": _day_word, "weekday": _weekday, "decade": _decade, "century": _century,
    "season": _season, "to_date": _to_date, "latest": _latest, "now": _now,
}  # fmt: skip
