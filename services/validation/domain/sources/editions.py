"""Editions of one document that only the year in their titles tells apart: "Fees 2020", "Fees 2024"; 收费标准2024."""

from __future__ import annotations

import re
from datetime import date

from services.validation.domain.case import Case, Reading
from services.validation.domain.reading.evidence import Passage, Unit
from services.validation.domain.reading.text import lower, normalise
from services.validation.domain.sources.timeline import Standing
from services.validation.domain.values.compare import comparable, equal, loosely
from services.validation.domain.values.quantity import Quantity
from services.validation.domain.wording.align import RELATED, cover

_YEAR = re.compile(r"(?<!\d)((?:19|20)\d\d)(?!\d)(?:\s*(?:年度?|版|edition))*")
_ALIKE, _SPEAKS_OF = 0.72, 0.4


def newer_edition(case: Case, reading: Reading, passage: Passage, day: date) -> tuple[Passage, Unit, Quantity] | None:
    """The later edition that gives another value where a statement takes one from ``passage``, with that value's place.

    None where question or statement name a year, or both editions are cited: then the older one may be meant.
    """
    year, name = _edition(passage)
    years = [m for a in (reading.analysis, case.question.analysis) for m in a.moments if m.year]
    if not name or years or case.config.lexicon.history.search(reading.analysis.low):
        return None
    for other in case.passages:
        theirs, same = _edition(other)
        if same != name or not year < theirs <= day.year or other.citation in reading.cited:
            continue
        if case.timeline(day).status(other).standing is Standing.CURRENT:
            place = _otherwise(case, reading, passage, other)
            if place is not None:
                return other, *place
    return None


def _edition(passage: Passage) -> tuple[int, str]:
    """(the one year of the title, the title without it); an empty title where it has no year or several."""
    title = lower(normalise(passage.chunk.document.title))
    years = {int(match[1]) for match in _YEAR.finditer(title)}
    if len(years) != 1:
        return 0, ""
    return years.pop(), re.sub(r"\W+", " ", _YEAR.sub("", title)).strip()


def _otherwise(case: Case, reading: Reading, old: Passage, new: Passage) -> tuple[Unit, Quantity] | None:
    """A sentence or row of the new edition in the words of the old one's, with another value for the statement's."""
    for aligned in case.align(reading, [old.citation]):
        unit = aligned.unit
        if aligned.coverage.share < _SPEAKS_OF:
            break
        taken = [
            e for e in unit.analysis.quantities
            if not e.weak and any(equal(*loosely(q, e)) for q in reading.analysis.quantities)
        ]  # fmt: skip
        for other in new.units if taken else ():
            if other.kind != unit.kind or not _same_words(case, unit, other):
                continue
            rivals = [v for v in other.analysis.quantities if not v.weak]
            for value in taken:
                of_kind = [v for v in rivals if comparable(v, value)]
                if of_kind and not any(equal(*loosely(value, v)) for v in rivals):
                    return other, of_kind[0]
    return None


def _same_words(case: Case, a: Unit, b: Unit) -> bool:
    sides = ((a, b), (b, a))
    shares = [cover(x.analysis.terms, case.bags.unit(y), least=RELATED).share for x, y in sides]
    return bool(a.analysis.terms) and min(shares) >= _ALIKE
