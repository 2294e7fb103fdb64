"""What the evidence denies is not affirmed, and the reverse; opposites and exceptions count as denials."""

from __future__ import annotations

from collections.abc import Iterator

from services.common.domain.verdict import IssueType, Lock, RemedyKind
from services.validation.domain import polarity
from services.validation.domain.align import match
from services.validation.domain.case import Case, Finding, Reading
from services.validation.domain.checks import register
from services.validation.domain.contrast import opposed
from services.validation.domain.polarity import Pair

_SURE = 0.55


@register(
    "polarity",
    Lock.TRACEABILITY,
    sees="negations dropped or added, opposites (open, closed), exceptions turned into inclusion, unless against only if",
    blind="negation by meaning alone ('failed to impress')",
)
def check(case: Case) -> Iterator[Finding]:
    """Yield NEGATION_MISMATCH."""
    for reading in case.readings:
        if not reading.is_claim or not reading.cited:
            continue
        for pair in polarity.pair_clauses(case, reading.analysis, reading.cited):
            if pair.forward.share >= _SURE and _denied(case, pair):
                yield _finding(reading, pair)


def _denied(case: Case, pair: Pair) -> bool:
    lexicon = case.config.lexicon
    answer = polarity.sign(pair.answer, lexicon)
    evidence = polarity.sign(pair.evidence, lexicon)
    turns = len(opposed(pair, lexicon))
    scope = polarity.exception_scope(pair.evidence, lexicon)
    excepted = any(match(term, pair.answer.bag) >= 0.8 for term in scope)
    if excepted and not lexicon.exception.search(pair.answer.low):
        evidence = -evidence
    return answer * (-1) ** turns != evidence


def _finding(reading: Reading, pair: Pair) -> Finding:
    answer, evidence = pair.answer, pair.evidence
    return Finding(
        IssueType.NEGATION_MISMATCH, reading.index, "the statement and the evidence contradict each other", RemedyKind.REGENERATE,
        span=(answer.start, answer.end), citation=pair.unit.citation,
        evidence=(pair.unit.start + evidence.start, pair.unit.start + evidence.end),
        found=answer.analysis.text[answer.start : answer.end].strip(),
        expected=evidence.analysis.text[evidence.start : evidence.end].strip(),
    )  # fmt: skip
