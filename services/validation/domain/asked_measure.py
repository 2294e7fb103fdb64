"""How fast, 多重: a question word that asks for a value of one measure; any value of that measure answers it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from services.validation.domain.analysis import Analysis, Term
from services.validation.domain.patterns import Pattern
from services.validation.domain.units import AGE, LENGTH, MASS, SPANS, TEMPERATURE, Dimension

_SPEED: Dimension = (("length", 1), ("time", -1))
# "How long" asks for a time or for a length, "how fast" for a speed or, like "how quickly", for a time.
_MEASURES: tuple[tuple[Pattern, tuple[Dimension, ...]], ...] = (
    (Pattern(r"\bhow (?:fast|quickly|slow|slowly)\b|多[快慢]", re.I), (_SPEED, *SPANS)),
    (Pattern(r"\bhow (?:heavy|light)\b|多[重轻]", re.I), (MASS,)),
    (Pattern(r"\bhow (?:high|tall|wide|deep|far|thick)\b|多[高宽深远厚]", re.I), (LENGTH,)),
    (Pattern(r"\bhow (?:long|soon)\b|多[长久]", re.I), (LENGTH, *SPANS)),
    (Pattern(r"\bhow old\b|多大年[纪龄]", re.I), (AGE, *SPANS)),
    (Pattern(r"\bhow (?:hot|cold|warm)\b|多[热冷]", re.I), (TEMPERATURE,)),
)


@dataclass(frozen=True, slots=True)
class AskedMeasure:
    """Where the question word stands (offsets), and the dimensions of the values that answer it."""

    start: int
    end: int
    dimensions: tuple[Dimension, ...]

    def asks(self, term: Term) -> bool:
        """True for a word of the question that only says which measure is asked for."""
        return self.start <= term.start < self.end

    def told_by(self, analysis: Analysis) -> bool:
        """True if a text holds a value of the measure."""
        return any(q.unit.dimension in self.dimensions and not q.weak for q in analysis.quantities)


def asked_measure(question: Analysis) -> AskedMeasure | None:
    """The measure that a question asks for, None if it names none or several."""
    found = [
        AskedMeasure(m.start(), m.end(), dims) for pattern, dims in _MEASURES for m in pattern.finditer(question.low)
    ]
    return found[0] if len(found) == 1 else None


def beyond_measure(terms: Sequence[Term], measure: AskedMeasure | None) -> tuple[Term, ...]:
    """The words of a need without the one that only names its measure."""
    return tuple(t for t in terms if measure is None or not measure.asks(t))
