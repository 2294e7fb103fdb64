"""What a statement works out: which of its values follow from the evidence, from each other, or are supposed."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import combinations

from services.validation.domain.case import Case, Reading
from services.validation.domain.derived.accounts import as_score, as_workdays, part_of_sum, running_balance
from services.validation.domain.derived.computed import follows
from services.validation.domain.derived.operands import Pool
from services.validation.domain.values.compare import close, entailed_by_range, equal, loosely, tolerance
from services.validation.domain.values.quantity import Quantity
from services.validation.domain.values.told_otherwise import rest_of_parts, rounds_up
from services.validation.domain.values.units import COUNTS

_ROUNDS = 4
# Values that may be assumed, and how often what follows from them is tried; forty values have very many pairs.
_MOST_SUPPOSED, _MOST_TRIED = 4, 48
# A case made up to show how a rule works, or a value that the statement assumes.
_SUPPOSED = re.compile(
    r"\bfor (?:example|instance)\b|\be\.g\.|\bsay\b|\bsuppos\w+|\bassum\w+|\bwould\b|\bthus\b|\bhence\b|\bif\b"
    r"|\bimagin\w+|\bgiven\b"
    r"|\bthat (?:is|makes|means)\b|\bi\.e\.|\bon an?\b|\bwith an?\b|\bweighing\b|\bat \d"
    r"|例如|比如|譬如|假设|假如|假定|如果|若|举例|设|某|为例|则|以",
    re.I,
)


def worked_out(case: Case, reading: Reading, pool: Pool) -> frozenset[int]:
    """The offsets of the quantities of a statement that the evidence does not state and that follow or are supposed."""
    known = case.worked_out.get(reading.index)
    if known is None:
        known = case.worked_out[reading.index] = _work_out(case, reading, pool)
    return known


def _work_out(case: Case, reading: Reading, pool: Pool) -> frozenset[int]:
    quantities = [q for q in reading.analysis.quantities if not q.interval]
    stated = [q for q in quantities if any(told(q, e) for _, e in pool)]
    stated += [q for q in quantities if q not in stated and any(equal(q, e) for e in case.question.analysis.quantities)]
    stated += [one for q in quantities if q not in stated and _small_count(one := q.amount or q)]
    given = {q.start for q in stated}
    open_ = [q for q in quantities if q.start not in given]
    found: set[int] = set()
    for _ in range(_ROUNDS):
        new = [q for q in open_ if q.start not in found and _follows(case, reading, q, pool, stated)]
        if not new:
            break
        found.update(q.start for q in new)
        stated = [*stated, *new]
    left = [q for q in open_ if q.start not in found]
    if len(left) > 1 or (left and found):
        found |= _supposed(case, reading, pool, stated, left)
    return frozenset(found)


def _follows(case: Case, reading: Reading, quantity: Quantity, pool: Pool, stated: Sequence[Quantity]) -> bool:
    if follows(case, reading, quantity, pool, stated) or rounds_up(case, reading, quantity, stated):
        return True
    score = as_score(quantity)
    if score is not quantity and follows(case, reading, score, [(u, as_score(q)) for u, q in pool], stated):
        return True  # points of a game: the difference of two figures
    workdays = as_workdays(quantity, [q for _, q in pool])
    if workdays is not quantity and follows(case, reading, workdays, pool, stated):
        return True  # "nine days remain" of twelve working days, three of them free
    if part_of_sum(case, reading, quantity, pool) or running_balance(quantity, pool, case.config.lexicon):
        return True
    return rest_of_parts(reading, quantity, [*stated, *(q for _, q in pool)])


def _small_count(quantity: Quantity) -> bool:
    """ "Two tours", 两场: the writer's own count, which is judged elsewhere."""
    return quantity.unit.dimension in COUNTS and quantity.low <= _SMALL and not quantity.surface[0].isdigit()


def _supposed(
    case: Case, reading: Reading, pool: Pool, stated: Sequence[Quantity], left: Sequence[Quantity]
) -> set[int]:
    """Values that the statement assumes, with those that then follow: a child of 15 kg gets 300 mg."""
    if not _SUPPOSED.search(reading.analysis.low):
        return set()
    found: set[int] = set()
    first = len(reading.analysis.text)
    few = left[:_MOST_SUPPOSED]
    tried = 0
    for size in (1, 2):
        for assumed in combinations(few, size):
            for other in left:
                if other in assumed or other.start in found or tried >= _MOST_TRIED:
                    continue
                tried += 1
                if follows(case, reading, other, pool, [*stated, *assumed], needs=assumed):
                    found |= {other.start, *(q.start for q in assumed)}
                    first = min(first, other.start)
    if not found:
        return found
    stated = [*stated, *(q for q in left if q.start in found)]
    for _ in range(_ROUNDS):
        new = [q for q in left if q.start not in found and follows(case, reading, q, pool, stated)]
        if not new:
            break
        found.update(q.start for q in new)
        stated = [*stated, *new]
    if _SUPPOSED.search(reading.analysis.low):
        # The other givens of a worked example, told before its result, need no source.
        found.update(q.start for q in left if q.start < first)
    return found


def told(answer: Quantity, evidence: Quantity) -> bool:
    """The evidence states the value, aside from the side of a bound."""
    answer, evidence = loosely(answer, evidence)
    return equal(answer, evidence) or entailed_by_range(answer, evidence)


_FORMULA = re.compile(r"\d[\d,.]*(?:\s*[×x*+\-/÷·]\s*[$€£¥]?\s*\d[\d,.]*)+")


def computed_by_formula(reading: Reading, quantity: Quantity, pool: Pool, asked: Sequence[Quantity]) -> bool:
    """The statement writes the sum out, from values that are stated or small counts: (2 × 890 + 440)."""
    for match in _FORMULA.finditer(reading.analysis.text):
        within = match.start() <= quantity.start < match.end()
        numbers = [float(n.replace(",", "").rstrip(".")) for n in re.findall(r"\d[\d,]*(?:\.\d+)?", match.group())]
        signs = re.findall(r"[×x*+\-/÷·]", match.group())
        if len(numbers) != len(signs) + 1 or not all(_sourced(n, pool, asked) for n in numbers):
            continue
        value = _evaluate(numbers, signs)
        if value is None:
            continue
        if _is(value, quantity) and not within:
            return True
        given = {*numbers, sum(n for n in numbers if n <= _SMALL and n == int(n))}
        if (within or quantity.figure in given) and any(
            _is(value, q) for q in reading.analysis.quantities if not match.start() <= q.start < match.end()
        ):
            return True
    return False


def _is(value: float, quantity: Quantity) -> bool:
    near = quantity.approx and abs(value - quantity.figure) <= tolerance(quantity)
    return near or close(value, quantity.figure) or close(value, quantity.low)


def _sourced(number: float, pool: Pool, asked: Sequence[Quantity]) -> bool:
    small = number == int(number) and number <= _SMALL
    return small or any(close(number, q.figure) or close(number, q.low) for q in (*(q for _, q in pool), *asked))


_SMALL = 12


def _evaluate(numbers: Sequence[float], signs: Sequence[str]) -> float | None:
    terms, marks = [numbers[0]], []
    for sign, number in zip(signs, numbers[1:], strict=True):
        if sign in "×x*·":
            terms[-1] *= number
        elif sign in "/÷":
            if not number:
                return None
            terms[-1] /= number
        else:
            terms.append(number)
            marks.append(sign)
    value = terms[0]
    for sign, number in zip(marks, terms[1:], strict=True):
        value += number if sign == "+" else -number
    return value
