"""Two subjects exchanged: the statement gives the act of each of two to the other, in whatever words."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import permutations

from services.validation.domain.analysis import Term
from services.validation.domain.case import Case, Reading
from services.validation.domain.reading.clauses import Clause, span_bag
from services.validation.domain.reading.evidence import Unit
from services.validation.domain.roles.actors import is_party, subject
from services.validation.domain.wording.align import TRANSLATION, Bag, covered, match

_CLEARLY, _LEAST_SAID = 0.3, 0.35
_MOST_CLAUSES = 40


@dataclass(frozen=True, slots=True)
class Told:
    """A clause with who or what it is told of, and the rest of its words."""

    clause: Clause
    who: tuple[Term, ...]
    rest: tuple[Term, ...]

    def same_as(self, bag: Bag) -> bool:
        """Every word of the subject stands in ``bag``, in either language."""
        return all(match(t, bag) >= TRANSLATION for t in self.who)


def subjects_exchanged(case: Case, reading: Reading) -> tuple[Clause, Unit, Clause] | None:
    """A clause whose act the passage gives to the subject of another clause of the statement, which has its in turn.

    The clause, the unit and the clause of the evidence that has its act.
    """
    mine = [t for c in case.clauses(reading.analysis) if (t := _told(c)) is not None]
    if len(mine) < _PAIR:
        return None
    theirs = list(_tellings(case, reading, mine))
    for a, b in permutations(mine, 2):
        for unit, e in theirs:
            # The act of the first fits a clause about the second, and no better one about its own subject.
            if not _of(e, b) or a.same_as(e.clause.bag):
                continue
            said = covered(a.rest, e.clause.bag)
            own = [f for _, f in theirs if _of(f, a) and f is not e]
            if said < _LEAST_SAID or not (own and a.rest and b.rest):
                continue
            if all(said - covered(a.rest, f.clause.bag) >= _CLEARLY for f in own) and _turned(b, e, own):
                return a.clause, unit, e.clause
    return None


_PAIR = 2


def _turned(b: Told, e: Told, own: Sequence[Told]) -> bool:
    """What the other subject is given fits the first one's clauses better than its own; of parties, as well."""
    best, its_own = max(covered(b.rest, f.clause.bag) for f in own), covered(b.rest, e.clause.bag)
    parties = all(any(is_party(t) for t in told.who) for told in (b, *own))
    return best > its_own or (parties and best == its_own)


def _tellings(case: Case, reading: Reading, mine: Sequence[Told]) -> Iterator[tuple[Unit, Told]]:
    """The clauses of the cited passages that are told of a subject of the statement."""
    keys = {t.key for told in mine for t in told.who}
    glosses = {g for told in mine for t in told.who for g in t.glosses}
    count = 0
    for unit in case.units(reading.cited):
        if unit.headers or unit.kind == "heading":
            continue
        for clause in case.clauses(unit.analysis):
            bag = clause.bag
            if not (keys & bag.keys or glosses & bag.keys or keys & bag.glosses):
                continue
            told = _told(clause)
            count += 1
            if told is not None and count <= _MOST_CLAUSES:
                yield unit, told


def _told(clause: Clause) -> Told | None:
    who = tuple(t for t in subject(clause) if t.weight >= 1)[: 1 if clause.analysis.han else 3]
    if not who or clause.inherited:
        return None
    return Told(clause, who, tuple(t for t in clause.terms if t not in who))


def _of(told: Told, one: Told) -> bool:
    """A clause of the passage is told of the subject of a clause of the statement."""
    analysis = told.clause.analysis
    subject_bag = span_bag(analysis, told.who, told.who[0].start, told.who[-1].end)
    return one.same_as(told.clause.bag) and any(match(t, subject_bag) >= TRANSLATION for t in one.who)
