"""Duties stay duties, rights stay rights, denials stay denials."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from services.common.domain.verdict import IssueType, Lock, RemedyKind
from services.validation.domain.analysis import Term
from services.validation.domain.case import Case, Finding, Reading
from services.validation.domain.checks import register
from services.validation.domain.config import Lexicon
from services.validation.domain.force import polarity
from services.validation.domain.force.denials import capped_alike
from services.validation.domain.force.opposites import words_opposed
from services.validation.domain.force.polarity import (
    CAPABILITY,
    CERTAINTY,
    EXEMPTION,
    FACT,
    OBLIGATION,
    OPTION,
    PERMISSION,
    POSSIBILITY,
    PROHIBITION,
    RECOMMENDATION,
)
from services.validation.domain.force.suppositions import supposed_in
from services.validation.domain.reading.clauses import Clause, Pair
from services.validation.domain.values.compare import equal, loosely
from services.validation.domain.values.quantity import Quantity
from services.validation.domain.wording.align import SYNONYM, Bag, cover, match

_SURE, _SURE_ACROSS = 0.45, 0.3
_AGREE: frozenset[frozenset[str]] = frozenset(
    map(
        frozenset,
        (
            (PERMISSION, CAPABILITY),
            (POSSIBILITY, CAPABILITY),
            (OPTION, PERMISSION),
            (OPTION, CAPABILITY),
            (OPTION, EXEMPTION),
            (FACT, OBLIGATION),
            (FACT, CERTAINTY),
            (FACT, RECOMMENDATION),
            (FACT, PERMISSION),
            (FACT, CAPABILITY),
            (OBLIGATION, CERTAINTY),
            (FACT, OPTION),
        ),
    )
)
_DENIALS = frozenset({PROHIBITION, EXEMPTION})


@register(
    "modality",
    Lock.TRACEABILITY,
    sees="must, should, may, need not, must not and their Chinese equals exchanged; possibility told as certainty",
    blind="force carried by context alone (a table headed 'mandatory'), irony",
)
def check(case: Case) -> Iterator[Finding]:
    """Yield MODALITY_MISMATCH and NEGATION_MISMATCH."""
    for reading in case.reworded:
        if not case.discloses(reading):
            judged = supposed_in(case, reading)
            for found in case.pairs(reading):
                if judged is not None and judged.agrees and judged.turned and found.unit is judged.unit:
                    continue
                half = _other_half(case, found)
                if half is not None:
                    yield _finding(reading, half, IssueType.MODALITY_MISMATCH)
                    break
                ruled = _consequence(case, found)
                if ruled is not None:
                    yield _finding(reading, ruled, IssueType.NEGATION_MISMATCH)
                    break
                pair = _ruling(case, found)
                sure = pair.forward.share >= _SURE or pair.score > 1.0
                sure = sure or _across_languages(case, pair) or _same_act(pair)
                if sure or _one_rule(case, pair) or _by_value(case, pair) or _doubt_lost(pair):
                    kind = _clash(case, pair)
                    if kind is not None:
                        yield _finding(reading, pair, kind)


def _consequence(case: Case, pair: Pair) -> Pair | None:
    """Those with a certificate "are not required to take a pilot", told as 持有证书的，禁止引航: the clause of who
    is meant meets a sentence of which the only force is that something is not required, and the next clause forbids."""
    if not pair.answer.low.rstrip().endswith(("的，", "的,")) or pair.forward.share < _SURE_OF_FACT:
        return None
    if {c.kind for c in pair.unit.analysis.cues} != {EXEMPTION}:
        return None
    following = [c for c in case.clauses(pair.answer.analysis) if c.start == pair.answer.end]
    if not following or following[0].inherited or len(following[0].terms) > _FEWEST:
        return None
    forbids = {c.kind for c in following[0].cues} == {PROHIBITION}
    return replace(pair, answer=following[0]) if forbids else None


def _other_half(case: Case, pair: Pair) -> Pair | None:
    """ "Must wear eye and ear protection", where the sentence has must for the one and should for the other: the half
    that the statement's one force is not true of."""
    answer = pair.answer
    if not answer.cues or answer.inherited or answer.condition or len({c.kind for c in answer.cues}) != 1:
        return None
    mine = polarity.force(answer)
    if mine not in _STEPS or polarity.force(pair.evidence) != mine:
        return None
    rest = frozenset(t.key for c in case.clauses(answer.analysis) if c.start != answer.start for t in c.terms)
    for clause in case.clauses(pair.unit.analysis):
        if clause.start == pair.evidence.start or not clause.cues or clause.inherited or clause.condition:
            continue
        other = polarity.force(clause)
        own = [t for t in clause.terms if match(t, pair.evidence.bag) < SYNONYM]
        if other == mine or other not in _STEPS or not own or any(t.key in rest for t in own):
            continue
        backward = cover(clause.terms, answer.bag)
        if backward.share >= _HALF_TOLD and all(match(t, answer.bag) >= SYNONYM for t in own):
            return replace(pair, evidence=clause, forward=cover(answer.terms, clause.bag), backward=backward)
    return None


