"""Values whose own word leaves their unit open, read in the unit that the evidence measures by."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from services.validation.domain.case import Reading
from services.validation.domain.reading.evidence import Unit
from services.validation.domain.values.compare import close, equal
from services.validation.domain.values.quantity import Quantity
from services.validation.domain.values.units import COUNT, COUNTS, LENGTH, is_currency
from services.validation.domain.values.units import Unit as UnitOfMeasure

Pool = Sequence[tuple[Unit, Quantity]]


def in_unit_of_evidence(reading: Reading, quantity: Quantity, pool: Pool) -> Quantity:
    """The value in the unit that the evidence measures by, where its own leaves that open: 32 degrees, a speed of 25
    kilometres, 20 cents where the evidence names no currency."""
    if quantity.surface.endswith("度") and quantity.amount is not None:
        quantity = _heat(quantity, pool)
    if quantity.amount is None and quantity.unit.dimension not in COUNTS:
        quantity = _like_the_first(reading, quantity, pool)
    unit = quantity.unit
    if unit.unit_id == "degree" or (unit.unit_id == "kWh" and quantity.surface.endswith("度")):
        celsius = next((q.unit for _, q in pool if q.unit.unit_id == "celsius"), None)
        if celsius is not None and not any(q.unit.dimension == unit.dimension for _, q in pool):
            low, high = (
                value / unit.factor * celsius.factor + celsius.offset for value in (quantity.low, quantity.high)
            )
            return replace(quantity, low=low, high=high, step=quantity.step / unit.factor, unit=celsius)
    if unit.unit_id == "degree":
        for _, q in pool:
            if q.surface.endswith("度") and close(q.figure, quantity.figure):
                return replace(quantity, low=q.low, high=q.high, step=q.step, unit=q.unit)
    if unit.dimension == LENGTH and _SPEED.search(reading.analysis.low):
        for _, q in pool:
            if dict(q.unit.dimension) == {"length": 1, "time": -1} and close(q.figure, quantity.figure):
                return replace(quantity, low=q.low, high=q.high, step=q.step, unit=q.unit)
    if unit.unit_id == "cent" and not any((q.amount or q).unit.unit_id == "cent" for _, q in pool):
        money = next((u for _, q in pool if is_currency((u := (q.amount or q).unit).dimension)), None)
        if money is not None:
            return replace(quantity, unit=replace(money, factor=unit.factor))
    if (bare := _amount_without_currency(quantity, pool)) is not None:
        return bare
    if (priced := _in_cents(quantity, pool)) is not None:
        return priced
    if unit.unit_id in ("cent", "jiao", "fen") and not any(
        base.startswith("money") for _, q in pool for base, _ in q.unit.dimension
    ):
        return replace(quantity, unit=_BARE)
    return quantity


def _like_the_first(reading: Reading, quantity: Quantity, pool: Pool) -> Quantity:
    """每公顷用量：小麦1.2升，玉米1.5升: what the first of a list is told per, its other values are told per too."""
    for first in reading.analysis.quantities:
        if first.start >= quantity.start:
            break
        if first.amount is None or first.interval or first.amount.unit.dimension != quantity.unit.dimension:
            continue
        scale = first.unit.factor / (first.amount.unit.factor or 1.0)
        low, high = quantity.low * scale, quantity.high * scale
        rate = replace(quantity, low=low, high=high, step=quantity.step * scale, unit=first.unit, amount=quantity)
        if any(equal(rate, q) for _, q in pool if q.unit.dimension == rate.unit.dimension):
            return rate
    return quantity


def _amount_without_currency(quantity: Quantity, pool: Pool) -> Quantity | None:
    """€2.8 million, where the passage names the currency once and goes on with "from 3.2 million to 2.8 million"."""
    if not is_currency(quantity.unit.dimension) or quantity.low < _LARGE:
        return None
    money = [(u, q) for u, q in pool if q.unit.dimension == quantity.unit.dimension]
    if any(close(q.low, quantity.low) for _, q in money):
        return None
    for unit, q in pool:
        plain = q.unit.dimension == COUNT and not q.noun and _SCALED.search(q.surface) is not None
        if plain and close(q.low, quantity.low) and any(u.citation == unit.citation for u, _ in money):
            return replace(quantity, unit=_BARE)
    return None


_LARGE, _SCALED = 1_000.0, re.compile(r"thousand|million|billion|\dk\b|\dm\b|\dbn\b|[万亿]", re.I)


def _in_cents(quantity: Quantity, pool: Pool) -> Quantity | None:
    """Euros a gigabyte, where the evidence has cents a megabyte and names no currency: its cents are those of the
    statement's currency."""
    money = {base for base, _ in quantity.unit.dimension if base.startswith("money.")}
    theirs = [(q.amount or q).unit for _, q in pool]
    theirs = [u for u in theirs if any(base.startswith("money.") for base, _ in u.dimension)]
    if len(money) != 1 or not theirs or any(u.unit_id != "cent" for u in theirs):
        return None
    base = next(iter(money))
    other = next(b for b, _ in theirs[0].dimension if b.startswith("money."))

    def renamed(unit: UnitOfMeasure) -> UnitOfMeasure:
        dimension = tuple(sorted((other if b == base else b, n) for b, n in unit.dimension))
        return replace(unit, dimension=dimension, numerator=renamed(unit.numerator) if unit.numerator else None)

    amount = replace(quantity.amount, unit=renamed(quantity.amount.unit)) if quantity.amount is not None else None
    return replace(quantity, unit=renamed(quantity.unit), amount=amount)


def _heat(quantity: Quantity, pool: Pool) -> Quantity:
    """每小时升50度 beside 每小时50℃: degrees an hour, no energy; the amount is compared."""
    for _, q in pool:
        if q.amount is not None and q.amount.unit.unit_id == "celsius" and quantity.amount is not None:
            low, high = (value + q.amount.unit.offset for value in (quantity.figure, quantity.figure))
            return replace(quantity.amount, low=low, high=high, step=1.0, unit=q.amount.unit)
    return quantity


_SPEED = re.compile(r"\bspeed|\ban hour\b|时速|速度|车速")
_BARE = UnitOfMeasure("", COUNT, 1.0)
