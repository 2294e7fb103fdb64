"""A value that the evidence has, told of something else than there: another row, item, period, measure or base."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from services.common.domain.verdict import IssueType
from services.validation.domain.analysis import Term
from services.validation.domain.case import Case, Finding, Reading
from services.validation.domain.derived.operands import Pool
from services.validation.domain.reading.patterns import Pattern
from services.validation.domain.reading.tables import rows_of
from services.validation.domain.times.moments import same_time
from services.validation.domain.times.spans_told import ends_told
from services.validation.domain.values.binding import Binding, names_agree
from services.validation.domain.values.compare import comparable, equal
from services.validation.domain.values.denominators import dropped_time, other_denominator
from services.validation.domain.values.period_findings import of_period, other_period
from services.validation.domain.values.placement import displaced_by, exchanged
from services.validation.domain.values.quantity import Quantity
from services.validation.domain.values.share_base import other_base
from services.validation.domain.values.value_findings import Candidate, misplaced, of_another_row, told_as
from services.validation.domain.values.values_explained import follows_from_cited, is_small_count, restates_question
from services.validation.domain.wording.align import match

_COMPARED = Pattern(
    r"(?:against|than|versus|vs\.?|compared (?:with|to)|as opposed to|in contrast to|instead of|not|rather than"
    r"|比|相比|而非|对)\s*(?:the\s+"
    r"|only\s+)?$",
    re.I,
)
_PERIODS = ("year", "half", "quarter", "month")


@dataclass(frozen=True, slots=True)
class Told:
    """A value of a statement, the places that have it (``right``, at least one) and those of comparable others."""

    case: Case
    reading: Reading
    quantity: Quantity
    bound: Binding
    right: Sequence[Candidate]
    wrong: Sequence[Candidate]
    pool: Pool

    @property
    def best(self) -> Candidate:
        """The place that has the value and is most like its own."""
        return max(self.right, key=lambda c: c.affinity)

    def misplaced(self, rival: Candidate | None = None) -> Finding:
        """It belongs to something else; ``rival`` or the likest other place has the value that belongs here."""
        rival = rival or max(self.wrong, key=lambda c: c.affinity, default=self.best)
        return misplaced(self.reading, self.quantity, self.bound, self.best, rival)

    def is_derived(self) -> bool:
        """It also follows from the cited values, so it has no place of its own to be moved from."""
        return follows_from_cited(self.case, self.reading, self.quantity, self.pool)


def moved(told: Told) -> Finding | None:
    """What is wrong with the place of a value, from the coarsest difference to the finest."""
    if (_of_another(told) or _of_another_period(told)) and not told.is_derived():
        return told.misplaced()
    named = row_elsewhere(told.case, told.reading, told.quantity, told.right) or _exchanged_row(told)
    if named and not told.is_derived():
        return of_another_row(told.reading, told.quantity, told.best.unit, named)
    return _of_another_basis(told) or _of_another_measure(told)


def _exchanged_row(told: Told) -> str:
    rows = rows_of(told.case.units(told.reading.cited))
    row = exchanged(told.case, told.reading, told.quantity, told.right, rows)
    return row.labels[0] if row is not None else ""


def _of_another_basis(told: Told) -> Finding | None:
    """Per something else, of something else, or of another period than in the evidence."""
    case, reading, quantity, right = told.case, told.reading, told.quantity, told.right
    per = other_denominator(reading, quantity, right) or dropped_time(case, reading, quantity, right)
    if per is not None:
        words = f" is told per something else than in the evidence ({per.quantity.surface})"
        return told_as(reading, quantity, per.unit, per.quantity, IssueType.UNIT_MISMATCH, words)
    place = other_base(case, reading, quantity, right)
    if place is not None and not told.is_derived():
        words = f" is told of something else than in the evidence ({place.quantity.surface})"
        return told_as(reading, quantity, place.unit, place.quantity, IssueType.ENTITY_MISMATCH, words)
    period = other_period(reading, quantity, right)
    return of_period(reading, quantity, told.best, period) if period is not None else None


def _of_another_measure(told: Told) -> Finding | None:
    case, reading, quantity = told.case, told.reading, told.quantity
    if not is_small_count(quantity) and _other_measure(case, reading, told.bound, told.best) and not told.is_derived():
        return told.misplaced()
    if _COMPARED.search(reading.analysis.text[: quantity.start]):
        return None  # what another thing is compared with has a place of its own
    rival = displaced_by(case, reading, quantity, told.bound, told.right, told.wrong)
    if (
        rival is None
        or restates_question(case, quantity)
        or ends_told(case, reading, quantity, told.pool)
        or told.is_derived()
    ):
        return None
    return told.misplaced(rival)


def _of_another_period(told: Told) -> bool:
    """Every cell that has the value stands in a column of another period (first half for second quarter)."""
    times = [m for m in told.bound.moments if m.kind in _PERIODS]
    columns = [[m for m in c.binding.moments if m.kind in _PERIODS] for c in told.right if c.unit.headers]
    if not times or len(columns) < len(told.right) or not all(columns):
        return False
    return not any(same_time(a, m) for column in columns for m in column for a in times)


def _of_another(told: Told) -> bool:
    """Every place that has the value belongs to another item of the same kind; a statement that names none speaks of
    the one that the question names, if the cited passages give another value of the kind for that."""
    names = told.bound.names
    if not names and not any(n.strict for n in told.reading.analysis.names):
        asked = tuple(n for n in told.case.question.analysis.names if n.strict)
        if len({n.key for n in asked}) == 1 and any(names_agree(asked, c.binding.names) > 0 for c in told.wrong):
            names = asked
    if _COMPARED.search(told.reading.analysis.text[: told.quantity.start]):
        return False
    return bool(names) and all(names_agree(names, c.binding.names) < 0 for c in told.right)


def row_elsewhere(case: Case, reading: Reading, quantity: Quantity, right: Sequence[Candidate]) -> str:
    """What the statement speaks of, if the value stands only in rows of the cited tables that are of something else."""
    if not all(c.unit.headers for c in right) or _COMPARED.search(reading.analysis.text[: quantity.start]):
        return ""
    meant = case.rows_meant(reading)
    if not meant or any(row.unit is c.unit for row in meant for c in right):
        return ""
    tables = {c.unit.citation for c in right}
    return next((row.labels[0] for row in meant if row.unit.citation in tables), "")


def _other_measure(case: Case, reading: Reading, bound: Binding, right: Candidate) -> bool:
    """The value is that of another measure: the words around it differ wholly, and are used for a measure elsewhere."""
    mine = [t for t in bound.own if t.key not in case.config.lexicon.meta_words and t.weight >= 1]
    theirs = [t for t in right.binding.own if t.key not in case.config.lexicon.meta_words and t.weight >= 1]
    if not mine or not theirs or right.unit.headers:
        return False
    unit_bag = case.bags.unit(right.unit)
    if any(equal(c, q) for c in bound.companions for q in right.binding.companions if comparable(c, q) and not c.weak):
        return False
    if any(match(t, unit_bag) > 0 for t in bound.group if t.weight >= 1 and not _in_name(reading, t)):
        return False
    foreign = [t for t in mine if match(t, unit_bag) == 0]
    answer_bag = case.bags.said(reading.analysis)
    lost = [t for t in theirs if match(t, answer_bag) == 0]
    if len(foreign) != len([t for t in mine if not _in_name(reading, t)]) or not foreign or not lost:
        return False
    # The number of a heading is no value of what the heading names.
    places = (u for p in case.passages for u in p.units if u.kind != "heading")
    others = [u for u in places if u is not right.unit and u.analysis.quantities]
    bags = (case.bind(u.analysis, q, u).own_bag for u in others for q in u.analysis.quantities)
    return any(all(match(t, bag) >= 0.9 for t in foreign) for bag in bags)


def _in_name(reading: Reading, term: Term) -> bool:
    return any(n.start <= term.start < n.end for n in reading.analysis.names)