_STEPS, _HALF_TOLD = (OBLIGATION, RECOMMENDATION, PERMISSION), 0.9


def _ruling(case: Case, pair: Pair) -> Pair:
    """The pair with the clause that holds the sentence's only force, where the words meet the clause beside it.

    "A guard should be posted where a crane works" meets "where a crane works, | a guard shall be posted" in its
    condition; "住宅宜设楼梯间" meets "高度大于33米的住宅，| 应当采用楼梯间" in its subject.
    """
    clause = pair.evidence
    rules = clause.cues and not clause.inherited and not clause.condition
    if rules or not pair.answer.cues or pair.answer.inherited:
        return pair
    ruling = [c for c in case.clauses(pair.unit.analysis) if c.cues and not c.inherited]
    if len(ruling) != 1 or ruling[0].condition or ruling[0].turned or len(ruling[0].terms) < _FEWEST:
        return pair
    backward = cover(ruling[0].terms, pair.answer.bag)
    if backward.share < _SAME_RULE:
        return pair
    return replace(pair, evidence=ruling[0], forward=cover(pair.answer.terms, ruling[0].bag), backward=backward)


_FEWEST, _SAME_RULE = 2, 0.6


def _one_rule(case: Case, pair: Pair) -> bool:
    """The whole sentence says what the clause says, and knows one force only: its subject stands in another clause."""
    kinds = {c.kind for c in pair.unit.analysis.cues}
    own = pair.answer.cues and not pair.answer.inherited
    if not own or pair.evidence.cues == () or len(kinds) != 1 or pair.forward.share < _PART:
        return False
    return cover(pair.answer.terms, case.bags.unit(pair.unit)).share >= _WHOLE


_PART, _WHOLE = 0.3, 0.65


def _same_act(pair: Pair) -> bool:
    """Both modal words govern the very same words: 不必牵绳 and 须由携带人牵绳."""
    if pair.forward.share < _PART or pair.answer.inherited or pair.evidence.inherited:
        return False
    mine, theirs = _governed(pair.answer), _governed(pair.evidence)
    same = {t.key for t in mine} <= {t.key for t in theirs}
    return same and sum(t.weight for t in mine) >= _PART * 2


def _by_value(case: Case, pair: Pair) -> bool:
    """A value that only this clause of the passages gives, and some word beside it, tell which rule is meant."""
    clause = pair.evidence
    mine = [q for q in pair.answer.analysis.quantities if pair.answer.start <= q.start < pair.answer.end and not q.weak]
    theirs = [q for q in clause.analysis.quantities if clause.start <= q.start < clause.end]
    shared = [e for e in theirs if any(equal(*loosely(a, e)) for a in mine) and e.unit.dimension]
    if not shared or pair.forward.share < _BY_VALUE:
        return False
    return _only_here(case, pair, shared)


_BY_VALUE = 0.2


def _doubt_lost(pair: Pair) -> bool:
    """一定 where the evidence says 可能, of half of the same words: nothing else is said for certain there."""
    kinds = polarity.force(pair.answer), polarity.force(pair.evidence)
    return kinds == (CERTAINTY, POSSIBILITY) and pair.forward.share >= _HALF and not pair.answer.inherited


_HALF = 0.5


