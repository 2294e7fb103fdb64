"""Quantities that belong together: the two ends of a range, the parts of "3 h 20 min"."""

from __future__ import annotations

import re
from dataclasses import replace

from services.validation.domain.reading.patterns import Pattern
from services.validation.domain.values.quantity import Quantity
from services.validation.domain.values.units import COUNT, COUNTS, PIECE, RATIO, Unit, combine

# 两天半, 三年半以上; not 第2天半流质.
_HALF_MORE = re.compile(r"半(?=$|[，。；、,.;:：\s()（）的以之左内后前到至多为])")
_LIST_GAP = re.compile(
    r"\s*(?:,|、|/|×|x|\*)?\s*(?:by|and|or|to|over|from|against|versus|vs\.?|和|或|与|及|至|到)?\s*(?:about "
    r"|roughly |eur |usd |[$€£¥])?\s*",
    re.I,
)
_RANGE_GAP = re.compile(r"^\s*-?\s*(?:-|~|～|to|and|至|到|—|－)\s*$", re.I)
_OR_MORE = re.compile(r"以上[、，]?(?:至|到)?")
# 3小时零5分, 5 feet and 4 inches
_JOINED = re.compile(r"\s?(?:and\s|又|零)?")


def share_units(text: str, found: list[Quantity]) -> list[Quantity]:
    """``from 60 to 30 minutes``, ``5, 10 and 15 kg``: bare numbers of a list have the unit of its last number."""
    shared = list(found)
    for i in range(len(shared) - 2, -1, -1):
        last, this = shared[i + 1], shared[i]
        gap = text[this.end : last.start]
        measured = last.unit.dimension not in COUNTS
        if (
            this.unit.dimension != COUNT
            or not measured
            or not gap.strip()
            or not this.surface[-1:].isdigit()
            or not last.surface[:1].isdigit()
            or not _LIST_GAP.fullmatch(gap)
            or (last.unit.dimension == RATIO and re.search(r"\bor\b|about|roughly|或", gap, re.I))
        ):
            continue
        shared[i] = _in_unit_of(this, last)
    for i in range(len(shared) - 1):
        this, last = shared[i], shared[i + 1]
        written_out = last.surface[-2:].isalpha() and last.surface.endswith("s") and last.unit.dimension not in COUNTS
        if this.unit.dimension == COUNT and written_out and _OUT_OF.fullmatch(text, this.end, last.start):
            shared[i] = _in_unit_of(this, last)
    for i in range(1, len(shared)):
        first, this = shared[i - 1], shared[i]
        bare = this.unit.dimension == COUNT and this.surface[-1:].isdigit() and not first.is_range
        measured = first.unit.dimension not in COUNTS and first.surface[:1].isdigit()
        if bare and measured and _SET_AGAINST.fullmatch(text, first.end, this.start) and _NO_NOUN.match(text, this.end):
            shared[i] = _in_unit_of(this, first)
    return shared


# "Six of the 120 litres"; not "two of the 50 kg bags".
_OUT_OF = re.compile(r" (?:out )?of (?:the |its |their |these |all |a total of )?", re.I)
# "40 days as opposed to 42"; "102 seconds against 110 for A and 125 for B".
_SET_AGAINST = re.compile(
    r"\s*+(?:,\s*+)?(?:as (?:opposed|compared) (?:to|with)|as against|against|versus|vs\.?|compared (?:with|to)"
    r"|instead of|rather than|and not|not|up from|down from|而不是|而非|对|不是)\s*(?:only |just |about |around "
    r"|the (?:previous |former )?"
    r"|仅|只有|约)?"
    r"|\s++(?:for|in|on|at|with|under|of)\s++[\w.-]+(?:\s[\w.-]+)?\s*+(?:,|and|,\s*+and|against|versus)\s+",
    re.I,
)
_NO_NOUN = re.compile(r"\s*(?:$|[,.;:!?)，。；：！？）]|(?:for|in|on|at|with|under|before|after|and|or|the)\b)")


def _in_unit_of(this: Quantity, other: Quantity) -> Quantity:
    """A bare number in the unit of a quantity beside it."""
    offset = other.unit.offset
    scale = (other.low - offset) / other.figure if other.figure else other.unit.factor
    base = this.figure * scale + offset
    return replace(this, low=base, high=base, step=this.step * scale, unit=other.unit)


