"""The force of a clause: what it obliges, forbids, permits, and whether it affirms or denies.

A clause is reduced to a force (obligation, prohibition, exemption, ...) and a sign. ``unless`` and exceptions turn
the sign, so that "closed unless" and "open only if" agree, as do "not without approval" and "only with approval".
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from services.validation.domain.align import Bag, Coverage, cover, in_span
from services.validation.domain.analysis import Analysis, Cue, Term
from services.validation.domain.binding import names_agree
from services.validation.domain.case import Case
from services.validation.domain.compare import equal
from services.validation.domain.config import Lexicon
from services.validation.domain.evidence import Unit

PROHIBITION, EXEMPTION, OBLIGATION = "prohibition", "exemption", "obligation"
RECOMMENDATION, PERMISSION, CAPABILITY, OPTION = "recommendation", "permission", "capability", "option"
POSSIBILITY, CERTAINTY, FACT = "possibility", "certainty", "fact"
_NEGATIVE_ADVICE = re.compile(r"not|n't|inadvisable|不")
_SUBORDINATE = re.compile(
    r"^\s*(?:if|when|where|once|before|after|until|unless|while|as long as|upon|如果|若|当|经|在.{0,20}(?:时|后|前)[，,]?$)",
    re.I,
)
_EPISTEMIC = re.compile(
    r"\b(?:may|might|can|could)\s+(?:\w+ly\s+|also\s+)?(?:occur|cause|lead|result|affect|damage|fail|appear|arise|happen|increase|reduce|trigger|"
    r"develop|vary|differ|suffer|experience|leak|overheat|be (?:caused|due|affected|damaged|delayed|reduced|impaired|related|lost))|可能|可(?:引起|导致|造成|出现|发生|见)",
    re.I,
)


@dataclass(frozen=True, slots=True)
class Clause:
    """A clause with its terms, its modal cues (own or carried over) and its negations."""

    analysis: Analysis
    start: int
    end: int
    terms: tuple[Term, ...]
    cues: tuple[Cue, ...]
    inherited: bool
    bag: Bag

    @property
    def low(self) -> str:
        """The clause in lower case."""
        return self.analysis.low[self.start : self.end]


@dataclass(frozen=True, slots=True)
class Pair:
    """A clause of the answer and the clause of the evidence that it speaks after."""

    answer: Clause
    evidence: Clause
    unit: Unit
    score: float
    forward: Coverage
    backward: Coverage


def clauses_of(analysis: Analysis) -> list[Clause]:
    """The clauses of a text; one without a cue takes the cue of the clause before where it continues it."""
    result: list[Clause] = []
    carried: tuple[Cue, ...] = ()
    for start, end in analysis.clauses:
        own = tuple(c for c in analysis.cues if start <= c.start < end)
        terms = tuple(in_span(analysis.terms, start, end))
        inherited = not own and bool(carried) and _continues(analysis, start, end)
        cues = own or (carried if inherited else ())
        if own:
            carried = () if _SUBORDINATE.match(analysis.low[start:end]) else own
        result.append(Clause(analysis, start, end, terms, cues, inherited, _span_bag(analysis, terms, start, end)))
    return result


def _continues(analysis: Analysis, start: int, end: int) -> bool:
    """The clause goes on with the predicate before: no subject of its own ("and to keep", "and keep", 并保存)."""
    before = analysis.low[max(0, start - 5) : start]
    rest = analysis.low[start:end].lstrip()
    if re.match(r"(?:to|not)\s", rest):
        return True
    return bool(re.search(r"(?:and|or|并|且)\s*$", before) or re.match(r"[并且]", rest)) and not re.match(
        r"(?:the|its?|they|this|a|an)\s", rest
    )


def _span_bag(analysis: Analysis, terms: Sequence[Term], start: int, end: int) -> Bag:
    low = analysis.low[start:end]
    names = frozenset(n.key for n in analysis.names if start <= n.start < end)
    return Bag(
        frozenset(t.key for t in terms) | names,
        frozenset(g for t in terms for g in t.groups),
        frozenset(g for t in terms for g in t.glosses),
        low, frozenset(c for c in low if c > "\u2fff"), analysis.han,
    )  # fmt: skip


def pair_clauses(case: Case, analysis: Analysis, citations: Sequence[int]) -> list[Pair]:
    """For every clause of a statement the evidence clause it says again, where there is one."""
    evidence = [(unit, clause) for unit in case.units(citations) for clause in clauses_of(unit.analysis)]
    pairs: list[Pair] = []
    for clause in clauses_of(analysis):
        if not clause.terms and not any(clause.start <= n.start < clause.end for n in analysis.names):
            continue
        best = max((_pair(case, clause, other, unit) for unit, other in evidence), key=lambda p: p.score, default=None)
        if best is not None and best.score > _LEAST_SCORE:
            pairs.append(best)
    return pairs


_LEAST_SCORE = 0.5


def _pair(case: Case, clause: Clause, other: Clause, unit: Unit) -> Pair:
    forward = cover(clause.terms, other.bag)
    backward = cover(other.terms, clause.bag)
    wide = cover(clause.terms, case.bags.unit(unit))
    score = forward.share + 0.4 * backward.share + 0.3 * wide.share
    mine = [q for q in clause.analysis.quantities if clause.start <= q.start < clause.end]
    theirs = [q for q in unit.analysis.quantities if other.start <= q.start < other.end]
    if mine and theirs:
        score += 0.3 * sum(any(equal(q, e) for e in theirs) for q in mine) / len(mine)
    names = [n for n in clause.analysis.names if n.strict and clause.start <= n.start < clause.end]
    names = names or [n for n in clause.analysis.names if n.strict]
    score += 0.4 * names_agree(names, [n for n in unit.names if n.strict])
    return Pair(clause, other, unit, score, forward, backward)


def force(clause: Clause) -> str:
    """The clause's force: that of its strongest modal cue, ``fact`` where it has none."""
    kinds = [c.kind for c in clause.cues]
    for kind in (
        PROHIBITION,
        EXEMPTION,
        OBLIGATION,
        RECOMMENDATION,
        PERMISSION,
        OPTION,
        POSSIBILITY,
        CAPABILITY,
        CERTAINTY,
    ):
        if kind in kinds:
            return kind
    return FACT


