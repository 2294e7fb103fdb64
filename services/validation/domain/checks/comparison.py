"""Comparisons have both sides, and their direction agrees with the numbers."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from services.common.domain.verdict import IssueType, Lock, RemedyKind
from services.validation.domain.analysis import Term
from services.validation.domain.case import Case, Finding, Reading
from services.validation.domain.checks import register
from services.validation.domain.comparison.apart import difference_told
from services.validation.domain.comparison.compared_growth import faster_growth
from services.validation.domain.comparison.compared_sides import ComparedSides, compared_sides, zh_thans
from services.validation.domain.comparison.differences import wrong_difference
from services.validation.domain.comparison.implied_sides import implied_sides
from services.validation.domain.comparison.measured_words import dimensions_of, direction_of
from services.validation.domain.comparison.own_numbers import own_numbers
from services.validation.domain.comparison.sides import (
    Side,
    Value,
    clause_around,
    pair_apart,
    two_values,
    values_of,
    without,
    wrong_direction,
)
from services.validation.domain.comparison.superlatives import superlative
from services.validation.domain.values import binding
from services.validation.domain.values.compare import close
from services.validation.domain.values.units import Dimension
from services.validation.domain.wording.align import SYNONYM, cover, in_span, match


@register(
    "comparison",
    Lock.CONSISTENCY,
    sees="higher/lower, faster/slower, longest/cheapest against the values of both sides or the whole"
    " retrieved set; "
    "a side that is not cited or not answered",
    blind="comparisons of qualities without numbers",
)
def check(case: Case) -> Iterator[Finding]:
    """Yield COMPARISON_WRONG_DIRECTION and COMPARISON_MISSING_SIDE."""
    reworded = set(map(id, case.reworded))
    for reading in case.claims:
        grown = faster_growth(case, reading)
        if grown is not None:
            yield from grown
            continue
        wrong = own_numbers(case, reading) or wrong_difference(case, reading) or superlative(case, reading)
        # A comparison quoted from the passage agrees with it; a superlative may be beaten by another passage.
        yield from wrong or (_pairwise(case, reading) if id(reading) in reworded else ())
    yield from _missing_side(case)


# --- two sides ---------------------------------------------------------------------------------------------------


def _pairwise(case: Case, reading: Reading) -> list[Finding]:
    several = list(zh_thans(case, reading.analysis)) if reading.analysis.han else []
    if len(several) > 1:
        return next((found for p in several if (found := _compared(case, reading, p))), [])
    parsed = compared_sides(case, reading)
    if parsed is not None:
        return _compared(case, reading, parsed)
    each = (_compared(case, reading, p, implied=True) for p in implied_sides(case, reading))
    return next((found for found in each if found), [])


def _compared(case: Case, reading: Reading, parsed: ComparedSides, *, implied: bool = False) -> list[Finding]:
    first, second, word, span = parsed
    start, end = clause_around(reading.analysis, span[0])
    inside = in_span(reading.analysis.terms, start, end)
    # Beside a name, the other words of a side tell what is compared.
    told = [t for side in (first, second) if side.names for t in side.terms]
    measure = [t for t in inside if t not in first.terms and t not in second.terms] + told
    if second.moments and not second.terms and not second.names:
        # "15.42 m in 2023, further than in 2019": one subject at two times.
        measure += [t for t in first.terms if t not in measure]
    first, second = (Side((), s.names, s.moments, s.values) if s.names else s for s in (first, second))
    kinds = dimensions_of(reading, word, start, end)
    one, two = without(first, second), without(second, first)
    if bool(one.moments) != bool(two.moments) and all(s.terms or s.names for s in (one, two)):
        # "A made more in 2022 than B": the time is that of both.
        one, two = replace(one, moments=()), replace(two, moments=())
    if not one.named or not two.named:
        return []
    values = _in_rows_named(case, reading, values_of(case, reading.cited))
    if implied:
        named = {t.key for side in (first, second) for t in side.terms}
        measure = [t for t in measure if t.key not in named and t.word.surface not in (word, "更", "较")]
    if implied and measure:
        # "B was printed earlier": of several values of each side those told with the words of the measure.
        values = [v for v in values if cover(measure, v.binding.own_bag).share >= _TOLD_WITH] or values
    told_apart = difference_told(reading.analysis, word, span[0])
    apart = pair_apart(values, one, two, measure, told_apart) if told_apart is not None else None
    a, b = apart or two_values(values, one, two, measure, kinds)
    if a is None or b is None:
        return _uncited_side(case, reading, one, two, measure, span, kinds)
    if told_apart is not None and apart is None:
        return []  # these are not the values that differ by so much; whether any do is for the check of values
    sign = direction_of(word, a.quantity, case)
    if reading.analysis.negations and _DENIED.search(reading.analysis.low):
        sign = 0
    difference = a.quantity.low - b.quantity.low
    if close(a.quantity.low, b.quantity.low):
        return [wrong_direction(reading, span, a, b)] if sign else []
    return [wrong_direction(reading, span, a, b)] if sign and sign * difference < 0 else []


_TOLD_WITH = 0.5
_DENIED = re.compile(r"\b(?:not|no(?!,)|none|neither|nobody|nothing)\b|n't|不(?=比)|并不|没有")


def _in_rows_named(case: Case, reading: Reading, values: list[Value]) -> list[Value]:
    """Of tables with a row that the statement names only the values of such rows."""
    rows = case.rows_meant(reading, asked=False)
    tables = {row.unit.citation for row in rows}
    named = {(row.unit.citation, row.unit.index) for row in rows}
    return [
        v
        for v in values
        if not v.unit.headers or v.unit.citation not in tables or (v.unit.citation, v.unit.index) in named
    ]


def _uncited_side(
    case: Case,
    reading: Reading,
    one: Side,
    two: Side,
    measure: Sequence[Term],
    span: tuple[int, int],
    kinds: Sequence[Dimension],
) -> list[Finding]:
    """A side whose value stands only in a passage that the sentence does not cite."""
    a, b = two_values(values_of(case, [p.citation for p in case.passages]), one, two, measure, kinds)
    if a is None or b is None:
        return []
    missing = [(v, side) for v, side in ((a, one), (b, two)) if v.unit.citation not in reading.cited]
    if len(missing) != 1 or not (
        one.names or one.moments or two.names or two.moments or len(one.terms) + len(two.terms) >= 2
    ):
        return []
    value, side = missing[0]
    if not _stands_for(case, side, value) or _named_in_cited(case, reading, side):
        return []
    return [
        Finding(
            IssueType.COMPARISON_MISSING_SIDE,
            reading.index,
            f"the other side stands in [{value.unit.citation}], which is not cited",
            RemedyKind.RECITE,
            span=span,
            citation=value.unit.citation,
            evidence=(value.unit.start, value.unit.end),
            found=", ".join(f"[{c}]" for c in reading.cited),
            expected=f"[{value.unit.citation}]",
            recite=value.unit.citation,
        )
    ]


def _stands_for(case: Case, side: Side, value: Value) -> bool:
    """The sentence or the title of the value names the side."""
    if side.names:
        return bool({n.key for n in side.names} & {n.key for n in value.binding.names})
    bags = (case.bags.unit(value.unit), case.title_bag(case.passage(value.unit.citation)))
    named = all(max(match(t, bag) for bag in bags) >= SYNONYM for t in side.terms)
    return named and (bool(side.terms) or binding.moments_agree(side.moments, value.binding.moments) > 0)


def _named_in_cited(case: Case, reading: Reading, side: Side) -> bool:
    """A cited passage is about the side: it, or its title, has its name or all of its words."""
    bag = case.bags.cited(reading.cited)
    if side.names:
        return any(n.key in bag.keys or n.surface.lower() in bag.low for n in side.names)
    return bool(side.terms) and not side.moments and all(match(t, bag) >= SYNONYM for t in side.terms)


# --- the question's sides ----------------------------------------------------------------------------------------


def _missing_side(case: Case) -> Iterator[Finding]:
    """The question compares two named things and no cited statement speaks of one of them."""
    sides = case.question.sides
    claims = [r for r in case.readings if r.is_claim]
    if len(sides) < 2 or not claims or any(r.role == "refusal" for r in case.readings):
        return
    answer = " ".join(r.analysis.low for r in claims)
    cited = " ".join(
        case.passage(c).low
        for r in claims
        for c in r.cited
        if len(r.cited) > 1 or all(side.lower() in case.passage(c).low for side in sides)
    )
    for side in sides:
        key = re.sub(r"[-_\s]", "", side.lower())
        told = re.sub(r"[-_\s]", "", f"{answer} {cited}")
        if key and key not in told:
            yield Finding(
                IssueType.COMPARISON_MISSING_SIDE,
                claims[-1].index,
                f"nothing is said of {side}",
                RemedyKind.RETRIEVE_MISSING,
                expected=side,
                queries=(f"{side} {case.question.text}",),
            )
