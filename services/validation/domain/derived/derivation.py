"""What derivations are made of: operands, how values compare and fit, and the words that announce a computation."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from itertools import combinations, islice

from services.validation.domain.reading.patterns import Pattern
from services.validation.domain.values.compare import close, tolerance
from services.validation.domain.values.quantity import Quantity
from services.validation.domain.values.units import COUNT, COUNTS, PIECE, is_rate

# "Three tablets, that is 60 mg": the same amount told in another way.
EQUATES = Pattern(
    r"\bthat is\b|\bi\.e\.|\bthat makes\b|\bthis makes\b|\bwhich (?:is|makes|means|comes|gives)\b|\bmeaning\b"
    r"|\bthus\b|\bhence\b"
    r"|\btherefore\b|\bwould\b|\bequivalent\b|\bequals?\b|\bcorrespond\w*|\bcom(?:es|ing) to\b|\bmak(?:es"
    r"|ing)\b|\bamount\w* to\b"
    r"|\bgiv(?:es|ing)\b|\bresult\w*|\bso\b|=|即|也就是|就是|便是|就有|就要|合每|摊|相当于|折合|等于|因此|所以|则|例如|比如|折算|换算"
)


MAX_PAIRS = 1_000


@dataclass(frozen=True, slots=True)
class Operand:
    """A cited value and the first day of the time it belongs to, where that is known.

    ``told`` marks values that the statement itself names beside the one to derive; ``column`` is the table and the
    column of a cell; ``bare`` are rates without their denominator, which only multiply; ``asked`` are values of
    the question; ``row`` is the cell's row; ``worked_out`` are told values that no passage states.
    """

    quantity: Quantity
    day: date | None
    told: bool = False
    column: tuple[int, int] | None = None
    bare: bool = False
    asked: bool = False
    row: int = -1
    worked_out: bool = False


def crossed(a: Operand, b: Operand) -> bool:
    """Cells of one table in different rows and different columns, which nothing sets against each other."""
    if a.column is None or b.column is None or a.column[0] != b.column[0]:
        return False
    return a.column != b.column and a.row != b.row


@dataclass(frozen=True, slots=True)
class Derivation:
    """How a value follows: the rule and its operands in the order of the formula."""

    rule: str
    operands: tuple[Quantity, ...]


def alike(a: Quantity, b: Quantity) -> bool:
    """Of one dimension, or counts of what may be one thing."""
    if a.unit.dimension in COUNTS:
        return both_counts(a, b)
    return a.unit.dimension == b.unit.dimension


def both_counts(a: Quantity, b: Quantity) -> bool:
    """Counts of things that are not told to be different: no sheets and volumes, no small number word and a figure."""
    if a.unit.dimension not in COUNTS or b.unit.dimension not in COUNTS:
        return False
    if a.unit.dimension == b.unit.dimension != COUNT and a.surface[-1:] != b.surface[-1:]:
        return a.surface[-1:] in _ANYTHING or b.surface[-1:] in _ANYTHING
    for one, other in ((a, b), (b, a)):
        small = not one.surface[:1].isdigit() and one.low <= _SMALL_WORD and one.unit.dimension == COUNT
        if small and other.surface[:1].isdigit() and (not one.noun or one.noun.rstrip("s") != other.noun.rstrip("s")):
            return False
    return True


_ANYTHING, _SMALL_WORD = "个人名位", 12


def fits(quantity: Quantity, value: float) -> bool:
    """The value is the quantity's, or rounds to it where the text marks a rounding."""
    if close(quantity.low, value):
        return True
    return quantity.approx and abs(quantity.low - value) <= tolerance(quantity) * (1 + 1e-9)


def counted(quantity: Quantity) -> bool:
    """A number of things, not a bare figure that may be a price."""
    named = bool(quantity.noun) or quantity.unit.dimension == PIECE or not quantity.surface[:1].isdigit()
    return quantity.unit.dimension in COUNTS and named


def is_quotient(quantity: Quantity) -> bool:
    """True for a rate, whose denominator a factor may take away."""
    return is_rate(quantity.unit)


HALVED = re.compile(r"\bhal(?:f|ves|ved|ve|ving)\b|半|减半")


SAVES = Pattern(r"\bsav\w+|\bcheaper\b|\bless\b|\binstead\b|省|优惠|便宜|少付")


COSTS = Pattern(
    r"\bcosts?\b|\bpays?\b|\bpaid\b|\bprice\b|\bbill\b|\bcomes? to\b|\bsave|\bneeds?\b|花费|费用|需付|应付"
    r"|支付|收费|需要|要付|多付|加付|共付|\bcharge[sd]?\b|\bowes?\b|\bspends?\b"
)


SUMMED = Pattern(
    r"\badds?\b|\bextra\b|\bsurcharge|\bcharged\b|\blate\b|加收|另加|另付|\bwhole\b|\bcomplete\b"
    r"|\bfrom start to\b|\bend to end\b|整|全|\bwith\b.{0,40}\bincluded\b|\bincluding\b|\bincl\.|\bplus\b"
    r"|\bin addition\b|加上|连同|含|共|合|总"
)


MOST_PARTS, MOST_COUNTS, MOST_PRICES = 20, 5, 10


# Units begun count as whole ones.
ROUNDS_UP = re.compile(
    r"\b(?:part thereof|or part|started|commenced|begun|rounded up|round(?:s)? up|full (?:hour|day|month|week|unit)s? "
    r"(?:is|are) charged)\b|不足.{0,10}按.{0,6}[计算收]|不满.{0,10}按.{0,6}[计算收]|向上取整|进位|进一"
)


def sum_of(quantity: Quantity, same: Sequence[Quantity]) -> Derivation | None:
    """The sum of as many of the values as give the quantity."""
    for size in range(len(same), 1, -1):
        for chosen in islice(combinations(same, size), MAX_PAIRS):
            if fits(quantity, sum(q.low for q in chosen)):
                return Derivation("sum", chosen)
    return None
