"""A number with what it measures."""

from __future__ import annotations

from dataclasses import dataclass

from services.validation.domain.values.units import Unit


@dataclass(frozen=True, slots=True)
class Quantity:
    """A number with what it measures.

    ``low`` and ``high`` are in base units (equal unless a range); ``figure`` is the number as written after its
    magnitude; ``step`` is the value of the last digit shown, in base units. ``bound`` is ``ge``, ``gt``, ``le``,
    ``lt`` or empty; ``interval`` marks "every 6 months"; ``noun`` is the counted thing where the text names it.
    ``amount`` is, for a rate told in words ("20 litres a day"), the same without its denominator.
    ``weak`` marks numbers that often are no claim (one, a half, 一个).
    """

    low: float
    high: float
    figure: float
    step: float
    unit: Unit
    start: int
    end: int
    surface: str
    approx: bool = False
    bound: str = ""
    interval: bool = False
    noun: str = ""
    weak: bool = False
    signed: str = ""
    amount: Quantity | None = None

    @property
    def is_range(self) -> bool:
        """True if the text gives both ends."""
        return self.low != self.high
