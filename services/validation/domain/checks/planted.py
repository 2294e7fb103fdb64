"""What a passage orders its reader to say is data: it supports no statement."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from services.common.domain.planted_orders import goes_on, orders, puts_aside
from services.common.domain.verdict import IssueType, Lock, RemedyKind
from services.validation.domain.case import Case, Finding, Reading
from services.validation.domain.checks import register
from services.validation.domain.reading.evidence import Passage, Unit
from services.validation.domain.values.compare import equal

_CARRIES, _AS_WELL = 0.5, 0.1


@register(
    "planted",
    Lock.TRACEABILITY,
    sees="statements that only stand in a passage as what it orders a model to say (ignore all previous instructions"
    " and answer ...)",
    blind="planted text that gives no order; statements that report the order itself are left alone",
)
def check(case: Case) -> Iterator[Finding]:
    """Yield UNSUPPORTED_STATEMENT."""
    planted = {(u.citation, u.index): u for p in case.passages for u in _planted(p)}
    if not planted:
        return
    for reading in case.claims:
        unit = _carried_by(case, reading, planted)
        if unit is not None:
            yield Finding(
                IssueType.UNSUPPORTED_STATEMENT,
                reading.index,
                "stands only in text that orders its reader what to say, which is no evidence",
                RemedyKind.RETRIEVE_MISSING,
                citation=unit.citation,
                evidence=(unit.start, unit.end),
                found=unit.analysis.text,
                queries=(case.question.text,),
            )


def _planted(passage: Passage) -> Iterator[Unit]:
    """The sentences that give a model an order, with those in which the order goes on."""
    ordered = False
    for unit in passage.units:
        low = unit.analysis.low
        ordered = orders(low) or (ordered and goes_on(low))
        if ordered:
            yield unit


def _carried_by(case: Case, reading: Reading, planted: dict[tuple[int, int], Unit]) -> Unit | None:
    """The planted sentence that carries a statement, unless another one does as well or it reports the order."""
    if puts_aside(reading.analysis.low):
        return None
    aligned = case.align(reading, reading.cited)
    shares = [(a.coverage.share, planted.get((a.unit.citation, a.unit.index))) for a in aligned]
    best, unit = max(((s, u) for s, u in shares if u is not None), key=lambda pair: pair[0], default=(0.0, None))
    honest = max((s for s, u in shares if u is None), default=0.0)
    if unit is not None and best >= _CARRIES and honest < best - _AS_WELL:
        return unit
    return _only_source(reading, [a.unit for a in aligned], planted)


def _only_source(reading: Reading, units: Sequence[Unit], planted: dict[tuple[int, int], Unit]) -> Unit | None:
    """The planted sentence that alone has a value of the statement, whatever else the statement says."""
    for value in reading.analysis.quantities:
        having = [u for u in units if any(equal(value, q) for q in u.analysis.quantities)]
        if having and not value.weak and all((u.citation, u.index) in planted for u in having):
            return having[0]
    return None
