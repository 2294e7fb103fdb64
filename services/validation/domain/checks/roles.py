"""Who does what: the actor of a rule exchanged for another, or subject and object turned round."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from services.common.domain.verdict import IssueType, Lock, RemedyKind
from services.validation.domain.align import Bag, cover, in_span, match
from services.validation.domain.analysis import Term
from services.validation.domain.case import Case, Finding, Reading
from services.validation.domain.checks import register
from services.validation.domain.clauses import Clause, Pair
from services.validation.domain.evidence import Unit

_PASSIVE = re.compile(
    r"\b(?:is|are|was|were|be|been|being)\s+(?:\w+ly\s+|also\s+|not\s+)?\w+(?:ed|en|wn|ught|ade|old|ent|id|ut)\b"
    r"|\bby\b|[由被受]"
)
_BY = re.compile(r"\bby\s+(?!\d|means|way|the end|phone|email|post|hand|law)")
_YOU = re.compile(r"由|经")
_PREDICATE = re.compile(
    r"\b(?:is|are|was|were|be|has|have|had|must|shall|should|may|can|could|will|need|do|does|did|pays?|enters?"
    r"|gets?|receives?|takes?)\b"
    r"|应当|应|必须|须|可以|可|不得|不|需|负责|为|是|的"
)
PRONOUN = re.compile(r"^\W*(?:it|they|this|these|that|he|she|one|其|该|它|他们)\b", re.I)
_AGENT = re.compile(
    r"(?:er|or|ee|ant|ist|ian|authority|company|bank|agency|department|ministry|board|committee|owner|staff"
    r"|office|user|bureau|court|"
    r"commission|council|team|party|union|landlord|body|police|airline|student|client|patient|resident|agent"
    r"|child|children|people|man|woman|guest)s?$"
)
_NOT_AGENT = re.compile(
    r"(?:number|order|letter|water|power|paper|offer|matter|quarter|december|september|october|november|error"
    r"|motor|sensor|filter|meter|colou?r|floor|door|"
    r"factor|transfer|register|cover|under|over|after|other|another|later|former|latter|lower|upper|higher"
    r"|larger|corridor|tower|counter|river|winter|"
    r"summer|weather|importan\w*|relevant|constant|instant|significant|fee|committee|tolerant|coolant|plant|warrant|trailer|trigger|buffer|server|router|"
    r"computer|printer|scanner|rotor|major|minor|interior|exterior|behavio\w+|labou?r|favou?r|vapou?r|layer|timer|breaker|container|chapter|parameter|"
    r"perimeter|diameter|centimet\w+|kilomet\w+|millimet\w+|liter|monitor|cylinder|connector|reactor|generator|compressor|inverter|conveyor|elevator)s?$"
)
_HAN_AGENTS = (
    "机构",
    "部门",
    "单位",
    "公司",
    "银行",
    "法院",
    "机关",
    "中心",
    "局",
    "委员会",
    "办事处",
    "医院",
    "学校",
    "组织",
    "协会",
    "委",
)


@register(
    "roles",
    Lock.TRACEABILITY,
    sees="an actor, subject or group exchanged for another that the passages name elsewhere; subject and object turned round",
    blind="exchanges across several sentences with pronouns",
)
def check(case: Case) -> Iterator[Finding]:
    """Yield ENTITY_MISMATCH."""
    for reading in case.readings:
        if not reading.is_claim or not reading.cited:
            continue
        for pair in case.pairs(reading):
            turned = _turned(pair) or _crossed(case, pair)
            if turned or _exchanged(case, reading, pair) or _other_subject(case, reading, pair):
                yield _finding(reading, pair)
                break


# --- two actors exchanged between clauses ----------------------------------------------------------------------------


def _exchanged(case: Case, reading: Reading, pair: Pair) -> bool:
    """The clause takes the actor of a sibling clause, whose own actor stands in another clause of the answer."""
    foreign = [t for t in pair.forward.missing if is_actor(t)]
    displaced = [t for t in pair.backward.missing if is_actor(t)]
    if not foreign or not displaced or pair.forward.share < 0.4:
        return False
    siblings = [
        c for unit in case.units([pair.unit.citation]) for c in case.clauses(unit.analysis)
        if c.analysis is not pair.evidence.analysis or c.start != pair.evidence.start
    ]  # fmt: skip
    if not any(match(t, c.bag) >= 0.8 for t in foreign for c in siblings):
        return False
    rest = [c for c in case.clauses(reading.analysis) if c.start != pair.answer.start]
    return any(match(t, c.bag) >= 0.8 for t in displaced for c in rest)


# --- another subject ---------------------------------------------------------------------------------------------------


def _other_subject(case: Case, reading: Reading, pair: Pair) -> bool:
    """The actor or subject is unknown to the sentence that carries the predicate and stands in another sentence."""
    unit = pair.unit
    if unit.headers or pair.forward.share < 0.4 or PRONOUN.match(unit.analysis.text) or PRONOUN.match(pair.answer.low):
        return False
    unit_bag = case.bags.unit(unit)
    title = case.passage(unit.citation).title
    mine, theirs = subject(pair.answer), subject(pair.evidence)
    if not mine or not theirs:
        return False
    clause_words = [t for t in pair.answer.terms if t not in mine]
    if clause_words and cover(clause_words, unit_bag).share < 0.6:
        return False
    answer_bag = Bag.of([reading.analysis])
    unknown = [t for t in mine if match(t, unit_bag) == 0 and match(t, Bag.of([title])) == 0 and t.weight >= 1]
    lost = [t for t in theirs if match(t, answer_bag) == 0 and t.weight >= 1]
    if not unknown or not lost:
        return False
    others = [u for p in case.passages for u in p.units if u is not unit]
    return any(_holds(case, u, unknown) for u in others)


def _holds(case: Case, unit: Unit, terms: Sequence[Term]) -> bool:
    return all(match(t, case.bags.unit(unit)) >= 0.9 for t in terms)


def subject(clause: Clause) -> list[Term]:
    """The acting side of a clause: what follows by or 由 in a passive, else what stands before the predicate."""
    low = clause.low
    by = _BY.search(low) if _PASSIVE.search(low) else None
    if by is None and clause.analysis.han:
        you = _YOU.search(low)
        if you:
            end = next((t.start for t in clause.terms if t.start > clause.start + you.end() + 1), clause.end)
            first = in_span(clause.terms, clause.start + you.end(), clause.end)[:1]
            return first if first and end else []
    if by is not None:
        start = clause.start + by.end()
        stop = re.search(r"[,;.]|\b(?:within|at|in|on|for|to|from|when|if|before|after|every|each)\b", low[by.end() :])
        return in_span(clause.terms, start, start + stop.start() if stop else clause.end)
    predicate = _PREDICATE.search(low)
    if predicate is None:
        return list(clause.terms[:1])
    end = clause.start + predicate.start()
    before = in_span(clause.terms, clause.start, end)
    return before if len(before) <= 3 else before[:2]


# --- subject and object turned round -----------------------------------------------------------------------------------


def _turned(pair: Pair) -> bool:
    """ "The processor notifies the controller" for "the controller notifies the processor"."""
    if pair.forward.share < 0.85 or pair.backward.share < 0.35:
        return False
    if _agents_crossed(pair):
        return True
    first, second = _actors(pair.answer), _actors(pair.evidence)
    common = [k for k in first if k in second]
    if len(common) != 2 or _passive(pair.answer) != _passive(pair.evidence):
        return False
    return (first[common[0]] < first[common[1]]) != (second[common[0]] < second[common[1]])


def _agents_crossed(pair: Pair) -> bool:
    """The agent of each clause stands in the other clause as something else than its agent."""
    mine = [t for t in subject(pair.answer) if is_actor(t)]
    theirs = [t for t in subject(pair.evidence) if is_actor(t)]
    if not mine or not theirs or {t.key for t in mine} & {t.key for t in theirs}:
        return False
    return all(match(t, pair.evidence.bag) == 1 for t in mine) and all(match(t, pair.answer.bag) == 1 for t in theirs)


def _crossed(case: Case, pair: Pair) -> bool:
    """A clause put together from two clauses of one sentence: the actor of one with the act of the other."""
    if pair.unit.headers or pair.forward.share < 0.5:
        return False
    lost = [t for t in pair.backward.missing if _solid(t)]
    acting = any(is_actor(t) for t in subject(pair.answer))
    for term in pair.forward.missing:
        if not _solid(term):
            continue
        for sibling in case.clauses(pair.unit.analysis):
            if sibling.start == pair.evidence.start or match(term, sibling.bag) < 0.9:
                continue
            actors = [t for t in subject(sibling) if is_actor(t)]
            if not actors or not lost:
                continue
            taken = is_actor(term) and term.key in {t.key for t in actors} and any(is_actor(t) for t in lost)
            foreign = acting and not is_actor(term) and not any(match(t, pair.answer.bag) for t in actors)
            if taken or foreign:
                return True
    return False


def _solid(term: Term) -> bool:
    return len(term.word.surface) >= (2 if term.word.han else 3)


def is_actor(term: Term) -> bool:
    """A word that names a party: it ends like an agent, or carries 人, 方, 机构 and the like."""
    surface = term.word.surface
    if term.word.han:
        return len(surface) >= 2 and (surface[-1] in "人方者员商主户" or surface.endswith(_HAN_AGENTS))
    return bool(_AGENT.search(surface)) and not _NOT_AGENT.search(surface)


def _actors(clause: Clause) -> dict[str, int]:
    found: dict[str, int] = {}
    for term in clause.terms:
        if is_actor(term):
            found.setdefault(term.key, term.start)
    return found


def _passive(clause: Clause) -> bool:
    return _PASSIVE.search(clause.low) is not None


def _finding(reading: Reading, pair: Pair) -> Finding:
    return Finding(
        IssueType.ENTITY_MISMATCH, reading.index, "the evidence tells this of someone or something else", RemedyKind.REGENERATE,
        span=(pair.answer.start, pair.answer.end), citation=pair.unit.citation, evidence=(pair.unit.start, pair.unit.end),
        found=pair.answer.low.strip(), expected=pair.unit.analysis.text,
    )  # fmt: skip
