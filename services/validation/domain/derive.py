"""Values that the evidence does not state but that follow from it: sums, differences, shares, growth, averages."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date
from itertools import combinations, islice, permutations

from services.validation.domain.analysis import Analysis
from services.validation.domain.compare import close, tolerance
from services.validation.domain.config import Lexicon
from services.validation.domain.quantity import Quantity
from services.validation.domain.units import CALENDAR, COUNT, RATIO, TIME, Dimension, combine, is_rate

_COUNTS: tuple[Dimension, ...] = (COUNT, (("count", 1),))
_TIMES: Dimension = (("times", 1),)
_MAX_OPERANDS = 32
# "Three tablets, that is 60 mg": the same amount told in another way.
_EQUATES = re.compile(
    r"\bthat is\b|\bi\.e\.|\bthat makes\b|\bthis makes\b|\bwhich (?:is|makes|means|comes|gives)\b|\bmeaning\b"
    r"|\bthus\b|\bhence\b"
    r"|\btherefore\b|\bwould\b|\bequivalent\b|\bequals?\b|\bcorrespond\w*|\bcom(?:es|ing) to\b|\bmak(?:es"
    r"|ing)\b|\bamount\w* to\b"
    r"|\bgiv(?:es|ing)\b|\bresult\w*|\bso\b|=|即|也就是|相当于|折合|等于|因此|所以|则|例如|比如|折算|换算"
)
_MAX_PAIRS = 1_000


@dataclass(frozen=True, slots=True)
class Operand:
    """A cited value and the first day of the time it belongs to, where that is known.

    ``told`` marks values that the statement itself names beside the one to derive; ``column`` is the table and the
    column of a cell; ``bare`` are rates without their denominator, which only multiply; ``asked`` are values of
    the question.
    """

    quantity: Quantity
    day: date | None
    told: bool = False
    column: tuple[int, int] | None = None
    bare: bool = False
    asked: bool = False


@dataclass(frozen=True, slots=True)
class Derivation:
    """How a value follows: the rule and its operands in the order of the formula."""

    rule: str
    operands: tuple[Quantity, ...]


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
    pool = _distinct(operands)[:_MAX_OPERANDS]
    same = [o.quantity for o in pool if _alike(o.quantity, quantity)]
    told = [o.quantity for o in pool if o.told and _alike(o.quantity, quantity)]
    if quantity.unit.dimension == RATIO:
        return _ratio(quantity, pool, same, low, lexicon)
    values = [o.quantity for o in pool]
    if quantity.unit.dimension == _TIMES:
        return _times(quantity, values, low)
    return (
        _linear(quantity, pool, same, told, low, lexicon)
        or _product(quantity, pool, lexicon, low)
        or _parts(quantity, [o for o in pool if not o.bare], lexicon, low)
    )


def _linear(
    quantity: Quantity, pool: Sequence[Operand], same: Sequence[Quantity], told: Sequence[Quantity], low: str,
    lexicon: Lexicon,
) -> Derivation | None:  # fmt: skip
    """Differences, remainders, sums and averages of values of one dimension."""
    changed = lexicon.difference.search(low) or lexicon.increase.search(low) or lexicon.decrease.search(low)
    pairs = same if changed or lexicon.complement.search(low) or _SPREAD.search(low) or _SAVES.search(low) else told
    for a, b in permutations(pairs, 2):
        if b.low and _fits(quantity, a.low - b.low + (a.unit.offset if changed else 0.0)):
            return Derivation("difference", (a, b))
    if quantity.unit.dimension == COUNT and changed:
        # "164 kWh, 8 less than": the unit of the difference is that of its sides.
        measured = [o.quantity for o in pool if o.quantity.unit.dimension not in (*_COUNTS, RATIO, TIME, CALENDAR)][
            :_MOST_PRICES
        ]
        for a, b in permutations(measured, 2):
            same_unit = a.unit.dimension == b.unit.dimension and a.unit.factor
            if same_unit and _fits(quantity, (a.low - b.low) / a.unit.factor):
                return Derivation("difference", (a, b))
    summed = lexicon.total.search(low) or lexicon.compare.search(low) or _SUMMED.search(low)
    found = _sum(quantity, same if summed else told)
    if found:
        return found
    if changed:
        # "Raised by 5 to 25": the value before a change that the evidence gives, or after it.
        for a, b in combinations(same, 2):
            if (a in told or b in told) and _fits(quantity, a.low + b.low):
                return Derivation("sum", (a, b))
    if quantity.unit.dimension in (TIME, CALENDAR) and _LONGEST.search(low):
        for a, b in combinations(same, 2):
            if _fits(quantity, a.low + b.low):
                return Derivation("sum", (a, b))
    if lexicon.average.search(low):
        columns: dict[tuple[int, int] | None, list[Quantity]] = {}
        for o in pool:
            if o.column is not None and _alike(o.quantity, quantity):
                columns.setdefault(o.column, []).append(o.quantity)
        for group in (same, told, *columns.values()):
            if len(group) > 1 and _fits(quantity, sum(q.low for q in group) / len(group)):
                return Derivation("average", tuple(group))
    return None


_SPREAD = re.compile(
    r"\bspread\b|\brange\b|\bapart\b|\bgap\b|\bthat leaves\b|\bleaves\b|\bleaving\b|\bbetween\b|\bshort of\b|\boff\b"
    r"|\bdiscount|\bearlier\b|\blater\b|\bvalid\b|\bnet\b|差|有效|净|余下|剩|早|晚|超出|跨度|优惠|省|降幅|涨幅"
)
_LONGEST = re.compile(r"\blatest\b|\blongest\b|\bat most\b|\bup to\b|\bwithin\b|\bmaximum\b|最长|最迟|最晚|最多|在内")
_SUMMED = re.compile(
    r"\badds?\b|\bextra\b|\bsurcharge|\bcharged\b|\blate\b|加收|另加|另付|\bwhole\b|\bcomplete\b"
    r"|\bfrom start to\b|\bend to end\b|整|全|\bwith\b.{0,40}\bincluded\b|\bincluding\b|\bincl\.|\bplus\b"
    r"|\bin addition\b|加上|连同|含|共|合|总"
)


def _alike(a: Quantity, b: Quantity) -> bool:
    if a.unit.dimension in _COUNTS:
        return _both_counts(a, b)
    return a.unit.dimension == b.unit.dimension


def _both_counts(a: Quantity, b: Quantity) -> bool:
    """Counts of things that are not told to be different: no sheets and volumes, no small number word and a figure."""
    if a.unit.dimension not in _COUNTS or b.unit.dimension not in _COUNTS:
        return False
    if a.unit.dimension == b.unit.dimension != COUNT and a.surface[-1:] != b.surface[-1:]:
        return a.surface[-1:] in _ANYTHING or b.surface[-1:] in _ANYTHING
    for one, other in ((a, b), (b, a)):
        small = not one.surface[:1].isdigit() and one.low <= _SMALL_WORD and one.unit.dimension == COUNT
        if small and other.surface[:1].isdigit() and (not one.noun or one.noun.rstrip("s") != other.noun.rstrip("s")):
            return False
    return True


_ANYTHING, _SMALL_WORD = "个人名位", 12


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
    factors = [
        o.quantity for o in pool if o.quantity.unit.dimension in (RATIO, _TIMES) and o.quantity.unit.kind != "point"
    ]
    if _EQUATES.search(low) or _HALVED.search(low) or lexicon.share.search(low):
        for q in shares:
            raised = _changes_share(low)
            if any(
                f is not q and (_fits(quantity, q.low * f.low) or (raised and _fits(quantity, q.low * (1 + f.low))))
                for f in factors
                if f.low < 1 or f.unit.dimension == _TIMES
            ):
                return Derivation("share of a share", (q,))
            if _HALVED.search(low) and _fits(quantity, q.low / 2):
                return Derivation("half", (q,))
    if len(shares) > 1 and (lexicon.complement.search(low) or _LEFT.search(low)):
        for size in (2, 3):
            for chosen in islice(combinations(shares, size), _MAX_PAIRS):
                if _fits(quantity, 1 - sum(q.low for q in chosen)):
                    return Derivation("remainder", chosen)
    for q in shares:
        if _fits(quantity, 1 - q.low):
            return Derivation("remainder", (q,))
    return _by_points(quantity, shares, [q for q in same if q.unit.kind == "point"], low, lexicon)


def _changes_share(low: str) -> bool:
    return re.search(r"上浮|加收|提高|上调|increas|rais|higher|more|surcharge", low) is not None


_LEFT = re.compile(r"\bso\b|\brest\b|\bremain\w*|\bfinal\b|\bbalance\b|余|尾款|尾|剩")


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
    if (
        a.low <= b.low
        and (not change or _tells_share(quantity, low, lexicon))
        and _rounded_ratio(quantity, a.low / b.low)
    ):
        return Derivation("share", (a, b))
    if a.low < b.low and lexicon.complement.search(low) and _rounded_ratio(quantity, 1 - a.low / b.low):
        return Derivation("remaining share", (a, b))
    if a.low > b.low and lexicon.compare.search(low) and _rounded_ratio(quantity, a.low / b.low):
        return Derivation("ratio", (a, b))
    return None


def _tells_share(quantity: Quantity, low: str, lexicon: Lexicon) -> bool:
    """A word of sharing beside the sign or word of the percentage itself, or a named rate right before the value."""
    if _NAMED_RATE.search(low[: quantity.start]):
        return True
    return any(m.group() not in ("%", "percent", "百分", "rate", "率") for m in lexicon.share.finditer(low))


_NAMED_RATE = re.compile(r"(?:率|占比|比重|margin|ratio|share|proportion)(?:为|是|达|约|到|\s|of|was|is|about|at|to)*$")


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
            and _multiple(quantity, a.low / b.low - increase)
        ):
            return Derivation("ratio", (a, b))
    return None


def _multiple(quantity: Quantity, value: float) -> bool:
    """The ratio, or for "more than twice" and 两倍多 the whole multiple below it, for "almost" the one above."""
    if _fits(quantity, value):
        return True
    if quantity.bound in ("gt", "ge"):
        return 0 < value - quantity.low < 1
    return quantity.bound in ("lt", "le") and 0 < quantity.low - value < 1


def _product(quantity: Quantity, pool: Sequence[Operand], lexicon: Lexicon, low: str) -> Derivation | None:
    """Rate times duration, price times number, share of an amount; also an amount over a number or a rate."""
    computed = lexicon.total.search(low) or _EQUATES.search(low) or _SUMMED.search(low)
    shared = lexicon.average.search(low) or _EQUATES.search(low)
    said = _EQUATES.search(low) or _COSTS.search(low)
    spans = quantity.unit.dimension in (TIME, CALENDAR)
    earlier = _EARLIER.search(low) is not None
    for x, y in islice(permutations(pool, 2), _MAX_PAIRS):
        a, b = x.quantity, y.quantity
        if earlier and _before_change(quantity, a, b):
            return Derivation("value before a change", (a, b))
        rule = _of_rates(quantity, a, b)
        if rule is None and not x.bare and (y.told or y.asked or said or not spans):
            rule = _of_shares(quantity, a, b)
        if rule is None and not (x.bare or y.bare) and _alike(a, quantity):
            number = b.unit.dimension in _COUNTS and b.low > 1
            if b.unit.dimension == _TIMES and (x.told or x.asked) and _fits(quantity, a.low * b.low):
                rule = "multiple of an amount"
            elif (
                number and (computed or (x.told and y.told)) and b.low <= _MOST_TIMES and _fits(quantity, a.low * b.low)
            ):
                rule = "product"
            elif number and _counted(b) and (shared or _SHARED_OUT.search(low)) and b.low <= _MOST_SHARES:
                rule = "quotient" if _fits(quantity, a.low / b.low) else None
            elif b.figure > 1 and not number and _PER.search(low) and _fits(quantity, a.low / b.figure):
                # Per litre, the bin of 240 litres costs 1.10.
                rule = "quotient"
        if rule is None and _EQUATES.search(low) and b.interval and _same_base(quantity, a, b):
            rule = "amount an interval"
        if rule is not None:
            return Derivation(rule, (a, b))
    for a in (o.quantity for o in pool if not o.bare):
        if _alike(a, quantity):
            if _HALVED.search(low) and _fits(quantity, a.low / 2):
                return Derivation("half", (a,))
            if _DOUBLED.search(low) and _fits(quantity, a.low * 2):
                return Derivation("double", (a,))
    return None


_MOST_TIMES, _MOST_SHARES = 10_000, 100
_SHARED_OUT = re.compile(r"\beach\b|\bper\b|\bapiece\b|\bsplit\b|\bdivid\w+|\binstal\w+|每|各|均|分(?!别)|按")
_PER = re.compile(r"\bper\b|每")
_HALVED = re.compile(r"\bhal(?:f|ves|ved|ve|ving)\b|半|减半")
_DOUBLED = re.compile(
    r"\bdoubl\w+|\btwice\b|\bboth (?:ways|sides|directions)\b|\breturn\b|\bround trip\b|双倍|加倍|翻倍|两倍"
    r"|往返|来回|两侧|双"
)


_EARLIER = re.compile(
    r"\bprevious\w*|\bbefore\b|\bearlier\b|\blast year\b|\bfrom\b|\bagainst\b|\bup\b|上年|去年|前一年|此前|原"
    r"|同期|由|从"
)


def _before_change(quantity: Quantity, a: Quantity, b: Quantity) -> bool:
    """The value of the year before, from that of the year and its growth."""
    if not _alike(a, quantity) or b.unit.dimension != RATIO or b.unit.kind == "point" or not 0 < b.low < 1:
        return False
    return _fits(quantity, a.low / (1 + b.low)) or _fits(quantity, a.low / (1 - b.low))


def _of_rates(quantity: Quantity, a: Quantity, b: Quantity) -> str | None:
    """A rate times what it counts by, an amount over a rate, an amount over what a rate counts by."""
    if a.unit.offset or b.unit.offset:
        return None
    wanted = quantity.unit.dimension
    if _rate(a) and combine(a.unit.dimension, b.unit.dimension, 1) == wanted and b.unit.dimension not in _COUNTS:
        if _fits(quantity, a.low * b.low):
            return "product"
    elif _rate(a) and b.unit.dimension in _COUNTS and _without_count(a.unit.dimension) == _without_count(wanted):
        if b.low > 1 and wanted not in _COUNTS and ("count", -1) in a.unit.dimension and _fits(quantity, a.low * b.low):
            return "product"
    if (
        (
            b.low
            and wanted not in _COUNTS
            and wanted != RATIO
            and combine(a.unit.dimension, b.unit.dimension, -1) == wanted
        )
        and (_rate(b) or _rate(quantity))
        and _fits(quantity, a.low / b.low)
    ):
        return "quotient"
    return None


def _without_count(dimension: Dimension) -> Dimension:
    return tuple(part for part in dimension if part[0] != "count")


def _same_base(quantity: Quantity, a: Quantity, b: Quantity) -> bool:
    """An amount that is due every so often, told for one occasion or for a period."""
    if not b.low:
        return False
    base = combine(a.unit.dimension, b.unit.dimension, -1)
    return base == quantity.unit.dimension and _fits(quantity, a.low / b.low)


def _of_shares(quantity: Quantity, a: Quantity, b: Quantity) -> str | None:
    """A share of an amount, what is left of it, or what it comes to with the share added."""
    if _share_rate(b) and _times_share(a, b) == quantity.unit.dimension and _fits(quantity, a.low * b.low):
        return "share of an amount"
    part = b.unit.dimension == RATIO and b.unit.kind != "point"
    if _alike(a, quantity) and (part or b.unit.unit_id == "discount"):
        values = (a.low * b.low, a.low * (1 - b.low), a.low * (1 + b.low)) if part else (a.low * b.low,)
        if any(_fits(quantity, value) for value in values):
            return "share of an amount"
    return None


def _parts(quantity: Quantity, pool: Sequence[Operand], lexicon: Lexicon, low: str) -> Derivation | None:
    """Sums and differences of two products: two adults at 890 and a child at 440; the first hour at 2, each further
    one at 2.50; ten single tickets against a card of ten; and a product of three factors."""
    if not (lexicon.total.search(low) or _EQUATES.search(low) or _COSTS.search(low)):
        return None
    numbers = _numbers(pool)
    prices = [o.quantity for o in pool if _alike(o.quantity, quantity) and o.quantity.low > 0][:_MOST_PRICES]
    whole = [(n, by) for n, by in numbers if by and n == by[0].figure]
    saves = _SAVES.search(low) is not None
    for a in prices:
        for n, by in whole:
            if n > 1 and by and _fits(quantity, n * a.low):
                return Derivation("product", (a, *by))
            for m, by_too in whole:
                if n > 1 and m > 1 and _apart(by, by_too) and _fits(quantity, n * m * a.low):
                    return Derivation("product of three", (a, *by, *by_too))
    for a, b in permutations(prices, 2):
        for n, by in numbers:
            rest = quantity.low - n * a.low
            if n > 1 and rest > 0:
                for m, by_too in numbers:
                    if _fits(quantity, n * a.low + m * b.low):
                        return Derivation("sum of products", (a, b, *by, *by_too))
            if n > 1 and saves and _fits(quantity, n * a.low - b.low):
                return Derivation("saving", (a, b, *by))
    return None


def _apart(a: tuple[Quantity, ...], b: tuple[Quantity, ...]) -> bool:
    """Numbers of different things: persons and nights, not adults and children, which add up."""
    return bool(a and b) and a[0].unit.dimension != b[0].unit.dimension


def _numbers(pool: Sequence[Operand]) -> list[tuple[float, tuple[Quantity, ...]]]:
    """The numbers of things, hours or kilometres that the statement or the question tells, and one less of the latter:
    what is left after the first."""
    found: list[tuple[float, tuple[Quantity, ...]]] = [(1.0, ())]
    for o in pool:
        q = o.quantity
        whole = 1 < q.figure <= _MOST_PARTS and q.figure == int(q.figure) and not q.is_range
        if not (o.told or o.asked) or not whole or not (_counted(q) or q.unit.dimension not in (*_COUNTS, RATIO)):
            continue
        found.append((q.figure, (q,)))
        found.append((q.figure - 1, (q,)))
    return found[: 1 + 2 * _MOST_COUNTS]


def _counted(quantity: Quantity) -> bool:
    """A number of things, not a bare figure that may be a price."""
    named = bool(quantity.noun) or quantity.unit.dimension == (("count", 1),) or not quantity.surface[:1].isdigit()
    return quantity.unit.dimension in _COUNTS and named


_SAVES = re.compile(r"\bsav\w+|\bcheaper\b|\bless\b|\binstead\b|省|优惠|便宜|少付")
_MOST_PARTS, _MOST_COUNTS, _MOST_PRICES = 20, 5, 10
_COSTS = re.compile(
    r"\bcosts?\b|\bpays?\b|\bpaid\b|\bprice\b|\bbill\b|\bcomes? to\b|\bsave|\bneeds?\b|花费|费用|需付|应付"
    r"|支付|收费|需要|要付"
)


def _share_rate(quantity: Quantity) -> bool:
    """A percentage per time: 0.5% a week."""
    return dict(quantity.unit.dimension).get("ratio") == 1 and len(quantity.unit.dimension) > 1


def _times_share(a: Quantity, b: Quantity) -> Dimension:
    """The dimension of an amount times a share; the share itself has none."""
    return tuple(
        (base, exponent) for base, exponent in combine(a.unit.dimension, b.unit.dimension, 1) if base != "ratio"
    )


def _rate(quantity: Quantity) -> bool:
    return is_rate(quantity.unit)
