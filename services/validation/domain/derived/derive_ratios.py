"""Shares, percentages and rates of change that follow from two values of the evidence."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import combinations, islice, permutations

from services.validation.domain.config import Lexicon
from services.validation.domain.derived.derivation import (
    EQUATES,
    HALVED,
    MAX_PAIRS,
    Derivation,
    Operand,
    alike,
    crossed,
    fits,
    sum_of,
)
from services.validation.domain.values.quantity import Quantity
from services.validation.domain.values.units import RATIO, TIMES

_LEFT = re.compile(r"\bso\b|\brest\b|\bremain\w*|\bfinal\b|\bbalance\b|余|尾款|尾|剩")
# "Fell by a third", 降幅四分之一: the change over the value before it, no share of one value in another.
_CHANGED_BY = re.compile(
    r"\bby\s+(?:about |around |roughly |nearly |almost |some |just |only |over )*(?:an? )?$"
    r"|(?:[增减涨跌降升]幅|(?:增|减|涨|跌|降|升|提高|缩短|延长|扩大|缩小|下调|上调)[长少加低]?了)(?:约|近|达|为|是|大约|将近|超过|仅)*$"
)
# "Fell to two thirds of", 只有上年的三分之一: what is left over what was there, no change.
_LEVEL_BEFORE = re.compile(r"\bto\s+(?:about |around |roughly |nearly |almost |just |only |some )*$")
_LEVEL_AFTER = re.compile(r"\s*of\b")
_HAN_LEVEL = re.compile(
    r"(?:[降减跌升增涨]?[到至]|只有|仅有|仅为|只及|仅及|只剩|仅剩|相当于|等于|不到|不足)了?[^，。；,;\d]{1,12}的(?:约|近|大约|将近)?$"
)
_RELATIVE = re.compile(r"\brelative(?:ly)?\b|\bproportion(?:al|ally|ately)\b|相对|按比例")
_NAMED_RATE = re.compile(
    r"(?:率|占比|比重|margin|ratio|share|proportion|turnout)"
    r"(?:为|是|达|约|到|从|由|自|\s|of|was|is|about|at|to|from)*$"
)
_LITTLE = 0.05


def ratio(
    quantity: Quantity, pool: Sequence[Operand], same: Sequence[Quantity], low: str, lexicon: Lexicon
) -> Derivation | None:
    """A percentage, share or number of points as two values, or the shares of a whole, give it."""
    shares = [q for q in same if q.unit.kind in ("percent", "share")]
    if quantity.unit.kind == "point":
        for a, b in permutations(shares, 2):
            if fits(quantity, a.low - b.low):
                return Derivation("difference in points", (a, b))
        return None
    level, by = _tells_level(quantity, low), _CHANGED_BY.search(low[: quantity.start]) is not None
    for x, y in islice(permutations(pool, 2), MAX_PAIRS):
        a, b = x.quantity, y.quantity
        if not b.low or not alike(a, b) or a.unit.offset or b.unit.offset:
            continue
        if x.column and y.column and crossed(x, y):
            continue
        if level and (x.worked_out or y.worked_out):
            continue  # the difference of the two is no level
        found = None if level else _change_rate(quantity, x, y, low, lexicon)
        found = found or (None if by else _share(quantity, a, b, low, lexicon, level=level))
        if found:
            return found
    if lexicon.total.search(low) and shares:
        found = sum_of(quantity, shares)
        if found:
            return found
    factors = [
        o.quantity for o in pool if o.quantity.unit.dimension in (RATIO, TIMES) and o.quantity.unit.kind != "point"
    ]
    if EQUATES.search(low) or HALVED.search(low) or lexicon.share.search(low):
        for q in shares:
            raised = _changes_share(low)
            if any(
                f is not q and (fits(quantity, q.low * f.low) or (raised and fits(quantity, q.low * (1 + f.low))))
                for f in factors
                if f.low < 1 or f.unit.dimension == TIMES
            ):
                return Derivation("share of a share", (q,))
            if HALVED.search(low) and fits(quantity, q.low / 2):
                return Derivation("half", (q,))
    if len(shares) > 1 and (lexicon.complement.search(low) or _LEFT.search(low)):
        for size in (2, 3):
            for chosen in islice(combinations(shares, size), MAX_PAIRS):
                if fits(quantity, 1 - sum(q.low for q in chosen)):
                    return Derivation("remainder", chosen)
    for q in shares:
        if fits(quantity, 1 - q.low):
            return Derivation("remainder", (q,))
    return _by_points(quantity, shares, [q for q in same if q.unit.kind == "point"], low, lexicon)


def _changes_share(low: str) -> bool:
    return re.search(r"上浮|加收|提高|上调|increas|rais|higher|more|surcharge", low) is not None


def _by_points(
    quantity: Quantity, shares: Sequence[Quantity], points: Sequence[Quantity], low: str, lexicon: Lexicon
) -> Derivation | None:
    """A share before or after a change told in percentage points."""
    if not (lexicon.increase.search(low) or lexicon.decrease.search(low) or lexicon.difference.search(low)):
        return None
    for share in shares:
        for change in points:
            if fits(quantity, share.low + change.low) or fits(quantity, share.low - change.low):
                return Derivation("change in points", (share, change))
    return None


def _change_rate(quantity: Quantity, x: Operand, y: Operand, low: str, lexicon: Lexicon) -> Derivation | None:
    """Growth or decrease from ``y`` to ``x``: ``y`` is the earlier where the times are known."""
    ratio = x.quantity.low / y.quantity.low
    # Numbers first: most pairs give another one, and words are slower to look for.
    grown, shrunk = _rounded_ratio(quantity, ratio - 1), _rounded_ratio(quantity, 1 - ratio)
    if not grown and not shrunk:
        return None
    up, down = lexicon.increase.search(low) is not None, lexicon.decrease.search(low) is not None
    if not (up or down or lexicon.difference.search(low)):
        return None
    if (up or down) and x.day and y.day and x.day < y.day:
        return None
    relative = x.told or y.told or quantity.unit.kind == "share" or _RELATIVE.search(low)
    if x.quantity.unit.dimension == RATIO and not relative:
        # Percentages change by points; by percent only where one of the two is told beside it, but "a quarter lower"
        # is relative in itself.
        return None
    if (up or not down) and grown:
        return Derivation("growth", (x.quantity, y.quantity))
    if (down or not up) and shrunk:
        return Derivation("decrease", (x.quantity, y.quantity))
    return None


def _tells_level(quantity: Quantity, low: str) -> bool:
    """The statement says what a value has come down or up to, as a share of what it was."""
    before = low[: quantity.start]
    if _HAN_LEVEL.search(before):
        return True
    return bool(_LEVEL_BEFORE.search(before)) and _LEVEL_AFTER.match(low, quantity.end) is not None


def _share(
    quantity: Quantity, a: Quantity, b: Quantity, low: str, lexicon: Lexicon, *, level: bool
) -> Derivation | None:
    share = a.low <= b.low and _rounded_ratio(quantity, a.low / b.low)
    rest = a.low < b.low and _rounded_ratio(quantity, 1 - a.low / b.low)
    ratio = a.low > b.low and _rounded_ratio(quantity, a.low / b.low)
    if not (share or rest or ratio):
        return None
    change = lexicon.increase.search(low) or lexicon.decrease.search(low) or lexicon.difference.search(low)
    if share and (not change or level or _tells_share(quantity, low, lexicon)):
        return Derivation("share", (a, b))
    if rest and lexicon.complement.search(low):
        return Derivation("remaining share", (a, b))
    if ratio and lexicon.compare.search(low):
        return Derivation("ratio", (a, b))
    return None


def _tells_share(quantity: Quantity, low: str, lexicon: Lexicon) -> bool:
    """A word of sharing beside the sign or word of the percentage itself, or a named rate right before the value."""
    if _NAMED_RATE.search(low[: quantity.start]):
        return True
    return any(
        m.group() not in ("%", "percent", "百分", "rate", "率") and not quantity.start <= m.start() < quantity.end
        for m in lexicon.share.finditer(low)
    )


def _rounded_ratio(quantity: Quantity, value: float) -> bool:
    """A ratio is right exactly, or rounded where the text marks it; 七成多 is any above it and below the next."""
    if value > 0 and quantity.unit.kind == "share" and quantity.bound in ("gt", "lt") and quantity.step > _EXACT:
        ahead = value - quantity.low if quantity.bound == "gt" else quantity.low - value
        return 0 < ahead < quantity.step
    return value > 0 and (fits(quantity, value) or _just_beside(quantity, value))


def _just_beside(quantity: Quantity, value: float) -> bool:
    """ "Just under two thirds", "over half": a bound in the words of a fraction, a little way off."""
    if quantity.unit.kind != "share" or not quantity.bound:
        return False
    gap = (value - quantity.low) * (1 if quantity.bound in ("gt", "ge") else -1)
    return 0 < gap <= _LITTLE * quantity.low


_EXACT = 1e-6
