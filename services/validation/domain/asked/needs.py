"""What a question needs from its evidence, and which passages give it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from services.common.domain.question import Action, ParsedQuestion
from services.common.domain.verdict import Need
from services.validation.domain.analysis import Term
from services.validation.domain.asked.asked_measure import AskedMeasure, asked_measure, beyond_measure
from services.validation.domain.case import Case
from services.validation.domain.reading.evidence import Passage, Unit
from services.validation.domain.reading.names import Name
from services.validation.domain.reading.told_steps import tells_step
from services.validation.domain.sources.timeline import Standing
from services.validation.domain.values.binding import names_agree
from services.validation.domain.wording.align import Bag, cover

_COVERED = 0.6
_ALREADY = 0.75


@dataclass(frozen=True, slots=True)
class Wanted:
    """One need before it is looked for: words, names, whether a number, time or steps are wanted, which measure."""

    kind: str
    description: str
    terms: tuple[Term, ...]
    names: tuple[Name, ...]
    number: bool = False
    steps: bool = False
    query: str = ""
    measure: AskedMeasure | None = None


def needs_of(case: Case, parsed: ParsedQuestion | None) -> list[Wanted]:
    """The needs of a question: its sides, its attributes, its parts; the question itself where it has none of them."""
    question = case.question
    how_to = question.how_to or (parsed is not None and parsed.action is Action.HOW_TO)
    wants = {"number": question.wants_number, "steps": how_to}
    found: list[Wanted] = []
    if len(question.sides) > 1:
        shared = _without_names(case, question.sides)
        measure = asked_measure(question.analysis, named=True)
        wanted = beyond_measure(shared, measure)
        for side in question.sides:
            analysis = case.analyser.analyse(side)
            names = tuple(n for n in analysis.names if n.strict)
            terms = (*(() if names else analysis.terms), *wanted)
            words = " ".join(dict.fromkeys(t.word.surface for t in shared))
            description, query = f"{side}: {words}".strip(": "), f"{side} {words}".strip()
            found.append(Wanted("side", description, terms, names, query=query, measure=measure))
        return found
    strict = tuple(n for n in question.analysis.names if n.strict)
    if len(question.attributes) > 1:
        subject = _without(case, question.attributes)
        for attribute in question.attributes:
            analysis = case.analyser.analyse(attribute)
            query = f"{' '.join(t.word.surface for t in subject)} {attribute}".strip()
            named = " ".join(n.surface for n in strict)
            found.append(Wanted("attribute", attribute, analysis.terms, strict, query=f"{named} {query}".strip()))
        return found
    if len(question.parts) > 1:
        for part in question.parts:
            analysis = case.analyser.analyse(part)
            names = tuple(n for n in analysis.names if n.strict) or strict
            query = part if names == tuple(n for n in analysis.names if n.strict) else f"{names[0].surface} {part}"
            found.append(Wanted("part", part, analysis.terms, names, query=query))
        return found
    kind = "steps" if how_to else "number" if question.wants_number else "answer"
    measure = asked_measure(question.analysis)
    terms = beyond_measure(question.analysis.terms, measure)
    return [Wanted(kind, question.text, terms, strict, wants["number"], wants["steps"], question.text, measure)]


def _without_names(case: Case, sides: Sequence[str]) -> tuple[Term, ...]:
    keys = {t.key for side in sides for t in case.analyser.analyse(side).terms}
    stop = {"compare", "compar", "differ", "对比", "比较", "区别", "差异"}
    return tuple(t for t in case.question.analysis.terms if t.key not in keys and t.key not in stop)


def _without(case: Case, attributes: Sequence[str]) -> tuple[Term, ...]:
    keys = {t.key for a in attributes for t in case.analyser.analyse(a).terms}
    return tuple(t for t in case.question.analysis.terms if t.key not in keys)


def look_for(case: Case, wanted: Sequence[Wanted]) -> tuple[Need, ...]:
    """The needs with the passages that cover them; an uncovered one carries ready-made searches."""
    day = case.as_of or case.today
    current = [
        p for p in case.passages
        if case.timeline(day).status(p).standing in (Standing.CURRENT, Standing.DRAFT)
    ]  # fmt: skip
    found = []
    for i, want in enumerate(wanted, start=1):
        covered = tuple(p.citation for p in current if covers_need(case, p, want))
        queries = () if covered else _queries(case, want)
        found.append(Need(f"n{i}", want.description, want.kind, covered, queries))
    return tuple(found)


def covers_need(case: Case, passage: Passage, want: Wanted) -> bool:
    """True if some unit of the passage, with the passage's title, speaks of the need and holds its kind of answer."""
    for unit in passage.units:
        if unit.kind == "header" or (want.names and not _named(want.names, unit, passage)):
            continue
        bag = Bag.of([unit.analysis, passage.title, *(h for _, _, h in unit.headers)])
        if cover(want.terms, bag).share < _COVERED:
            continue
        if want.measure is not None and not want.measure.told_by(unit.analysis):
            continue
        if want.number and not (unit.analysis.quantities or unit.analysis.moments):
            continue
        if want.steps and not tells_step(unit.analysis):
            continue
        return True
    return False


def _named(names: Sequence[Name], unit: Unit, passage: Passage) -> bool:
    if names_agree(names, unit.names) > 0:
        return True
    keys = {n.key for n in passage.title.names}
    return not unit.names and any(n.key in keys for n in names)


def _queries(case: Case, want: Wanted) -> tuple[str, ...]:
    """The need as a search of its own, then with the period that the question names."""
    period = case.question.period
    queries = [want.query or want.description]
    if period is not None and period.start is not None and str(period.start.year) not in queries[0]:
        queries.append(f"{queries[0]} {period.start.year}")
    return tuple(dict.fromkeys(queries))
