"""Values that the evidence does not state but that follow from it: sums, differences, shares, growth, averages."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from itertools import combinations, islice, permutations

from services.validation.domain.analysis import Analysis
from services.validation.domain.compare import close, tolerance
from services.validation.domain.config import Lexicon
from services.validation.domain.quantity import Quantity
from services.validation.domain.units import COUNT, RATIO, Dimension, combine

_COUNTS: tuple[Dimension, ...] = (COUNT, (("count", 1),))
_TIMES: Dimension = (("times", 1),)
_MAX_OPERANDS = 24
# "Three tablets, that is 60 mg": the same amount told in another way.
_EQUATES = re.compile(r"\bthat is\b|\bi\.e\.|\bthat makes\b|\bwhich (?:is|makes)\b|=|即|也就是|相当于|折合")
_MAX_PAIRS = 400


@dataclass(frozen=True, slots=True)
class Operand:
    """A cited value and the first day of the time it belongs to, where that is known."""

    quantity: Quantity
    day: date | None


@dataclass(frozen=True, slots=True)
class Derivation:
    """How a value follows: the rule and its operands in the order of the formula."""

    rule: str
    operands: tuple[Quantity, ...]


def derive(quantity: Quantity, operands: Sequence[Operand], text: Analysis, lexicon: Lexicon) -> Derivation | None:
    """A derivation of the quantity from the operands that the words of its clause announce, None if there is none."""
    low = text.low
    pool = _distinct(operands)[:_MAX_OPERANDS]
    same = [o.quantity for o in pool if _alike(o.quantity, quantity)]
    if quantity.unit.dimension == RATIO:
        return _ratio(quantity, pool, same, low, lexicon)
    values = [o.quantity for o in pool]
    if quantity.unit.dimension == _TIMES:
        return _times(quantity, values, low)
    if lexicon.difference.search(low) or lexicon.increase.search(low) or lexicon.decrease.search(low):
        for a, b in permutations(same, 2):
            if _fits(quantity, a.low - b.low + a.unit.offset):
                return Derivation("difference", (a, b))
    if lexicon.complement.search(low):
        for a, b in permutations(same, 2):
            if _fits(quantity, a.low - b.low):
                return Derivation("remainder", (a, b))
    if lexicon.total.search(low):
        found = _sum(quantity, same)
        if found:
            return found
    if lexicon.average.search(low) and len(same) > 1 and _fits(quantity, sum(q.low for q in same) / len(same)):
        return Derivation("average", tuple(same))
    return _product(quantity, values, lexicon, low)


def _alike(a: Quantity, b: Quantity) -> bool:
    return a.unit.dimension == b.unit.dimension or _both_counts(a, b)


def _both_counts(a: Quantity, b: Quantity) -> bool:
    return a.unit.dimension in _COUNTS and b.unit.dimension in _COUNTS


def _distinct(operands: Sequence[Operand]) -> list[Operand]:
    kept: list[Operand] = []
    for o in operands:
        if not any(close(k.quantity.low, o.quantity.low) and _alike(k.quantity, o.quantity) for k in kept):
            kept.append(o)
    return kept


def _fits(quantity: Quantity, value: float) -> bool:
    if close(quantity.low, value):
        return True
    return quantity.approx and abs(quantity.low - value) <= tolerance(quantity) * (1 + 1e-9)


def _sum(quantity: Quantity, same: Sequence[Quantity]) -> Derivation | None:
    for size in range(len(same), 1, -1):
        for chosen in islice(combinations(same, size), _MAX_PAIRS):
            if _fits(quantity, sum(q.low for q in chosen)):
                return Derivation("sum", chosen)
    return None


def _ratio(
    quantity: Quantity, pool: Sequence[Operand], same: Sequence[Quantity], low: str, lexicon: Lexicon
) -> Derivation | None:
    shares = [q for q in same if q.unit.kind in ("percent", "share")]
    if quantity.unit.kind == "point":
        for a, b in permutations(shares, 2):
            if _fits(quantity, a.low - b.low):
                return Derivation("difference in points", (a, b))
        return None
    for x, y in islice(permutations(pool, 2), _MAX_PAIRS):
        a, b = x.quantity, y.quantity
        if not b.low or not _alike(a, b) or a.unit.offset or b.unit.offset:
            continue
        found = _change_rate(quantity, x, y, low, lexicon) or _share(quantity, a, b, low, lexicon)
        if found:
            return found
    if lexicon.total.search(low) and shares:
        found = _sum(quantity, shares)
        if found:
            return found
    for q in shares:
        if _fits(quantity, 1 - q.low):
            return Derivation("remainder", (q,))
    return _by_points(quantity, shares, [q for q in same if q.unit.kind == "point"], low, lexicon)


def _by_points(
    quantity: Quantity, shares: Sequence[Quantity], points: Sequence[Quantity], low: str, lexicon: Lexicon
) -> Derivation | None:
    """A share before or after a change told in percentage points."""
    if not (lexicon.increase.search(low) or lexicon.decrease.search(low) or lexicon.difference.search(low)):
        return None
    for share in shares:
        for change in points:
            if _fits(quantity, share.low + change.low) or _fits(quantity, share.low - change.low):
                return Derivation("change in points", (share, change))
    return None


def _change_rate(quantity: Quantity, x: Operand, y: Operand, low: str, lexicon: Lexicon) -> Derivation | None:
    """Growth or decrease from ``y`` to ``x``: ``y`` is the earlier where the times are known."""
    up, down = lexicon.increase.search(low) is not None, lexicon.decrease.search(low) is not None
    if not (up or down or lexicon.difference.search(low)):
        return None
    if (up or down) and x.day and y.day and x.day < y.day:
        return None
    ratio = x.quantity.low / y.quantity.low
    if (up or not down) and _rounded_ratio(quantity, ratio - 1):
        return Derivation("growth", (x.quantity, y.quantity))
    if (down or not up) and _rounded_ratio(quantity, 1 - ratio):
        return Derivation("decrease", (x.quantity, y.quantity))
    return None


def _share(quantity: Quantity, a: Quantity, b: Quantity, low: str, lexicon: Lexicon) -> Derivation | None:
    change = lexicon.increase.search(low) or lexicon.decrease.search(low) or lexicon.difference.search(low)
    if a.low <= b.low and (not change or lexicon.share.search(low)) and _rounded_ratio(quantity, a.low / b.low):
        return Derivation("share", (a, b))
    if a.low < b.low and lexicon.complement.search(low) and _rounded_ratio(quantity, 1 - a.low / b.low):
        return Derivation("remaining share", (a, b))
    if a.low > b.low and lexicon.compare.search(low) and _rounded_ratio(quantity, a.low / b.low):
        return Derivation("ratio", (a, b))
    return None


def _rounded_ratio(quantity: Quantity, value: float) -> bool:
    """A ratio is right exactly, or rounded where the text marks it."""
    return value > 0 and _fits(quantity, value)


# "Grew by 1.5 times" and 增长了1.5倍 give the increase; "1.5 times as many" and 是…的1.5倍 the ratio.
_INCREASE_TIMES = re.compile(
    r"(?:增长|增加|提高|上升|扩大|多|高|高出|多出|增)了?(?:约|近|大约|将近)?\s*[\d.一二两三四五六七八九十百]+\s*(?:多)?倍"
    r"|(?:increas\w+|grew|grown|rose|risen|up|higher|greater|expand\w+)\s+by\s+(?:about |nearly "
    r"|roughly )?[\d.\w]+\s*(?:times|-?fold)"
)


def _times(quantity: Quantity, pool: Sequence[Quantity], low: str) -> Derivation | None:
    increase = 1.0 if _INCREASE_TIMES.search(low) else 0.0
    for a, b in islice(permutations(pool, 2), _MAX_PAIRS):
        if (
            b.low
            and (a.unit.dimension == b.unit.dimension or _both_counts(a, b))
            and _fits(quantity, a.low / b.low - increase)
        ):
            return Derivation("ratio", (a, b))
    return None


def _product(quantity: Quantity, pool: Sequence[Quantity], lexicon: Lexicon, low: str) -> Derivation | None:
    """Rate times duration, price times number, share of an amount; also an amount over a number."""
    for a, b in islice(permutations(pool, 2), _MAX_PAIRS):
        if _share_rate(b) and _times_share(a, b) == quantity.unit.dimension and _fits(quantity, a.low * b.low):
            return Derivation("share of an amount", (a, b))
        if (
            (
                combine(a.unit.dimension, b.unit.dimension, 1) == quantity.unit.dimension
                and a.unit.dimension not in _COUNTS
            )
            and _rate(a)
            and _fits(quantity, a.low * b.low)
        ):
            return Derivation("product", (a, b))
        if a.unit.dimension == quantity.unit.dimension and b.unit.dimension in _COUNTS and b.low > 1:
            if _fits(quantity, a.low * b.low) and (lexicon.total.search(low) or _EQUATES.search(low)):
                return Derivation("product", (a, b))
            if _fits(quantity, a.low / b.low) and lexicon.average.search(low):
                return Derivation("quotient", (a, b))
        if a.unit.dimension == quantity.unit.dimension and b.unit.dimension == RATIO and b.unit.kind != "point":
            for value in (a.low * b.low, a.low * (1 - b.low), a.low * (1 + b.low)):
                if _fits(quantity, value):
                    return Derivation("share of an amount", (a, b))
    return None


def _share_rate(quantity: Quantity) -> bool:
    """A percentage per time: 0.5% a week."""
    return dict(quantity.unit.dimension).get("ratio") == 1 and len(quantity.unit.dimension) > 1


def _times_share(a: Quantity, b: Quantity) -> Dimension:
    """The dimension of an amount times a share; the share itself has none."""
    return tuple(
        (base, exponent) for base, exponent in combine(a.unit.dimension, b.unit.dimension, 1) if base != "ratio"
    )


def _rate(quantity: Quantity) -> bool:
    return any(exponent < 0 for _, exponent in quantity.unit.dimension)
