"""A Chinese clause told of one abbreviation in Latin letters that its passage tells of another (MEL for APU)."""

from __future__ import annotations

from collections.abc import Sequence

from services.validation.domain.case import Case, Reading
from services.validation.domain.reading.clauses import Pair
from services.validation.domain.reading.names import Name
from services.validation.domain.wording.align import cover

_TOLD = 0.6


def other_acronym(case: Case, reading: Reading, pair: Pair) -> bool:
    """The clause opens with an abbreviation that the sentence which carries it lacks, that has another one instead,
    and that another sentence of the passages names."""
    clause, unit = pair.answer, pair.unit
    if not clause.analysis.han or not unit.analysis.han or unit.headers:
        return False
    opening = [n for n in _acronyms(clause.analysis.names) if clause.start <= n.start <= clause.start + 1]
    rivals = [n for n in _acronyms(unit.analysis.names) if n.key not in clause.analysis.low]
    if not opening or not rivals or any(n.surface.lower() in unit.analysis.low for n in opening):
        return False
    own = opening[0]
    title = case.passage(unit.citation).title.low
    rest = [t for t in clause.terms if t.start >= own.end]
    told = cover(rest, case.bags.unit(unit)).share
    if own.surface.lower() in title or not rest or told < _TOLD:
        return False
    named = [u for p in case.passages for u in p.units if own.surface.lower() in u.analysis.low]
    cited = [u for u in named if u.citation in reading.cited]
    return bool(named) and not any(cover(rest, case.bags.unit(u)).share >= told for u in cited)


def _acronyms(names: Sequence[Name]) -> list[Name]:
    return [n for n in names if n.kind == "acronym"]