def merge_ranges(text: str, found: list[Quantity], change_from: Pattern) -> list[Quantity]:
    merged: list[Quantity] = []
    for quantity in found:
        last = merged[-1] if merged else None
        gap = text[last.end : quantity.start] if last else ""
        above = last is not None and _OR_MORE.fullmatch(gap) and text[quantity.end :].startswith("以下")
        if above and last is not None and (combined := _range(text, last, quantity)) is not None:
            merged[-1] = replace(combined, end=quantity.end + 2)
            continue
        if last is None or not _RANGE_GAP.match(gap) or last.is_range:
            merged.append(quantity)
            continue
        if gap.strip().lower() == "and" and not re.search(r"between\s*$", text[: last.start].lower()[-12:]):
            merged.append(quantity)
            continue
        if not _BY_BEFORE.search(text[max(0, last.start - 20) : last.start]):
            last = merged[-1] = _in_magnitude_of(last, quantity)
        if gap.strip().lower() in ("to", "到", "至") and _changes(text, last, change_from):
            merged.append(quantity)
            continue
        combined = _range(text, last, quantity)
        if combined is None:
            merged.append(quantity)
        else:
            merged[-1] = combined
    return merged


def _in_magnitude_of(first: Quantity, last: Quantity) -> Quantity:
    """ "EUR 2 to 3 million", 2至3亿元: the magnitude of the end is that of the smaller figure before it, too."""
    start, end = _WRITTEN.search(first.surface), _WRITTEN.search(last.surface)
    if start is None or end is None:
        return first
    smaller, larger = (float(w.group().replace(",", "")) for w in (start, end))
    scale = last.figure / larger if larger else 1.0
    dimensions = {first.unit.dimension, last.unit.dimension} - {COUNT}
    alike = len(dimensions) <= 1 and RATIO not in dimensions
    if not alike or scale < _THOUSANDS or not first.figure == smaller < larger or first.is_range or last.is_range:
        return first
    return replace(
        first, low=first.low * scale, high=first.high * scale, figure=smaller * scale, step=first.step * scale
    )


_WRITTEN, _THOUSANDS = re.compile(r"\d[\d,]*(?:\.\d+)?"), 1_000


def _changes(text: str, first: Quantity, change_from: Pattern) -> bool:
    """``raised from 4.0% to 4.5%``: two values, not a range."""
    if _BY_BEFORE.search(text[max(0, first.start - 20) : first.start]):
        return True
    return bool(change_from.search(text[max(0, first.start - 50) : first.start].lower()))


_BY_BEFORE = re.compile(r"\bby\s+(?:about |some |roughly |around |almost |nearly )?$", re.I)


def _range(text: str, a: Quantity, b: Quantity) -> Quantity | None:
    if b.amount is not None and b.amount.unit.dimension == COUNT and a.unit.dimension != COUNT and b.low:
        # "EUR 500 to 800 a month": currency before, denominator after.
        share = b.low / b.amount.low
        unit = Unit(
            a.unit.unit_id + "/" + b.unit.unit_id.lstrip("/"),
            combine(a.unit.dimension, b.unit.dimension, 1),
            a.unit.factor * share,
        )
        high = b.amount.low * a.unit.factor
        if a.low >= high:
            return None
        whole = replace(b.amount, low=a.low, high=high, unit=a.unit, start=a.start, surface=text[a.start : b.end])
        return replace(
            b,
            low=a.low * share,
            high=high * share,
            start=a.start,
            unit=unit,
            surface=text[a.start : b.end],
            amount=whole,
        )
    if b.unit.dimension == COUNT and a.unit.dimension != COUNT and not b.noun:
        b = replace(
            b,
            low=b.low * a.unit.factor + a.unit.offset,
            high=b.high * a.unit.factor + a.unit.offset,
            unit=a.unit,
            step=b.step * a.unit.factor,
        )
    if a.unit.dimension != COUNT and a.unit.kind != b.unit.kind:
        return None  # "by five percentage points to 79 %" tells a change and its result
    unit = b.unit if a.unit.dimension == COUNT else a.unit
    if a.unit.dimension not in (COUNT, b.unit.dimension):
        return None
    scale = unit.factor if a.unit.dimension == COUNT else 1.0
    low = a.low * scale + (unit.offset if a.unit.dimension == COUNT else 0.0)
    if a.unit.dimension == COUNT and b.unit.dimension != COUNT and abs(b.figure) >= 1000 and b.figure > a.figure * 1000:
        # 3至5万: the magnitude belongs to both ends.
        ratio = 10 ** (len(str(int(abs(b.figure)))) - 1)
        if low * ratio <= b.low:
            low *= ratio
    if low >= b.low:
        return None
    return replace(
        b,
        low=low,
        start=a.start,
        surface=text[a.start : b.end],
        unit=unit,
        step=min(a.step * scale, b.step),
        bound=a.bound,
    )