def _across_languages(case: Case, pair: Pair) -> bool:
    """Between languages fewer words meet; a shared value makes up for them, alone if no other clause has it."""
    if pair.answer.analysis.han == pair.evidence.analysis.han:
        return False
    mine = [q for q in pair.answer.analysis.quantities if pair.answer.start <= q.start < pair.answer.end]
    theirs = [q for q in pair.evidence.analysis.quantities if pair.evidence.start <= q.start < pair.evidence.end]
    if pair.forward.share >= _SURE_ACROSS:
        return True
    shared = [e for e in theirs if any(equal(*loosely(a, e)) for a in mine)]
    return bool(shared) and (bool(pair.forward.matched) or _only_here(case, pair, shared))


def _only_here(case: Case, pair: Pair, values: Sequence[Quantity]) -> bool:
    """No other clause of the cited passage has one of the values."""
    clause = pair.evidence
    elsewhere = [
        q
        for unit in case.units([pair.unit.citation])
        for q in unit.analysis.quantities
        if unit is not pair.unit or not clause.start <= q.start < clause.end
    ]
    return not any(equal(*loosely(q, e)) for e in values for q in elsewhere)


def _clash(case: Case, pair: Pair) -> IssueType | None:
    lexicon = case.config.lexicon
    answer, evidence = polarity.forces(pair.answer), polarity.forces(pair.evidence)
    if pair.answer.condition or pair.evidence.condition or polarity.excepted(case, pair):
        return None
    if not _same_condition(pair, lexicon) and (
        polarity.conditional(pair.answer, lexicon) or polarity.conditional(pair.evidence, lexicon)
    ):
        return None
    a, e = polarity.force(pair.answer), polarity.force(pair.evidence)
    if answer & evidence - {CERTAINTY} or a == e:
        return None
    if {a, e} == {PROHIBITION, OBLIGATION} and words_opposed(pair.answer.low, pair.evidence.low):
        return None  # "must not be kept together" for "must be kept apart"
    if e == PROHIBITION and a in _TOLD_AS_PROHIBITION and _rejects(pair.answer, a, pair.evidence):
        return None  # "nobody may", "must be nitrile, not latex": a prohibition in other words
    if a == PROHIBITION and e in _TOLD_AS_PROHIBITION and _rejects(pair.evidence, e, pair.answer):
        return None
    if (e == PROHIBITION and polarity.denies_excess(pair.answer)) or (
        a == PROHIBITION and polarity.denies_excess(pair.evidence)
    ):
        return None  # "nobody may smoke closer than 10 m" for "smoking is prohibited within 10 m"
    if capped_alike(pair):
        return None
    both = polarity.limits(pair.answer) and polarity.limits(pair.evidence)
    if (
        both
        and (polarity.denies_excess(pair.answer) or polarity.denies_excess(pair.evidence))
        and not {a, e} & {RECOMMENDATION, *_DENIALS}
    ):
        # "may carry at most" and "must not carry more than" set the same limit.
        return None
    if {a, e} & {FACT} and {a, e} & _DENIALS:
        return None
    if a == FACT and (e in (POSSIBILITY, CAPABILITY)) and polarity.epistemic(pair.evidence):
        hedged = lexicon.hedge.search(pair.answer.analysis.low)
        return None if hedged or pair.forward.share < 0.6 else IssueType.MODALITY_MISMATCH
    if a == POSSIBILITY and e == FACT:
        plain = pair.forward.share >= _SURE_OF_FACT and _AT_RISK.search(pair.answer.low)
        return IssueType.MODALITY_MISMATCH if plain and not lexicon.hedge.search(pair.unit.analysis.low) else None
    if any(frozenset((x, y)) in _AGREE for x in answer for y in evidence if x != y):
        return None
    if (a == CERTAINTY and e == FACT) or a == FACT:
        return None
    if e == FACT:
        return None
    if not _governs_alike(pair):
        return None
    if {a, e} == _DENIALS or polarity.sign(pair.answer, lexicon) != polarity.sign(pair.evidence, lexicon):
        return IssueType.NEGATION_MISMATCH if (a in _DENIALS or e in _DENIALS) else IssueType.MODALITY_MISMATCH
    return IssueType.MODALITY_MISMATCH


