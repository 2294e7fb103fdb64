"""Superlatives per unit: what is said to be cheapest per gigabyte, by the quotient of two columns of a table."""

from __future__ import annotations

import re
from dataclasses import dataclass

from services.common.domain.verdict import IssueType, RemedyKind
from services.validation.domain.case import Case, Finding, Reading
from services.validation.domain.comparison.measured_words import direction_of
from services.validation.domain.reading.evidence import Unit
from services.validation.domain.reading.tables import Row, label_spots, rows_of
from services.validation.domain.values.compare import close
from services.validation.domain.values.quantity import Quantity
from services.validation.domain.values.units import COUNT, Dimension, is_currency, is_rate

_PER = re.compile(r"\s*(?:\w+\s+)?(?:per|a|each|for (?:each|every))\s+(?P<u>(?:square |cubic )?[a-z]+)")
_HAN_PER = re.compile(r"按?每(?P<u>[\u4e00-\u9fffA-Za-z]{1,4})[^，。；]{0,8}$")
_PRICE = re.compile(r"price|fee|cost|rent|rate|charge|tariff|费|价|租金")


@dataclass(frozen=True, slots=True)
class Quotient:
    """What a row costs per unit."""

    row: Row
    price: Quantity
    amount: Quantity

    @property
    def value(self) -> float:
        """In base units."""
        return self.price.low / self.amount.low


def per_unit(case: Case, reading: Reading, found: re.Match[str], word: str) -> list[Finding] | None:
    """What is wrong with a superlative per unit; None if it is none, so that the values themselves are compared."""
    low = reading.analysis.low
    named = _PER.match(low, found.end()) or _HAN_PER.search(low[: found.start()])
    unit = case.config.units.find_latin(named["u"]) if named else None
    if named is not None and unit is None and not named["u"].isascii():
        han = case.config.units.find_han(named["u"], 0)
        unit = han[0] if han else None
    if named is None or unit is None:
        return None
    rows = rows_of(case.units(reading.cited))
    if any(_counts_by(q, unit.dimension) for u in case.units(reading.cited) for q in u.analysis.quantities):
        return None  # the passages give rates themselves
    members = [m for row in rows if (m := _quotient(row, unit.dimension)) is not None]
    spots = [s for s in sorted(label_spots(low, rows)) if len(s[2]) == 1]
    before, after = [s for s in spots if s[1] <= found.start()], [s for s in spots if s[0] >= found.end()]
    nearest = before[-1:] or after[:1]
    subject = next((m for m in members if nearest and m.row is nearest[0][2][0]), None)
    if subject is None:
        return []
    sign = direction_of(word, subject.price, case)
    for other in members:
        if sign * (other.value - subject.value) > 0 and not close(other.value, subject.value):
            return [_finding(reading, found, subject, other)]
    return []


def _counts_by(quantity: Quantity, dimension: Dimension) -> bool:
    """A rate with the unit below the line."""
    exponents = dict(quantity.unit.dimension)
    return is_rate(quantity.unit) and all(exponents.get(base, 0) < 0 for base, _ in dimension)


def _quotient(row: Row, dimension: Dimension) -> Quotient | None:
    """The row's one price over its one value of the unit's dimension."""
    prices = [
        q for start, end, header in row.unit.headers for q in _cell(row.unit, start, end) if _is_price(q, header.low)
    ]
    amounts = [q for q in row.unit.analysis.quantities if q.unit.dimension == dimension and q.low > 0]
    return Quotient(row, prices[0], amounts[0]) if len(prices) == len(amounts) == 1 else None


def _is_price(quantity: Quantity, header: str) -> bool:
    return is_currency(quantity.unit.dimension) or (
        quantity.unit.dimension == COUNT and _PRICE.search(header) is not None
    )


def _cell(unit: Unit, start: int, end: int) -> list[Quantity]:
    return [q for q in unit.analysis.quantities if start <= q.start < end and not q.is_range]


def _finding(reading: Reading, found: re.Match[str], subject: Quotient, other: Quotient) -> Finding:
    told = [
        f"{m.row.labels[0] if m.row.labels else '?'} {m.price.surface} / {m.amount.surface}" for m in (subject, other)
    ]
    return Finding(
        IssueType.COMPARISON_WRONG_DIRECTION, reading.index, f"{told[0]} is beaten by {told[1]}",
        RemedyKind.REGENERATE, span=(found.start(), found.end()), citation=other.row.unit.citation,
        evidence=(other.row.unit.start, other.row.unit.end), found=told[0], expected=told[1],
    )  # fmt: skip
