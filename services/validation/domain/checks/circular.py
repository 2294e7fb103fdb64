"""An answer says something: not only the words of the question again."""

from __future__ import annotations

import re
from collections.abc import Iterator

from services.common.domain.verdict import IssueType, Lock, RemedyKind
from services.validation.domain.align import Bag, cover
from services.validation.domain.case import Case, Finding, Reading
from services.validation.domain.checks import register
from services.validation.domain.compare import equal
from services.validation.domain.moments import covers

# Saying it again answers a question of yes or no, if it says enough of it.
_YES_OR_NO = re.compile(
    r"^\W*(?:is|are|was|were|do|does|did|can|could|may|must|shall|should|will|would|has|have|had|am)\b"
    r"|吗|是否|能否|可否|能不能|可不可以|要不要|是不是|有没有|需不需要",
    re.I,
)
_ENOUGH_SAID = 0.5


@register(
    "circular",
    Lock.CONSISTENCY,
    sees="answers of which every statement repeats the question and adds no word, value, time or name of its own",
    blind="answers that add words and still say nothing",
)
def check(case: Case) -> Iterator[Finding]:
    """Yield INCOMPLETE_ANSWER."""
    claims = [reading for reading in case.readings if reading.is_claim]
    asked = Bag.of([case.question.analysis])
    if case.question.compares or not claims or not case.question.analysis.terms:
        return
    if not all(_adds_nothing(case, r, asked) for r in claims):
        return
    yield Finding(
        IssueType.INCOMPLETE_ANSWER,
        claims[0].index,
        "the answer only says the question again",
        RemedyKind.REGENERATE,
        found=claims[0].statement.body.strip(),
        queries=(case.question.text,),
    )


def _adds_nothing(case: Case, reading: Reading, asked: Bag) -> bool:
    answer, question = reading.analysis, case.question.analysis
    if answer.negations or answer.cues or cover(answer.terms, asked).missing:
        return False
    if any(
        not any(equal(q, known) for known in question.quantities) for q in answer.quantities if q.interval or not q.weak
    ):
        return False
    if any(not any(covers(m, known) for known in question.moments) for m in answer.moments):
        return False
    if any(n.surface.lower() not in question.low for n in answer.names if n.strict):
        return False
    if _YES_OR_NO.search(question.low):
        return cover(question.terms, Bag.of([answer])).share < _ENOUGH_SAID
    return True
