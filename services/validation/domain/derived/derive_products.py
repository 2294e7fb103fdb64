"""Values that follow as products: rates, shares of amounts, prices times numbers, and sums of these."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import islice, pairwise, permutations

from services.validation.domain.analysis import Analysis
from services.validation.domain.config import Lexicon
from services.validation.domain.derived.derivation import (
    COSTS,
    EQUATES,
    HALVED,
    MAX_PAIRS,
    MOST_COUNTS,
    MOST_PARTS,
    MOST_PRICES,
    SAVES,
    SUMMED,
    Derivation,
    Operand,
    alike,
    counted,
    crossed,
    fits,
    is_quotient,
)
from services.validation.domain.reading.patterns import Pattern
from services.validation.domain.values.compare import close
from services.validation.domain.values.quantity import Quantity
from services.validation.domain.values.units import (
    CALENDAR,
    COUNTS,
    OCCASION,
    RATIO,
    SECONDS_A_DAY,
    TIME,
    TIMES,
    Dimension,
    combine,
)


def product(quantity: Quantity, pool: Sequence[Operand], lexicon: Lexicon, low: str) -> Derivation | None:
    """Rate times duration, price times number, share of an amount; also an amount over a number or a rate."""
    equates = EQUATES.search(low) is not None
    computed = equates or lexicon.total.search(low) or SUMMED.search(low)
    shared = equates or lexicon.average.search(low) or _SHARED_OUT.search(low)
    averaged = lexicon.average.search(low) is not None
    whole = lexicon.total.search(low) is not None
    said = equates or COSTS.search(low)
    by_one = _PER.search(low) is not None
    a_day = computed or _A_DAY.search(low) is not None
    most = _MOST.search(low) is not None
    spans = quantity.unit.dimension in (TIME, CALENDAR)
    earlier = _EARLIER.search(low) is not None
    for x, y in islice(permutations(pool, 2), MAX_PAIRS):
        a, b = x.quantity, y.quantity
        if x.column and y.column and crossed(x, y):
            continue
        if earlier and _before_change(quantity, a, b):
            return Derivation("value before a change", (a, b))
        rule = _of_rates(quantity, a, b)
        if rule is None and (x.told or not x.bare) and (y.told or y.asked or said or not spans):
            rule = _of_shares(quantity, a, b) or (_whole_of(quantity, a, b) if whole else None)
        if rule is None and not (x.bare or y.bare) and alike(a, quantity):
            number = b.unit.dimension in COUNTS and b.low > 1
            if b.unit.dimension == TIMES and (x.told or x.asked) and fits(quantity, a.low * b.low):
                rule = "multiple of an amount"
            elif (
                number
                and (
                    computed
                    or (x.told and y.told)
                    or (most and y.told)
                    or (a_day and b.unit.dimension == OCCASION and y.told is False)
                )
                and b.low <= _MOST_TIMES
                and fits(quantity, a.low * b.low)
            ):
                rule = "product"
            elif number and counted(b) and shared and (b.low <= _MOST_SHARES or averaged):
                rule = "quotient" if fits(quantity, a.low / b.low) else None
            elif b.figure > 1 and not number and by_one and fits(quantity, a.low / b.figure):
                # Per litre, the bin of 240 litres costs 1.10.
                rule = "quotient"
        if rule is None and a_day and b.interval and _times_in_period(quantity, a, b):
            rule = "amount times its occasions"
        if rule is None and equates and b.interval and _same_base(quantity, a, b):
            rule = "amount an interval"
        if rule is not None:
            return Derivation(rule, (a, b))
    for a in (o.quantity for o in pool if not o.bare):
        if quantity.amount and a.amount and across_calendar(quantity, a):
            return Derivation("rate of another period", (a,))
        if alike(a, quantity):
            if _halved(quantity, low) and fits(quantity, a.low / 2):
                return Derivation("half", (a,))
            if _DOUBLED.search(low) and fits(quantity, a.low * 2):
                return Derivation("double", (a,))
    return None


# "At most three tablets a day": one each time, three times.
_A_DAY = Pattern(r"一[天日]|每[天日]|全天|24小时[内里]|\ba day\b|\bdaily\b|\bper day\b|\bin 24 hours\b")
# 6个班最多150人: so many of each.
_MOST = re.compile(r"最多|至多|最少|至少|\bat (?:most|least)\b|\bup to\b")


def _halved(quantity: Quantity, low: str) -> bool:
    """Something is halved, not that the value itself is called half a year."""
    return any(not quantity.start <= m.start() < quantity.end for m in HALVED.finditer(low))


_MOST_TIMES, _MOST_SHARES = 10_000, 100


_SHARED_OUT = re.compile(r"\beach\b|\bper\b|\bapiece\b|\bsplit\b|\bdivid\w+|\binstal\w+|每|各|均|分(?!别)|按")


_PER = re.compile(r"\bper\b|每")


_DOUBLED = re.compile(
    r"\bdoubl\w+|\btwice\b|\bboth (?:ways|sides|directions)\b|\breturn\b|\bround trip\b|双倍|加倍|翻倍|两倍"
    r"|往返|来回|两侧|双"
)


_EARLIER = Pattern(
    r"\bprevious\w*|\bbefore\b|\bearlier\b|\blast year\b|\bfrom\b|\bagainst\b|\bup\b|上年|去年|前一年|此前|原"
    r"|同期|由|从"
)


def _before_change(quantity: Quantity, a: Quantity, b: Quantity) -> bool:
    """The value of the year before, from that of the year and its growth."""
    if not alike(a, quantity) or b.unit.dimension != RATIO or b.unit.kind == "point" or not 0 < b.low < 1:
        return False
    return fits(quantity, a.low / (1 + b.low)) or fits(quantity, a.low / (1 - b.low))


def _of_rates(quantity: Quantity, a: Quantity, b: Quantity) -> str | None:
    """A rate times what it counts by, an amount over a rate, an amount over what a rate counts by."""
    if a.unit.offset or b.unit.offset:
        return None
    wanted = quantity.unit.dimension
    power = b.unit.dimension == TIME and a.unit.dimension not in (*COUNTS, RATIO)
    if (
        (is_quotient(a) or power)
        and combine(a.unit.dimension, b.unit.dimension, 1) == wanted
        and b.unit.dimension not in COUNTS
    ):
        return "product" if fits(quantity, a.low * b.low) else None
    per_piece = (
        is_quotient(a) and b.unit.dimension in COUNTS and wanted not in COUNTS and ("count", -1) in a.unit.dimension
    )
    if per_piece and _without_count(a.unit.dimension) == _without_count(wanted):
        return "product" if b.low > 1 and fits(quantity, a.low * b.low) else None
    if (
        (
            b.low
            and wanted not in COUNTS
            and wanted != RATIO
            and combine(a.unit.dimension, b.unit.dimension, -1) == wanted
        )
        and (is_quotient(b) or is_quotient(quantity))
        and fits(quantity, a.low / b.low)
    ):
        return "quotient"
    return None


def across_calendar(quantity: Quantity, rate: Quantity) -> bool:
    """A rate per day, week or hour from one per month or year, or the reverse: 146 kWh a year are 0.4 kWh a day."""
    mine, theirs = dict(quantity.unit.dimension), dict(rate.unit.dimension)
    if mine.get("calendar", 0) == theirs.get("calendar", 0) or quantity.amount is None or rate.amount is None:
        return False
    if quantity.amount.unit.dimension != rate.amount.unit.dimension or not (rate.low and rate.amount.low):
        return False
    yearly = rate.unit.unit_id.endswith("/year") or quantity.unit.unit_id.endswith("/year")
    lengths = _DAYS_A_YEAR if yearly else _DAYS_A_MONTH
    for days in lengths:
        month = days * SECONDS_A_DAY / (12 if yearly else 1)
        if fits(quantity, rate.low / month if "calendar" in theirs else rate.low * month):
            return True
    return False


# As they are counted: calendar years, and the commercial ones of 360 days.
_DAYS_A_YEAR, _DAYS_A_MONTH = (365, 366, 360), (30, 31)


def _times_in_period(quantity: Quantity, a: Quantity, often: Quantity) -> bool:
    """45 minutes twice a day: an hour and a half in all."""
    times = often.unit.factor / often.low if often.low else 0.0
    return alike(a, quantity) and times > 1 and close(times, round(times)) and fits(quantity, a.low * times)


def _without_count(dimension: Dimension) -> Dimension:
    return tuple(part for part in dimension if part[0] != "count")


def _same_base(quantity: Quantity, a: Quantity, b: Quantity) -> bool:
    """An amount that is due every so often, told for one occasion or for a period."""
    if not b.low:
        return False
    base = combine(a.unit.dimension, b.unit.dimension, -1)
    return base == quantity.unit.dimension and fits(quantity, a.low / b.low)


def _of_shares(quantity: Quantity, a: Quantity, b: Quantity) -> str | None:
    """A share of an amount, what is left of it, or what it comes to with the share added."""
    if _share_rate(b) and _times_share(a, b) == quantity.unit.dimension and fits(quantity, a.low * b.low):
        return "share of an amount"
    part = b.unit.dimension == RATIO and b.unit.kind != "point"
    if alike(a, quantity) and (part or b.unit.unit_id == "discount"):
        values = (a.low * b.low, a.low * (1 - b.low), a.low * (1 + b.low)) if part else (a.low * b.low,)
        if any(fits(quantity, value) for value in values):
            return "share of an amount"
    return None


def _whole_of(quantity: Quantity, a: Quantity, b: Quantity) -> str | None:
    """412 who are 16 percent of all: what the share is taken of."""
    part = b.unit.dimension == RATIO and b.unit.kind in ("percent", "share") and 0 < b.low < 1
    return "whole of a share" if part and alike(a, quantity) and fits(quantity, a.low / b.low) else None


def parts(quantity: Quantity, pool: Sequence[Operand], lexicon: Lexicon, text: Analysis) -> Derivation | None:
    """Sums and differences of two products: two adults at 890 and a child at 440; the first hour at 2, each further
    one at 2.50; ten single tickets against a card of ten; and a product of three factors. Where the statement itself
    says which number goes with which price, only these are multiplied."""
    low, paired = text.low, _pairs_told(text)
    summed = lexicon.total.search(low) or EQUATES.search(low) or COSTS.search(low)
    if not (summed or SAVES.search(low)):
        return None
    numbers = _numbers(pool)
    prices = [o.quantity for o in pool if alike(o.quantity, quantity) and o.quantity.low > 0][:MOST_PRICES]
    told = [o.quantity for o in pool if o.told and alike(o.quantity, quantity)]
    whole = [(n, by) for n, by in numbers if by and n == by[0].figure]
    saves = SAVES.search(low) is not None
    for a in prices if summed else ():
        for n, by in whole:
            if n > 1 and by and fits(quantity, n * a.low):
                return Derivation("product", (a, *by))
            for m, by_too in whole:
                if n > 1 and m > 1 and _apart(by, by_too) and fits(quantity, n * m * a.low):
                    return Derivation("product of three", (a, *by, *by_too))
    for a, b in permutations(prices, 2):
        for n, by in numbers:
            rest = quantity.low - n * a.low
            if n > 1 and rest > 0 and summed:
                for m, by_too in numbers:
                    if fits(quantity, n * a.low + m * b.low) and _as_paired(paired, (n, a), (m, b)):
                        return Derivation("sum of products", (a, b, *by, *by_too))
            named = b in told or a in told or not told
            if n > 1 and saves and named and fits(quantity, n * a.low - b.low):
                return Derivation("saving", (a, b, *by))
    return None


def _pairs_told(text: Analysis) -> list[tuple[float, float]]:
    """Numbers with the prices that the statement tells them at: "five at 50 and four at 90"."""
    return [
        (a.figure, b.low)
        for a, b in pairwise(text.quantities)
        if counted(a) and _AT.fullmatch(text.low[a.end : b.start])
    ]


_AT = re.compile(
    r"\s*(?:[a-z]+\s+)?(?:at|@|×|x|for)\s*(?:[$€£¥]|eur |usd )?|[天日晚人张个]?(?:按|每[天日晚人张个]|各)(?:收|付|交)?"
)


def _as_paired(told: Sequence[tuple[float, float]], *terms: tuple[float, Quantity]) -> bool:
    """Where two pairs or more are told, the terms are among them."""
    if len(told) < _PAIRS:
        return True
    return all(any(n == number and close(price.low, at) for number, at in told) for n, price in terms)


_PAIRS = 2


def _apart(a: tuple[Quantity, ...], b: tuple[Quantity, ...]) -> bool:
    """Numbers of different things: persons and nights, not adults and children, which add up."""
    return bool(a and b) and a[0].unit.dimension != b[0].unit.dimension


def _numbers(pool: Sequence[Operand]) -> list[tuple[float, tuple[Quantity, ...]]]:
    """The numbers of things, hours or kilometres that the statement or the question tells, and one less of the latter:
    what is left after the first."""
    found: list[tuple[float, tuple[Quantity, ...]]] = [(1.0, ())]
    for o in pool:
        q = o.quantity
        whole = 1 < q.figure <= MOST_PARTS and q.figure == int(q.figure) and not q.is_range
        if not (o.told or o.asked) or not whole or not (counted(q) or q.unit.dimension not in (*COUNTS, RATIO)):
            continue
        found.append((q.figure, (q,)))
        found.append((q.figure - 1, (q,)))
    return found[: 1 + 2 * MOST_COUNTS]


def _share_rate(quantity: Quantity) -> bool:
    """A percentage per time: 0.5% a week."""
    return dict(quantity.unit.dimension).get("ratio") == 1 and len(quantity.unit.dimension) > 1


def _times_share(a: Quantity, b: Quantity) -> Dimension:
    """The dimension of an amount times a share; the share itself has none."""
    return tuple(
        (base, exponent) for base, exponent in combine(a.unit.dimension, b.unit.dimension, 1) if base != "ratio"
    )
