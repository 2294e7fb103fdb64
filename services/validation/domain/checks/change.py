"""Rose and fell agree with the earlier and the later value."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from services.common.domain.verdict import Lock
from services.validation.domain.align import cover
from services.validation.domain.binding import moments_agree
from services.validation.domain.case import Case, Finding, Reading
from services.validation.domain.checks import register
from services.validation.domain.compare import close, comparable, equal
from services.validation.domain.sides import Value, values_of, wrong_direction

_RISE = re.compile(
    r"\b(?:rose|rises?|risen|increas\w+|grew|grows?|grown|climb\w*|gained|went up|up (?:by|from|to)|raised"
    r"|doubled|tripled)\b"
    r"|增长|增加|上升|提高了?|上涨|上调|增至|升至|提升",
    re.I,
)
_FALL = re.compile(
    r"\b(?:fell|falls?|fallen|declin\w+|decreas\w+|dropp\w+|drops?|went down|down (?:by|from|to)|reduced|lowered"
    r"|shrank|shrunk|"
    r"halved|lost)\b|减少|下降|降低|下调|下跌|降至|减至|减半",
    re.I,
)


@register(
    "change",
    Lock.CONSISTENCY,
    sees="rose, fell, 增长, 减少 against the values of two times, or of a text that says from x to y",
    blind="changes told without a verb of change",
)
def check(case: Case) -> Iterator[Finding]:
    """Yield COMPARISON_WRONG_DIRECTION."""
    for reading in case.reworded:
        yield from change(case, reading)


def change(case: Case, reading: Reading) -> list[Finding]:
    """Rose, fell, 增长, 减少: the later value against the earlier one."""
    up, down = _RISE.search(reading.analysis.low), _FALL.search(reading.analysis.low)
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


_STEADY = re.compile(r"\b(?:remain\w*|unchanged|stay\w* at|kept at|still|constant|flat)\b|维持|保持|仍为|不变|持平")


def _steady(case: Case, reading: Reading, values: Sequence[Value]) -> Value | None:
    """The value that the statement lets rise or fall to, and that its sentence calls unchanged."""
    told = [q for q in reading.analysis.quantities if not q.weak]
    for value in values:
        low = value.unit.analysis.low
        if len(told) == 1 and equal(told[0], value.quantity) and _STEADY.search(low):
            return None if _RISE.search(low) or _FALL.search(low) else value
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
