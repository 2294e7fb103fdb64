"""Two things of which a passage affirms one and denies the other, told the other way round: 晴天要搭，阴雨天不用搭."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import combinations

from services.validation.domain.analysis import Analysis
from services.validation.domain.case import Case, Reading
from services.validation.domain.force import polarity
from services.validation.domain.reading.clauses import Pair
from services.validation.domain.roles.counterparts import counterpart_words, mentions
from services.validation.domain.wording.align import RELATED, SYNONYM, match


def signs_crossed(case: Case, reading: Reading) -> Pair | None:
    """One of two clauses that each say the opposite of the clause of the passage about their own thing.

    Either alone may be a loose retelling; that both are turned, against each other, is no accident.
    """
    lexicon = case.config.lexicon
    turned = [
        (pair, sign)
        for pair in case.pairs(reading)
        if not (pair.unit.headers or any(c.excepting or c.condition for c in (pair.answer, pair.evidence)))
        and (sign := polarity.sign(pair.answer, lexicon)) != polarity.sign(pair.evidence, lexicon)
    ]
    for (p, sign), (q, other) in combinations(turned, 2):
        if sign != other and p.unit is q.unit and _of_its_own(p, q) and _of_its_own(q, p):
            return p
    return None


def _of_its_own(pair: Pair, other: Pair) -> bool:
    """The clause names the thing of its evidence's clause, which the other clause of the evidence does not name."""
    return any(
        t.weight >= 1 and match(t, pair.evidence.bag) >= SYNONYM and match(t, other.evidence.bag) < RELATED
        for t in pair.answer.terms
    )


# --- a thing and what is not of its kind ---------------------------------------------------------------------------

_FEW = 3


def counterparts_turned(case: Case, reading: Reading) -> Pair | None:
    """Members are allowed what the passage allows non-members only, 高峰时段 what it allows 非高峰时段."""
    for pair in case.pairs(reading):
        for word in counterpart_words(pair.unit.analysis.low):
            theirs = dict(_signs(case, pair.unit.analysis, word))
            if len(theirs) == _BOTH and theirs[True] != theirs[False]:
                mine = _signs(case, reading.analysis, word)
                if any(sign != theirs[negated] for negated, sign in mine):
                    return pair
    return None


_BOTH = 2


def _signs(case: Case, analysis: Analysis, word: str) -> Iterator[tuple[bool, int]]:
    """Whether a thing or its counterpart is named, with the sign of the clause that is told of it."""
    lexicon = case.config.lexicon
    clauses = case.clauses(analysis)
    for i, clause in enumerate(clauses):
        topic = len(clause.terms) <= _FEW and not clause.cues and i + 1 < len(clauses)
        told = polarity.sign(clauses[i + 1] if topic else clause, lexicon)
        for negated in mentions(clause.low, word):
            if topic and _EITHER.search(clause.low):
                yield from ((True, told), (False, told))
            else:
                # 只要不在高峰期: what a topic denies is the counterpart.
                outside = (topic and polarity.sign(clause, lexicon) < 0) or _OUTSIDE.search(clause.low) is not None
                yield negated != outside, told


_EITHER = re.compile(r"无论|不论|不管|\bwhether\b|\bregardless\b|\bno matter\b")
_OUTSIDE = re.compile(r"以外|之外|避开|错开|除了?|\boutside\b|\bexcept\b|\bother than\b|\bapart from\b|\bunless\b")
