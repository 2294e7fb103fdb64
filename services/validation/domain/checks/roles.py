"""Who does what: two actors exchanged between clauses, or subject and object turned round inside one."""

from __future__ import annotations

import re
from collections.abc import Iterator

from services.common.domain.verdict import IssueType, Lock, RemedyKind
from services.validation.domain import polarity
from services.validation.domain.align import match
from services.validation.domain.analysis import Term
from services.validation.domain.case import Case, Finding, Reading
from services.validation.domain.checks import register
from services.validation.domain.polarity import Clause, Pair

_PASSIVE = re.compile(
    r"\b(?:is|are|was|were|be|been|being)\s+(?:\w+ly\s+|also\s+|not\s+)?\w+(?:ed|en|wn|ught|ade|old|ent|id|ut)\b|\bby\b|[由被受]"
)
_FULL = 0.8


@register(
    "roles",
    Lock.TRACEABILITY,
    sees="actors, values or objects exchanged between two clauses of the evidence; subject and object exchanged in one clause",
    blind="exchanges across several sentences with pronouns",
)
def check(case: Case) -> Iterator[Finding]:
    """Yield ENTITY_MISMATCH."""
    for reading in case.readings:
        if not reading.is_claim or not reading.cited:
            continue
        pairs = polarity.pair_clauses(case, reading.analysis, reading.cited)
        for pair in pairs:
            if _exchanged(case, reading, pair) or _turned(pair):
                yield _finding(reading, pair)
                break


def _exchanged(case: Case, reading: Reading, pair: Pair) -> bool:
    """The clause takes a word of a sibling clause where its own clause of the evidence has another.

    The other word, where the answer uses it at all, stands in another clause of the answer.
    """
    foreign = [t for t in pair.forward.missing if _solid(t)]
    displaced = [t for t in pair.backward.missing if _solid(t)]
    if not foreign or not displaced or pair.forward.share < 0.4:
        return False
    siblings = [
        clause for unit in case.units([pair.unit.citation]) for clause in polarity.clauses_of(unit.analysis)
        if clause.analysis is not pair.evidence.analysis or clause.start != pair.evidence.start
    ]  # fmt: skip
    taken = [t for t in foreign if any(match(t, c.bag) >= _FULL for c in siblings)]
    if not taken:
        return False
    rest = [c for c in polarity.clauses_of(reading.analysis) if c.start != pair.answer.start]
    moved = [t for t in displaced if any(match(t, c.bag) >= _FULL for c in rest)]
    return bool(moved) and len(taken) >= 1


def _solid(term: Term) -> bool:
    return len(term.word.surface) >= (2 if term.word.han else 3)


def _turned(pair: Pair) -> bool:
    """ "The processor notifies the controller" for "the controller notifies the processor"."""
    if pair.forward.share < 0.85 or pair.backward.share < 0.6:
        return False
    first, second = _actors(pair.answer), _actors(pair.evidence)
    if len(first) < 2 or len(second) < 2:
        return False
    common = [k for k in first if k in second]
    if len(common) != 2 or _passive(pair.answer) != _passive(pair.evidence):
        return False
    return (first[common[0]] < first[common[1]]) != (second[common[0]] < second[common[1]])


def _actors(clause: Clause) -> dict[str, int]:
    """Words that name parties (they end like agents, or carry 人, 方, 机构 ...), by first place."""
    found: dict[str, int] = {}
    for term in clause.terms:
        surface = term.word.surface
        agent = (
            surface[-1] in "人方者员"
            or surface.endswith(("机构", "部门", "单位", "公司", "银行", "法院", "机关", "中心", "局", "委员会"))
            if term.word.han
            else bool(_AGENT.search(surface))
        )
        if agent:
            found.setdefault(term.key, term.start)
    return found


_AGENT = re.compile(
    r"(?:er|or|ee|ant|ent|ist|ian|authority|company|bank|agency|department|ministry|board|committee|owner|staff|office|user|bureau|court|"
    r"commission|council|team|party|union|landlord|body|police|airline|driver|carrier|consumer)s?$"
)


def _passive(clause: Clause) -> bool:
    return _PASSIVE.search(clause.low) is not None


def _finding(reading: Reading, pair: Pair) -> Finding:
    return Finding(
        IssueType.ENTITY_MISMATCH, reading.index, "the parts of the evidence are put together in another way", RemedyKind.REGENERATE,
        span=(pair.answer.start, pair.answer.end), citation=pair.unit.citation, evidence=(pair.unit.start, pair.unit.end),
        found=pair.answer.low.strip(), expected=pair.unit.analysis.text,
    )  # fmt: skip
