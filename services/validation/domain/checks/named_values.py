"""Values of several named things in one sentence: what the passage gives to Ostra is not told of Verde."""

from __future__ import annotations

import re
from collections.abc import Iterator

from services.common.domain.verdict import IssueType, Lock, RemedyKind
from services.validation.domain.analysis import Analysis
from services.validation.domain.case import Case, Finding, Reading
from services.validation.domain.checks import register
from services.validation.domain.reading.evidence import Unit
from services.validation.domain.reading.patterns import Pattern
from services.validation.domain.values.compare import comparable, equal, loosely
from services.validation.domain.values.quantity import Quantity
from services.validation.domain.values.units import TALLIES

_NOT_SAID_OF = Pattern(r"respectively|in that order|\bthan\b|\bagainst\b|\bcompared\b|\bnot\b|\binstead\b|\bunlike\b")
_WORD = re.compile(r"[a-z\u00c0-\u024f][\w'-]{2,}")
_BEHIND = re.compile(r"\s*(?:[a-z]+\s+){0,2}?(?:at|in|for|by|on|from|with|to)\s+(?:the\s+)?(?P<rest>.{0,30})")
_Told = tuple[str, Quantity]


@register(
    "named_values",
    Lock.TRACEABILITY,
    sees="a value that a sentence gives to one of two or more things with names of their own, told of another of them",
    blind="names in Chinese, names and values told apart by more than one sentence",
)
def check(case: Case) -> Iterator[Finding]:
    """Yield ENTITY_MISMATCH."""
    for reading in case.reworded:
        if reading.analysis.han or _NOT_SAID_OF.search(reading.analysis.low):
            continue
        for unit in case.units(reading.cited):
            if unit.headers or unit.analysis.han or len(unit.analysis.quantities) < _PAIR:
                continue
            found = _exchanged(reading, unit)
            if found is not None:
                yield found
                return


_PAIR = 2


def _exchanged(reading: Reading, unit: Unit) -> Finding | None:
    names = [n.surface.lower() for n in unit.analysis.names if n.kind == "proper"]
    labels = frozenset(n for n in names if names.count(n) == 1)
    theirs = list(_told(unit.analysis, labels))
    if len({label for label, _ in theirs}) < _PAIR:
        return None
    mine = list(_told(reading.analysis, frozenset(label for label, _ in theirs)))
    for label, value in mine:
        own = [q for name, q in theirs if name == label and _alike(value, q)]
        if not own or any(equal(*loosely(value, q)) for q in own):
            continue
        for name, q in theirs:
            if name != label and _alike(value, q) and equal(*loosely(value, q)) and not _said_too(mine, name, value):
                return Finding(
                    IssueType.ENTITY_MISMATCH, reading.index, f"the passage gives {q.surface} to {name!r}",
                    RemedyKind.REGENERATE, span=(value.start, value.end), citation=unit.citation,
                    evidence=(unit.start + q.start, unit.start + q.end), found=label, expected=name,
                )  # fmt: skip
    return None


def _said_too(mine: list[_Told], name: str, value: Quantity) -> bool:
    """The statement gives the value to its own thing as well."""
    return any(n == name and equal(*loosely(value, q)) for n, q in mine)


def _alike(a: Quantity, b: Quantity) -> bool:
    a, b = loosely(a, b)
    if a.weak or b.weak or not comparable(a, b):
        return False
    return a.unit.dimension not in TALLIES or not (a.noun and b.noun) or a.noun.rstrip("s") == b.noun.rstrip("s")


def _told(analysis: Analysis, labels: frozenset[str]) -> Iterator[_Told]:
    """Each value with the one label right behind it ("860 at Verde") or else between it and the value before it."""
    before = 0
    for quantity in analysis.quantities:
        behind = _BEHIND.match(analysis.low, quantity.end)
        after = [w for w in _WORD.findall(behind["rest"])[:_PAIR] if w in labels] if behind else []
        ahead = [w for w in _WORD.findall(analysis.low[before : quantity.start]) if w in labels]
        near = after[:1] or (list(dict.fromkeys(ahead)) if len(set(ahead)) == 1 else [])
        if near:
            yield near[0], quantity
        before = quantity.end
