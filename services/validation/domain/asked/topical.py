"""How each passage speaks to the question: coverage, repetition, definitions, and what it holds of the asked kind."""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Callable, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass

from services.validation.domain.analysis import Analysis, Term
from services.validation.domain.asked.asked_measure import asked_measure
from services.validation.domain.case import Case
from services.validation.domain.reading.evidence import Passage, Unit
from services.validation.domain.reading.told_steps import tells_step
from services.validation.domain.values.binding import names_agree
from services.validation.domain.wording.align import RELATED, Bag, cover
from services.validation.domain.wording.doubt import Matches, matches_of

_WHEN = re.compile(
    r"\bwhen\b|\bwhat (?:year|date|day|month)\b|\bwhich year\b|何时|什么时候|哪年|哪一年|几月|日期", re.I
)
_WHO = re.compile(
    r"\bwho(?:m|se)?\b|\bwhat (?:actor|actress|singer|author|person|president|player|director)\b|谁|何人|哪位", re.I
)
_WHERE = re.compile(
    r"\bwhere\b|\bwhat (?:city|country|state|place|county)\b|\bwhich (?:city|country|state)\b|哪里|何处|哪儿|地点", re.I
)
_HOW_MANY = re.compile(
    r"\bhow (?:many|much|long|old|far|tall|high|big|large|fast|often)\b|\b(?:population|number|amount|height"
    r"|length|area)\b|多少|几(?!乎)|多长|多久|多高|人口|面积",
    re.I,
)
_WHY = re.compile(r"\bwhy\b|\breasons?\b|\bcauses?\b|为什么|原因|为何", re.I)
_LINKS = re.compile(
    r"\b(?:because|due to|since|so that|in order to|as a result|caused|reason|led to|therefore)\b|因为|由于"
    r"|导致|以便|原因",
    re.I,
)
_FUNCTION_WORDS = re.compile(r"\b(?:is|are|was|were|has|have|had|the|of|in|by)\b", re.I)
_DEFINES = re.compile(r"\b(?:is|was|are|were)\s+(?:an?|the|one of)\b|是", re.I)
_LONGEST_SUBJECT = 260
# Saturation of repeated words as in BM25 (Robertson and Zaragoza 2009): k1 1.2, b 0.75, a usual passage of 70 words.
_K1, _B, _USUAL_WORDS = 1.2, 0.75, 70
# So much saturated weight in one passage is as good as more.
_MUCH = 10
_WINDOW = 3
# A question that people ask has fewer words; pairs of words grow with their square.
_MOST_TERMS = 60
_WITHOUT_KIND = 0.3
_UNTOLD = 0.5


@dataclass(frozen=True, slots=True)
class Topical:
    """One passage against the question; all numbers lie in [0, 1].

    ``unit`` is the unit that covers the question best. sentence, window, passage: coverage of the question's words,
    weighted by rarity, in one unit, in three neighbouring ones, in the whole passage with its title; beyond: the same
    in three neighbouring units for the words that the title lacks, as the title is what all of the passage is about
    (``_UNTOLD`` if it has none of the words or all); amount: how much
    weight is matched, whatever the question's length, words that come back counting more; together: pairs of question
    words that some one unit holds both of;
    answer_near: the best coverage by three neighbouring units of running text that hold something of the asked kind
    (less by those that hold none); tells_steps: some unit tells to do something; defines: the subject of the
    question stands before "is a"; prose: running text against lists of links. ``answers`` are things of the asked kind
    in and beside the best unit, ``context`` the words there that the question does not have.
    """

    citation: int
    unit: Unit
    sentence: float
    window: float
    passage: float
    beyond: float
    amount: float
    together: float
    answer_near: float
    defines: float
    prose: float
    other_language: bool
    tells_steps: bool
    answers: frozenset[str]
    context: frozenset[str]


