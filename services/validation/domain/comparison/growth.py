"""Superlatives of change: what is said to have grown fastest, by the growth that a table of two times implies."""

from __future__ import annotations

import re
from dataclasses import dataclass

from services.common.domain.verdict import IssueType, RemedyKind
from services.validation.domain.case import Case, Finding, Reading
from services.validation.domain.reading.evidence import Unit
from services.validation.domain.reading.tables import Row, label_spots, rows_of
from services.validation.domain.times.moments import Moment, same_time
from services.validation.domain.values.compare import close, comparable
from services.validation.domain.values.quantity import Quantity

_VERB_BEFORE = re.compile(
    r"(?:\b(?:gr[eo]wn?|growing|grows?|r[io]sen?|rises|increas\w+|expand\w+|climb\w*|gain\w*|advanc\w+|(?P<down>f[ae]ll(?:en|s)?|fell"
    r"|declin\w+|decreas\w+|dropp\w*|drops|shr[aiu]nk|los[te]s?))\b(?:\s+(?:by|the|its|relatively))*\s*"
    r"|(?:增长|增加|上升|扩大|涨|增速|增幅|涨幅|(?P<han>下降|减少|降幅|跌幅|缩减))[得的了]?)$"
)
_NOUN_AFTER = re.compile(
    r"\s*(?:\w+\s+){0,2}?(?:growth|increases?|rise|gain|growing|(?P<down>declines?|decreases?|drop|fall))\b"
)
_LEAST = re.compile(r"slow|least|small|low|weak|fewest|慢|少|小|低")
_RELATIVE = re.compile(r"relativ|per ?cent|%|\brate|pace|proportion|[速幅率]|相对|百分|比例")
_ABSOLUTE = re.compile(r"absolute|in numbers?|\bnumber of\b|绝对|数量|人数")


@dataclass(frozen=True, slots=True)
class Growth:
    """The change of a row's value between two times: absolute, and over the earlier value."""

    row: Row
    earlier: Quantity
    later: Quantity

    @property
    def amount(self) -> float:
        """In base units."""
        return self.later.low - self.earlier.low

    @property
    def rate(self) -> float:
        """1 for doubled."""
        return self.amount / self.earlier.low


def of_growth(case: Case, reading: Reading, found: re.Match[str]) -> list[Finding] | None:
    """What is wrong with a superlative of growth; None if it is none, so that the values themselves are compared."""
    low = reading.analysis.low
    told = _VERB_BEFORE.search(low[: found.start()]) or _NOUN_AFTER.match(low, found.end())
    if told is None:
        return None
    sign = -1 if any(told.groupdict().values()) else 1
    if _LEAST.search(found.group()):
        sign = -sign
    rows = rows_of(case.units(reading.cited))
    spots = [s for s in sorted(label_spots(low, rows)) if s[1] <= found.start() and len(s[2]) == 1]
    members = [g for row in rows if (g := _growth(case, reading, row)) is not None]
    subject = next((g for g in members if spots and g.row is spots[-1][2][0]), None)
    if subject is None:
        return []
    said = f"{low} {case.question.analysis.low}"
    measures = [bool(_RELATIVE.search(said)), bool(_ABSOLUTE.search(said))]
    for other in members:
        beaten = [sign * (other.rate - subject.rate) > 0, sign * (other.amount - subject.amount) > 0]
        if close(other.rate, subject.rate) or not comparable(other.later, subject.later):
            continue
        # Neither "in relative terms" nor "in numbers" is said: it has to be beaten by both.
        wrong = beaten[0] if measures == [True, False] else beaten[1] if measures == [False, True] else all(beaten)
        if wrong:
            return [_finding(reading, found, subject, other)]
    return []


def _growth(case: Case, reading: Reading, row: Row) -> Growth | None:
    """The change between the two times that the statement or the question names, else between the first and last."""
    cells = [
        (interval[0], moment, q)
        for start, end, header in row.unit.headers
        for moment in header.moments[:1]
        if (interval := moment.interval()) is not None
        for q in _values(row.unit, start, end)
    ]
    asked = [*reading.analysis.moments, *case.question.analysis.moments]
    named = [c for c in cells if _named(c[1], asked)]
    chosen = sorted(named if len(named) > 1 else cells, key=lambda c: c[0])
    if len({c[0] for c in chosen}) < _TWO or len(chosen) != len({c[0] for c in chosen}):
        return None  # one time, or several measures a time
    earlier, later = chosen[0][2], chosen[-1][2]
    return Growth(row, earlier, later) if earlier.low > 0 and comparable(earlier, later) else None


_TWO = 2


def _values(unit: Unit, start: int, end: int) -> list[Quantity]:
    return [q for q in unit.analysis.quantities if start <= q.start < end and not q.is_range]


def _named(moment: Moment, asked: list[Moment]) -> bool:
    return any(same_time(moment, other) for other in asked)


def _finding(reading: Reading, found: re.Match[str], subject: Growth, other: Growth) -> Finding:
    told = [
        f"{g.row.labels[0] if g.row.labels else '?'} {g.earlier.surface} → {g.later.surface} ({g.rate:+.1%})"
        for g in (subject, other)
    ]
    return Finding(
        IssueType.COMPARISON_WRONG_DIRECTION, reading.index, f"{told[0]} is beaten by {told[1]}",
        RemedyKind.REGENERATE, span=(found.start(), found.end()), citation=other.row.unit.citation,
        evidence=(other.row.unit.start, other.row.unit.end), found=told[0], expected=told[1],
    )  # fmt: skip
