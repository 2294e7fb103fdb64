"""Why a value may stand that the evidence does not state: it is derived from it, told in other terms, or no claim."""

from __future__ import annotations

import re
from collections.abc import Sequence

from services.validation.domain.case import Case, Reading
from services.validation.domain.derived.computed import (
    adds_up,
    dropped_unit,
    follows,
    illustrates,
    is_basis,
    named_in_text,
    sums_its_own,
)
from services.validation.domain.derived.growth_told import grows_by, was_before
from services.validation.domain.derived.operands import Pool
from services.validation.domain.derived.workings import computed_by_formula, worked_out
from services.validation.domain.times.spans_told import (
    counts_periods,
    ends_told,
    rate_as_interval,
    span_of_result,
    spans_time,
)
from services.validation.domain.values.compare import close, equal, states
from services.validation.domain.values.discounts import tells_discount
from services.validation.domain.values.quantity import Quantity
from services.validation.domain.values.restated import one_of_each
from services.validation.domain.values.signs import sign_in_words
from services.validation.domain.values.told_otherwise import (
    about_as_long,
    as_interval,
    bare_age,
    calendar_basis,
    first_of,
    monthly_mean,
    names_period,
    pooled_ratio,
    stands_as_figure,
    tells_half,
    two_denominators,
    workdays_told,
)
from services.validation.domain.values.units import COUNT, OCCASION, TALLIES
from services.validation.domain.values.value_findings import Candidate

_SMALL_COUNT = 10
_ONE_EACH = re.compile(r"\b(?:for|per|each)\s+(?:a |every )?$|每$")


def is_explained(case: Case, reading: Reading, quantity: Quantity, candidates: Sequence[Candidate], pool: Pool) -> bool:
    """The value needs no place of its own in the evidence; the readings that cost least are tried first."""
    lexicon = case.config.lexicon
    return (
        dropped_unit(quantity, pool)
        or sums_its_own(reading, quantity, pool)
        or is_basis(case, reading, quantity, pool)
        or _in_title(case, reading, quantity)
        or _in_header(quantity, pool)
        or restates_question(case, quantity)
        or _counts_items(case, reading, quantity, candidates)
        or named_in_text(case, reading, quantity)
        or illustrates(case, reading, quantity, pool)
        or first_of(case, reading, quantity)
        or bare_age(quantity, pool)
        or workdays_told(reading, quantity, pool)
        or ends_told(case, reading, quantity, pool)
        or spans_time(case, reading, quantity)
        or rate_as_interval(quantity, pool)
        or names_period(case, reading, quantity)
        or stands_as_figure(case, reading, quantity)
        or tells_half(case, reading, quantity)
        or as_interval(quantity, pool)
        or about_as_long(quantity, pool)
        or calendar_basis(reading, quantity)
        or two_denominators(quantity, pool)
        or tells_discount(reading, quantity, pool)
        or sign_in_words(reading, quantity, pool, lexicon)
        or span_of_result(case, reading, quantity, pool)
        or counts_periods(case, reading, quantity)
        or follows_from_cited(case, reading, quantity, pool)
        or (quantity.weak and _is_piece(case, reading, quantity))
    )


def _is_piece(case: Case, reading: Reading, quantity: Quantity) -> bool:
    """ "For one coat": the piece that a rate is told for."""
    return bool(_ONE_EACH.search(reading.analysis.low[: quantity.start])) or one_of_each(case, reading, quantity)


def follows_from_cited(case: Case, reading: Reading, quantity: Quantity, pool: Pool) -> bool:
    return (
        quantity.start in worked_out(case, reading, pool)
        or follows(case, reading, quantity, pool)
        or adds_up(case, reading, quantity, pool)
        or pooled_ratio(reading, quantity, pool)
        or monthly_mean(reading, quantity, pool)
        or grows_by(case, reading, quantity, pool)
        or was_before(case, reading, quantity, pool)
        or computed_by_formula(reading, quantity, pool, case.question.analysis.quantities)
    )


def _in_title(case: Case, reading: Reading, quantity: Quantity) -> bool:
    """The value is part of what a cited document is called: the leaflet of the 40 mg strength."""
    titles = (case.passage(citation).title.text for citation in reading.cited)
    return any(equal(quantity, q) for title in titles for q in case.analyser.quantities(title))


def _in_header(quantity: Quantity, pool: Pool) -> bool:
    """The value stands in the heading of a column: 72 hours before departure."""
    headers = {id(h): h for unit, _ in pool for _, _, h in unit.headers}
    return any(states(quantity, q) for h in headers.values() for q in h.quantities)


def restates_question(case: Case, quantity: Quantity) -> bool:
    """The question's own value; its figure too where one of the two leaves out the unit (a child of 10)."""
    return any(
        equal(quantity, q)
        or (close(quantity.figure, q.figure) and COUNT in (quantity.unit.dimension, q.unit.dimension) and not q.weak)
        for q in case.question.analysis.quantities
    )


def _counts_items(case: Case, reading: Reading, quantity: Quantity, candidates: Sequence[Candidate]) -> bool:
    """ "two conditions", 两种情形: the writer counts what he lists; not if a passage that he does not cite says it."""
    quantity = quantity.amount or quantity
    small = is_small_count(quantity)
    if quantity.bound and not quantity.noun and candidates:
        return False  # "capped at six" is a limit, no count of the writer's
    if not small or any(_same_noun(quantity, c.quantity) for c in candidates if not c.quantity.weak):
        return False
    if quantity.unit.dimension == OCCASION and any(c.quantity.unit.dimension == OCCASION for c in candidates):
        return False
    elsewhere = [q for u in case.units(case.others(reading.cited)) for q in u.analysis.quantities]
    return not any(quantity.noun and q.noun and _same_noun(quantity, q) and equal(quantity, q) for q in elsewhere)


def is_small_count(quantity: Quantity) -> bool:
    """Two, 三个: small counts in words stand beside anything."""
    return quantity.unit.dimension in TALLIES and quantity.low <= _SMALL_COUNT and not quantity.surface[0].isdigit()


def _same_noun(a: Quantity, b: Quantity) -> bool:
    if a.unit.unit_id == b.unit.unit_id == "occasion":
        return True
    if a.noun and b.noun:
        return a.noun.rstrip("s") == b.noun.rstrip("s")
    return a.surface[-1:] == b.surface[-1:]
