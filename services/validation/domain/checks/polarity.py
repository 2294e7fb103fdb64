"""What the evidence denies is not affirmed, and the reverse; opposites and exceptions count as denials."""

from __future__ import annotations

from collections.abc import Iterator

from services.common.domain.verdict import IssueType, Lock, RemedyKind
from services.validation.domain import polarity
from services.validation.domain.actors import PRONOUN, subject
from services.validation.domain.align import match
from services.validation.domain.case import Case, Finding, Reading
from services.validation.domain.checks import register
from services.validation.domain.clauses import Pair
from services.validation.domain.contrast import opposed

_SURE, _SURE_OF_OPPOSITE, _SURE_OF_EXCEPTION = 0.55, 0.45, 0.3


@register(
    "polarity",
    Lock.TRACEABILITY,
    sees="negations dropped or added, opposites (open, closed), exceptions turned into inclusion, unless against"
    " only if",
    blind="negation by meaning alone ('failed to impress')",
)
def check(case: Case) -> Iterator[Finding]:
    """Yield NEGATION_MISMATCH."""
    for reading in case.reworded:
        if case.discloses(reading):
            continue
        for pair in case.pairs(reading):
            if not pair.answer.condition and _denied(case, pair):
                yield _finding(reading, pair)


def _denied(case: Case, pair: Pair) -> bool:
    lexicon = case.config.lexicon
    answer = polarity.sign(pair.answer, lexicon)
    evidence = polarity.sign(pair.evidence, lexicon)
    excepted = polarity.excepted(case, pair)
    who = subject(pair.answer)
    told = PRONOUN.match(pair.unit.analysis.text) is not None
    if who and not told and not excepted and not any(match(t, case.bags.unit(pair.unit)) for t in who):
        return False
    turned = opposed(pair, lexicon)
    # The opposite itself cannot match; what remains of the clause must.
    sure = _SURE_OF_EXCEPTION if excepted else _SURE_OF_OPPOSITE if turned else _SURE
    if pair.forward.share < sure:
        return False
    if excepted:
        evidence = -evidence
    if answer * (-1) ** len(turned) == evidence:
        return False
    return bool(turned) or excepted or _same_target(pair)


def _same_target(pair: Pair) -> bool:
    """What the negation denies (the word after it) stands in the other clause too."""
    for clause, other in ((pair.answer, pair.evidence), (pair.evidence, pair.answer)):
        for _, end in clause.analysis.negations:
            if not clause.start <= end <= clause.end:
                continue
            target = next((t for t in clause.terms if t.start >= end), None)
            if target is not None and match(target, other.bag) == 0:
                return False
    return True


def _finding(reading: Reading, pair: Pair) -> Finding:
    answer, evidence = pair.answer, pair.evidence
    return Finding(
        IssueType.NEGATION_MISMATCH, reading.index, "the statement and the evidence contradict"
                                                    " each other", RemedyKind.REGENERATE,
        span=(answer.start, answer.end), citation=pair.unit.citation,
        evidence=(pair.unit.start + evidence.start, pair.unit.start + evidence.end),
        found=answer.analysis.text[answer.start : answer.end].strip(),
        expected=evidence.analysis.text[evidence.start : evidence.end].strip(),
    )  # fmt: skip
