"""Sentences with one condition, as the product of two signs: that of the condition and that of what it carries.

"The booking lapses unless the fee is paid", "if the fee is not paid, the booking lapses" and "where the fee is paid the
booking does not lapse" have one product, as have 没有陪同的，不得进入 and 有人陪同的，可以进入. Sentences about
one condition and one consequence contradict each other if their products differ.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from services.validation.domain.analysis import Analyser, Analysis, Cue, Term
from services.validation.domain.case import Case, Reading
from services.validation.domain.force.contrast import rivals
from services.validation.domain.reading.evidence import Unit
from services.validation.domain.reading.patterns import Pattern
from services.validation.domain.values.compare import bounds_clash, close
from services.validation.domain.values.quantity import Quantity
from services.validation.domain.wording.align import Bag, cover, in_span

_MARK = Pattern(
    r"\b(?P<even>even |whether |as |not (?=only))?"
    r"(?P<w>unless|except (?:if|when|where)|save (?:if|when|where)|(?:only )?without|until|only with"
    r"|(?:only )?(?:if|when|where|once)|provided(?: that)?|providing|(?:as|so) long as|on condition that"
    r"|in the absence of)\b"
)
_TURNS = Pattern(r"unless|except|save|without|until|absence")
_HAN_OPEN = Pattern(r"^\W*(?P<w>除非|如果|如|若|倘若|只要|只有|凡|但凡|当)")
_HAN_CUT = Pattern(r"[，,]")
_HAN_WHO = Pattern(r"(?:的|时|时候|后|以后|之后|(?P<before>前|以前|之前)|(?:的)?情况下)$")
_HAN_LATE = Pattern(r"[，,](?P<w>除非)")
_HAN_ELSE = Pattern(r"\s*(?:否则)?")
# 才 after 除非 makes it "only if".
_HAN_ONLY = Pattern(r"才|方可|方能")
_STOP = Pattern(r"[,;:，；：]")
_COMPOUND = Pattern(r"[;；]")
_SEVERAL = Pattern(r"\bor\b|或")
_COVERS = 0.5


@dataclass(frozen=True, slots=True)
class Supposition:
    """The words of a condition and of its consequence, the consequence's sign and the product of both (1 or -1)."""

    condition: tuple[Term, ...]
    consequence: tuple[Term, ...]
    sign: int
    product: int
    spans: tuple[tuple[int, int], tuple[int, int]]


@dataclass(frozen=True, slots=True)
class Supposed:
    """A cited sentence with a statement's own condition and consequence: whether the two agree, and whether the one
    affirms what the other denies of the opposite condition."""

    unit: Unit
    agrees: bool
    turned: bool


def supposed_in(case: Case, reading: Reading) -> Supposed | None:
    """The cited sentence that supposes what the statement supposes, one that agrees if there is any; None without."""
    if reading.index not in case.supposed:
        case.supposed[reading.index] = _supposed_in(case, reading)
    found: Supposed | None = case.supposed[reading.index]
    return found


def _supposed_in(case: Case, reading: Reading) -> Supposed | None:
    mine = supposition(reading.analysis)
    if mine is None:
        return None
    found: list[Supposed] = []
    for unit in case.units(reading.cited):
        if unit.headers or unit.analysis.han != reading.analysis.han:
            continue
        theirs = _kept(case.analyser, unit.analysis)
        verdict = agree(mine, theirs, (reading.analysis, unit.analysis), case.analyser) if theirs else None
        if theirs is not None and verdict is not None:
            found.append(Supposed(unit, verdict, mine.sign != theirs.sign))
    return next((f for f in found if f.agrees), found[0] if found else None)


def _kept(analyser: Analyser, analysis: Analysis) -> Supposition | None:
    """What a sentence of the evidence supposes, read once."""
    found: Supposition | None = analyser.clauses.get(("supposed", analysis.text), lambda: supposition(analysis))
    return found


def supposition(analysis: Analysis) -> Supposition | None:
    """What a sentence supposes, None if it has no condition, several, or one that is not told apart."""
    found = None if _COMPOUND.search(analysis.low) else _han(analysis) if analysis.han else _english(analysis)
    if found is None:
        return None
    condition, consequence, turned = found
    terms = [tuple(in_span(analysis.terms, *span)) for span in (condition, consequence)]
    if not all(terms) or _SEVERAL.search(analysis.low, *condition):
        return None
    sign = _sign(analysis, consequence)
    product = _sign(analysis, condition) * sign * (-1 if turned else 1)
    return Supposition(terms[0], terms[1], sign, product, (condition, consequence))


_Parts = tuple[tuple[int, int], tuple[int, int], bool]