def merge_compounds(text: str, found: list[Quantity], minute: Unit) -> list[Quantity]:
    """``3 h 20 min``, ``5 ft 11 in``, ``2小时30分``: one quantity."""
    merged: list[Quantity] = []
    for quantity in found:
        if merged and merged[-1].end > quantity.start:
            continue  # the tenths of 一块五
        quantity = _tenths(text, quantity)
        last = merged[-1] if merged else None
        if last and quantity.unit.unit_id == "s" and (minutes := _minutes(text, last, quantity, minute)):
            last = merged[-1] = minutes
        if last and _JOINED.fullmatch(text[last.end : quantity.start]):
            if (
                (quantity.unit.unit_id == "count" and quantity.surface.endswith("分"))
                or (quantity.unit.dimension == COUNT and text[quantity.end : quantity.end + 1] == "分")
            ) and last.unit.unit_id == "hour":
                end = quantity.end + (text[quantity.end : quantity.end + 1] == "分")
                quantity = replace(
                    quantity,
                    unit=minute,
                    low=quantity.figure * 60,
                    high=quantity.figure * 60,
                    step=60.0,
                    end=end,
                )
            same = last.unit.dimension == quantity.unit.dimension and last.unit.dimension not in (
                COUNT,
                PIECE,
            )
            if (
                same
                and last.unit.factor / quantity.unit.factor > 1
                and quantity.low < last.unit.factor
                and not last.is_range
            ):
                merged[-1] = replace(
                    last, low=last.low + quantity.low, high=last.high + quantity.high, step=quantity.step,
                    end=quantity.end, surface=text[last.start : quantity.end],
                )  # fmt: skip
                continue
        if _HALF_MORE.match(text, quantity.end) and quantity.unit.dimension != COUNT:
            half = quantity.unit.factor / 2
            quantity = replace(
                quantity, low=quantity.low + half, high=quantity.high + half, step=half, end=quantity.end + 1
            )
        merged.append(quantity)
    return merged


def _minutes(text: str, first: Quantity, seconds: Quantity, minute: Unit) -> Quantity | None:
    """The 分 of 3分30秒, which alone may be a mark, a cent or a part, are minutes."""
    end = first.end + (text[first.end : first.end + 1] == "分")
    bare = first.unit.dimension == COUNT or first.unit.dimension == PIECE
    if text[end - 1 : end] != "分" or end != seconds.start or not (bare or "分" in first.surface[-1:]):
        return None
    value = first.figure * minute.factor
    return replace(first, unit=minute, low=value, high=value, step=minute.factor, end=end, noun="")


def _tenths(text: str, quantity: Quantity) -> Quantity:
    """1块5, 三块二: tenths of a yuan behind its colloquial name."""
    found = _TENTHS.match(text, quantity.end) if quantity.surface[-1:] == "块" else None
    if found is None or quantity.unit.factor == 0 or quantity.unit.dimension in (COUNT, PIECE):
        return quantity
    digit = found.group()
    value = quantity.low + (int(digit) if digit.isdigit() else "一二三四五六七八九".index(digit) + 1) / 10
    step = quantity.step / 10
    return replace(
        quantity, low=value, high=value, step=step, end=found.end(), surface=text[quantity.start : found.end()]
    )


_TENTHS = re.compile(r"[1-9一二三四五六七八九](?![\d.十百千万毛分角元块个次天年月日小%点张件人倍折成])")
