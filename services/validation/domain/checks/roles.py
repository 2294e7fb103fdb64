"""Who does what: the actor of a rule exchanged for another, or subject and object turned round."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence

from services.common.domain.verdict import IssueType, Lock, RemedyKind
from services.validation.domain.analysis import Analysis, Term
from services.validation.domain.case import Case, Finding, Reading
from services.validation.domain.checks import register
from services.validation.domain.reading.clauses import Clause, Pair
from services.validation.domain.reading.evidence import Unit
from services.validation.domain.reading.patterns import Pattern
from services.validation.domain.roles.acronym_subjects import other_acronym
from services.validation.domain.roles.actors import (
    PRONOUN,
    clause_before_predicate,
    has_predicate,
    head,
    holder,
    is_actor,
    is_party,
    is_passive,
    subject,
)
from services.validation.domain.roles.role_chains import turned_chain
from services.validation.domain.roles.subjects import subjects_exchanged
from services.validation.domain.roles.turned_roles import turned
from services.validation.domain.values.compare import equal
from services.validation.domain.wording.align import Bag, cover, covered, in_span, match
from services.validation.domain.wording.edits import items_reordered


@register(
    "roles",
    Lock.TRACEABILITY,
    sees="an actor, subject or group exchanged for another that the passages name elsewhere; subject and object"
    " turned round",
    blind="exchanges across several sentences with pronouns",
)
def check(case: Case) -> Iterator[Finding]:
    """Yield ENTITY_MISMATCH."""
    for reading in case.reworded:
        passed_on = turned_chain(case, reading)
        if passed_on is not None:
            yield passed_on
            continue
        exchanged = subjects_exchanged(case, reading)
        if exchanged is not None:
            yield _told_of_another(reading, *exchanged)
            continue
        if items_reordered(case, reading):
            continue
        for pair in case.pairs(reading):
            other = (
                turned(pair)
                or _swapped_subject(case, reading, pair, head if is_passive(pair.answer) else subject)
                or _crossed(case, pair)
                or _other_name(case, reading, pair)
                or other_acronym(case, reading, pair)
                or _other_holder(case, reading, pair)
            )
            if other or _exchanged(case, reading, pair) or _other_subject(case, reading, pair):
                yield _finding(reading, pair)
                break


# --- two actors exchanged between clauses ----------------------------------------------------------------------------


def _exchanged(case: Case, reading: Reading, pair: Pair) -> bool:
    """The clause takes the actor of a sibling clause, whose own actor stands in another clause of the answer."""
    foreign = [t for t in pair.forward.missing if is_actor(t)]
    displaced = [t for t in pair.backward.missing if is_actor(t)]
    if not foreign or not displaced or min(pair.forward.share, pair.backward.share) < 0.4:
        return False
    siblings = [
        c
        for unit in case.units([pair.unit.citation])
        for c in case.clauses(unit.analysis)
        if c.analysis is not pair.evidence.analysis or c.start != pair.evidence.start
    ]
    if not any(match(t, c.bag) >= 0.8 for t in foreign for c in siblings):
        return False
    rest = [c for c in case.clauses(reading.analysis) if c.start != pair.answer.start]
    return any(match(t, c.bag) >= 0.8 for t in displaced for c in rest)


# --- another subject ---


def _other_subject(case: Case, reading: Reading, pair: Pair) -> bool:
    """The actor or subject is unknown to the sentence that carries the predicate and stands in another sentence."""
    unit = pair.unit
    if len(reading.cited) > 1 and _COMPARES.search(reading.analysis.low):
        return False
    if unit.headers or pair.forward.share < 0.4 or PRONOUN.match(unit.analysis.text) or PRONOUN.match(pair.answer.low):
        return False
    unit_bag = case.bags.unit(unit)
    title = case.passage(unit.citation).title
    mine, theirs = subject(pair.answer), subject(pair.evidence)
    if not mine or not theirs or not _has_own_subject(pair.evidence):
        return False
    clause_words = [t for t in pair.answer.terms if t not in mine]
    told = covered(clause_words, unit_bag)
    if clause_words and told < 0.6:
        return False
    rest = (u for u in case.units(reading.cited) if u is not unit)
    if any(covered(pair.answer.terms, case.bags.unit(u)) >= told for u in rest):
        # Another sentence says it, of the statement's own subject.
        return False
    answer_bag = case.bags.said(reading.analysis)
    # What stands first in a Chinese clause, or in a loose retelling, is often a topic; only a party or a name counts.
    if pair.answer.analysis.han:
        mine, theirs = ([t for t in side if is_actor(t)] for side in (mine, theirs))
    elif pair.backward.share < _CLOSELY or not _predicates(pair):
        mine = [t for t in mine if is_actor(t) or _capitals(pair.answer, t)]
    unknown = [t for t in mine if match(t, unit_bag) == 0 and match(t, Bag.of([title])) == 0 and t.weight >= 1]
    lost = [t for t in theirs if match(t, answer_bag) == 0 and t.weight >= 1]
    if not unknown or not lost:
        return False
    others = [u for p in case.passages for u in p.units if u is not unit]
    if any(u.citation in reading.cited and _holds(case, u, unknown) and _shares_value(pair, u) for u in others):
        return False  # the clause tells two sentences in one, the other with the subject and a value of its own
    if _told_beside(case, pair, unknown):
        return False
    return any(_holds(case, u, unknown) for u in others)


def _has_own_subject(clause: Clause) -> bool:
    """False where a pronoun, a relative or "there" stands for whom the clause is told of."""
    if clause.analysis.han:
        return True
    before = clause_before_predicate(clause)
    return before is None or _POINTING.search(before) is None


def _shares_value(pair: Pair, unit: Unit) -> bool:
    inside = [q for q in pair.answer.analysis.quantities if pair.answer.start <= q.start < pair.answer.end]
    return any(equal(q, e) for q in inside for e in unit.analysis.quantities)


def _capitals(clause: Clause, term: Term) -> bool:
    """A name or an abbreviation, by its letters or as the names of the sentence have it."""
    analysis = clause.analysis
    named = any(n.start <= term.start < n.end for n in analysis.names)
    return named or analysis.text[term.start : term.end].isupper()


def _predicates(pair: Pair) -> bool:
    """Both clauses show a predicate; else what stands first may be anything, and only a party or a name is told of."""
    return has_predicate(pair.answer) and has_predicate(pair.evidence)


_POINTING = Pattern(r"\b(?:i|we|you|he|she|it|they|who|which|that|there)\s*(?:\w+ly\s+)?$")
_CLOSELY = 0.7
_COMPARES = Pattern(r"\bthan\b|\bcompared\b|比|\bas \w+ as\b")


def _holds(case: Case, unit: Unit, terms: Sequence[Term]) -> bool:
    return all(match(t, case.bags.unit(unit)) >= 0.9 for t in terms)


# --- the subject of a sibling clause


def _swapped_subject(case: Case, reading: Reading, pair: Pair, side: Callable[[Clause], list[Term]]) -> bool:
    """The subject belongs to a sibling clause that says something else, and the clause's own subject is left out."""
    if (
        pair.unit.headers
        or _COMPARES.search(reading.analysis.low)
        or pair.answer.inherited
        or pair.answer.condition
        or pair.evidence.excepting
    ):
        return False
    mine, theirs = (_told_of(c, side) for c in (pair.answer, pair.evidence))
    answer_bag = case.bags.said(reading.analysis)
    foreign = [t for t in mine if t.weight >= 1 and match(t, pair.evidence.bag) == 0]
    if not _predicates(pair):
        foreign = [t for t in foreign if is_actor(t) or _capitals(pair.answer, t)]
    lost = [t for t in theirs if t.weight >= 1 and match(t, answer_bag) == 0]
    predicate = [t for t in pair.answer.terms if t not in mine]
    if not foreign or not lost or len(foreign) < len(mine) / 2 or not predicate:
        return False
    told = covered(predicate, pair.evidence.bag)
    if told < _MOSTLY:
        return False
    for sibling in case.clauses(pair.unit.analysis):
        if sibling.start == pair.evidence.start or sibling.condition:
            continue
        if side is head and not (is_passive(sibling) and is_passive(pair.evidence)):
            # Of acted-upon things only such are exchanged.
            continue
        owner = {t.key for t in _told_of(sibling, side)}
        if all(t.key in owner for t in foreign) and covered(predicate, sibling.bag) <= told - _LESS:
            return True
    return False


