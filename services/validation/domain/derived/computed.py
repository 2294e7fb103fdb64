"""Values that a statement does not quote but may give: they follow from the cited values, or restate what is there."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from services.validation.domain.case import Case, Reading
from services.validation.domain.derived.derivation import ROUNDS_UP, Derivation, Operand
from services.validation.domain.derived.derive import derive
from services.validation.domain.derived.operands import Pool, column_of, ends, operands_of
from services.validation.domain.reading.evidence import Unit
from services.validation.domain.reading.patterns import Pattern
from services.validation.domain.times.clock_spans import between_clocks
from services.validation.domain.times.month_spans import with_between
from services.validation.domain.values import binding
from services.validation.domain.values.compare import close, comparable, equal, tolerance
from services.validation.domain.values.quantity import Quantity
from services.validation.domain.values.units import (
    CALENDAR,
    COUNT,
    COUNTS,
    NIGHT,
    OCCASION,
    PERSON,
    PIECE,
    SPANS,
    TIME,
    Dimension,
)
from services.validation.domain.wording.align import cover

# How many statements back a worked-out value may serve.
_STATEMENTS_BACK = 4


def follows(
    case: Case, reading: Reading, quantity: Quantity, pool: Pool, stated: Sequence[Quantity] | None = None,
    *, needs: Sequence[Quantity] = (),
) -> bool:  # fmt: skip
    """The value is recomputed from the cited values of the same items and periods, and from those that the statement
    itself names.

    ``stated`` are the values of the statement that count as given, found here if left out; ``needs`` are those that
    the computation must use.
    """
    if between_clocks(case, reading, quantity):
        return True
    if stated is None:
        stated = [
            q
            for q in reading.analysis.quantities
            if q is not quantity
            and (q.unit.dimension in GIVEN or any(equal(q, e) for _, e in pool) or _times_a_period(q, pool))
        ]
    operands = operands_of(case, reading, quantity, pool)
    lexicon = case.config.lexicon
    told = [
        Operand(q, None, told=True, worked_out=not any(comparable(q, e) and equal(q, e) for _, e in pool))
        for one in stated
        if one is not quantity
        for q in ends(one)
    ]
    earlier = [
        Operand(q, None)
        for r in case.readings[max(0, reading.index - _STATEMENTS_BACK) : reading.index]
        for q in r.analysis.quantities
        if q.start in case.worked_out.get(r.index, frozenset())
    ]
    titles = [q for citation in reading.cited for q in case.analyser.quantities(case.passage(citation).title.text)]
    asked = [Operand(q, None, asked=True) for q in (*case.question.analysis.quantities, *titles)]
    operands = [*told, *operands, *earlier, *asked]
    bare = [replace(o, quantity=amount, bare=True) for o in operands if (amount := _numerator(o.quantity)) is not None]
    tries = [quantity] if quantity.amount is None else [quantity, quantity.amount]
    for q in tries:
        # What the statement names comes first, then values of the same kind: the pool of a derivation is bounded.
        given = sorted(
            operands if q.amount is not None else [*operands, *bare],
            key=lambda o: (not o.told, o.quantity.unit.dimension != q.unit.dimension),
        )
        found = derive(q, given, reading.analysis, lexicon)
        if found is not None and all(any(o is n for o in found.operands) for n in needs):
            return not (_begun_left_out(case, reading, found) or _same_thing_left(case, reading, found, pool))
    return False


def _begun_left_out(case: Case, reading: Reading, found: Derivation) -> bool:
    """A product with 6.3 units where the passages charge for every unit begun, so for seven."""
    if "product" not in found.rule:
        return False
    begun = {
        q.unit.dimension
        for unit in case.units(reading.cited)
        for rule in ROUNDS_UP.finditer(unit.analysis.low)
        for q in unit.analysis.quantities
        if rule.start() <= q.start < rule.end()
    }
    return any(o.unit.dimension in begun and o.figure != int(o.figure) for o in found.operands)


def _same_thing_left(case: Case, reading: Reading, found: Derivation, pool: Pool) -> bool:
    """装满四分之一时封口 for 装满四分之三时封口: the rest of a share, told in the very words of the share itself."""
    if found.rule != "remainder" or len(found.operands) > 1:
        return False
    complement = case.config.lexicon.complement
    for unit in (unit for unit, q in pool if q is found.operands[0]):
        if complement.search(reading.analysis.low) or complement.search(unit.analysis.low):
            return False  # 自用15%，其余上网: the passage tells of the rest itself
        if cover(reading.analysis.terms, case.bags.unit(unit)).share >= _SAME_WORDS:
            return True
    return False


_SAME_WORDS = 0.99


def _times_a_period(quantity: Quantity, pool: Pool) -> bool:
    """两次, where the evidence says twice a day: how often within one unit of time."""
    return quantity.unit.dimension == OCCASION and any(
        e.interval and close(e.low * quantity.low, e.unit.factor) for _, e in pool
    )


# Spans, nights and heads are what a statement multiplies by.
GIVEN: tuple[Dimension, ...] = (*SPANS, NIGHT, PERSON)


def _numerator(quantity: Quantity) -> Quantity | None:
    """The amount of a rate without its denominator: tonnes of tonnes a hectare."""
    if quantity.amount is not None:
        return quantity.amount
    unit = quantity.unit.numerator
    if unit is None or not quantity.unit.factor:
        return None
    share = unit.factor / quantity.unit.factor
    return replace(
        quantity, low=quantity.low * share, high=quantity.high * share, step=quantity.step * share, unit=unit
    )


def dropped_unit(quantity: Quantity, pool: Pool) -> bool:
    """ "No older than 35": the bare figure of a value with a unit."""
    return (
        quantity.unit.dimension == COUNT
        and not quantity.noun
        and any(
            q.unit.dimension not in COUNTS
            and (close(quantity.figure, q.figure) or (q.is_range and _end_of(quantity, q)))
            for _, q in pool
        )
    )


def _end_of(quantity: Quantity, other: Quantity) -> bool:
    scale = other.unit.factor or 1.0
    return close(quantity.figure * scale, other.low) or close(quantity.figure * scale, other.high)


def adds_up(case: Case, reading: Reading, quantity: Quantity, pool: Pool) -> bool:
    """The sum or the average of all values of the kind in one sentence, one column or one passage."""
    lexicon, low = case.config.lexicon, reading.analysis.low
    averaged = lexicon.average.search(low) is not None
    months = with_between(
        reading.analysis.text, [m for m in reading.analysis.moments if m.kind in ("month", "quarter")]
    )
    ranged = len(months) > len(reading.analysis.moments)
    if not (averaged or ranged or lexicon.total.search(low) or _WHOLE.search(low)):
        return False
    groups: dict[object, list[Quantity]] = {}
    for unit, q in pool:
        if ranged and binding.moments_agree(months, case.bind(unit.analysis, q, unit).moments) <= 0:
            continue
        if comparable(quantity, q) and not q.interval and not q.weak and not q.is_range:
            groups.setdefault(column_of(unit, q) or (unit.citation, -1 - unit.index), []).append(q)
            groups.setdefault(unit.citation, []).append(q)
    near = tolerance(quantity) if quantity.approx else 0.0
    for group in groups.values():
        if 1 < len(group) <= _MOST_SUMMED:
            total = sum(q.low for q in group)
            for value in (total, total / len(group)) if averaged else (total,):
                if close(value, quantity.low) or abs(value - quantity.low) <= near:
                    return True
    return False


_MOST_SUMMED = 40
_WHOLE = Pattern(
    r"\bwhole\b|\bcomplete\b|\blatest\b|\blongest\b|\bat most\b|\bfrom start\b|\ball\b|整|全|最迟|最晚|最长|总|共"
)


def illustrates(case: Case, reading: Reading, quantity: Quantity, pool: Pool) -> bool:
    """For a flight of 2,000 km, a seven-year-old: an example inside a range or beyond a bound of the evidence."""
    text = reading.analysis.low
    if not (_EXAMPLE_OF.search(text[: quantity.start]) or _IMAGINED.search(text)):
        return False
    if not _IMAGINED.search(text) and not _RESULT.search(text):
        return False
    for _, q in pool:
        if not comparable(quantity, q) or equal(quantity, q):
            continue
        inside = q.is_range and q.low <= quantity.low <= q.high
        beyond = (q.bound in ("gt", "ge") and quantity.low > q.low) or (
            q.bound in ("lt", "le") and quantity.low < q.low
        )
        if inside or beyond:
            return True
    return False


_EXAMPLE_OF = re.compile(r"(?:\ban?|\banother|某|一个|一名|一台)\s*$")
_IMAGINED = re.compile(r"\bfor (?:example|instance)\b|\be\.g\.|\bsuppos\w+|\bassum\w+|例如|比如|譬如|假设|假如|假定")
_RESULT = re.compile(r"\bwould\b|\bthus\b|\bhence\b|\bpays?\b|\bgets?\b|则|应")


def named_in_text(case: Case, reading: Reading, quantity: Quantity) -> bool:
    """A bare number that with the word before it stands in a passage or the question: Frio 260, 金穗12."""
    if quantity.unit.dimension != COUNT or not quantity.surface[:1].isdigit():
        return False
    match = _WORD_BEFORE.search(reading.analysis.low[: quantity.start])
    if match is None or (match.group().isascii() and match.group().strip(" -") in case.config.lexicon.stopwords):
        return False
    name = match.group() + reading.analysis.low[quantity.start : quantity.end]
    texts = [p.low for p in case.passages if p.citation in reading.cited]
    return any(re.search(re.escape(name) + r"(?![\d.,]*\d)", text) for text in (*texts, case.question.analysis.low))


_WORD_BEFORE = re.compile(r"(?:[a-z]{2,}[ -]?|[\u4e00-\u9fff]{2})$")


def sums_its_own(reading: Reading, quantity: Quantity, pool: Sequence[tuple[Unit, Quantity]]) -> bool:
    """A total that the statement itself spells out: "EUR 500: EUR 320 for the flight and EUR 180 for the hotel"."""
    parts = [
        q
        for q in reading.analysis.quantities
        if q is not quantity and q.unit.dimension == quantity.unit.dimension and any(equal(q, e) for _, e in pool)
    ]
    return len(parts) > 1 and close(sum(q.low for q in parts), quantity.low)


def is_basis(case: Case, reading: Reading, quantity: Quantity, pool: Sequence[tuple[Unit, Quantity]]) -> bool:
    """ "In 24 hours": the span for which the statement gives a total that follows from a cited rate."""
    if quantity.unit.dimension not in (TIME, CALENDAR, PIECE, NIGHT):
        return False
    operands = [Operand(q, None) for _, q in pool if any(exponent < 0 for _, exponent in q.unit.dimension)]
    if not operands:
        return False
    others = [q.amount or q for q in reading.analysis.quantities if q is not quantity]
    return any(derive(q, [*operands, Operand(quantity, None)], reading.analysis, case.config.lexicon) for q in others)
