"""Spans that the clock times and days of the passages tell: from 07:10 to 10:25, and by how much two of them differ."""

from __future__ import annotations

import re
from itertools import combinations, pairwise

from services.validation.domain.case import Case, Reading
from services.validation.domain.values.compare import close
from services.validation.domain.values.quantity import Quantity
from services.validation.domain.values.units import SECONDS_A_DAY, TIME

_DAY = 1440  # minutes
_TWO_ENDS = 2
_DIFFERS = re.compile(r"比|相差|快|慢|\bthan\b|\b(?:faster|slower|quicker|longer|shorter|differ\w*)\b")


def between_clocks(case: Case, reading: Reading, quantity: Quantity) -> bool:
    """The time between two clock times of the cited passages, the days of a period told by its first and last."""
    if quantity.unit.dimension != TIME:
        return False
    units = case.units(reading.cited)
    moments = [m for u in units for m in u.analysis.moments]
    clocks = [[m.sub for m in u.analysis.moments if m.kind == "clock"] for u in units]
    for told in clocks:
        # From 22:40 until 01:25: the next day's.
        if any(a > b and close((b - a + _DAY) * 60, quantity.low) for a, b in pairwise(told)):
            return True
    distinct = sorted({c for told in clocks for c in told})
    if any(close((b - a) * 60, quantity.low) for a, b in combinations(distinct, 2)):
        return True
    for ends in clocks:
        shifts = list(zip(ends[::2], ends[1::2], strict=False))
        several = len(ends) % 2 == 0 and len(shifts) > 1 and all(a < b for a, b in shifts)
        if several and close(sum(b - a for a, b in shifts) * 60, quantity.low):
            return True  # 8:00 to 12:00 and 14:00 to 18:00 are eight hours
    if _DIFFERS.search(reading.analysis.low):
        journeys = [told[1] - told[0] for told in clocks if len(told) == _TWO_ENDS]
        if any(close(abs(a - b) * 60, quantity.low) for a, b in combinations(journeys, 2)):
            return True  # 13 minutes faster: 3:02 against 3:15
    days = sorted({i[0].toordinal() for m in moments if m.kind == "day" and (i := m.interval())})
    told_days = sorted({i[0].toordinal() for m in reading.analysis.moments if m.kind == "day" and (i := m.interval())})
    spans = [b - a for a, b in combinations(days, 2)] + [b - a + 1 for a, b in combinations(told_days, 2)]
    return any(close(span * SECONDS_A_DAY, quantity.low) for span in spans)
