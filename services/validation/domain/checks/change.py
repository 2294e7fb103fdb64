"""Rose and fell agree with the earlier and the later value."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from services.common.domain.verdict import Lock
from services.validation.domain.case import Case, Finding, Reading
from services.validation.domain.checks import register
from services.validation.domain.comparison.sides import Value, values_of, wrong_direction
from services.validation.domain.config import Lexicon
from services.validation.domain.reading.patterns import Pattern
from services.validation.domain.values.binding import moments_agree
from services.validation.domain.values.compare import close, comparable, equal
from services.validation.domain.values.quantity import Quantity
from services.validation.domain.values.units import COUNT
from services.validation.domain.wording.align import cover


@register(
    "change",
    Lock.CONSISTENCY,
    sees="rose, fell, 增长, 减少 against the values of two times, or of a text that says from x to y",
    blind="changes told without a verb of change",
)
def check(case: Case) -> Iterator[Finding]:
    """Yield COMPARISON_WRONG_DIRECTION."""
    for reading in case.reworded:
        yield from change(case, reading) or opposite_amount(case, reading) or later_as_earlier(case, reading)


def change(case: Case, reading: Reading) -> list[Finding]:
    """Rose, fell, 增长, 减少: the later value against the earlier one."""
    lexicon = case.config.lexicon
    up, down = lexicon.rise.search(reading.analysis.low), lexicon.fall.search(reading.analysis.low)
    if bool(up) == bool(down):
        return []
    word = up or down
    assert word is not None
    values = [v for v in values_of(case, reading.cited) if v.quantity.unit.kind != "point" and v.quantity.surface]
    steady = _steady(case, reading, values)
    if steady is not None:
        return [wrong_direction(reading, (word.start(), word.end()), steady, steady)]
    pairs = [
        (x, y)
        for x in values
        for y in values
        if comparable(x.quantity, y.quantity)
        and _earlier(x, y)
        and _same_measure(case, reading, x, y)
        and _fits_told(reading, x, y)
    ]
    if not pairs:
        return []
    wanted = 1 if up else -1
    x, y = max(pairs, key=lambda pair: cover(reading.analysis.terms, pair[1].bag).share + _mentioned(reading, pair))
    if close(x.quantity.low, y.quantity.low) or wanted * (y.quantity.low - x.quantity.low) > 0:
        return []
    return [wrong_direction(reading, (word.start(), word.end()), y, x)]


def opposite_amount(case: Case, reading: Reading) -> list[Finding]:
    """An amount by which the statement lets something rise and the evidence lets it fall, or the reverse."""
    for quantity in reading.analysis.quantities:
        told = _sign_of_amount(reading.analysis.low, quantity, case.config.lexicon)
        if not told:
            continue
        same = [
            Value(unit, q, case.bind(unit.analysis, q, unit), case.bags.unit(unit))
            for unit in case.units(reading.cited)
            for q in unit.analysis.quantities
            if comparable(quantity, q) and equal(quantity, q)
        ]
        signs = [_sign_of_amount(v.unit.analysis.low, v.quantity, case.config.lexicon) for v in same]
        if same and all(sign == -told for sign in signs):
            return [_turned(reading, quantity, told, same[0])]
    return []


def _turned(reading: Reading, quantity: Quantity, told: int, other: Value) -> Finding:
    words = ("a fall", "a rise") if told > 0 else ("a rise", "a fall")
    return replace(
        wrong_direction(reading, (quantity.start, quantity.end), other, other),
        message=f"{quantity.surface} is {words[0]} in the evidence, told as {words[1]}",
    )


def _sign_of_amount(low: str, quantity: Quantity, lexicon: Lexicon) -> int:
    """1 for an amount by which something rises, -1 for one by which it falls, 0 for anything else."""
    after = _THAN_BEFORE.match(low, quantity.end)
    if after is not None:
        return 1 if after["more"] else -1
    before = low[max(0, quantity.start - _NEAR) : quantity.start]
    lead = _BY.search(before)
    if lead is None:
        return 0
    before = before[: lead.start()]
    sign = _sign_of_verb(before, lexicon)
    if not sign and re.search(r"\bby\b", lead.group()):
        sign = _sign_of_verb(_OBJECT.sub("", before), lexicon)
    return sign


def _sign_of_verb(before: str, lexicon: Lexicon) -> int:
    return int(_ends_with(lexicon.rise, before)) - int(_ends_with(lexicon.fall, before))


def _ends_with(pattern: Pattern | re.Pattern[str], text: str) -> bool:
    return any(m.end() == len(text) for m in pattern.finditer(text))


# "20 GWh less than the year before": the amount of a change as well.
_THAN_BEFORE = re.compile(
    r"\s*(?:(?P<more>more|higher|up)|less|lower|fewer|down)\s+(?:than|on|from)\s+(?:in\s+)?"
    r"(?:the (?:year|month|quarter|week) before|(?:the )?(?:previous|prior|last|preceding) (?:year|month|quarter|week)"
    r"|a year earlier)"
)
_NEAR = 40
# What may stand between the verb and its amount; "to" makes it a level.
_BY = re.compile(
    r"(?:\s+(?:by|about|around|some|another|a further|nearly|almost|roughly|just|only|over|an estimated|eur|usd"
    r"|[$€£¥]))*\s*$"
    r"|(?:了|约|近|大约|将近|达|幅度为|幅度达)*$"
)


# "Raised its key rate by": what is raised stands between the verb and the amount.
_OBJECT = re.compile(r"\s+(?:its|their|his|her|our|the)(?:\s+(?!and\b|or\b|but\b|to\b)[\w-]+){1,3}$")


def later_as_earlier(case: Case, reading: Reading) -> list[Finding]:
    """ "Twice the previous 30" where the evidence says from 60 to 30: the later value told as the earlier one."""
    told = [q for q in reading.analysis.quantities if _PREVIOUS.search(reading.analysis.low[: q.start])]
    if not told:
        return []
    values = [v for v in values_of(case, reading.cited) if v.quantity.surface]
    for quantity in told:
        places = [v for v in values if _fits_place(quantity, v)]
        ends = [(x, y) for y in places for x in values if x.unit is y.unit and x is not y and _from_to(x, y)]
        if places and len(ends) == len(places):
            return [wrong_direction(reading, (quantity.start, quantity.end), ends[0][1], ends[0][0])]
    return []


def _fits_place(quantity: Quantity, value: Value) -> bool:
    bare = quantity.unit.dimension == COUNT and close(quantity.figure, value.quantity.figure)
    return bare or (comparable(quantity, value.quantity) and equal(quantity, value.quantity))


_PREVIOUS = Pattern(
    r"(?:\b(?:the|its|their) (?:previous|former|earlier|old|prior)|\b(?:up|down) from)\s+(?:about |only |just )*$"
    r"|(?:原来的?|原先的?|此前的?|之前的?|以前的?|过去的?)(?:约|仅)?$"
)
_STEADY = re.compile(r"\b(?:remain\w*|unchanged|stay\w* at|kept at|still|constant|flat)\b|维持|保持|仍为|不变|持平")


def _steady(case: Case, reading: Reading, values: Sequence[Value]) -> Value | None:
    """The value that the statement lets rise or fall to, and that its sentence calls unchanged."""
    told = [q for q in reading.analysis.quantities if not q.weak]
    for value in values:
        low = value.unit.analysis.low
        if len(told) == 1 and equal(told[0], value.quantity) and _STEADY.search(low):
            lexicon = case.config.lexicon
            return None if lexicon.rise.search(low) or lexicon.fall.search(low) else value
    return None


def _fits_told(reading: Reading, x: Value, y: Value) -> bool:
    """The statement gives no value, or one of the two, their difference or their ratio: it speaks of this pair."""
    told = [q for q in reading.analysis.quantities if not q.weak]
    a, b = x.quantity.low, y.quantity.low
    results = [a, b, abs(b - a), *((abs(b / a - 1), abs(1 - b / a), b / a) if a else ())]
    hits = [q for q in told if any(abs(q.low - r) <= max(1e-6 * abs(r), q.step / 2 + 1e-12) for r in results)]
    alike = [q for q in told if comparable(q, x.quantity)]
    if x.unit.analysis.han != reading.analysis.han and alike and not all(q in hits for q in alike):
        return False  # across languages only the values tell which pair is spoken of
    return not told or (bool(hits) and (len(alike) < _BOTH or all(q in hits for q in alike)))


# A statement that gives the earlier and the later value speaks of these two.
_BOTH = 2


def _mentioned(reading: Reading, pair: tuple[Value, Value]) -> float:
    score = 0.0
    for value in pair:
        score += moments_agree(
            [m for m in reading.analysis.moments if m.kind not in ("clock", "weekday")], value.binding.moments
        )
    return score


def _earlier(x: Value, y: Value) -> bool:
    """True if ``x`` is of an earlier time, or the text says "from x to y"."""
    for a in x.binding.moments:
        for b in y.binding.moments:
            if a.kind == b.kind and a.year == b.year and a.sub < b.sub:
                return True
            first, second = a.interval(), b.interval()
            if first and second and first[1] < second[0]:
                return True
    return _from_to(x, y)


def _from_to(x: Value, y: Value) -> bool:
    """True if the text says "from x to y"."""
    if x.unit is y.unit and x.quantity.end <= y.quantity.start:
        gap = x.unit.analysis.low[x.quantity.end : y.quantity.start]
        before = x.unit.analysis.low[max(0, x.quantity.start - 8) : x.quantity.start]
        return re.fullmatch(
            r"\s*(?:to|至|到|(?:提高|降低|降|增加|减少|调整|上调|下调|增|减|升|涨)(?:至|到|为))\s*", gap
        ) is not None and bool(re.search(r"(?:from|由|从|自)\s*$", before))
    return False


def _same_measure(case: Case, reading: Reading, x: Value, y: Value) -> bool:
    """The two values are of one measure, which the statement names."""
    if x.unit is y.unit:
        shared = cover(x.binding.own, y.binding.group_bag).share
        return shared >= 0.3 or not x.binding.own
    return cover(x.unit.analysis.terms, y.bag).share >= 0.6 and cover(reading.analysis.terms, y.bag).share >= 0.3
