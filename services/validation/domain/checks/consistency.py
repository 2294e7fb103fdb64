"""Statements of one answer agree with each other: no two values for one thing, no yes and no to one question."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

from services.common.domain.verdict import IssueType, Lock, RemedyKind
from services.validation.domain.case import Case, Finding, Reading
from services.validation.domain.checks import register
from services.validation.domain.force import polarity
from services.validation.domain.values import binding
from services.validation.domain.values.compare import bounds_clash, comparable, entailed_by_range, equal, loosely
from services.validation.domain.values.quantity import Quantity
from services.validation.domain.wording.align import SYNONYM, Bag, cover

_SAME_WORDS, _LEAST_TERMS, _FARTHEST = 0.8, 2, 40


@register(
    "consistency",
    Lock.CONSISTENCY,
    sees="two statements in nearly the same words with different values, or of which one denies what the other affirms",
    blind="contradictions told in different words, or that take a calculation to see",
)
def check(case: Case) -> Iterator[Finding]:
    """Yield NUMBER_MISMATCH and NEGATION_MISMATCH at the later of two statements."""
    if case.config.lexicon.disclosure.search(" ".join(r.analysis.low for r in case.readings)):
        # An answer that tells that its sources disagree repeats both sides.
        return
    claims = [r for r in case.readings if r.is_claim and len(r.analysis.terms) >= _LEAST_TERMS]
    for earlier, later in itertools.combinations(claims, 2):
        if later.index - earlier.index <= _FARTHEST and _same_thing(case, earlier, later):
            finding = _other_value(case, earlier, later) or _denied(case, earlier, later)
            if finding is not None:
                yield finding


def _same_thing(case: Case, a: Reading, b: Reading) -> bool:
    """The words agree both ways, and names and times do not differ."""
    names = [[n for n in r.analysis.names if n.strict] for r in (a, b)]
    times = [[m for m in r.analysis.moments if m.kind not in ("clock", "weekday")] for r in (a, b)]
    if {n.key for n in names[0]} != {n.key for n in names[1]} or bool(times[0]) != bool(times[1]):
        return False
    if binding.moments_agree(*times) < 0:
        return False
    forward = cover(a.analysis.terms, Bag.of([b.analysis]), least=SYNONYM)
    if forward.share < _SAME_WORDS:
        return False
    backward = cover(b.analysis.terms, Bag.of([a.analysis]), least=SYNONYM)
    return backward.share >= _SAME_WORDS and not any(
        t.weight >= 1 and t.key not in case.config.lexicon.meta_words for t in (*forward.missing, *backward.missing)
    )


def _other_value(case: Case, a: Reading, b: Reading) -> Finding | None:
    """One value each, of one kind, and not the same."""
    mine, theirs = ([q for q in r.analysis.quantities if not q.weak] for r in (a, b))
    if len(mine) != 1 or len(theirs) != 1 or not comparable(*loosely(theirs[0], mine[0])):
        return None
    if _agree(mine[0], theirs[0]) or _agree(theirs[0], mine[0]) or bool(mine[0].bound) != bool(theirs[0].bound):
        return None
    value = theirs[0]
    return Finding(
        IssueType.NUMBER_MISMATCH,
        b.index,
        f"statement {a.index + 1} says {mine[0].surface}, this one {value.surface}",
        RemedyKind.REGENERATE,
        span=(value.start, value.end),
        found=value.surface,
        expected=mine[0].surface,
    )


def _agree(a: Quantity, b: Quantity) -> bool:
    a, b = loosely(a, b)
    return not bounds_clash(a, b) and (equal(a, b) or entailed_by_range(a, b))


def _denied(case: Case, a: Reading, b: Reading) -> Finding | None:
    """One clause each, one affirming and one denying, neither under a condition."""
    clauses = [case.clauses(r.analysis) for r in (a, b)]
    if any(len(c) != 1 for c in clauses):
        return None
    first, second = clauses[0][0], clauses[1][0]
    lexicon = case.config.lexicon
    if any(polarity.conditional(c, lexicon) or c.condition or c.excepting for c in (first, second)):
        return None
    if polarity.sign(first, lexicon) == polarity.sign(second, lexicon):
        return None
    return Finding(
        IssueType.NEGATION_MISMATCH,
        b.index,
        f"statement {a.index + 1} says the opposite",
        RemedyKind.REGENERATE,
        found=b.statement.body.strip(),
        expected=a.statement.body.strip(),
    )