def forces(clause: Clause) -> set[str]:
    """Every force that the clause's cues allow to read."""
    return {c.kind for c in clause.cues} or {FACT}


def conditional(clause: Clause, lexicon: Lexicon) -> bool:
    """The clause holds only under, or except under, a condition."""
    return bool(lexicon.unless.search(clause.low) or lexicon.only_if.search(clause.low))


def sign(clause: Clause, lexicon: Lexicon) -> int:
    """1 for an affirming clause, -1 for a denying one; ``unless`` turns it."""
    value = 1
    for cue in clause.cues:
        surface = clause.analysis.low[cue.start : cue.end]
        if (
            cue.kind in (PROHIBITION, EXEMPTION)
            or cue.kind == RECOMMENDATION
            and not cue.bound
            and _NEGATIVE_ADVICE.search(surface)
        ):
            value = -value
            break
    unless = [(m.start() + clause.start, m.end() + clause.start) for m in lexicon.unless.finditer(clause.low)]
    exceptions = [(m.start() + clause.start, m.end() + clause.start) for m in lexicon.exception.finditer(clause.low)]
    for start, end in clause.analysis.negations:
        if clause.start <= start < clause.end and not any(a < end and start < b for a, b in (*unless, *exceptions)):
            value = -value
    if any(not _inside_cue(clause, a, b) for a, b in unless):
        value = -value
    return value


def _inside_cue(clause: Clause, start: int, end: int) -> bool:
    return any(c.start < end and start < c.end for c in clause.cues)


def epistemic(clause: Clause) -> bool:
    """``may`` in the sense of "perhaps", told by its verb."""
    return POSSIBILITY in forces(clause) or _EPISTEMIC.search(clause.low) is not None


def exception_scope(clause: Clause, lexicon: Lexicon) -> tuple[Term, ...]:
    """The words excepted: "except contractors", 除实习生外."""
    scope: list[Term] = []
    for match in lexicon.exception.finditer(clause.low):
        start = clause.start + match.end()
        low = clause.analysis.low
        stop = re.search(
            r"(?:以外|之外|外(?![地国])|，|,|\s(?:is|are|was|were|may|must|shall|should|can|will|has|have|receive)\b)",
            low[start : clause.end],
        )
        end = start + stop.start() if stop else clause.end
        scope.extend(in_span(clause.terms, start, end))
    return tuple(scope)