def _english(analysis: Analysis) -> _Parts | None:
    low = analysis.low
    marks = [m for m in _MARK.finditer(low) if _supposes(analysis, m.end(), _end(low, m.end()))]
    if len(marks) != 1 or marks[0]["even"]:
        return None
    mark = marks[0]
    end = _end(low, mark.end())
    opens = not in_span(analysis.terms, 0, mark.start())
    consequence = (end, len(low)) if opens else (0, mark.start())
    return (mark.end(), end), consequence, _TURNS.search(mark["w"]) is not None


def _supposes(analysis: Analysis, start: int, end: int) -> bool:
    """What follows the mark says something, more than a time ("until 5 May", "once 30 days have passed")."""
    terms = in_span(analysis.terms, start, end)
    timed = _values(analysis, (start, end)) or any(start <= m.start < end for m in analysis.moments)
    return any(t.word.surface not in _ELAPSES for t in terms) if timed else bool(terms)


_ELAPSES = frozenset(
    ["passed", "elapsed", "expired", "gone", "over", "end", "ends", "after", "before", "day", "reached"]
)


def _end(low: str, start: int) -> int:
    stop = _STOP.search(low, start)
    return stop.start() if stop else len(low)


def _han(analysis: Analysis) -> _Parts | None:
    low = analysis.low
    late = _HAN_LATE.search(low)
    if late is not None:
        return (late.end(), _end(low, late.end())), (0, late.start()), True
    cut = _HAN_CUT.search(low)
    if cut is None:
        return None
    opening, closing = _HAN_OPEN.match(low), _HAN_WHO.search(low[: cut.start()].rstrip())
    if opening is None and closing is None:
        return None
    rest = _HAN_ELSE.match(low, cut.end())
    start = rest.end() if rest else cut.end()
    span = (opening.end() if opening else 0, cut.start())
    turned = opening is not None and opening["w"] == "除非" and not _HAN_ONLY.search(low, start)
    if closing is not None and closing["before"]:
        # Before something is done it is not done: 关闭前, 未关闭前.
        turned = not any(span[0] <= a < span[1] for a, _ in analysis.negations)
    return span, (start, len(low)), turned


def _sign(analysis: Analysis, span: tuple[int, int]) -> int:
    """1 for an affirming stretch, -1 for a denying one."""
    start, end = span
    denying = [(c.start, c.end) for c in analysis.cues if start <= c.start < end and _denies(analysis, c)]
    denying += [n for n in analysis.negations if start <= n[0] < end]
    for found in _NOT_IN.finditer(analysis.low, start, end):
        if not any(a <= found.start() < b for a, b in denying):
            denying.append(found.span())
    return -1 if len(denying) % 2 else 1


# "Not under a legal hold": no limit, as there is no number.
_NOT_IN = Pattern(r"\bnot(?= (?:be )?(?:under|over|above|below) [^\d]{1,20}(?:$|[.,;]))")


def _denies(analysis: Analysis, cue: Cue) -> bool:
    advised = cue.kind == "recommendation" and re.search(r"not|n't|不", analysis.low[cue.start : cue.end]) is not None
    return cue.kind in ("prohibition", "exemption") or advised


def agree(a: Supposition, b: Supposition, texts: tuple[Analysis, Analysis], analyser: Analyser) -> bool | None:
    """Whether two suppositions of one condition and one consequence agree; None if they are not of the same."""
    first, second = ([_bag(t, span, analyser) for span in s.spans] for t, s in zip(texts, (a, b), strict=True))
    halves = ((a.condition, b.condition, first[0], second[0]), (a.consequence, b.consequence, first[1], second[1]))
    if not all(_of_one_thing(*half) for half in halves):
        return None
    if rivals(texts[0].low, texts[1].low, analyser.config.lexicon, polar=True):
        return None
    mine, theirs = (_values(t, s.spans[0]) for t, s in zip(texts, (a, b), strict=True))
    if (a.product == b.product) != _bounds_turned(mine, theirs):
        return True
    return None if (mine or theirs) and not any(close(q.low, e.low) for q in mine for e in theirs) else False


def _of_one_thing(mine: Sequence[Term], theirs: Sequence[Term], here: Bag, there: Bag) -> bool:
    shares = cover(mine, there).share, cover(theirs, here).share
    return max(shares) >= _COVERS and min(shares) >= _LEAST


def _values(text: Analysis, span: tuple[int, int]) -> list[Quantity]:
    return [q for q in text.quantities if span[0] <= q.start < span[1] and not q.weak]


def _bounds_turned(mine: Sequence[Quantity], theirs: Sequence[Quantity]) -> bool:
    """One condition is what lies above a value, the other what lies below it."""
    return any(bounds_clash(q, e) and close(q.low, e.low) for q in mine for e in theirs)


_LEAST = 0.3


def _bag(text: Analysis, span: tuple[int, int], analyser: Analyser) -> Bag:
    return Bag.of([analyser.analyse(text.text[span[0] : span[1]])])
