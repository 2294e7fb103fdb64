"""Values that follow from all values of a kind: the share of a part in the sum of its parts, a running balance."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from services.validation.domain.case import Case, Reading
from services.validation.domain.config import Lexicon
from services.validation.domain.derived.derivation import fits
from services.validation.domain.derived.operands import Pool, column_of
from services.validation.domain.reading.evidence import Unit
from services.validation.domain.values.compare import comparable
from services.validation.domain.values.quantity import Quantity
from services.validation.domain.values.units import COUNT, RATIO, WORKDAY
from services.validation.domain.values.units import Unit as UnitOfMeasure
from services.validation.domain.wording.align import Bag, match

_LEAST_PARTS, _MOST_PARTS = 3, 40
_BARE = UnitOfMeasure("", COUNT, 1.0)


def as_score(quantity: Quantity) -> Quantity:
    """Points that are not said to be of a percentage are those of a game or a rating: a number of things."""
    if quantity.unit.unit_id != "point" or "percent" in quantity.surface.lower() or "百分" in quantity.surface:
        return quantity
    step = quantity.step / (quantity.unit.factor or 1.0)
    return replace(quantity, low=quantity.figure, high=quantity.figure, step=step, unit=_BARE, noun="points")


def as_workdays(quantity: Quantity, known: Sequence[Quantity]) -> Quantity:
    """Plain days in the unit of the evidence's working days, where it has some."""
    if quantity.unit.unit_id != "day" or quantity.is_range:
        return quantity
    unit = next((q.unit for q in known if q.unit.dimension == WORKDAY), None)
    return (
        quantity if unit is None else replace(quantity, low=quantity.figure, high=quantity.figure, step=1.0, unit=unit)
    )


def part_of_sum(case: Case, reading: Reading, quantity: Quantity, pool: Pool) -> bool:
    """A share of a whole that no passage states: the part that the statement names over the sum of all parts, which
    are the values of one sentence or of one column."""
    if quantity.unit.dimension != RATIO or quantity.unit.kind == "point" or quantity.is_range:
        return False
    start, _ = reading.analysis.clause_at(quantity.start)
    lexicon, before = case.config.lexicon, reading.analysis.low[start : quantity.start]
    changes = lexicon.increase.search(before) or lexicon.decrease.search(before)
    if changes and not lexicon.share.search(before):
        return False  # a rate of change is no share
    said = case.bags.said(reading.analysis)
    for group in _groups(pool):
        total = sum(q.low for _, q in group)
        hits = [(unit, q) for unit, q in group if total and q.low > 0 and fits(quantity, q.low / total)]
        if not hits:
            continue
        named = max(_named(case, unit, q, said) for unit, q in group)
        if any(_named(case, unit, q, said) >= named for unit, q in hits):
            return True
    return False


def _groups(pool: Pool) -> Iterator[list[tuple[Unit, Quantity]]]:
    """The values of one kind in one sentence, or in one column of a table."""
    groups: dict[object, list[tuple[Unit, Quantity]]] = {}
    for unit, q in pool:
        if q.interval or q.weak or q.is_range or q.unit.dimension == RATIO:
            continue
        place = column_of(unit, q) or (unit.citation, -1 - unit.index)
        groups.setdefault((place, q.unit.dimension), []).append((unit, q))
    return (g for g in groups.values() if _LEAST_PARTS <= len(g) <= _MOST_PARTS)


def _named(case: Case, unit: Unit, quantity: Quantity, said: Bag) -> float:
    """How much of what the value is told of stands in the statement."""
    own = case.bind(unit.analysis, quantity, unit).own
    return max((match(t, said) for t in own), default=0.0)


def running_balance(quantity: Quantity, pool: Pool, lexicon: Lexicon) -> bool:
    """What a stock, an account or a rating comes to after all that a passage says was gained and lost."""
    if quantity.is_range:
        return False
    passages: dict[int, list[tuple[Unit, Quantity]]] = {}
    for unit, q in pool:
        if not unit.headers and not q.interval and not q.weak and not q.is_range:
            passages.setdefault(unit.citation, []).append((unit, as_score(q)))
    return any(fits(quantity, value) for places in passages.values() for value in _balances(quantity, places, lexicon))


def _balances(quantity: Quantity, places: Sequence[tuple[Unit, Quantity]], lexicon: Lexicon) -> Iterator[float]:
    """Each value of the passage that is no change itself, with all changes up to the next such value."""
    balance: float | None = None
    end, inside = 0, -1
    for unit, q in places:
        if unit.index != inside:
            end, inside = 0, unit.index
        sign = _sign(unit.analysis.low[end : q.start], lexicon)
        end = q.end
        if not comparable(quantity, q):
            continue
        if sign and balance is not None:
            balance += sign * q.low
            continue
        if balance is not None:
            yield balance
        balance = q.low
    if balance is not None:
        yield balance


def _sign(words: str, lexicon: Lexicon) -> int:
    """1 behind a word of gain, -1 behind one of loss, the nearest deciding; 0 behind neither."""
    gain = max((m.end() for m in lexicon.gain.finditer(words)), default=-1)
    loss = max((m.end() for m in lexicon.loss.finditer(words)), default=-1)
    return 0 if gain == loss else 1 if gain > loss else -1
