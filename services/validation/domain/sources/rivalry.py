"""Signs that passages on the question's topic contradict each other, and the contradictions that they state."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Sequence

from services.common.domain.verdict import Conflict
from services.validation.domain.analysis import Analysis, Term
from services.validation.domain.asked.topical import Topical
from services.validation.domain.case import Case
from services.validation.domain.reading.evidence import Unit
from services.validation.domain.sources.agreement import Disagreement, decide, disagreements_of
from services.validation.domain.values.units import COUNTS
from services.validation.domain.wording.align import covered, match, reaches

_MAX_CONFLICTS = 8
_ON_TOPIC = 0.5
# Only the passages that speak to the question best can contradict each other on it.
_RIVALS = 4
_OF_ONE_DOCUMENT = 2
_UNITS_COMPARED = 12
_COPY = 0.6
_CLOSE = 0.9
_FOUND = 0.5
_LEAST_WORDS = 4
_WORDS_NAMED = 8
FEATURES = ("second", "rival_answers", "rival_context", "rival_names", "copies", "copies_of_values", "stated")


def best_first(topical: Sequence[Topical]) -> list[Topical]:
    """The passages by how well they speak to the question."""
    return sorted(topical, key=lambda t: (-(t.sentence + t.passage), t.citation))


def conflict_features(case: Case, topical: Sequence[Topical], conflicts: Sequence[Conflict]) -> dict[str, float]:
    """What speaks for contradiction, each in [0, 1]; none grows with the mere number of passages.

    Passages of one document are no rivals: it goes on, it does not contradict itself; nor are passages between which
    version, force or authority decides, or which measure different things (a flow, a pressure). second: how well the
    best passage of another document than the best one covers the question; rival_answers, rival_context: two of the
    best share none of their things of the asked kind, none of their words beyond the question's; rival_names: two of
    the best name persons, places and things, and share none of them; copies: one is an altered copy of the other;
    copies_of_values: a sentence of one is repeated with another value, time or name; stated: an undecided contradiction
    was found.
    """
    rivals = _best_of_documents(case, topical)
    names = {t.citation: _names(case, t) for t in rivals}
    found = dict.fromkeys(FEATURES, 0.0)
    for a, b in itertools.combinations(rivals, 2):
        passages = case.passage(a.citation), case.passage(b.citation)
        if _document(case, a) == _document(case, b) or decide(case, *passages)[0] or _other_measure(a, b):
            continue
        if a is rivals[0]:
            found["second"] = max(found["second"], b.sentence)
        relevance = min(a.sentence + a.passage, b.sentence + b.passage) / 2
        copy, copy_of_values = _copies(case, a, b)
        pair = {
            "rival_answers": relevance * _apart(a.answers, b.answers),
            "rival_context": relevance * _apart(a.context, b.context),
            "rival_names": relevance * _apart(names[a.citation], names[b.citation]),
            "copies": copy,
            "copies_of_values": copy_of_values,
        }
        found |= {name: max(found[name], value) for name, value in pair.items()}
    found["stated"] = float(any(not c.decided_by for c in conflicts))
    return found


def _best_of_documents(case: Case, topical: Sequence[Topical]) -> list[Topical]:
    """The passages that speak to the question best, two of a document at most."""
    taken: Counter[str] = Counter()
    chosen = []
    for candidate in best_first(topical):
        document = _document(case, candidate)
        taken[document] += 1
        if taken[document] <= _OF_ONE_DOCUMENT:
            chosen.append(candidate)
    return chosen[:_RIVALS]


def _other_measure(a: Topical, b: Topical) -> bool:
    """The best units of both give values with units, and none of one kind."""
    mine, theirs = (
        {q.unit.dimension for q in t.unit.analysis.quantities if q.unit.dimension not in COUNTS} for t in (a, b)
    )
    return bool(mine and theirs and not mine & theirs)


def _document(case: Case, topical: Topical) -> str:
    return case.passage(topical.citation).chunk.document.document_id


def _names(case: Case, topical: Topical) -> frozenset[str]:
    """What a passage names beyond the question's words."""
    named = frozenset(n.key for u in case.units([topical.citation]) for n in u.analysis.names)
    return named - case.question.analysis.keys


def _apart(a: frozenset[str], b: frozenset[str]) -> float:
    """1 if two sets share nothing, 0 if the smaller lies in the larger or one is empty."""
    return 1.0 - len(a & b) / min(len(a), len(b)) if a and b else 0.0


