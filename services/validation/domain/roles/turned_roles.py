"""Subject and object turned round: "the processor notifies the controller" for the controller, who notifies it."""

from __future__ import annotations

import re
from collections.abc import Iterator

from services.validation.domain.analysis import Term
from services.validation.domain.reading.clauses import Clause, Pair
from services.validation.domain.roles.actors import is_actor, is_passive, subject
from services.validation.domain.wording.align import EXACT, SYNONYM, match

_NEARLY_ALL, _NEARLY_ALL_ACROSS = 0.85, 0.8
_DETERMINER = re.compile(r"\s(?:the|an?|its|their|each|every|any)\s")
_EITHER_WAY = frozenset(
    ["meets", "matches", "equals", "joins", "borders", "touches", "faces", "相当于", "等于", "邻接"]
)


def turned(pair: Pair) -> bool:
    """ "The processor notifies the controller" for "the controller notifies the processor"."""
    across = pair.answer.analysis.han != pair.evidence.analysis.han
    if pair.forward.share < (_NEARLY_ALL_ACROSS if across else _NEARLY_ALL) or pair.backward.share < 0.35:
        return False
    if _agents_crossed(pair) or _object_acts(pair):
        return True
    first, second = _actors(pair.answer), _actors(pair.evidence)
    common = [k for k in first if k in second]
    if len(common) != 2 or is_passive(pair.answer) != is_passive(pair.evidence):
        return False
    return (first[common[0]] < first[common[1]]) != (second[common[0]] < second[common[1]])


def _object_acts(pair: Pair) -> bool:
    """What stands right before and right after one and the same verb is exchanged, in the active on both sides."""
    if is_passive(pair.answer) or is_passive(pair.evidence):
        return False
    mine, theirs = ({b.key: (a.key, c.key) for a, b, c in _threes(clause)} for clause in (pair.answer, pair.evidence))
    return any(
        mine[verb][0] != mine[verb][1] and mine[verb] == theirs[verb][::-1] for verb in mine.keys() & theirs.keys()
    )


def _threes(clause: Clause) -> Iterator[tuple[Term, Term, Term]]:
    """Neighbouring words of which the middle one may be a verb that passes from the first to the last."""
    for a, b, c in zip(clause.terms, clause.terms[1:], clause.terms[2:], strict=False):
        low = clause.analysis.low
        if b.word.han:
            verbal = not (low[a.end : b.start] or low[b.end : c.start])
        else:
            verbal = b.word.surface.endswith("s") and _DETERMINER.fullmatch(low, b.end, c.start) is not None
        if verbal and b.word.surface not in _EITHER_WAY:
            yield a, b, c


def _agents_crossed(pair: Pair) -> bool:
    """The agent of each clause stands in the other clause as something else than its agent."""
    mine = [t for t in subject(pair.answer) if is_actor(t)]
    theirs = [t for t in subject(pair.evidence) if is_actor(t)]
    same = any(t.key == e.key or not t.groups.isdisjoint(e.groups) for t in mine for e in theirs)
    if not mine or not theirs or same:
        return False
    least = SYNONYM if pair.answer.analysis.han != pair.evidence.analysis.han else EXACT
    return all(match(t, pair.evidence.bag) >= least for t in mine) and all(
        match(t, pair.answer.bag) >= least for t in theirs
    )


def _actors(clause: Clause) -> dict[str, int]:
    found: dict[str, int] = {}
    for term in clause.terms:
        if is_actor(term):
            found.setdefault(term.key, term.start)
    return found
