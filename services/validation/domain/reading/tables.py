"""Tables as text: units that a caption or a column header declares, and the rows that a statement names."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from services.validation.domain.analysis import Analysis
from services.validation.domain.values.quantity import Quantity
from services.validation.domain.values.units import COUNT, COUNTS

if TYPE_CHECKING:
    from services.validation.domain.reading.evidence import Unit

_LONGEST_CAPTION = 160
_BRACKETED = re.compile(r"[(（\[]\s*(?:in\s+|单位\s*[：:为]?\s*)?(?P<u>[^()（）\[\]\d]{1,24}?)\s*[)）\]]", re.I)
_TOLD = re.compile(
    r"(?:单位\s*[：:为]\s*|[,，]\s*(?:all\s+)?(?:in\s+)?|\bin\s+)(?P<u>[^,，:：;；()（）.。|\d]{1,24}?)\s*[:：.。)）]?\s*$",
    re.I,
)
# Ranks, serial numbers, years and counts have no unit of the caption.
_UNITLESS = re.compile(
    r"名次|排名|序号|编号|年份|年度|数量|人数|次数|件数|号|\b(?:rank|no|nr|place|position|year|count|number|id|qty|quantity|items)\b|#",
    re.I,
)

Scan = Callable[[str], Sequence[Quantity]]


def declared_unit(text: str, scan: Scan) -> Quantity | None:
    """One of the unit that a caption or a header declares: ``(kg)``, ``EUR million``, 单位：亿元; None if none."""
    if len(text) > _LONGEST_CAPTION:
        return None
    for match in [*reversed(list(_BRACKETED.finditer(text))), *filter(None, [_TOLD.search(text)])]:
        told = match["u"].strip()
        head, _, tail = told.partition(" ")
        for one in (f"1 {told}", f"1{told}", f"{head} 1 {tail}" if tail else f"{told} 1"):
            found = scan(one)
            if len(found) != 1:
                continue
            whole = found[0].end - found[0].start == len(one)
            if (whole and found[0].unit.dimension not in COUNTS) or _scaled_count(found[0], one):
                return found[0]
    return None


def corner_unit(text: str, scan: Scan) -> Quantity | None:
    """The unit of the whole table, where the first cell of its header is nothing but a unit: ``EUR million``, 万元."""
    return declared_unit(f"({text})", scan) if not re.search(r"[()（）]", text) else None


def _scaled_count(quantity: Quantity, text: str) -> bool:
    """万标箱, thousand visitors: things in ten thousands or thousands, whether or not the thing is a known unit."""
    noun = text[quantity.end :].strip()
    counted = quantity.unit.dimension in COUNTS and quantity.figure >= _THOUSAND
    return counted and len(noun) <= _LONGEST_NOUN and not noun[:1].isupper()


_THOUSAND, _LONGEST_NOUN = 1_000, 12


def with_units(
    row: Analysis,
    cells: Sequence[tuple[int, int]],
    header: Sequence[tuple[str, Quantity | None]],
    caption: Quantity | None,
) -> Analysis:
    """The row with the bare numbers of its cells read in the unit of their column, else of the caption."""
    if caption is None and not any(unit for _, unit in header):
        return row
    columns = list(zip(cells, header, strict=False))
    return replace(row, quantities=tuple(_in_unit(q, columns, caption) for q in row.quantities))


def _in_unit(
    quantity: Quantity, columns: Sequence[tuple[tuple[int, int], tuple[str, Quantity | None]]], caption: Quantity | None
) -> Quantity:
    if quantity.unit.dimension != COUNT or quantity.is_range:
        return quantity
    for (start, end), (title, declared) in columns:
        if not start <= quantity.start < end:
            continue
        if quantity.start > start == columns[0][0][0]:
            return quantity  # 金麦12: the first column says which row it is
        one = declared or (None if _UNITLESS.search(title) else caption)
        if one is None or (end - start) > (quantity.end - quantity.start) + _SLACK:
            return quantity
        return in_unit(quantity, one)
    return quantity


def in_unit(quantity: Quantity, one: Quantity) -> Quantity:
    """A bare number in the unit of which ``one`` is one: a million euros, a kilogram."""
    scale = one.unit.factor * (one.figure or 1.0)
    base = quantity.low * scale + one.unit.offset
    cell = replace(
        quantity, low=base, high=base, figure=quantity.figure * one.figure, step=quantity.step * scale,
        unit=one.unit, amount=None, noun="",
    )  # fmt: skip
    above = one.unit.numerator
    if above is None:
        return cell
    plain = quantity.low * above.factor * (one.figure or 1.0)
    return replace(cell, amount=replace(cell, low=plain, high=plain, step=quantity.step * above.factor, unit=above))


# A cell with more than a number in it says itself what it counts.
_SLACK = 3


@dataclass(frozen=True, slots=True)
class Row:
    """A row of a table with the texts of its cells that hold no number, in lower case."""

    unit: Unit
    labels: tuple[str, ...]


def rows_of(units: Sequence[Unit]) -> list[Row]:
    """The rows of tables among some units, with what they are called by."""
    rows: list[Row] = []
    for unit in units:
        if not unit.headers:
            continue
        analysis = unit.analysis
        labels = []
        for start, end, _ in unit.headers:
            values = [q for q in analysis.quantities if start <= q.start < end and not q.weak]
            text = analysis.low[start:end].strip(" *_`")
            called = _numbered_label(text, values)
            if called:
                values = []
            if text and not values and (called or analysis.terms or analysis.names) and re.search(r"[^\W\d_]", text):
                labels.append(text.split("：")[-1].split(":")[-1].strip())
        rows.append(Row(unit, tuple(labels)))
    return rows


def _numbered_label(text: str, values: Sequence[Quantity]) -> bool:
    """金穗12, Zone 3: the cell is called by a number, which has no unit and follows a word; so is a 40-foot one."""
    if re.fullmatch(r"\d[\d.,]*-[a-z]+(?: [a-z]+)?", text):
        return True
    if len(values) != 1 or values[0].unit.dimension not in COUNTS:
        return False
    return re.fullmatch(r"[^\W\d_][^\d,:;，：；|]*?\s?\d+[a-z]?", text) is not None and "up to" not in text


def label_spots(low: str, rows: Sequence[Row]) -> list[tuple[int, int, tuple[Row, ...]]]:
    """Where a lower-case text names rows, longer labels hiding shorter ones: start, end, the rows so called."""
    owners: dict[str, list[Row]] = {}
    for row in rows:
        for label in row.labels:
            owners.setdefault(label, []).append(row)
    found: list[tuple[int, int, tuple[Row, ...]]] = []
    left = low
    for label in sorted(owners, key=len, reverse=True):
        if len(owners[label]) == len(rows) > 1:
            continue
        for start, end in list(_spots(label, left)):
            found.append((start, end, tuple(owners[label])))
            left = left[:start] + "\0" * (end - start) + left[end:]
    return found


def named_rows(low: str, rows: Sequence[Row]) -> list[Row]:
    """The rows that a lower-case text names by a label that only they carry; longer labels hide shorter ones."""
    owners: dict[str, list[Row]] = {}
    for row in rows:
        for label in row.labels:
            owners.setdefault(label, []).append(row)
    named: list[list[Row]] = []
    left = low
    for label in sorted(owners, key=len, reverse=True):
        spots = list(_spots(label, left))
        for start, end in spots:
            left = left[:start] + "\0" * (end - start) + left[end:]
        if spots and len(owners[label]) < len(rows):
            named.append(owners[label])
    # A label that one row has alone says which row is meant; one that it shares with others then only describes it.
    alone = [id(group[0]) for group in named if len(group) == 1]
    found: list[Row] = []
    for group in named:
        meant = [row for row in group if id(row) in alone]
        found.extend(row for row in meant or group if row not in found)
    return found


def _spots(label: str, low: str) -> Iterator[tuple[int, int]]:
    pattern = re.escape(label)
    if label[0].isascii() and label[0].isalnum():
        pattern = rf"(?<![a-z0-9]){pattern}(?:s|'s)?(?![a-z0-9])"
    for match in re.finditer(pattern, low):
        yield match.start(), match.end()