def _copies(case: Case, a: Topical, b: Topical) -> tuple[float, float]:
    """(share of the shorter passage's sentences that the other repeats, the best repetition that differs in a value).

    The share counts only if some repeated sentence differs: then one passage is an altered copy of the other.
    """
    mine, theirs = (_sentences(case, t) for t in (a, b))
    if len(mine) > len(theirs):
        mine, theirs = theirs, mine
    repeated, altered, of_values = 0, False, 0.0
    for unit in mine:
        share, other = max(
            ((_likeness(case, unit, o), o) for o in theirs), key=lambda found: found[0], default=(0, None)
        )
        if other is None or share < _COPY:
            continue
        repeated += 1
        if unit.analysis.low == other.analysis.low:
            continue
        values = _values_differ(unit.analysis, other.analysis)
        of_values = max(of_values, share if values else 0.0)
        altered = altered or values or (_lacks(case, unit, other) and _lacks(case, other, unit))
    return (repeated / len(mine) if altered else 0.0), of_values


def _sentences(case: Case, topical: Topical) -> list[Unit]:
    units = [u for u in case.units([topical.citation]) if len(u.analysis.terms) >= _LEAST_WORDS]
    return units[:_UNITS_COMPARED]


def _likeness(case: Case, unit: Unit, other: Unit) -> float:
    """The share of words that two sentences have in common, by the one that lacks more; 0 below ``_COPY``."""
    if not _alike(unit, other):
        return 0.0
    bags = case.bags.unit(other), case.bags.unit(unit)
    pairs = ((unit.analysis.terms, bags[0]), (other.analysis.terms, bags[1]))
    if not all(reaches(terms, bag, _COPY, least=_CLOSE) for terms, bag in pairs):
        return 0.0
    return min(covered(terms, bag, least=_CLOSE) for terms, bag in pairs)


def _alike(unit: Unit, other: Unit) -> bool:
    """A quick look before two sentences are compared: half of the words of either stand in the other."""
    mine, theirs = unit.analysis.keys, other.analysis.keys
    return 2 * len(mine & theirs) >= max(len(mine), len(theirs))


def _lacks(case: Case, unit: Unit, other: Unit) -> bool:
    return any(match(t, case.bags.unit(other)) < _FOUND for t in unit.analysis.terms)


def _values_differ(a: Analysis, b: Analysis) -> bool:
    values = ({round(q.low, 6) for q in a.quantities}, {round(q.low, 6) for q in b.quantities})
    times = ({m.key() for m in a.moments}, {m.key() for m in b.moments})
    names = ({n.key for n in a.names}, {n.key for n in b.names})
    return any(x and y and not (x <= y or y <= x) for x, y in (values, times, names))


# --- stated contradictions ---------------------------------------------------------------------------------------


def find_conflicts(case: Case, topical: Sequence[Topical]) -> tuple[Conflict, ...]:
    """Units on the topic that give different values for the same thing, each pair of passages once.

    A unit is on the topic if it holds half of the question, or if its passage is among those that speak to the
    question best: a copy with another figure need not repeat the question's words.
    """
    found: dict[tuple[int, int], Conflict] = {}
    rivals = {t.citation for t in best_first(topical)[:_RIVALS] if t.passage >= _ON_TOPIC}
    terms = case.question.analysis.terms
    units = case.units(sorted(t.citation for t in topical))
    for unit in units:
        on_topic = _on_topic(case, unit, terms)
        if not on_topic and unit.citation not in rivals:
            continue
        for other in units:
            if other.citation <= unit.citation or not (on_topic or other.citation in rivals):
                continue
            if not _related(unit, other):
                continue
            for clash in disagreements_of(case, unit, other):
                if len(found) >= _MAX_CONFLICTS:
                    return tuple(found.values())
                key = (unit.citation, other.citation)
                found.setdefault(key, _conflict(key, unit, clash))
    return tuple(found.values())


def _related(unit: Unit, other: Unit) -> bool:
    """A quick look before two units are compared; across languages words cannot tell."""
    if unit.analysis.han != other.analysis.han:
        return True
    mine, theirs = unit.analysis.keys, other.analysis.keys
    return 3 * len(mine & theirs) >= max(len(mine), len(theirs))


def _on_topic(case: Case, unit: Unit, terms: Sequence[Term]) -> bool:
    """The unit with its passage's title holds half of the question."""
    title = case.passage(unit.citation).title
    own = case.bags.unit(unit)
    scores = [max(match(t, own), 1.0 if t.key in title.keys else 0.0) for t in terms]
    total = sum(t.weight for t in terms)
    return not total or sum(t.weight * s for t, s in zip(terms, scores, strict=True)) / total >= _ON_TOPIC


def _conflict(key: tuple[int, int], unit: Unit, clash: Disagreement) -> Conflict:
    about = " ".join(t.word.surface for t in unit.analysis.terms[:_WORDS_NAMED])
    values = clash.first.surface, clash.second.surface
    return Conflict(*key, *values, about, unit.analysis.text, clash.second.unit.analysis.text, clash.decided_by)
