"""Who acts in a Chinese 由-clause: 备案卡由市场监管局发放 is not told of the city administration."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from services.common.domain.verdict import IssueType, Lock, RemedyKind
from services.validation.domain.analysis import Analysis
from services.validation.domain.case import Case, Finding
from services.validation.domain.checks import register
from services.validation.domain.reading.evidence import Unit

# 备案卡由区市场监管局发放: what is done, by whom and what they do; 须, 应, 则 and 一般 before 由 belong to neither.
_BY = re.compile(
    r"(?P<thing>[^，。；：,;:由]{2,14}?)(?:一般|统一|应当?|须|需|则|均|都|必须|改)*由(?P<rest>[^，。；,;由]{3,24})"
)
_ITS_OWN, _ANOTHERS = 0.5, 0.75
_SHORTEST = 3


@dataclass(frozen=True, slots=True)
class Duty:
    """A thing and the words after 由: the agent and what it does."""

    thing: str
    rest: str
    start: int
    end: int


@register(
    "agents",
    Lock.TRACEABILITY,
    sees="Chinese 由-clauses whose agent the passage gives to another thing of its list (城管部门 for 市场监管局),"
    " abbreviated or in full",
    blind="agents told without 由, things told in other words",
)
def check(case: Case) -> Iterator[Finding]:
    """Yield ENTITY_MISMATCH."""
    for reading in case.reworded:
        if not reading.analysis.han or "由" not in reading.analysis.low:
            continue
        units = [u for u in case.units(reading.cited) if u.analysis.low.count("由") > 1]
        for unit in units:
            yield from _exchanged(reading.index, reading.analysis, unit)


def duties(analysis: Analysis) -> list[Duty]:
    """The 由-clauses of a text."""
    return [Duty(m["thing"].strip(), m["rest"].strip(), m.start(), m.end()) for m in _BY.finditer(analysis.low)]


def _exchanged(index: int, analysis: Analysis, unit: Unit) -> Iterator[Finding]:
    theirs = duties(unit.analysis)
    for duty in duties(analysis):
        own = [d for d in theirs if _same_thing(duty.thing, d.thing)]
        others = [d for d in theirs if d not in own]
        if len(own) != 1 or not others:
            continue
        kept = _kept(duty.rest, own[0].rest)
        other = max(others, key=lambda d: _kept(duty.rest, d.rest))
        if kept <= _ITS_OWN and _kept(duty.rest, other.rest) >= _ANOTHERS:
            yield Finding(
                IssueType.ENTITY_MISMATCH, index, "the passage gives this to another", RemedyKind.REGENERATE,
                span=(duty.start, duty.end), citation=unit.citation,
                evidence=(unit.start + own[0].start, unit.start + own[0].end), found=duty.rest, expected=own[0].rest,
            )  # fmt: skip
            return


def _same_thing(a: str, b: str) -> bool:
    return a in b or b in a


def _kept(agent: str, full: str) -> float:
    """The share of an agent's name, less its verb, that stands in another's in order: 城管部门 in 城市管理部门."""
    name = agent[: max(_SHORTEST, len(agent) - _VERB)]
    at = found = 0
    for character in name:
        place = full.find(character, at)
        if place >= 0:
            found, at = found + 1, place + 1
    return found / len(name)


_VERB = 2
