"""How fast, 多重: a question word that asks for a value of one measure; any value of that measure answers it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from services.validation.domain.analysis import Analysis, Term
from services.validation.domain.reading.patterns import Pattern
from services.validation.domain.values.units import AGE, LENGTH, MASS, SPANS, TEMPERATURE, Dimension

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
# Compared by name: 比较A320和A330的重量, which "weighs 78 t", 重78吨 tells.
_NAMED: tuple[tuple[Pattern, tuple[Dimension, ...]], ...] = (
    (Pattern(r"\b(?:speeds?|velocit(?:y|ies))\b|[时车]速|速度", re.I), (_SPEED,)),
    (Pattern(r"\b(?:weights?|mass(?:es)?)\b|[重质]量|自重|体重", re.I), (MASS,)),
    (Pattern(r"\b(?:heights?|widths?|lengths?|depths?|distances?)\b|[高宽长深厚]度|距离|身高", re.I), (LENGTH,)),
    (Pattern(r"\b(?:durations?)\b|时长", re.I), (*SPANS,)),
    (Pattern(r"\b(?:temperatures?)\b|温度|气温", re.I), (TEMPERATURE,)),
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


def asked_measure(question: Analysis, *, named: bool = False) -> AskedMeasure | None:
    """The measure that a question asks for, None if it names none or several; ``named``: also by its noun."""
    tables = (*_MEASURES, *_NAMED) if named else _MEASURES
    found = [AskedMeasure(m.start(), m.end(), dims) for pattern, dims in tables for m in pattern.finditer(question.low)]
    return found[0] if len(found) == 1 else None


def beyond_measure(terms: Sequence[Term], measure: AskedMeasure | None) -> tuple[Term, ...]:
    """The words of a need without the one that only names its measure."""
    return tuple(t for t in terms if measure is None or not measure.asks(t))
