"""What a list of labelled entries says under one label is not told of another: lamp red, status C, tariff Basic."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from services.common.domain.verdict import IssueType, Lock, RemedyKind
from services.validation.domain.analysis import Term
from services.validation.domain.case import Case, Finding, Reading
from services.validation.domain.checks import register
from services.validation.domain.reading.evidence import Unit
from services.validation.domain.values.compare import equal, loosely
from services.validation.domain.wording.align import EXACT, SYNONYM, Bag, cover, in_span, match

_LONGEST_LABEL = 4
_TOLD, _AHEAD = 0.5, 0.3


@dataclass(frozen=True, slots=True)
class Entry:
    """One entry: the words that only its label has, and the bag of what it says."""

    unit: Unit
    own: tuple[Term, ...]
    said: tuple[Term, ...]
    bag: Bag


@register(
    "labels",
    Lock.TRACEABILITY,
    sees="what one entry of a list of labelled entries (label: text) says, told of another entry's label",
    blind="labels that share all their words, entries told in words of the answer's own",
)
def check(case: Case) -> Iterator[Finding]:
    """Yield ENTITY_MISMATCH."""
    for reading in case.reworded:
        entries = [e for citation in reading.cited for e in _entries(case, citation)]
        if entries:
            yield from _misplaced(case, reading, entries)


def _entries(case: Case, citation: int) -> list[Entry]:
    """The labelled entries of a passage, two or more, each label with a word that no other label has."""
    labelled: list[tuple[Unit, list[Term], list[Term]]] = []
    for unit in case.units([citation]):
        mark = _label_end(unit)
        if mark:
            terms = unit.analysis.terms
            labelled.append((unit, in_span(terms, 0, mark), in_span(terms, mark, len(unit.analysis.text))))
    labelled = [(u, label, said) for u, label, said in labelled if 0 < len(label) <= _LONGEST_LABEL and said]
    found: list[Entry] = []
    for unit, label, said in labelled:
        others = {t.key for u, other, _ in labelled if u is not unit for t in other}
        own = tuple(t for t in label if t.key not in others)
        if own:
            found.append(Entry(unit, own, tuple(said), case.bags.unit(unit)))
    return found if len(found) > 1 and len(found) == len(labelled) else []


def _label_end(unit: Unit) -> int:
    """The end of a label at the head of a sentence, 0 if it has none; rows of tables are judged elsewhere."""
    if unit.headers:
        return 0
    marks = [unit.analysis.text.find(mark) for mark in (":", "：")]
    return min((m for m in marks if m > 0), default=0)


def _misplaced(case: Case, reading: Reading, entries: Sequence[Entry]) -> Iterator[Finding]:
    analysis = reading.analysis
    named = [e for e in entries if any(match(t, Bag.of([analysis])) == EXACT for t in e.own)]
    if len(named) != 1 or named[0].unit.analysis.han != analysis.han:
        return
    mine = named[0]
    keys = {t.key for e in entries for t in e.own}
    rest = [t for t in analysis.terms if t.weight >= 1 and t.key not in keys]
    scores = [(cover(rest, e.bag).share + _values_told(reading, e), e) for e in entries]
    own = next(score for score, e in scores if e is mine)
    best, other = max(scores, key=lambda pair: pair[0])
    common = {t.key for t in mine.said}
    telling = [t for t in rest if t.key not in common and match(t, other.bag) >= SYNONYM]
    if other is mine or best < _TOLD or best < own + _AHEAD or not (telling or _values_told(reading, other)):
        return
    label = " ".join(t.word.surface for t in other.own)
    yield Finding(
        IssueType.ENTITY_MISMATCH, reading.index, f"the passage says this of {label!r}", RemedyKind.REGENERATE,
        citation=other.unit.citation, evidence=(other.unit.start, other.unit.end),
        found=" ".join(t.word.surface for t in mine.own), expected=label,
    )  # fmt: skip


def _values_told(reading: Reading, entry: Entry) -> float:
    """Half a point where a value of the statement stands in the entry."""
    values = [q for q in reading.analysis.quantities if not q.weak]
    return 0.5 if any(equal(*loosely(q, e)) for q in values for e in entry.unit.analysis.quantities) else 0.0
