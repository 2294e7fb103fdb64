"""Values that a row or sentence tells by two clock times: how long what leaves at 07:10 and arrives at 10:25 takes."""

from __future__ import annotations

from collections.abc import Sequence

from services.validation.domain.case import Case
from services.validation.domain.comparison.sides import Value
from services.validation.domain.values.quantity import Quantity
from services.validation.domain.values.units import TIME, Unit
from services.validation.domain.wording.align import Bag

_SECONDS = Unit("second", TIME, 1.0)
_TWO_ENDS = 2


def journeys(case: Case, citations: Sequence[int]) -> list[Value]:
    """The span of each unit with exactly two clock times, the later one last."""
    found: list[Value] = []
    for unit in case.units(citations):
        ends = [m for m in unit.analysis.moments if m.kind == "clock"]
        if len(ends) != _TWO_ENDS or ends[0].sub >= ends[1].sub:
            continue
        first, last = ends
        seconds = float(last.sub - first.sub) * 60
        surface = unit.analysis.text[first.start : last.end]
        span = Quantity(seconds, seconds, seconds, 60.0, _SECONDS, first.start, last.end, surface)
        bag = Bag.of([unit.analysis, case.passage(unit.citation).title, *(h for _, _, h in unit.headers)])
        found.append(Value(unit, span, case.bind(unit.analysis, first, unit), bag))
    return found
