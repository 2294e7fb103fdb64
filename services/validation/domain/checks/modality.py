"""Duties stay duties, rights stay rights, denials stay denials."""

from __future__ import annotations

from collections.abc import Iterator

from services.common.domain.verdict import IssueType, Lock, RemedyKind
from services.validation.domain import polarity
from services.validation.domain.case import Case, Finding, Reading
from services.validation.domain.checks import register
from services.validation.domain.clauses import Clause, Pair
from services.validation.domain.compare import equal, loosely
from services.validation.domain.polarity import (
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
            for pair in case.pairs(reading):
                if pair.forward.share >= _SURE or pair.score > 1.0 or _across_languages(pair):
                    kind = _clash(case, pair)
                    if kind is not None:
                        yield _finding(reading, pair, kind)


def _across_languages(pair: Pair) -> bool:
    """Between languages fewer words meet; a shared value makes up for them."""
    if pair.answer.analysis.han == pair.evidence.analysis.han:
        return False
    mine = [q for q in pair.answer.analysis.quantities if pair.answer.start <= q.start < pair.answer.end]
    theirs = [q for q in pair.evidence.analysis.quantities if pair.evidence.start <= q.start < pair.evidence.end]
    return pair.forward.share >= _SURE_ACROSS or any(equal(*loosely(a, e)) for a in mine for e in theirs)


def _clash(case: Case, pair: Pair) -> IssueType | None:
    lexicon = case.config.lexicon
    answer, evidence = polarity.forces(pair.answer), polarity.forces(pair.evidence)
    if pair.answer.condition or pair.evidence.condition or polarity.excepted(case, pair):
        return None
    if polarity.conditional(pair.answer, lexicon) or polarity.conditional(pair.evidence, lexicon):
        return None
    a, e = polarity.force(pair.answer), polarity.force(pair.evidence)
    if answer & evidence - {CERTAINTY} or a == e:
        return None
    if e == PROHIBITION and a in (PERMISSION, CAPABILITY) and _negated(pair.answer):
        return None  # "nobody may", "not allowed": a prohibition in other words
    if a == PROHIBITION and e in (PERMISSION, CAPABILITY) and _negated(pair.evidence):
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
        return None
    if any(frozenset((x, y)) in _AGREE for x in answer for y in evidence if x != y):
        return None
    if (a == CERTAINTY and e == FACT) or a == FACT:
        return None
    if e == FACT:
        return None
    if {a, e} == _DENIALS or polarity.sign(pair.answer, lexicon) != polarity.sign(pair.evidence, lexicon):
        return IssueType.NEGATION_MISMATCH if (a in _DENIALS or e in _DENIALS) else IssueType.MODALITY_MISMATCH
    return IssueType.MODALITY_MISMATCH


def _negated(clause: Clause) -> bool:
    return any(clause.start <= start < clause.end for start, _ in clause.analysis.negations)


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
