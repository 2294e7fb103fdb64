"""Words of regularity as quantities: weekly, twice a year, every month, 每年一次."""

from __future__ import annotations

import re

from services.validation.domain.config import QuantityWords
from services.validation.domain.reading.patterns import Pattern
from services.validation.domain.values import numerals
from services.validation.domain.values.numerals import Number
from services.validation.domain.values.quantity import Quantity
from services.validation.domain.values.units import SPANS, UnitTable


def find_intervals(text: str, taken: bytearray, words: QuantityWords, units: UnitTable) -> list[Quantity]:
    """``weekly``, ``twice a year``, ``every month``, ``每年一次``, ``每月``: the interval as a quantity."""
    found: list[Quantity] = []
    for match in words.interval_pattern.finditer(text):
        if 1 in taken[match.start() : match.end()]:
            continue
        quantity = _interval(match, words, units)
        if quantity is not None:
            taken[match.start() : match.end()] = b"\x01" * (match.end() - match.start())
            if match["ztimes2"]:
                # 一天做三次: the number apart from its unit is no count of its own.
                taken[match.start("ztimes2") : match.end("ztimes2")] = b"\x01" * len(match["ztimes2"])
            found.append(quantity)
    for match in _EVERY_OTHER.finditer(text):
        if 1 not in taken[match.start() : match.end()]:
            taken[match.start() : match.end()] = b"\x01" * (match.end() - match.start())
            week = units.names["week"]
            base = 2 * week.factor
            found.append(Quantity(base, base, 2.0, 1e-9, week, *match.span(), match.group(), interval=True, weak=True))
    return found


# Every other Friday: the day is a time of its own.
_EVERY_OTHER = Pattern(
    r"\bevery (?:other|second)(?=\s+(?:mon|tues|wednes|thurs|fri|satur|sun)day\b)|隔周|每隔一(?:周|个?星期)",
    re.I,
)


def _interval(match: re.Match[str], words: QuantityWords, units: UnitTable) -> Quantity | None:
    groups = match.groupdict()
    if groups.get("word"):
        n, name = words.intervals[groups["word"].lower()]
        unit = units.names[name]
        value = n
    else:
        unit_name = groups.get("unit") or groups.get("unit2") or ""
        unit = units.names.get(unit_name.lower()) or (units.han.get(groups["zunit"] or groups["zunit2"] or ""))  # type: ignore[assignment]
        if unit is None or unit.dimension not in SPANS:
            return None
        times = groups.get("times") or groups.get("ztimes") or groups.get("ztimes2")
        count = {"once": 1.0, "twice": 2.0, "thrice": 3.0}.get((times or "once").lower())
        if count is None:
            parsed = _count_of(times)
            count = parsed.value if parsed else float(re.sub(r"\D", "", times or "1") or 1)
        every = groups.get("every") or groups.get("zevery")
        number = numerals.parse_chinese(every) if every and not every[0].isdigit() and not every.isascii() else None
        n_units = (
            number.value
            if number
            else (
                2.0
                if every and every.lower() in ("other", "second")
                else float(every)
                if every and every.isdigit()
                else 1.0
            )
        )
        value = n_units / (count or 1.0)
    base = value * unit.factor
    return Quantity(base, base, value, 1e-9, unit, match.start(), match.end(), match.group(), interval=True, weak=True)


def _count_of(times: str | None) -> Number | None:
    """The number of "two times" or 两次, None for digits and for nothing."""
    if not times or times[0].isdigit():
        return None
    if times.isascii():
        return numerals.parse_english(times.lower().removesuffix("times").strip())
    return numerals.parse_chinese(times)
