"""Who grew faster: judged by the growth of each member from one year to the next, not by its size."""

from __future__ import annotations

import re
from dataclasses import dataclass

from services.validation.domain.case import Case, Finding, Reading
from services.validation.domain.comparison.sides import Value, values_of, wrong_direction
from services.validation.domain.reading.evidence import Unit
from services.validation.domain.reading.patterns import Pattern

_GREW = r"(?:grew|grows?|growing|grown|rose|risen|rises?|increas\w+|climbed|expand\w+|developed)"
_PACE = r"(?:fast(?:er|est)|quick(?:er|est)|strong(?:er|est)|slow(?:er|est)|more slowly|more quickly)"
_COMPARED = Pattern(
    rf"\b{_GREW}\s+(?:\w+\s+){{0,2}}?(?:the\s+)?(?P<after>{_PACE})\b|\b(?P<before>{_PACE})(?:\s+\w+)?\s+growth\b"
    r"|(?:增长|增速|增幅|涨幅|上升)得?(?P<most>[更最]?)(?P<zh>[快慢高低大小])"
)
_SLOW = ("slow", "more slowly", "慢", "低", "小")
_ABSOLUTE = re.compile(r"\babsolute\b|\bin numbers\b|绝对")


@dataclass(frozen=True, slots=True)
class _Member:
    """What the evidence gives for two years, by the names that a statement may call it by (in lower case)."""

    labels: tuple[str, ...]
    later: Value
    growth: float


def faster_growth(case: Case, reading: Reading) -> list[Finding] | None:
    """The finding that another one grew faster, an empty list if the statement is right about it, None if it compares
    no growth or the evidence does not give the values of two years for what it compares."""
    low = reading.analysis.low
    found = _COMPARED.search(low)
    if found is None or _ABSOLUTE.search(low) or re.search(r"\bnot\b|n't|并不", low):
        return None
    word = found["after"] or found["before"] or found["zh"]
    highest = word.endswith("est") or found["most"] == "最"
    members = _members(case)
    spots = sorted((low.find(label), i) for i, m in enumerate(members) for label in m.labels if label and label in low)
    before = [i for at, i in spots if at < found.start()]
    order = list(dict.fromkeys(i for _, i in spots))
    if not order or len(members) < _PAIR:
        return None
    subject = before[0] if before else order[0]
    others = [i for i in range(len(members)) if i != subject] if highest else [i for i in order if i != subject][:1]
    if not others:
        return None
    sign = -1 if word.startswith(_SLOW) else 1
    mine = members[subject]
    ahead = [members[i] for i in others if sign * (members[i].growth - mine.growth) > _EVEN]
    return [wrong_direction(reading, found.span(), mine.later, ahead[0].later)] if ahead else []


_PAIR, _EVEN = 2, 1e-9


def _members(case: Case) -> list[_Member]:
    """Rows and sentences of the passages with values of one kind for two years."""
    units: dict[int, tuple[Unit, list[Value]]] = {}
    for value in values_of(case, [p.citation for p in case.passages]):
        if value.quantity.surface and len({m.year for m in value.binding.moments if m.kind == "year"}) == 1:
            units.setdefault(id(value.unit), (value.unit, []))[1].append(value)
    members: list[_Member] = []
    for unit, values in units.values():
        by_year = {next(m.year for m in v.binding.moments if m.kind == "year"): v for v in values}
        if len(values) != _PAIR or len(by_year) != _PAIR:
            continue
        earlier, later = (by_year[year] for year in sorted(by_year))
        if earlier.quantity.unit.dimension != later.quantity.unit.dimension or earlier.quantity.low <= 0:
            continue
        labels = tuple(n.surface.lower() for n in unit.analysis.names if n.strict or n.kind == "proper")
        if unit.headers:
            start, end, _ = unit.headers[0]
            labels = (unit.analysis.low[start:end].strip(" |"),)
        members.append(_Member(labels, later, later.quantity.low / earlier.quantity.low - 1))
    return members
