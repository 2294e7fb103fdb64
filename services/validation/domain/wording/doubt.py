"""Which words, values and times of a statement its passages leave in doubt.

A small logistic model over readable marks gives every word the chance that the passages do not support it: a name
that stands nowhere weighs more than a verb form, a word found only far from the rest more than one found beside it.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from services.validation.domain.analysis import Analysis, Term
from services.validation.domain.config import SupportModel
from services.validation.domain.reading.evidence import Unit
from services.validation.domain.times.moments import covers
from services.validation.domain.values.compare import equal
from services.validation.domain.wording.align import RELATED, TRANSLATION, Bag, match

_FOUND = 0.5
_CLOSE = 0.95
# A word weight above it is rare (``word_counts.tsv``), below it common.
_USUAL_WEIGHT = 0.5
# The marks of a word, of a value or time, in the order of ``config/validation/word_model.yaml``.
MARKS = (
    "absent", "absent_name", "absent_ed", "absent_ing", "absent_ly", "absent_compound", "absent_rare", "absent_beside",
    "loose", "far", "far_name", "apart", "apart_name", "beside", "name", "value", "value_absent", "time_absent",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Doubt:
    """A stretch of the statement and the chance in [0, 1] that its passages do not support it."""

    start: int
    end: int
    chance: float


@dataclass(frozen=True, slots=True)
class Matches:
    """How well each word stands in the cited passages as a whole, and in each of their units (a row a word)."""

    whole: Sequence[float]
    by_unit: Sequence[Sequence[float]]


def doubts(
    analysis: Analysis,
    matches: Matches,
    units: Sequence[Unit],
    model: SupportModel,
    word_weights: Mapping[str, float],
    *,
    across_languages: bool,
) -> list[Doubt]:
    """The words, values and times of a statement with their doubt, the most doubtful first."""
    found = []
    for start, end, marks in marks_of(analysis, matches, units, word_weights, across_languages=across_languages):
        total = model.intercept + sum(model.weights.get(name, 0.0) * value for name, value in marks.items())
        found.append(Doubt(start, end, 1 / (1 + math.exp(-total))))
    found.sort(key=lambda d: (-d.chance, d.start))
    return found


def marks_of(
    analysis: Analysis,
    matches: Matches,
    units: Sequence[Unit],
    word_weights: Mapping[str, float],
    *,
    across_languages: bool,
) -> Iterator[tuple[int, int, dict[str, float]]]:
    """(start, end, marks that are not zero) of every content word, value and time.

    absent: no match, by kind of word (name: capitalised inside the sentence); absent_rare: weighted by rarity;
    absent_beside: a neighbour is absent too; loose: matched by a synonym or relative only; far: matched, but not in or
    beside the sentence that holds most of the statement; apart: never in one sentence with its neighbour; beside:
    matched beside an absent word; name, value: a matched one; value_absent, time_absent: a value or time not found.
    """
    close = TRANSLATION if across_languages else _CLOSE
    best = _best_unit(matches)
    held = [{i for i, s in enumerate(row) if s >= RELATED} for row in matches.by_unit]
    for i, term in enumerate(analysis.terms):
        beside = [j for j in (i - 1, i + 1) if 0 <= j < len(held)]
        lost = sum(matches.whole[j] < _FOUND for j in beside)
        name = term.start > 0 and analysis.text[term.start].isupper()
        if matches.whole[i] < _FOUND:
            yield term.start, term.end, _absent(term, name, lost, word_weights)
            continue
        kept = [j for j in beside if matches.whole[j] >= _FOUND]
        far = max(matches.by_unit[i][max(0, best - 1) : best + 2], default=0.0) < _FOUND
        apart = bool(kept) and not any(held[i] & held[j] for j in kept)
        marks = {
            "loose": matches.whole[i] < close, "far": far, "far_name": far and name, "apart": apart,
            "apart_name": apart and name, "beside": lost, "name": name,
        }  # fmt: skip
        yield term.start, term.end, {mark: float(value) for mark, value in marks.items() if value}
    yield from _facts(analysis, units)


def _best_unit(matches: Matches) -> int:
    columns = len(matches.by_unit[0]) if matches.by_unit else 0
    return max(range(columns), key=lambda j: sum(row[j] for row in matches.by_unit), default=0)


def _absent(term: Term, name: bool, lost: int, word_weights: Mapping[str, float]) -> dict[str, float]:
    surface = term.word.surface
    endings = ("ed", "ing", "ly")
    kind = "absent_name" if name else next((f"absent_{e}" for e in endings if surface.endswith(e)), "absent")
    rare = 0.0 if term.word.han else word_weights.get(term.key, 1.0) - _USUAL_WEIGHT
    marks = {kind: 1.0, "absent_rare": rare, "absent_beside": float(lost)}
    return marks | {"absent_compound": 1.0} if "-" in surface else marks


def _facts(analysis: Analysis, units: Sequence[Unit]) -> Iterator[tuple[int, int, dict[str, float]]]:
    for quantity in analysis.quantities:
        if not quantity.weak:
            known = any(equal(quantity, e) for u in units for e in u.analysis.quantities)
            yield quantity.start, quantity.end, {"value" if known else "value_absent": 1.0}
    for moment in analysis.moments:
        known = any(covers(moment, e) for u in units for e in u.analysis.moments)
        yield moment.start, moment.end, {"value" if known else "time_absent": 1.0}


def matches_of(terms: Sequence[Term], whole: Bag, units: Sequence[Bag]) -> Matches:
    """Match every word against the passages as a whole and against each unit."""
    return Matches([match(t, whole) for t in terms], [[match(t, bag) for bag in units] for t in terms])
