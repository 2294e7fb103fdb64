"""The force of a clause: what it obliges, forbids, permits, and whether it affirms or denies.

A clause is reduced to a force (obligation, prohibition, exemption, ...) and a sign. ``unless`` turns the sign, so
that "closed unless" and "open only if" agree, as do "not without approval" and "only with approval".
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from services.validation.domain.analysis import Term
from services.validation.domain.case import Case
from services.validation.domain.config import Lexicon
from services.validation.domain.reading.clauses import Clause, Pair
from services.validation.domain.reading.patterns import Pattern
from services.validation.domain.wording.align import EXACT, in_span, match

PROHIBITION, EXEMPTION, OBLIGATION = "prohibition", "exemption", "obligation"
RECOMMENDATION, PERMISSION, CAPABILITY, OPTION = "recommendation", "permission", "capability", "option"
POSSIBILITY, CERTAINTY, FACT = "possibility", "certainty", "fact"
_ORDER = (
    PROHIBITION, EXEMPTION, OBLIGATION, RECOMMENDATION, PERMISSION, OPTION, POSSIBILITY, CAPABILITY, CERTAINTY,
)  # fmt: skip
_NEGATIVE_ADVICE = re.compile(r"not|n't|inadvisable|不")
_EPISTEMIC = re.compile(
    r"\b(?:may|might|can|could)\s+(?:\w+ly\s+|also\s+)?(?:occur|cause|lead|result|affect|damage|fail|appear"
    r"|arise|happen|"
    r"increase|reduce|trigger|develop|vary|differ|suffer|experience|leak|overheat|break|crack|fade|swell|shrink"
    r"|react|explode|"
    r"be (?:caused|due|affected|damaged|delayed|reduced|impaired|related|lost))|可能|可(?:引起|导致|造成|出现|发生|见)",
    re.I,
)
_SCOPE_END = re.compile(
    r"(?:以外|之外|外(?![地国])|，|,|\s(?:is|are|was|were|may|must|shall|should|can|will|has|have|receives?|get)\b)"
)


def force(clause: Clause) -> str:
    """The clause's force: that of its strongest modal cue, ``fact`` where it has none."""
    kinds = [c.kind for c in clause.cues]
    return next((kind for kind in _ORDER if kind in kinds), FACT)


def forces(clause: Clause) -> set[str]:
    """Every force that the clause's cues allow to read."""
    return {c.kind for c in clause.cues} or {FACT}


def denies_excess(clause: Clause) -> bool:
    """The clause sets its limit by a denial: must not exceed, 不得超过."""
    return any(c.bound for c in clause.cues) or _NO_MORE.search(clause.low) is not None


_NO_MORE = re.compile(
    r"\b(?:no|not) (?:any )?(?:higher|lower|more|less|fewer|later|earlier|longer|shorter|further|closer|nearer|greater"
    r"|larger|smaller|faster|wider|deeper|heavier) than\b|不[高低多少晚早长短大小]于|不超过|不多于"
)


def limits(clause: Clause) -> bool:
    """The clause sets a limit: must not exceed, at most, 不得超过."""
    return denies_excess(clause) or any(
        q.bound in ("le", "lt", "ge", "gt") for q in clause.analysis.quantities if clause.start <= q.start < clause.end
    )


def conditional(clause: Clause, lexicon: Lexicon) -> bool:
    """The clause holds only under, or except under, a condition of its sentence."""
    return clause.turned or bool(lexicon.unless.search(clause.low) or lexicon.only_if.search(clause.low))


def sign(clause: Clause, lexicon: Lexicon, opposites: Sequence[str] = ()) -> int:
    """1 for an affirming clause, -1 for a denying one; ``unless`` turns it.

    Words among ``opposites`` (excluded, against included) are judged as opposites and deny nothing here.
    """
    value = 1
    for cue in clause.cues:
        surface = clause.analysis.low[cue.start : cue.end]
        if surface in opposites:
            break
        advice = cue.kind == RECOMMENDATION and not cue.bound and _NEGATIVE_ADVICE.search(surface)
        if cue.kind in (PROHIBITION, EXEMPTION) or advice:
            value = -value
            break
    unless = [(m.start() + clause.start, m.end() + clause.start) for m in lexicon.unless.finditer(clause.low)]
    exceptions = [(m.start() + clause.start, m.end() + clause.start) for m in lexicon.exception.finditer(clause.low)]
    for start, end in clause.analysis.negations:
        inside = clause.start <= start < clause.end and clause.analysis.low[start:end] not in opposites
        if inside and _FREE_OF.match(clause.analysis.low, start):
            continue  # "at no charge": nothing is denied but the charge
        if inside and not any(a < end and start < b for a, b in (*unless, *exceptions)):
            value = -value
    if clause.turned or any(not _inside_cue(clause, a, b) for a, b in unless):
        value = -value
    return -value if _NOT_UNTIL.search(clause.low) else value


_FREE_OF = re.compile(r"no (?:extra |additional |further )?(?:charge|cost|fee|expense)s?\b")
# "Nothing leaves until it is signed": it leaves once it is signed.
_NOT_UNTIL = Pattern(r"\b(?:no|not|nobody|nothing|never|none|cannot)\b[^.;:]*\buntil\b|\w+n't\b[^.;:]*\buntil\b")


def main_sign(clause: Clause, lexicon: Lexicon) -> int:
    """The sign of what a clause says apart from its exceptions: 除外 and "unless" turn nothing."""
    plain = replace(clause, turned=False)
    value = sign(plain, lexicon)
    turned = any(not _inside_cue(clause, m.start() + clause.start, m.end() + clause.start)
                 for m in lexicon.unless.finditer(clause.low))  # fmt: skip
    return -value if turned else value


def _inside_cue(clause: Clause, start: int, end: int) -> bool:
    return any(c.start < end and start < c.end for c in clause.cues)


def epistemic(clause: Clause) -> bool:
    """``may`` in the sense of "perhaps", told by its verb."""
    return POSSIBILITY in forces(clause) or _EPISTEMIC.search(clause.low) is not None


def exception_scope(clause: Clause, lexicon: Lexicon) -> tuple[Term, ...]:
    """The words excepted: "except contractors", 除实习生外, 法定节假日除外."""
    scope: list[Term] = []
    low = clause.analysis.low
    for found in lexicon.exception.finditer(clause.low):
        start = clause.start + found.end()
        if found.group() in ("除外", "例外"):
            scope.extend(in_span(clause.terms, clause.start, clause.start + found.start()))
            continue
        stop = _SCOPE_END.search(low[start : clause.end])
        scope.extend(in_span(clause.terms, start, start + stop.start() if stop else clause.end))
    return tuple(scope)


def excepted(case: Case, pair: Pair) -> bool:
    """The answer's clause speaks of what the evidence's sentence excepts, without saying so itself."""
    if pair.answer.excepting:
        return False
    for clause in case.clauses(pair.unit.analysis):
        scope = exception_scope(clause, case.config.lexicon)
        if scope and all(match(t, pair.answer.bag) == EXACT for t in scope):
            return True
    return False
