"""Values that the evidence does not state but that follow from it: sums, differences, shares, growth, averages."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from itertools import combinations, islice, permutations

from services.validation.domain.analysis import Analysis
from services.validation.domain.config import Lexicon
from services.validation.domain.derived.derivation import (
    MAX_PAIRS,
    MOST_PRICES,
    SAVES,
    SUMMED,
    Derivation,
    Operand,
    alike,
    both_counts,
    crossed,
    fits,
    sum_of,
)
from services.validation.domain.derived.derive_products import parts, product
from services.validation.domain.derived.derive_ratios import ratio
from services.validation.domain.reading.patterns import Pattern
from services.validation.domain.values.compare import close
from services.validation.domain.values.quantity import Quantity
from services.validation.domain.values.units import CALENDAR, COUNT, COUNTS, RATIO, TIME, TIMES

_MAX_OPERANDS = 32


def derive(quantity: Quantity, operands: Sequence[Operand], text: Analysis, lexicon: Lexicon) -> Derivation | None:
    """A derivation of the quantity from the operands that the words of its clause announce, None if there is none.

    A range follows if both its ends follow.
    """
    if quantity.is_range:
        ends = [
            derive(replace(quantity, low=end, high=end), operands, text, lexicon)
            for end in (quantity.low, quantity.high)
        ]
        return ends[0] if all(ends) else None
    low = text.low
    pool = _distinct(operands)
    same = [o.quantity for o in pool if alike(o.quantity, quantity)]
    told = [o.quantity for o in pool if o.told and alike(o.quantity, quantity)]
    if quantity.unit.dimension == RATIO:
        return ratio(quantity, pool, same, low, lexicon)
    values = [o.quantity for o in pool]
    if quantity.unit.dimension == TIMES:
        return _times(quantity, values, low)
    return (
        _linear(quantity, pool, same, told, low, lexicon)
        or product(quantity, pool, lexicon, low)
        or parts(quantity, [o for o in pool if not o.bare], lexicon, text)
    )


def _linear(
    quantity: Quantity, pool: Sequence[Operand], same: Sequence[Quantity], told: Sequence[Quantity], low: str,
    lexicon: Lexicon,
) -> Derivation | None:  # fmt: skip
    """Differences, remainders, sums and averages of values of one dimension."""
    changed = lexicon.difference.search(low) or lexicon.increase.search(low) or lexicon.decrease.search(low)
    pairs = same if changed or lexicon.complement.search(low) or _SPREAD.search(low) or SAVES.search(low) else told
    cells = {id(o.quantity): o for o in pool if o.column is not None}
    for a, b in permutations(pairs, 2):
        if id(a) in cells and id(b) in cells and crossed(cells[id(a)], cells[id(b)]):
            continue
        if b.low and fits(quantity, a.low - b.low + (a.unit.offset if changed else 0.0)):
            return Derivation("difference", (a, b))
    if quantity.unit.dimension == COUNT and changed:
        # "164 kWh, 8 less than": the unit of the difference is that of its sides.
        measured = [o.quantity for o in pool if o.quantity.unit.dimension not in (*COUNTS, RATIO, TIME, CALENDAR)][
            :MOST_PRICES
        ]
        for a, b in permutations(measured, 2):
            same_unit = a.unit.dimension == b.unit.dimension and a.unit.factor
            if same_unit and fits(quantity, (a.low - b.low) / a.unit.factor):
                return Derivation("difference", (a, b))
    summed = lexicon.total.search(low) or lexicon.compare.search(low) or SUMMED.search(low)
    found = sum_of(quantity, same if summed else told)
    if found:
        return found
    if changed:
        # "Raised by 5 to 25": the value before a change that the evidence gives, or after it.
        for a, b in combinations(same, 2):
            if (a in told or b in told) and fits(quantity, a.low + b.low):
                return Derivation("sum", (a, b))
    if quantity.unit.dimension in (TIME, CALENDAR) and _LONGEST.search(low):
        for a, b in combinations(same, 2):
            if fits(quantity, a.low + b.low):
                return Derivation("sum", (a, b))
    if lexicon.average.search(low):
        columns: dict[tuple[int, int] | None, list[Quantity]] = {}
        for o in pool:
            if o.column is not None and alike(o.quantity, quantity):
                columns.setdefault(o.column, []).append(o.quantity)
        for group in (same, told, *columns.values()):
            if len(group) > 1 and fits(quantity, sum(q.low for q in group) / len(group)):
                return Derivation("average", tuple(group))
    return None


_SPREAD = Pattern(
    r"\bspread\b|\brange\b|\bapart\b|\bgap\b|\bthat leaves\b|\bleaves\b|\bleaving\b|\bbetween\b|\bshort of\b|\boff\b"
    r"|\bdiscount|\bearlier\b|\blater\b|\bvalid\b|\bnet\b|差|有效|净|余下|剩|早|晚|超出|跨度|优惠|省|降幅|涨幅|还差|还要再|再攒|再加"
)


_LONGEST = re.compile(r"\blatest\b|\blongest\b|\bat most\b|\bup to\b|\bwithin\b|\bmaximum\b|最长|最迟|最晚|最多|在内")


def _distinct(operands: Sequence[Operand]) -> list[Operand]:
    kept: list[Operand] = []
    for o in operands:
        if len(kept) == _MAX_OPERANDS:
            break
        if not any(close(k.quantity.low, o.quantity.low) and alike(k.quantity, o.quantity) for k in kept):
            kept.append(o)
    return kept


# "Grew by 1.5 times" and 增长了1.5倍 give the increase; "1.5 times as many" and 是…的1.5倍 the ratio.
_INCREASE_TIMES = re.compile(
    r"(?:增长|增加|提高|上升|扩大|多|高|高出|多出|增|贵|快|重|长|大)了?(?:约|近|大约|将近)?\s*[\d.一二两三四五六七八九十百]+\s*(?:多)?倍"
    r"|(?:increas\w+|grew|grown|rose|risen|up|higher|greater|expand\w+)\s+by\s+(?:about |nearly "
    r"|roughly )?[\d.\w]+\s*(?:times|-?fold)"
)


def _times(quantity: Quantity, pool: Sequence[Quantity], low: str) -> Derivation | None:
    increase = 1.0 if _INCREASE_TIMES.search(low) else 0.0
    for a, b in islice(permutations(pool, 2), MAX_PAIRS):
        if (
            b.low
            and (a.unit.dimension == b.unit.dimension or both_counts(a, b))
            and _multiple(quantity, a.low / b.low - increase)
        ):
            return Derivation("ratio", (a, b))
    return None


def _multiple(quantity: Quantity, value: float) -> bool:
    """The ratio, or for "more than twice" and 两倍多 the whole multiple below it, for "almost" the one above."""
    if fits(quantity, value):
        return True
    if quantity.bound in ("gt", "ge"):
        return 0 < value - quantity.low < 1
    return quantity.bound in ("lt", "le") and 0 < quantity.low - value < 1