def topical_passages(case: Case) -> list[Topical]:
    """Every passage with text that speaks of what the question names, read against the question."""
    terms = list({t.key: t for t in case.question.analysis.terms}.values())[:_MOST_TERMS]
    weights = [_weight(case, t) for t in terms]
    kind = asked_kind(case)
    return [
        t
        for p in case.passages
        if not _of_another(case, p) and (t := _topical(case, p.citation, terms, weights, kind)) is not None
    ]


def _of_another(case: Case, passage: Passage) -> bool:
    """The question asks about an item by its identifier (A330), and the passage names only others of its kind (A320).

    Identifiers are no words of the question: in all else such a passage may look as if it answered.
    """
    asked = [n for n in case.question.analysis.names if n.kind == "identifier"]
    named = {
        n.key: n for n in (*passage.title.names, *(n for u in passage.units for n in u.analysis.names)) if n.strict
    }
    # G2 is no rival of B12.
    alike = [n for n in named.values() if any(n.key == a.key or len(n.key) == len(a.key) for a in asked)]
    return bool(asked) and names_agree(asked, alike) < 0


def _weight(case: Case, term: Term) -> float:
    return term.weight if term.word.han else case.config.word_weights.get(term.key, 1.0)


def _topical(case: Case, citation: int, terms: Sequence[Term], weights: Sequence[float], kind: Kind) -> Topical | None:
    units = case.units([citation])
    if not units:
        return None
    whole = case.bags.cited([citation])
    matches = _with_measure(case, terms, units, matches_of(terms, whole, [case.bags.unit(u) for u in units]))
    columns = list(zip(*matches.by_unit, strict=True)) or [()] * len(units)
    scores = [_mean(weights, column) for column in columns]
    best = max(range(len(units)), key=lambda i: (scores[i], -i))
    near = slice(max(0, best - 1), best + 2)
    held = [[max(row[i : i + _WINDOW]) for i in range(len(units))] for row in matches.by_unit]
    windows = [_mean(weights, column) for column in zip(*held, strict=True)] or [0.0] * len(units)
    titled = case.passage(citation).title.keys
    prose = [_function_words(u.analysis) for u in units]
    asked = case.question.analysis.keys
    return Topical(
        citation=citation,
        unit=units[best],
        sentence=scores[best],
        window=max(windows),
        passage=_mean(weights, matches.whole),
        beyond=_beyond(weights, held, [t.key in titled for t in terms]),
        amount=_amount(weights, matches.by_unit, sum(len(u.analysis.terms) for u in units)),
        together=_together(weights, matches.by_unit),
        answer_near=_answer_near(windows, units, prose, kind),
        defines=max(_defines(case, terms, u.analysis) if s else 0.0 for u, s in zip(units, scores, strict=True)),
        prose=_prose(prose),
        other_language=whole.han != case.question.analysis.han,
        answers=frozenset(a for u in units[near] for a in kind(u.analysis)),
        tells_steps=any(u.kind != "heading" and tells_step(u.analysis) for u in units),
        context=frozenset(t.key for u in units[near] for t in u.analysis.terms if t.key not in asked),
    )


def _with_measure(case: Case, terms: Sequence[Term], units: Sequence[Unit], matches: Matches) -> Matches:
    """The word that asks for a measure is matched by every value of it: no text that says how fast has "fast"."""
    measure = asked_measure(case.question.analysis)
    if measure is None:
        return matches
    told = [float(measure.told_by(u.analysis)) for u in units]
    rows = [
        [max(pair) for pair in zip(row, told, strict=True)] if measure.asks(term) else list(row)
        for term, row in zip(terms, matches.by_unit, strict=True)
    ]
    return Matches([max([score, *row]) for score, row in zip(matches.whole, rows, strict=True)], rows)


def _mean(weights: Sequence[float], scores: Sequence[float]) -> float:
    total = sum(weights)
    return sum(w * s for w, s in zip(weights, scores, strict=True)) / total if total and scores else 0.0


