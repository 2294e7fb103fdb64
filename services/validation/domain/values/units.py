"""Units of measurement as data, with dimensions, so that values compare by what they measure.

A table of our own instead of pint: about 150 units are needed, half of their names are Chinese, the parser has
to find them inside running text without white space, and pint's import alone takes longer than a thousand
validations. The table is ``config/validation/units.yaml``.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import lru_cache

Dimension = tuple[tuple[str, int], ...]
"""Exponents of base quantities, sorted by name: speed is ``(("length", 1), ("time", -1))``."""

COUNT: Dimension = ()
RATIO: Dimension = (("ratio", 1),)
TIME: Dimension = (("time", 1),)
CALENDAR: Dimension = (("calendar", 1),)
PIECE: Dimension = (("count", 1),)
OCCASION: Dimension = (("occasion", 1),)
PERSON: Dimension = (("person", 1),)
WORKDAY: Dimension = (("workday", 1),)
NIGHT: Dimension = (("night", 1),)
AGE: Dimension = (("age", 1),)
TIMES: Dimension = (("times", 1),)
LENGTH: Dimension = (("length", 1),)
MASS: Dimension = (("mass", 1),)
TEMPERATURE: Dimension = (("temperature", 1),)
SOUND: Dimension = (("sound", 1),)
ENERGY: Dimension = (("length", 2), ("mass", 1), ("time", -2))
POWER: Dimension = (("length", 2), ("mass", 1), ("time", -3))
MONEY: Dimension = (("money", 1),)
# What a bare number, and one with a measure word, counts; how often; how long.
COUNTS: tuple[Dimension, ...] = (COUNT, PIECE)
TALLIES: tuple[Dimension, ...] = (*COUNTS, OCCASION)
SPANS: tuple[Dimension, ...] = (TIME, CALENDAR, WORKDAY)
SECONDS_A_DAY = 86_400.0


@dataclass(frozen=True, slots=True)
class Unit:
    """One unit: ``value_in_base = value * factor + offset``.

    ``kind`` separates units of one dimension that must not be mixed silently (``percent`` and ``point``).
    ``numerator`` is the unit above the line of a quotient.
    """

    unit_id: str
    dimension: Dimension
    factor: float
    offset: float = 0.0
    kind: str = ""
    numerator: Unit | None = None

    def per(self, other: Unit) -> Unit:
        """The quotient unit, such as kilometre per hour."""
        return Unit(
            f"{self.unit_id}/{other.unit_id}",
            combine(self.dimension, other.dimension, -1),
            self.factor / other.factor,
            0.0,
            self.kind,
            self,
        )

    def scaled(self, factor: float) -> Unit:
        """The unit times a magnitude, such as 万元."""
        return Unit(self.unit_id, self.dimension, self.factor * factor, self.offset, self.kind)


@lru_cache(maxsize=4096)
def combine(a: Dimension, b: Dimension, sign: int) -> Dimension:
    """The dimension of a product (``sign`` 1) or a quotient (``sign`` -1)."""
    exponents = dict(a)
    for base, exponent in b:
        exponents[base] = exponents.get(base, 0) + sign * exponent
    return tuple(sorted((base, exponent) for base, exponent in exponents.items() if exponent))


def is_rate(unit: Unit) -> bool:
    """True for a quotient by a time or by a thing; energies and pressures are none, whatever their exponents."""
    exponents = dict(unit.dimension)
    by_time = exponents.get("time") == -1 or exponents.get("calendar", 0) < 0
    return by_time or unit.numerator is not None or "/" in unit.unit_id


def is_currency(dimension: Dimension) -> bool:
    """True for a plain amount of money."""
    return len(dimension) == 1 and dimension[0][0].startswith("money.") and dimension[0][1] == 1


@dataclass(frozen=True, slots=True)
class UnitTable:
    """The units by name.

    ``symbols`` are case-sensitive (``mW`` is not ``MW``), ``names`` are lower case, ``han`` are Chinese;
    ``prefixes`` stand before the number (``EUR``, ``¥``). ``han_by_length`` is for longest-first search.
    """

    symbols: dict[str, Unit]
    names: dict[str, Unit]
    han: dict[str, Unit]
    prefixes: dict[str, Unit]
    han_lengths: tuple[int, ...] = field(default=())

    def find_latin(self, token: str) -> Unit | None:
        """The unit of one Latin token: a symbol as written, or a name in any case."""
        unit = self.symbols.get(token)
        return unit if unit is not None else self.names.get(token.lower())

    def find_han(self, text: str, position: int) -> tuple[Unit, int] | None:
        """The longest Chinese unit name that starts at ``position``, with its end."""
        for length in self.han_lengths:
            name = text[position : position + length]
            unit = self.han.get(name)
            if unit is not None:
                return unit, position + len(name)
        return None
