"""What a text says of one of several like things (a plan, a kind of claim, a row of a table) is not told of another."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from services.common.domain.verdict import IssueType, Lock, RemedyKind
from services.validation.domain.analysis import Term
from services.validation.domain.case import Case, Finding, Reading
from services.validation.domain.checks import register
from services.validation.domain.reading.evidence import Unit
from services.validation.domain.reading.tables import Row, named_rows, rows_of
from services.validation.domain.roles.siblings import Entry, Stretch, entries_of, stretches
from services.validation.domain.values.compare import close, comparable, equal, loosely
from services.validation.domain.values.quantity import Quantity
from services.validation.domain.values.units import COUNT, TALLIES
from services.validation.domain.wording.align import EXACT, RELATED, Bag, in_span, match

_COMPARES = re.compile(r"\b(?:than|unlike|whereas|instead|rather|not|no|never)\b|比|不同|而非|不是|并非|相反|同样|一样")
_IN_ORDER = re.compile(r"respectively|in that order|分别|依次")


@register(
    "siblings",
    Lock.TRACEABILITY,
    sees="a value that the passages give to one of several like things side by side, told of another for which they"
    " give a value of its own; a cell of words of another row than the one named",
    blind="things whose labels share no word, statements that put the value before the label",
)
def check(case: Case) -> Iterator[Finding]:
    """Yield ENTITY_MISMATCH."""
    entries: list[Entry] | None = None
    for reading in case.reworded:
        if _IN_ORDER.search(reading.analysis.low):
            continue
        yield from _of_another_row(case, reading)
        if any(not q.weak for q in reading.analysis.quantities):
            entries = entries_of(case.passages, case.config.lexicon.stopwords) if entries is None else entries
            yield from _of_another_entry(case, reading, entries)


def _of_another_entry(case: Case, reading: Reading, entries: Sequence[Entry]) -> Iterator[Finding]:
    """A value of a cited entry told of its sibling, which has another value of the kind."""
    labels = {e.label for e in entries}
    for stretch in stretches(reading.analysis.low, labels):
        own = [e for e in entries if e.label == stretch.label]
        others = [e for e in entries if not _one_thing(e.label, stretch.label) and e.unit.citation in reading.cited]
        others.sort(key=lambda e: -len(e.label))  # 红枫卡, not 红枫, is what the passage calls it
        inside = [q for q in reading.analysis.quantities if stretch.start <= q.start < stretch.end and not q.weak]
        for quantity in inside:
            mine = [q for e in own for q in e.quantities if _alike(quantity, q)]
            if all(e.subject for e in own) and not _of_the_subject(reading, stretch, quantity, case):
                continue
            if not mine or any(_same(q, e) for e in mine for q in inside):
                continue
            for entry in others:
                told = next((q for q in entry.quantities if _alike(quantity, q) and _same(quantity, q)), None)
                if told is not None:
                    yield _finding(reading, stretch, quantity, entry, told)
                    return


def _of_the_subject(reading: Reading, stretch: Stretch, quantity: Quantity, case: Case) -> bool:
    """The label is the subject of its clause, and no sentence of the passages has the value beside it."""
    if not _CLAUSE_START.search(reading.analysis.low[: stretch.start - len(stretch.label)]):
        return False
    beside = (u.analysis for p in case.passages for u in p.units if stretch.label in u.analysis.low)
    return not any(_same(quantity, q) for a in beside for q in a.quantities if _alike(quantity, q))


_CLAUSE_START = re.compile(r"(?:^|[,;.:]|\b(?:and|but|while|whereas)\b)\s*(?:(?:the|an?|all|each|every|for)\s+)*$")


def _one_thing(a: str, b: str) -> bool:
    """The same label, or one that only says more: "T20 pressure switch" for "pressure switch"."""
    longer, shorter = sorted((a, b), key=len, reverse=True)
    return shorter == longer or (" " in shorter and f" {shorter} " in f" {longer} ")


def _alike(answer: Quantity, evidence: Quantity) -> bool:
    """The values may stand for one another; counts only of things called alike."""
    a, e = loosely(answer, evidence)
    if e.weak or not comparable(a, e):
        return False
    if a.unit.dimension not in TALLIES:
        return True
    return bool(a.noun and a.noun == e.noun) or (a.unit.dimension != COUNT and a.surface[-1:] == e.surface[-1:])


def _same(answer: Quantity, evidence: Quantity) -> bool:
    a, e = loosely(answer, evidence)
    return equal(a, e) or (a.unit.dimension == e.unit.dimension and close(a.low, e.low))


def _finding(reading: Reading, stretch: Stretch, quantity: Quantity, entry: Entry, told: Quantity) -> Finding:
    return Finding(
        IssueType.ENTITY_MISMATCH, reading.index, f"the passage gives {told.surface} to {entry.label!r}, not to"
                                                  f" {stretch.label!r}", RemedyKind.REGENERATE,
        span=(quantity.start, quantity.end), citation=entry.unit.citation,
        evidence=(entry.unit.start + told.start, entry.unit.start + told.end),
        found=stretch.label, expected=entry.label,
    )  # fmt: skip


# --- rows of tables ------------------------------------------------------------------------------------------------


def _of_another_row(case: Case, reading: Reading) -> Iterator[Finding]:
    """The statement names one row and says what stands in a cell of another."""
    analysis = reading.analysis
    # A row is called by its first cell; its other cells are what is told of it.
    rows = [Row(row.unit, row.labels[:1]) for row in rows_of(case.units(reading.cited)) if row.labels]
    if len(rows) < _PAIR or _COMPARES.search(analysis.low):
        return
    named = named_rows(analysis.low, rows)
    if len(named) != 1 or named[0].unit.analysis.han != analysis.han:
        return
    own = named[0].unit
    bag = Bag.of([analysis])
    for row in rows:
        if row.unit.citation != own.citation or row.unit is own:
            continue
        cell = _cell_told(reading, bag, own, row)
        if cell is not None:
            yield Finding(
                IssueType.ENTITY_MISMATCH, reading.index, f"{cell!r} stands in another row of the table",
                RemedyKind.REGENERATE, citation=own.citation, evidence=(row.unit.start, row.unit.end),
                found=cell, expected=own.analysis.text,
            )  # fmt: skip
            return


_PAIR = 2


def _cell_told(reading: Reading, bag: Bag, own: Unit, row: Row) -> str | None:
    """The cell of the other row that the statement tells where its own row has another one."""
    for (a, b, _), (c, d, _) in zip(own.headers, row.unit.headers, strict=False):
        mine, theirs = (u.analysis.text[s:e].strip() for u, s, e in ((own, a, b), (row.unit, c, d)))
        if not theirs or not mine or mine.lower() == theirs.lower():
            continue
        if _words_told(bag, in_span(own.analysis.terms, a, b), in_span(row.unit.analysis.terms, c, d)):
            return theirs
        if _interval_told(reading, _values(own, a, b), _values(row.unit, c, d)):
            return theirs
    return None


def _words_told(bag: Bag, mine: Sequence[Term], theirs: Sequence[Term]) -> bool:
    """All words of the other cell, and none of the own one's that are not in both."""
    shared = {t.key for t in mine} & {t.key for t in theirs}
    left = [t for t in mine if t.key not in shared]
    telling = [t for t in theirs if t.key not in shared]
    if not left or not telling or sum(t.weight for t in telling) < 1:
        return False
    return all(match(t, bag) == EXACT for t in telling) and not any(match(t, bag) >= RELATED for t in left)


def _interval_told(reading: Reading, mine: Sequence[Quantity], theirs: Sequence[Quantity]) -> bool:
    """How often, as the other row has it ("twice a year" for 6 months); other values are for the check of values."""
    told = [q for q in reading.analysis.quantities if q.interval]
    return any(
        any(q.unit.dimension == e.unit.dimension and close(q.low, e.low) for e in theirs)
        and bool(mine)
        and not any(q.unit.dimension == e.unit.dimension and close(q.low, e.low) for e in mine)
        for q in told
    )


def _values(unit: Unit, start: int, end: int) -> list[Quantity]:
    return [q for q in unit.analysis.quantities if start <= q.start < end]
