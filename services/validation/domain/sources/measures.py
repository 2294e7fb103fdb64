"""Passages that disagree on one measure of one thing, however differently their sentences are built."""

from __future__ import annotations

import re
from collections.abc import Sequence

from services.validation.domain.analysis import Term
from services.validation.domain.case import Case, Reading
from services.validation.domain.reading.evidence import Passage, Unit
from services.validation.domain.reading.names import shape
from services.validation.domain.times.moments import Moment
from services.validation.domain.values import binding
from services.validation.domain.values.compare import bounds_clash, comparable, entailed_by_range, equal, loosely
from services.validation.domain.values.quantity import Quantity
from services.validation.domain.values.units import COUNTS
from services.validation.domain.wording.align import SYNONYM, Bag, in_span, match

_CUT = re.compile(r"[,;:，；：。、]|\band\b|和")
_JUST_BEFORE = re.compile(r"(?:为|是|约|达|长|\s)*$")


def rival_of(case: Case, reading: Reading, others: Sequence[int]) -> tuple[Unit, Quantity, Unit, Quantity] | None:
    """A value that the statement takes from its source, and another passage's other value of the same measure.

    Same measure: every word that stands with the value in its part of the sentence, the subject aside, stands with
    the other value or is its unit, and the reverse. Same thing: what the question names stands in both passages.
    """
    subject = _subject(case)
    # The sides of a comparison have values of their own.
    if not subject or len(reading.cited) != 1 or case.question.compares:
        return None
    here = case.passage(reading.cited[0])
    for unit, value in _told(case, reading, here):
        words = _measure(case, unit, value, subject)
        if not words:
            continue
        for citation in others:
            there = case.passage(citation)
            if _of_one_text(here, there):
                continue  # two provisions of one text do not rival each other
            if not (_speaks_of(case, here, subject) and _speaks_of(case, there, subject)):
                continue
            found = _same_measure(case, there, words, value, unit, subject)
            if found is not None:
                return (unit, value, *found)
    return None


def _of_one_text(a: Passage, b: Passage) -> bool:
    mine, theirs = a.chunk.document, b.chunk.document
    return bool(mine.document_id) and mine.document_id == theirs.document_id and mine.version == theirs.version


def _subject(case: Case) -> list[Term]:
    """The question's names: words in capitals, or the longest Chinese run of two words and more before its end."""
    analysis = case.question.analysis
    strict = [n for n in analysis.names if n.strict or n.kind == "proper"]
    terms = [t for t in analysis.terms if any(n.start <= t.start < n.end for n in strict)]
    if not analysis.han:
        return terms
    run: list[Term] = []
    for term in analysis.terms:
        if run and term.start != run[-1].end:
            break
        run.append(term)
    return run[:_LONGEST_SUBJECT] if len(run) > 1 else terms


_LONGEST_SUBJECT = 3


def _speaks_of(case: Case, passage: Passage, subject: Sequence[Term]) -> bool:
    names = [n for n in case.question.analysis.names if n.strict]
    own = [n for n in (*passage.title.names, *(n for u in passage.units for n in u.analysis.names)) if n.strict]
    if any(n.key not in {o.key for o in own} for n in names):
        return False
    bag = case.bags.cited([passage.citation])
    return all(match(t, bag) >= SYNONYM for t in subject)


def _told(case: Case, reading: Reading, passage: Passage) -> list[tuple[Unit, Quantity]]:
    """The values of the passage, of a kind that measures, that the statement repeats."""
    told = [q for q in reading.analysis.quantities if not q.weak and _measures(q)]
    return [
        (unit, value)
        for unit in passage.units
        if unit.kind == "sentence"
        for value in unit.analysis.quantities
        if any(equal(*loosely(q, value)) for q in told)
    ]


def _measures(quantity: Quantity) -> bool:
    return quantity.unit.dimension not in COUNTS and not quantity.interval


def _part(unit: Unit, value: Quantity) -> tuple[int, int]:
    """The part of the sentence that a value stands in, cut at commas and conjunctions outside of numbers."""
    inside = [(q.start, q.end) for q in unit.analysis.quantities]
    cuts = [m for m in _CUT.finditer(unit.analysis.text) if not any(a <= m.start() < b for a, b in inside)]
    start = max((m.end() for m in cuts if m.end() <= value.start), default=0)
    end = min((m.start() for m in cuts if m.start() >= value.end), default=len(unit.analysis.text))
    return start, end


def _measure(case: Case, unit: Unit, value: Quantity, subject: Sequence[Term]) -> list[Term]:
    lexicon = case.config.lexicon
    keys = {t.key for t in subject}
    title = case.title_bag(case.passage(unit.citation))
    return [
        t
        for t in in_span(unit.analysis.terms, *_part(unit, value))
        if t.weight >= 1 and t.key not in keys and t.key not in lexicon.meta_words and match(t, title) < SYNONYM
    ]


def _same_measure(
    case: Case, passage: Passage, words: Sequence[Term], value: Quantity, unit: Unit, subject: Sequence[Term]
) -> tuple[Unit, Quantity] | None:
    """The value of the same measure in another passage; None if one there agrees, or none or several are of it."""
    if binding.moments_agree(unit.moments, passage.title.moments) < 0:
        return None
    asked = case.bags.said(case.question.analysis)
    found: list[tuple[Unit, Quantity]] = []
    for other in passage.units:
        if other.kind != "sentence" or binding.moments_agree(_dated(unit), _dated(other)) < 0:
            continue
        if binding.names_agree([n for n in unit.names if n.strict], [n for n in other.names if n.strict]) < 0:
            continue
        for rival in other.analysis.quantities:
            if not comparable(*loosely(rival, value)) or not _measures(rival):
                continue
            theirs = _measure(case, other, rival, subject)
            near = _bag(case, other, rival)
            if not theirs or not all(match(t, near) >= SYNONYM for t in words if match(t, asked) >= SYNONYM):
                continue
            if not any(match(t, near) >= SYNONYM for t in words) or _of_other(case, other, rival, subject):
                continue
            found.append((other, rival))
    if any(_consistent(value, rival) for _, rival in found) or len(found) != 1:
        return None
    return found[0]


def _dated(unit: Unit) -> list[Moment]:
    return [m for m in unit.analysis.moments if m.kind in ("year", "quarter", "half", "month")]


def _bag(case: Case, unit: Unit, value: Quantity) -> Bag:
    start, end = _part(unit, value)
    return Bag.of([case.analyser.analyse(unit.analysis.text[start:end])])


def _of_other(case: Case, unit: Unit, value: Quantity, subject: Sequence[Term]) -> bool:
    """The sentence names a rival of the subject: another of its kind before the value, and not the subject itself."""
    strict = [n for n in case.question.analysis.names if n.strict]
    if strict and unit.names:
        kinds = {shape(n) for n in strict}
        rivals = [n for n in unit.names if shape(n) in kinds]
        return bool(rivals) and not {n.key for n in strict} & {n.key for n in rivals}
    here = Bag.of([case.analyser.analyse(unit.analysis.text[: value.start])])
    named = [t for t in subject if match(t, here) >= SYNONYM]
    title = case.title_bag(case.passage(unit.citation))
    in_title = all(match(t, title) >= SYNONYM for t in subject)
    return len(named) < len(subject) and not in_title


def _consistent(a: Quantity, b: Quantity) -> bool:
    if bounds_clash(a, b):
        return False
    a, b = loosely(a, b)
    return equal(a, b) or equal(b, a) or entailed_by_range(a, b) or entailed_by_range(b, a)
