"""Denials that only look like ones of what a clause says: told the other way round, as a limit, or of another cell."""

from __future__ import annotations

import re

from services.validation.domain.force import polarity
from services.validation.domain.reading.clauses import Clause, Pair
from services.validation.domain.reading.patterns import Pattern
from services.validation.domain.values.compare import close
from services.validation.domain.values.quantity import Quantity
from services.validation.domain.wording.align import match

_FORBIDDEN = r"(?:不得|不准|不许|不能|不可|不应|禁止|严禁|切勿|勿)"
# 没停稳不许开盖, 停止前不得开盖: what is forbidden until something has happened.
_NOT_YET = re.compile(
    rf"(?:没有?|未|尚未|不)(?!得|准|许|能|可|应)[^，。；;,]{{1,12}}?{_FORBIDDEN}|前[，]?[^，。；;,]{{0,8}}{_FORBIDDEN}"
)
_AT_MOST = Pattern(
    r"最多|至多|最高|上限|不超过|以内|为限|封顶|\bat most\b|\bup to\b|\bno more than\b|\bmaximum\b|\bonly\b"
)


def both_wait(pair: Pair) -> bool:
    """Both clauses forbid something until another thing is done, one by "not yet", the other by "before"."""
    return _NOT_YET.search(pair.answer.low) is not None and _NOT_YET.search(pair.evidence.low) is not None


def allowed_too_soon(pair: Pair) -> bool:
    """没停稳也可以开盖, where nothing may be opened before it has stopped."""
    return (
        pair.forward.share >= _SURE
        and _EVEN_IF_NOT.search(pair.answer.low) is not None
        and _NOT_YET.search(pair.evidence.low) is not None
    )


_EVEN_IF_NOT = re.compile(
    r"(?:没有?|未|尚未|不)(?!得|准|许|能|可|应)[^，。；;,]{1,12}?[，,]?(?:就|也|照样|仍|都)(?:可以?|能|准|允许)(?!不)"
)
_SURE = 0.5


def capped_alike(pair: Pair) -> bool:
    """One limit, told once by a denial.

    "At most 80 per cent" and "must not be filled above 80 per cent"; "may be kept for at most 48 hours" and "must not
    be kept for longer than 48 hours"; 最多可暂存48小时 and 暂存不得超过48小时.
    """
    return _capped(pair.answer, pair.evidence) or _capped(pair.evidence, pair.answer)


def _capped(cap: Clause, denial: Clause) -> bool:
    excess = any(c.bound for c in denial.cues)
    if not excess and polarity.PROHIBITION not in polarity.forces(denial):
        return False
    limits, allowed = _values(cap), polarity.force(cap) in _ALLOWED
    if excess and not limits:
        return allowed  # "may be kept, but not for longer": only the amount is denied
    at_most = _AT_MOST.search(cap.low) is not None
    return any(
        a.unit.dimension == b.unit.dimension
        and close(a.low, b.low)
        and (
            (at_most and b.bound in ("gt", "ge"))
            or (
                allowed
                and a.bound[:1] == b.bound[:1] != ""
                and (excess or _beyond(denial, b))
                and not _of_whom(denial, b)
            )
        )
        for a in limits
        for b in _values(denial)
    )


_ALLOWED = (polarity.PERMISSION, polarity.CAPABILITY, polarity.OPTION)
_THAN = re.compile(r"\b(?:more|less|[a-z]+er) than\s+$")


def _values(clause: Clause) -> list[Quantity]:
    return [q for q in clause.analysis.quantities if clause.start <= q.start < clause.end]


def _beyond(clause: Clause, value: Quantity) -> bool:
    return _THAN.search(clause.analysis.low, clause.start, value.start) is not None


def _of_whom(clause: Clause, value: Quantity) -> bool:
    """ "Groups of fewer than five may not enter": the value says whom the rule is for, and no limit."""
    return bool(clause.cues) and value.start < clause.cues[0].start


def denied_in_other_cell(pair: Pair) -> bool:
    """The denial of a table row stands in a cell none of whose words the statement's clause has."""
    analysis = pair.evidence.analysis
    if not pair.unit.headers:
        return False
    marks = [(c.start, c.end) for c in analysis.cues if c.kind in (polarity.PROHIBITION, polarity.EXEMPTION)]
    marks = [m for m in (*marks, *analysis.negations) if pair.evidence.start <= m[0] < pair.evidence.end]
    cells = [(a, b) for a, b, _ in pair.unit.headers if any(a <= start < b for start, _ in marks)]
    inside = [t for t in analysis.terms if any(a <= t.start < b for a, b in cells)]
    return bool(cells) and not any(match(t, pair.answer.bag) for t in inside)
