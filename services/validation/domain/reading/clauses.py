"""Clauses of statements and of evidence, and which clause of the evidence a clause of the answer says again."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import wraps
from typing import Any, TypeVar

from services.validation.domain.analysis import Analysis, Cue, Term
from services.validation.domain.config import Lexicon
from services.validation.domain.reading.evidence import Unit
from services.validation.domain.roles.counterparts import of_counterparts
from services.validation.domain.values.binding import names_agree
from services.validation.domain.values.compare import equal, loosely
from services.validation.domain.values.quantity import Quantity
from services.validation.domain.wording.align import Bag, BagCache, Coverage, cover, covered, in_span

_LEAST_SCORE, _OF_ANOTHER = 0.5, 0.8
_SUBORDINATE = re.compile(
    r"^\W*(?:if|when|where(?!as)|once|before|after|until|unless|while|as long as|upon|without|except|apart from"
    r"|如果|若|当|未经|非经|不经|除非|除了?|(?:没有?|缺少?)[^，]{0,16}(?:批准|同意|许可|授权|审批|签字|签名|盖章|确认|审核|登记|备案|陪同)|经[^，]{1,20}(?:批准|同意|许可|审批)|[^，]{0,20}(?:时|后|前|的|期间|[期日月年周天]内)[，,]?$)",
    re.I,
)
# "Keep it until the insurer allows ...": what stands after such a word inside a clause is not the clause's own force.
_LATE = re.compile(r"\b(?<!not )(?:until|once|as soon as|before|after)\b")
_ACT_OF_LEAVE = re.compile(r"(?:allow|permit|requir|recommend|advis|suggest|forbid|prohibit|authori[sz])\w*")
_TURNING = re.compile(
    r"^\W*(?:unless|without|except (?:if|when|where)|if not|除非|未经|非经|(?:未|没有?|不经"
    r"|缺)[^，]{0,16}(?:批准|同意|许可|获|授权|审批|点头|签字|签名|盖章|确认|审核|登记|备案|陪同))",
    re.I,
)
# "You may keep bees if you tell the association and leave 5 metres": what goes on is the condition.
_TRAILING_IF = re.compile(r"\b(?:if|provided|as long as|on condition)\b")
_CONSEQUENCE = re.compile(r"\s*(?:就|则|便|即)(?:不合|不符|属|是|算|构成)?(?:规定|要求|违)")
_EXCEPTING = re.compile(
    r"^\W*(?:except|apart from|other than|with the exception of|aside from|excluding|outside(?: of)?"
    r"|anywhere (?:but|except)|everywhere (?:but|except)|barring|leaving aside|not counting|除)"
    r"|除外|例外|不受此限|不在此限|不受.{0,6}限制|不适用",
    re.I,
)


@dataclass(frozen=True, slots=True)
class Clause:
    """A clause with its terms and its modal cues (own, or carried over from the clause it continues).

    ``condition`` marks a clause that only sets a condition; ``turned`` one whose neighbour is an "unless";
    ``excepting`` one with an exception in its sentence; ``low`` is the clause in lower case. ``readings`` is kept by
    ``read_once``.
    """

    analysis: Analysis
    start: int
    end: int
    terms: tuple[Term, ...]
    cues: tuple[Cue, ...]
    inherited: bool
    condition: bool
    turned: bool
    excepting: bool
    bag: Bag
    low: str
    readings: dict[str, Any] = field(default_factory=dict, compare=False, repr=False)


R = TypeVar("R")


def read_once(read: Callable[[Clause], R]) -> Callable[[Clause], R]:
    """Several checks ask the same of a clause: what ``read`` finds is kept with it, and is not to be changed."""
    name = read.__name__

    @wraps(read)
    def kept(clause: Clause) -> R:
        if name not in clause.readings:
            clause.readings[name] = read(clause)
        found: R = clause.readings[name]
        return found

    return kept


@dataclass(frozen=True, slots=True)
class Pair:
    """A clause of the answer and the clause of the evidence that it speaks after."""

    answer: Clause
    evidence: Clause
    unit: Unit
    score: float
    forward: Coverage
    backward: Coverage


def clauses_of(analysis: Analysis, lexicon: Lexicon) -> tuple[Clause, ...]:
    """The clauses of a text; one without a cue takes the cue of the clause before where it continues it."""
    spans = analysis.clauses
    lows = [analysis.low[a:b] for a, b in spans]
    several = len(spans) > 1
    conditions = [several and _SUBORDINATE.match(low) is not None for low in lows]
    for i, low in enumerate(lows[1:]):
        # 不公示满30日，就不合规定: what is not done is only supposed.
        conditions[i] = conditions[i] or _CONSEQUENCE.match(low) is not None
    turning = [several and _TURNING.match(low) is not None for low in lows]
    excepting = [_EXCEPTING.search(low) is not None or lexicon.exception.search(low) is not None for low in lows]
    result: list[Clause] = []
    carried: tuple[Cue, ...] = ()
    for i, (start, end) in enumerate(spans):
        own = tuple(c for c in analysis.cues if start <= c.start < end and not _late(analysis, start, c))
        terms = tuple(
            t
            for t in in_span(analysis.terms, start, end)
            if not any(c.start < t.end and t.start < c.end for c in analysis.cues)
        )
        inherited = not own and bool(carried) and _continues(analysis, start, end)
        if own:
            carried = () if conditions[i] or _TRAILING_IF.search(analysis.low, own[-1].end, end) else own
        elif not inherited and _NEW_AGENT.search(lows[i]):
            carried = ()
        near = [j for j in (i - 1, i + 1) if 0 <= j < len(spans)]
        # A semicolon ends the reach of "unless".
        joined = [j for j in near if not lows[min(i, j)].rstrip().endswith((";", "；"))]
        result.append(
            Clause(
                analysis,
                start,
                end,
                terms,
                own or (carried if inherited else ()),
                inherited,
                conditions[i] and not own,
                not turning[i] and any(turning[j] for j in joined),
                excepting[i] or any(excepting[j] for j in near),
                span_bag(analysis, terms, start, end),
                lows[i],
            )
        )
    return tuple(result)


def _late(analysis: Analysis, start: int, cue: Cue) -> bool:
    """The cue is the force of what is waited for: it follows a word of time, and a verb or a cue stands before that."""
    found = _LATE.search(analysis.low, start, cue.start)
    if found is None or not in_span(analysis.terms, start, found.start()):
        return False
    earlier = any(start <= c.start < found.start() for c in analysis.cues)
    return earlier or _ACT_OF_LEAVE.fullmatch(analysis.low, cue.start, cue.end) is not None


# 违反者由园林部门责令恢复: an agent of its own, to whom the force of the clause before does not pass.
_NEW_AGENT = re.compile(r"(?<!理)由[\u4e00-\u9fff]{2}")


def _continues(analysis: Analysis, start: int, end: int) -> bool:
    """The clause goes on with the predicate before: no subject of its own ("and to keep", "and keep", 并保存)."""
    before = analysis.low[max(0, start - 5) : start]
    rest = analysis.low[start:end].lstrip()
    if re.match(r"(?:to|not)\s", rest) or _SO_IS.match(rest):
        return True
    joined = re.search(r"(?:and|or|并|且)\s*$", before) or re.match(r"[并且]", rest)
    return bool(joined) and not re.match(r"(?:the|its?|they|this|a|an)\s", rest)


# "X is compulsory, and so is Y": Y has the force of X.
_SO_IS = re.compile(
    r"(?:and\s+)?(?:so|neither|nor) (?:is|are|was|were|does|do|did|has|have|must|shall|should|may|can)\b"
)


def span_bag(analysis: Analysis, terms: Sequence[Term], start: int, end: int) -> Bag:
    """What a stretch of a text offers to match against."""
    names = [n.key for n in analysis.names if start <= n.start < end]
    return Bag.of_terms(terms, analysis.low[start:end], analysis.han, names)


def pair_up(clause: Clause, evidence: Sequence[tuple[Unit, Clause]], bags: BagCache) -> Pair | None:
    """The clause of the evidence that says what a clause of the answer says, None if none does."""
    if not clause.terms and not any(clause.start <= n.start < clause.end for n in clause.analysis.names):
        return None
    quantities = [q for q in clause.analysis.quantities if clause.start <= q.start < clause.end]
    strict = [n for n in clause.analysis.names if n.strict]
    names = [n for n in strict if clause.start <= n.start < clause.end] or strict
    wide: dict[tuple[int, int], float] = {}
    best: tuple[Unit, Clause] | None = None
    best_score = -math.inf
    for unit, other in evidence:
        key = (unit.citation, unit.index)
        if key not in wide:
            wide[key] = covered(clause.terms, bags.unit(unit))
        score = covered(clause.terms, other.bag) + 0.4 * covered(other.terms, clause.bag) + 0.3 * wide[key]
        score += _shared_values(quantities, clause, other, unit)
        score += 0.4 * names_agree(names, [n for n in unit.names if n.strict])
        score -= _OF_ANOTHER * of_counterparts(clause.low, other.low)
        if score > best_score:
            best, best_score = (unit, other), score
    if best is None:
        return None
    unit, other = best
    # Between languages a value alone may tell which clause is meant.
    across = clause.analysis.han != other.analysis.han
    if best_score < _LEAST_SCORE or (best_score == _LEAST_SCORE and not across):
        return None
    return Pair(clause, other, unit, best_score, cover(clause.terms, other.bag), cover(other.terms, clause.bag))


def _shared_values(quantities: Sequence[Quantity], clause: Clause, other: Clause, unit: Unit) -> float:
    """What the share of a clause's values that stand in the other one adds to their score."""
    theirs = [q for q in unit.analysis.quantities if other.start <= q.start < other.end] if quantities else []
    if not theirs:
        return 0.0
    share = sum(any(equal(*loosely(q, e)) for e in theirs) for q in quantities) / len(quantities)
    # Between languages few words meet, and a value tells most.
    return (0.5 if clause.analysis.han != unit.analysis.han else 0.3) * share
