"""Whether two sentences give different values: units converted, rounding and bounds allowed for."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from services.retrieval.domain.values.stated_values import MONEY, Value

# Values in other units are told in round numbers: 10 kg and 22 pounds, 90 days and three months, 1 GB and 1000 MB.
_OTHER_UNIT = 0.05
_ROUGHLY = 0.1
_SAME = 1e-9
# As days are counted in ``stated_values``.
_DAYS_OF_A_YEAR = 372
# A working week has five days, and holidays come on top.
_WORKING_DAYS = (1.0, 1.8)


def comparable(first: Sequence[Value], second: Sequence[Value]) -> bool:
    """Whether both have as many values of each kind."""
    return sorted(value.compared for value in first) == sorted(value.compared for value in second)


def differing(first: Sequence[Value], second: Sequence[Value], rough: bool = False) -> list[tuple[Value, Value]]:
    """The values that differ, those of one kind compared in order; ``rough``: one is told as an approximation."""
    left = list(second)
    pairs = []
    for value in first:
        other = next(v for v in left if v.compared == value.compared)
        left.remove(other)
        if not _equal(value, other, rough):
            pairs.append((value, other))
    return pairs


def _equal(first: Value, second: Value, rough: bool) -> bool:
    if first.kind in MONEY and first.kind != second.kind and "cent" not in (first.kind, second.kind):
        return True  # in two currencies, which nothing here converts
    if first.compared == "day" and first.unit != second.unit:
        return (first.amount - second.amount) % _DAYS_OF_A_YEAR == 0
    low, high = sorted((first.amount, second.amount))
    within = _ROUGHLY if rough else _SAME if first.unit == second.unit else _OTHER_UNIT
    if first.kind == "time" and first.unit.startswith("working") != second.unit.startswith("working"):
        working, plain = (first, second) if first.unit.startswith("working") else (second, first)
        return _WORKING_DAYS[0] <= plain.amount / max(working.amount, _SAME) <= _WORKING_DAYS[1]
    if first.compared in ("day", "clock", "day of month") and not rough:
        within = _SAME
    return high - low <= within * max(abs(high), abs(low))


def allowed(pairs: Sequence[tuple[Value, Value]], first: Collection[str], second: Collection[str]) -> bool:
    """Whether the values go together after all: one side sets a bound, which the other's value keeps.

    ``first`` and ``second`` are the words of the sentences.
    """
    if len(pairs) != 1:
        return False
    [(a, b)] = pairs
    bounds = [("atleast" in words, "atmost" in words) for words in (first, second)]
    # The limit is 5 files: at most 5, where nothing else is told.
    limits = ["timelimit" in words for words in (first, second)]
    bounds = [(low, high or (limit and not low)) for (low, high), limit in zip(bounds, limits, strict=True)]
    if bounds[0] == bounds[1]:
        return False
    if any(low and high for low, high in bounds):
        return True
    return (
        (bounds[0][0] and not bounds[1][1] and b.amount >= a.amount)
        or (bounds[0][1] and not bounds[1][0] and b.amount <= a.amount)
        or (bounds[1][0] and not bounds[0][1] and a.amount >= b.amount)
        or (bounds[1][1] and not bounds[0][0] and a.amount <= b.amount)
    )
