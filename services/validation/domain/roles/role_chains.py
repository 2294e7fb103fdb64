"""Who passes to whom: "it goes to the surveyor, who hears the desk" for the desk, which hears the surveyor."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Sequence

from services.common.domain.verdict import IssueType, RemedyKind
from services.validation.domain.analysis import Term
from services.validation.domain.case import Case, Finding, Reading
from services.validation.domain.reading.clauses import Clause
from services.validation.domain.reading.evidence import Unit
from services.validation.domain.roles.actors import is_passive

_TELLS = re.compile(r"\b(?:informs?|tells?|told|notif(?:y|ies|ied)|alerts?|contacts?|calls?|asks?|briefs?|consults?)\b")
_RELATIVE = re.compile(r"\W*(?:who|which)\s")


def turned_chain(case: Case, reading: Reading) -> Finding | None:
    """ "It goes to the surveyor, who hears the desk" for "it goes to the desk, which hears the surveyor"."""
    mine = list(_chains(case.clauses(reading.analysis)))
    if not mine:
        return None
    for unit in case.units(reading.cited):
        told = [(a, o) for a, o, _ in _chains(case.clauses(unit.analysis))] + list(_tellings(case, unit))
        for antecedent, objects in told:
            for own, own_objects, clause in mine:
                crossed = own.key in objects and antecedent.key in own_objects
                if crossed and antecedent.key not in objects and own.key not in own_objects:
                    return Finding(
                        IssueType.ENTITY_MISMATCH, reading.index, "who does what is turned round",
                        RemedyKind.REGENERATE, span=(clause.start, clause.end), citation=unit.citation,
                        evidence=(unit.start, unit.end), found=own.word.surface, expected=antecedent.word.surface,
                    )  # fmt: skip
    return None


def _chains(clauses: Sequence[Clause]) -> Iterator[tuple[Term, frozenset[str], Clause]]:
    """The noun that a relative clause hangs on, the words of the relative clause, and that clause."""
    for before, clause in itertools.pairwise(clauses):
        if _RELATIVE.match(clause.low) and before.terms:
            yield before.terms[-1], frozenset(t.key for t in clause.terms), clause


def _tellings(case: Case, unit: Unit) -> Iterator[tuple[Term, frozenset[str]]]:
    """Who tells, in a clause of telling or passing on, and the words of whom and what is told."""
    for clause in case.clauses(unit.analysis):
        found = _TELLS.search(clause.low)
        if found is None or is_passive(clause):
            continue
        at = clause.start + found.start()
        acting = [t for t in clause.terms if t.end <= at]
        if acting:
            yield acting[-1], frozenset(t.key for t in clause.terms if t.start > at)