_LESS = 0.3


def _told_of(clause: Clause, side: Callable[[Clause], list[Term]]) -> list[Term]:
    """What a clause with a predicate is told of."""
    found = side(clause)
    return found if len(found) < len(clause.terms) else []


def _crossed(case: Case, pair: Pair) -> bool:
    """A clause put together from two clauses of one sentence: the actor of one with the act of the other."""
    if pair.unit.headers or pair.forward.share < 0.5:
        return False
    lost = [t for t in pair.backward.missing if _solid(t) and not _rest_of_name(t, pair)]
    acting = any(is_actor(t) for t in subject(pair.answer))
    for term in pair.forward.missing:
        if not _solid(term):
            continue
        for sibling in case.clauses(pair.unit.analysis):
            if sibling.start == pair.evidence.start or match(term, sibling.bag) < 0.9:
                continue
            actors = [t for t in subject(sibling) if is_actor(t)]
            if not lost:
                continue
            if _whole_name_in(term, pair.answer, sibling) and any(_is_name(t, pair.evidence.analysis) for t in lost):
                return True
            taken = is_actor(term) and term.key in {t.key for t in actors} and any(is_actor(t) for t in lost)
            # What opens the sentence is the subject of both clauses and proves nothing.
            leading = {t.key for t in sibling.terms[:1]}
            foreign = (
                acting
                and bool(actors)
                and not pair.answer.analysis.han
                and not is_actor(term)
                and term.key not in leading
                and not any(match(t, pair.answer.bag) for t in actors)
            )
            if taken or foreign:
                return True
    return False