def _beyond(weights: Sequence[float], held: Sequence[Sequence[float]], titled: Sequence[bool]) -> float:
    """The best window's coverage of the words that the title lacks; an unrelated or an exact title tells nothing.

    ``held`` has a row a word: how well each window holds it.
    """
    rest = [(w, row) for w, row, known in zip(weights, held, titled, strict=True) if not known]
    if not rest or len(rest) == len(held):
        return _UNTOLD
    return max(_mean([w for w, _ in rest], column) for column in zip(*(row for _, row in rest), strict=True))


def _answer_near(
    windows: Sequence[float], units: Sequence[Unit], prose: Sequence[tuple[int, int]], kind: Kind
) -> float:
    """The best window, best first: what holds none of the asked kind or is no running text counts less."""
    best = 0.0
    for i in sorted(range(len(units)), key=lambda i: -windows[i]):
        if windows[i] <= best:
            break
        near = slice(i, i + _WINDOW)
        held = 1.0 if any(kind(u.analysis) for u in units[near]) else _WITHOUT_KIND
        best = max(best, windows[i] * _prose(prose[near]) * held)
    return best


def _amount(weights: Sequence[float], table: Sequence[Sequence[float]], words: int) -> float:
    """The weight of the question's words in a passage of ``words`` words, each word's count of units saturated."""
    length = _K1 * (1 - _B + _B * words / _USUAL_WORDS)
    sums = [sum(row) for row in table]
    credit = sum(w * s * (_K1 + 1) / (s + length) for w, s in zip(weights, sums, strict=True) if s)
    return min(1.0, math.log1p(credit) / math.log1p(_MUCH))


def _together(weights: Sequence[float], table: Sequence[Sequence[float]]) -> float:
    held = [sum(1 << i for i, score in enumerate(row) if score >= RELATED) for row in table]
    total = shared = 0.0
    for (i, a), (j, b) in itertools.combinations(enumerate(held), 2):
        total += weights[i] * weights[j]
        shared += weights[i] * weights[j] if a & b else 0.0
    return shared / total if total else 1.0


def _defines(case: Case, terms: Sequence[Term], analysis: Analysis) -> float:
    """How much of the question's names (of all its words if it has none) stands before "is a" in a sentence."""
    match = _DEFINES.search(analysis.text, 0, _LONGEST_SUBJECT)
    if match is None:
        return 0.0
    text = case.question.analysis.text
    subject = [t for t in terms if not t.word.han and text[t.start].isupper()] or terms
    keys = {t.key for t in analysis.terms if t.end <= match.start()}
    if case.question.analysis.han != analysis.han:
        return 0.0
    return cover(subject, _keys_only(keys, analysis.low[: match.start()])).share


def _keys_only(keys: set[str], low: str) -> Bag:
    return Bag(frozenset(keys), frozenset(), frozenset(), low, False, ())


def _function_words(analysis: Analysis) -> tuple[int, int]:
    """(function words four times over, words); Chinese text counts as nothing but function words."""
    words = analysis.low.count(" ") + 1
    return (words if analysis.han else 4 * len(_FUNCTION_WORDS.findall(analysis.low))), words


def _prose(counts: Sequence[tuple[int, int]]) -> float:
    return min(1.0, sum(f for f, _ in counts) / max(1, sum(w for _, w in counts)))


Kind = Callable[[Analysis], AbstractSet[str]]


def asked_kind(case: Case) -> Kind:
    """What finds in a text the things that could be the answer: times, values or names, as the question word asks."""
    asked = case.question.analysis
    low = asked.low
    if _WHEN.search(low):
        known = {m.key() for m in asked.moments}
        return lambda a: {f"t{m.year or m.key()}" for m in a.moments if m.key() not in known}
    if _HOW_MANY.search(low):
        return lambda a: {f"q{q.low:.6g}" for q in a.quantities if not q.weak}
    if _WHO.search(low) or _WHERE.search(low):
        names = {n.key for n in asked.names} | set(asked.keys)
        return lambda a: {n.key for n in a.names if n.kind in ("proper", "acronym") and n.key not in names}
    if _WHY.search(low):
        return lambda a: {"why"} if _LINKS.search(a.low) else set()
    return lambda a: {t.key for t in a.terms} - asked.keys