# A fact told as a mere risk of it.
_AT_RISK = re.compile(
    r"\b(?:risks? (?:being|of being)|the risk of (?:being|having)|might be|may possibly|perhaps)\b|或许|也许|有可能会?"
)
_SURE_OF_FACT = 0.5


def _governs_alike(pair: Pair) -> bool:
    """What the modal words govern is the same: a word right after the one stands after the other, or a value does."""
    cues = (c.analysis.low[cue.start : cue.end] for c in (pair.answer, pair.evidence) for cue in c.cues)
    if any(map(_ACT_OF_LEAVE.search, cues)):
        return True  # "dogs are not allowed": the modal word is the predicate
    mine, theirs = _governed(pair.answer), _governed(pair.evidence)
    if not mine or not theirs:
        return True
    place = Bag(
        frozenset(t.key for t in theirs), frozenset(g for t in theirs for g in t.groups),
        frozenset(g for t in theirs for g in t.glosses), " ".join(t.word.surface for t in theirs),
        pair.evidence.analysis.han, (),
    )  # fmt: skip
    return any(match(t, place) > 0 for t in mine[:_FIRST_GOVERNED]) or _values_shared(pair)


_FIRST_GOVERNED = 3
_ACT_OF_LEAVE = re.compile(
    r"allow|permit|prohibit|forbid|banned|bans|requir|recommend|advis|mandatory|optional"
    r"|禁止|允许|准许"
)


def _governed(clause: Clause) -> list[Term]:
    """The words after the clause's first modal word; none where that closes the clause (is mandatory)."""
    return [t for t in clause.terms if t.start >= clause.cues[0].end] if clause.cues else []


def _values_shared(pair: Pair) -> bool:
    mine = [q for q in pair.answer.analysis.quantities if pair.answer.start <= q.start < pair.answer.end]
    theirs = [q for q in pair.evidence.analysis.quantities if pair.evidence.start <= q.start < pair.evidence.end]
    return any(equal(*loosely(a, e)) for a in mine for e in theirs if a.interval or not a.weak)


_TOLD_AS_PROHIBITION = (PERMISSION, CAPABILITY, OBLIGATION)
_INSTEAD = re.compile(r"\b(?:rather than|instead of|not)\b|而不是|而非|不是")


def _rejects(clause: Clause, kind: str, other: Clause) -> bool:
    """A right is denied (nobody may), or a duty set against what the other clause forbids (nitrile, not latex)."""
    denied = any(clause.start <= start < clause.end for start, _ in clause.analysis.negations)
    if kind != OBLIGATION:
        return denied
    against = _INSTEAD.search(clause.analysis.low, clause.start)
    if against is None:
        return False
    return any(match(t, other.bag) >= SYNONYM for t in clause.analysis.terms if t.start >= against.end())


def _same_condition(pair: Pair, lexicon: Lexicon) -> bool:
    """Both clauses do without something ("without flash"): no condition that one of them lacks."""
    if pair.answer.turned or pair.evidence.turned or pair.forward.share < _SAME_CONDITION:
        return False
    mine, theirs = lexicon.unless.search(pair.answer.low), lexicon.unless.search(pair.evidence.low)
    if mine is None or theirs is None or mine.group() != "without" or theirs.group() != "without":
        return False
    return not (lexicon.only_if.search(pair.answer.low) or lexicon.only_if.search(pair.evidence.low))


_SAME_CONDITION = 0.8


def _finding(reading: Reading, pair: Pair, kind: IssueType) -> Finding:
    answer, evidence = pair.answer, pair.evidence
    return Finding(
        kind,
        reading.index,
        f"the statement reads as {polarity.force(answer)}, the evidence as {polarity.force(evidence)}",
        RemedyKind.REGENERATE,
        span=(answer.start, answer.end),
        citation=pair.unit.citation,
        evidence=(pair.unit.start + evidence.start, pair.unit.start + evidence.end),
        found=_words(pair.answer),
        expected=_words(pair.evidence),
    )


def _words(clause: Clause) -> str:
    return (
        " … ".join(clause.analysis.text[c.start : c.end] for c in clause.cues)
        or clause.analysis.text[clause.start : clause.end].strip()
    )