def _whole_name_in(term: Term, clause: Clause, other: Clause) -> bool:
    """The term belongs to a proper name all of which stands in another clause, as a name there too."""
    name = _whole_name(term, clause.analysis)
    if name is None or not any(_is_name(t, other.analysis) for t in other.terms if t.key == term.key):
        return False
    return all(match(t, other.bag) >= 0.9 for t in in_span(clause.terms, *name))


def _rest_of_name(term: Term, pair: Pair) -> bool:
    """Another part of the name stands in the answer: Scheele for Carl Wilhelm Scheele."""
    name = _whole_name(term, pair.evidence.analysis)
    parts = in_span(pair.evidence.analysis.terms, *name) if name else []
    return any(match(t, pair.answer.bag) == 1 for t in parts if t is not term)


def _whole_name(term: Term, analysis: Analysis) -> tuple[int, int] | None:
    """The proper name that a term is part of, with the names right beside it: Michael R. Halden."""
    names = [n for n in analysis.names if n.kind == "proper"]
    at = next((i for i, n in enumerate(names) if n.start <= term.start < n.end), None)
    if at is None:
        return None
    first = last = at
    while first > 0 and _NAME_GOES_ON.fullmatch(analysis.text, names[first - 1].end, names[first].start):
        first -= 1
    while last + 1 < len(names) and _NAME_GOES_ON.fullmatch(analysis.text, names[last].end, names[last + 1].start):
        last += 1
    return names[first].start, names[last].end


_NAME_GOES_ON = re.compile(r"\s(?:[A-Z]\.\s){0,2}")


def _other_name(case: Case, reading: Reading, pair: Pair) -> bool:
    """A proper name in the place of another: the clause is else the evidence's, and the names are not each other's."""
    if pair.forward.share < _MOSTLY or pair.backward.share < _HALF or pair.unit.headers:
        return False
    asked = case.question.analysis.keys
    answer_bag = case.bags.said(reading.analysis)
    unit_bag = case.bags.unit(pair.unit)
    mine = [t for t in pair.answer.terms if _is_name(t, pair.answer.analysis) and match(t, unit_bag) == 0]
    theirs = [
        t
        for t in pair.evidence.terms
        if _is_name(t, pair.evidence.analysis) and match(t, answer_bag) == 0 and not _rest_of_name(t, pair)
    ]
    title = Bag.of([case.passage(pair.unit.citation).title])
    named = [t for t in mine if t.key not in asked and match(t, title) == 0]
    return bool(theirs) and bool(named) and not _told_beside(case, pair, mine)


def _told_beside(case: Case, pair: Pair, names: Sequence[Term]) -> bool:
    """Another sentence of the passage has the names and what else the clause says beyond this one: "X paid for it"."""
    more = [t for t in pair.forward.missing if t not in names and t not in subject(pair.answer)]
    rest = [u for u in case.units([pair.unit.citation]) if u is not pair.unit]
    return bool(more) and any(_holds(case, u, [*names, *more]) for u in rest)


_MOSTLY = 0.6
# Less of the evidence's clause is not the clause that the answer tells.
_HALF = 0.5


def _is_name(term: Term, analysis: Analysis) -> bool:
    """A capitalised name."""
    return any(n.kind == "proper" and n.start <= term.start < n.end for n in analysis.names)


def _solid(term: Term) -> bool:
    return len(term.word.surface) >= (2 if term.word.han else 3)


def _other_holder(case: Case, reading: Reading, pair: Pair) -> bool:
    """A duty told as a noun ("the lender's responsibility") of another party than the one that the passage obliges."""
    mine = holder(pair.answer)
    theirs = holder(pair.evidence) or ([] if is_passive(pair.evidence) else subject(pair.evidence))
    if not (any(map(is_party, mine)) and any(map(is_party, theirs))):
        return False
    rest = [t for t in pair.answer.terms if t not in mine]
    act = cover(rest, pair.evidence.bag).matched
    answer = case.bags.said(reading.analysis)
    other = {t.key for t in mine}.isdisjoint(t.key for t in theirs)
    return bool(act) and other and not any(match(t, answer) for t in theirs if is_party(t))


def _finding(reading: Reading, pair: Pair) -> Finding:
    return _told_of_another(reading, pair.answer, pair.unit, pair.evidence)


def _told_of_another(reading: Reading, clause: Clause, unit: Unit, _: Clause) -> Finding:
    return Finding(
        IssueType.ENTITY_MISMATCH,
        reading.index,
        "the evidence tells this of someone or something else",
        RemedyKind.REGENERATE,
        span=(clause.start, clause.end),
        citation=unit.citation,
        evidence=(unit.start, unit.end),
        found=clause.low.strip(),
        expected=unit.analysis.text,
    )
