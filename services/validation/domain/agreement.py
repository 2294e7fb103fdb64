"""Passages that give different values for the same measure, entity and period, and what decides between them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from services.validation.domain import binding
from services.validation.domain.align import SYNONYM, cover
from services.validation.domain.case import Case
from services.validation.domain.compare import bounds_clash, comparable, entailed_by_range, equal, loosely
from services.validation.domain.contrast import rivals
from services.validation.domain.evidence import Passage, Unit
from services.validation.domain.quantity import Quantity
from services.validation.domain.timeline import Standing


@dataclass(frozen=True, slots=True)
class Disagreement:
    """Two units with the values that differ; ``decided_by`` is empty if nothing settles it.

    ``winner`` is the citation that prevails, 0 if none does.
    """

    first: Unit
    second: Unit
    value_first: Quantity
    value_second: Quantity
    decided_by: str
    winner: int


def disagreements(case: Case, unit: Unit, quantity: Quantity, others: Sequence[int]) -> Iterator[Disagreement]:
    """Units of other passages that say the same of the same thing with another value."""
    for other in case.units(others):
        if other.kind != "sentence" or unit.kind != "sentence" or not _same_subject(case, unit, other):
            continue
        rival = _rival(unit, quantity, other)
        if rival is not None:
            rule, winner = decide(case, case.passage(unit.citation), case.passage(other.citation))
            yield Disagreement(unit, other, quantity, rival, rule, winner)


def _same_subject(case: Case, a: Unit, b: Unit) -> bool:
    """The sentences differ in nothing but values: words agree both ways, names and times too."""
    least = case.config.settings.get("conflict_similarity", 0.72)
    if binding.names_agree(a.names, b.names) < 0 or binding.moments_agree(a.moments, b.moments) < 0:
        return False
    forward = cover(a.analysis.terms, case.bags.unit(b), least=SYNONYM)
    backward = cover(b.analysis.terms, case.bags.unit(a), least=SYNONYM)
    if min(forward.share, backward.share) < least:
        return False
    if rivals(a.analysis.low, b.analysis.low, case.config.lexicon, polar=False):
        return False
    # One more qualifying word on each side (会员专享商品, 普通商品) makes two subjects.
    return not (forward.missing and backward.missing) or _only_paraphrase(forward.share, backward.share)


def _only_paraphrase(forward: float, backward: float) -> bool:
    return min(forward, backward) >= 0.85


def _rival(unit: Unit, quantity: Quantity, other: Unit) -> Quantity | None:
    """The quantity in the other unit that fills the same place with another value; None if one agrees."""
    mine = binding.bind(unit.analysis, quantity, unit)
    candidates = [q for q in other.analysis.quantities if comparable(q, quantity) and not q.weak]
    if any(_consistent(quantity, q) for q in candidates):
        return None
    # Conditions that differ (three years, one year) make two rules, not a conflict.
    companions = [q for q in mine.companions if not q.weak]
    for companion in companions:
        same_kind = [q for q in other.analysis.quantities if comparable(q, companion)]
        if same_kind and not any(_consistent(companion, q) for q in same_kind):
            if not comparable(companion, quantity):
                return None
    return max(candidates, key=lambda q: binding.affinity(mine, binding.bind(other.analysis, q, other)), default=None)


def _consistent(a: Quantity, b: Quantity) -> bool:
    if bounds_clash(a, b):
        return False
    a, b = loosely(a, b)
    return equal(a, b) or equal(b, a) or entailed_by_range(a, b) or entailed_by_range(b, a)


def decide(case: Case, a: Passage, b: Passage) -> tuple[str, int]:
    """What settles a disagreement of two passages: supersession, force on the day, authority; else nothing."""
    day = case.as_of or case.today
    timeline = case.timeline(day)
    if timeline.supersedes(a, b) or timeline.supersedes(b, a):
        newer, older = (a, b) if timeline.supersedes(a, b) else (b, a)
        start = newer.chunk.document.effective_from or newer.chunk.document.published_at
        return "version", older.citation if start is not None and start > day else newer.citation
    states = {p.citation: case.timeline(day).status(p).standing for p in (a, b)}
    current = [c for c, s in states.items() if s is Standing.CURRENT]
    if len(current) == 1:
        return "in_force", current[0]
    gap = case.config.settings.get("authority_gap", 2)
    first, second = a.chunk.document.authority, b.chunk.document.authority
    if abs(first - second) >= gap:
        return "authority", a.citation if first > second else b.citation
    return "", 0


def periods_differ(a: Passage, b: Passage) -> bool:
    """True if the titles name different years ("Annual report 2022", "Annual report 2023")."""
    years_a = {m.year for m in a.title.moments if m.year}
    years_b = {m.year for m in b.title.moments if m.year}
    return bool(years_a and years_b and not years_a & years_b)
