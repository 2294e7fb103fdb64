"""The values that a sentence states: numbers, shares, amounts of money, measures, spans of time, days and times of day.

Each is read with what it measures, so that 48 hours and two days are one value and 20 metres and 20 minutes are not to
be compared. What names a place in a text, a period or a model (第三条, 2024, A320) is a key and no value.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation

from services.common.domain.months import MONTHS
from services.retrieval.domain.values.measure_units import measured
from services.retrieval.domain.values.number_words import ORDINALS, english_number, han_number, with_figured_days
from services.retrieval.domain.values.time_spans import OFTEN, plain_number, time_between, time_span
from services.retrieval.domain.values.value_patterns import (
    CLOCK,
    CURRENCIES,
    CYCLE,
    DATE,
    DAY_OF_MONTH,
    DAY_OF_YEAR,
    EDITION,
    EVERY,
    KEY,
    NUMBER,
)
from services.retrieval.domain.values.whole_spans import whole_spans

_FACTORS = {"万": 10**4, "亿": 10**8, "thousand": 10**3, "million": 10**6, "billion": 10**9}
_SHARES = {"百": Decimal(1), "千": Decimal("0.1"), "万": Decimal("0.01")}
MONEY = frozenset(("€", "$", "£", "¥", "francs", "cent"))
"""Kinds of values that are money."""

OF_A_DAY = frozenset(("clock", "day of month", "day"))
"""What values that name a day or an hour are compared as."""

_COMPARED = dict.fromkeys(MONEY, "money") | {"date": "day", "day of year": "day"}
_MINUTES = {"min": 1.0, "months": 43_830.0}
# What tells how often stands so near before the value.
_EVERY_CHARACTERS = 24


@dataclass(frozen=True, slots=True)
class Value:
    """One value: what it measures (``""``: a count), how much in the base of that, and its normal form in words.

    ``unit`` tells of which unit it was, for values in other units are equal within their rounding; ``position`` is
    where it stands in the sentence and ``written`` how.
    """

    kind: str
    amount: float
    text: str
    unit: str = ""
    position: int = 0
    written: str = ""

    @property
    def compared(self) -> str:
        """What it is compared as: amounts of any currency, and days with and without their year, meet."""
        return _COMPARED.get(self.kind, self.kind)


@dataclass(frozen=True, slots=True)
class Reading:
    """The values of a sentence in order, its keys, and the rest of it, with every value and key blanked out.

    ``often``: the value tells how often something is done.
    """

    values: tuple[Value, ...]
    keys: frozenset[str]
    rest: str
    often: bool = False


def read_values(text: str) -> Reading:
    """The values and keys of ``text``, which is in NFKC."""
    rest = _blank(EDITION, whole_spans(with_figured_days(text)))
    dates = [Value("date", _ordinal(iso), iso, "date", start, iso) for start, iso in _dates(rest)]
    rest, found = _days_and_times(_blank(DATE, rest) if dates else rest)
    keys = frozenset(key_form(match.group()) for match in KEY.finditer(rest))
    rest = _blank(KEY, rest) if keys else rest
    numbers = list(NUMBER.finditer(rest))
    found += [value for match in numbers if (value := _number(match))]
    often = any(EVERY.search(rest, max(0, m.start() - _EVERY_CHARACTERS), m.start()) for m in numbers)
    if not found and not dates:
        found = [_between(match) for match in OFTEN.finditer(rest)]
        often, rest = bool(found), _blank(OFTEN, rest)
    if found:
        # Beside a number a date tells the period that the number holds for.
        keys |= {value.text for value in dates}
    values = tuple(sorted(found or dates, key=lambda value: value.position))
    return Reading(values, keys, _blank(NUMBER, rest), often or bool(CYCLE.search(rest)))


def _days_and_times(text: str) -> tuple[str, list[Value]]:
    """``text`` without them, and the days of a month or year and the times of day that it states."""
    found: list[Value] = []
    for pattern, read in _READERS:

        def blanked(match: re.Match[str], read: _Reader = read) -> str:
            value = read(match)
            if value is None:
                return match.group()
            found.append(value)
            return _blanked(match)

        text = pattern.sub(blanked, text)
    return text, found


def key_form(text: str) -> str:
    """One spelling for a key."""
    return re.sub(r"[\s年度]+", "", text).upper()


def without_values(text: str) -> str:
    """``text`` without keys and values, for titles and headings."""
    return NUMBER.sub(" ", KEY.sub(" ", with_figured_days(text)))


def _blanked(match: re.Match[str]) -> str:
    return " " * len(match.group())


def _blank(pattern: re.Pattern[str], text: str) -> str:
    """``text`` with matches blanked out, every other character in its place."""
    return pattern.sub(_blanked, text)


def _dates(text: str) -> list[tuple[int, str]]:
    found = []
    for match in DATE.finditer(text):
        group = match.groupdict()
        year, name = group["y"] or group["y2"] or group["y3"], group["mn"] or group["mn3"]
        month = MONTHS[name.lower().rstrip(".")] if name else int(group["m"])
        found.append((match.start(), f"{year}-{month:02d}-{int(group['d'] or group['d2'] or group['d3']):02d}"))
    return found


def _ordinal(iso: str) -> float:
    year, month, day = (int(part) for part in iso.split("-"))
    return year * 372.0 + month * 31 + day


def _day_of_month(match: re.Match[str]) -> Value | None:
    raw = (match["a"] or match["b"] or match["c"] or match["d"] or match["e"]).lower()
    digits = re.match(r"\d+", raw)
    day = int(digits.group()) if digits else ORDINALS.get(raw) or han_number(raw)
    if not day:
        return None
    return Value("day of month", float(day), f"day {day}", "day", match.start(), match.group().strip())


def _day_of_year(match: re.Match[str]) -> Value | None:
    name = match["mn"] or match["mn2"]
    month = MONTHS[name.lower().rstrip(".")] if name else int(match["m3"])
    day = int(match["d"] or match["d2"] or match["d3"])
    return (
        Value(
            "day of year", month * 31.0 + day, f"--{month:02d}-{day:02d}", "day", match.start(), match.group().strip()
        )
        if day <= 31
        else None
    )


def _clock(match: re.Match[str]) -> Value | None:
    hour = int(match["h"] or match["h2"] or match["h3"])
    minute = 30 if match["half"] else int(match["m"] or match["m3"] or 0)
    part = (match["x"] or match["x2"] or match["x3"] or "").lower()
    if hour > 24:
        return None
    if part in ("p", "下午", "晚上") and hour < 12:
        hour += 12
    elif part == "a" and hour == 12:
        hour = 0
    return Value(
        "clock", hour * 60.0 + minute, f"{hour:02d}:{minute:02d}", "clock", match.start(), match.group().strip()
    )


_Reader = Callable[[re.Match[str]], Value | None]
_READERS: tuple[tuple[re.Pattern[str], _Reader], ...] = (
    (DAY_OF_MONTH, _day_of_month),
    (DAY_OF_YEAR, _day_of_year),
    (CLOCK, _clock),
)


def _between(match: re.Match[str]) -> Value:
    span = time_between(match)
    return Value("time", _span_minutes(span), span, "often", match.start(), match.group())


def _number(match: re.Match[str]) -> Value | None:
    """One text for one quantity: 1,000 and 1000, 50% and 50 percent, 24 hours and one day written as 1 day."""
    group = match.groupdict()
    number = _amount(group)
    if number is None:
        return None
    at, written = match.start(), match.group().strip(" -")
    if group["of"] or group["p"] or group["p2"]:
        share = number * _SHARES.get(group["of"] or "", Decimal(1))
        return Value("%", float(share), f"{plain_number(share)}%", "%", at, written)
    number *= _FACTORS.get((group["f"] or "").lower(), 1)
    unit = (group["u"] or group["u2"] or group["u3"] or "").lower()
    unit = unit.rstrip("s") if unit.isascii() else unit
    span = time_span(number, unit)
    if span:
        working = "working " if group["work"] or group["work2"] or group["work3"] else ""
        return Value("time", _span_minutes(span), f"{working}{span}", f"{working}{unit}", at, written)
    name = (group["q"] or group["q2"] or group["q3"] or "").lower()
    measure = measured(name)
    if measure:
        kind, factor = measure
        amount = float(number) * factor
        if kind == "seconds":
            return Value("time", amount / 60, f"{plain_number(number)} {name}", name, at, written)
        return Value(kind, amount, f"{plain_number(number)} {name}", name.rstrip("s"), at, written)
    currency = CURRENCIES.get((group["cur"] or "").upper(), group["cur"] or "")
    return Value(currency, float(number), f"{currency}{plain_number(number)}", "", at, written)


def _amount(group: dict[str, str | None]) -> Decimal | None:
    try:
        if group["twice"]:
            return Decimal(2 if group["twice"].lower() == "twice" else 3)
        if group["w"]:
            return Decimal(english_number(group["w"]))
        han = group["h2"] or group["h"]
        if han:
            return Decimal(han) if han[0].isdigit() else han_number(han)
        return Decimal((group["n"] or "").replace(",", ""))
    except InvalidOperation:
        return None


def _span_minutes(span: str) -> float:
    number, unit = span.split()
    return float(number) * _MINUTES[unit]
