"""A statement is about what its source is about: the question's words alone do not make a value an answer to it."""

from __future__ import annotations

from collections.abc import Iterator

from services.common.domain.verdict import IssueType, Lock, RemedyKind
from services.validation.domain.analysis import Term
from services.validation.domain.case import Case, Finding, Reading
from services.validation.domain.checks import register
from services.validation.domain.wording.align import cover

# "The filing fee for a boat licence is 54 euros", cited to a passage of 54 euros for something else. Who retells brings
# a word of the question where the source has another one; on 438 statements of valid answers never three, and half.
_LEAST_WORDS, _LEAST_SHARE = 3, 0.5
# The source need not repeat who its owner is.
_LEAST_COMMON = 2
# A statement that brings words of its own from the source retells it in the question's words.
_MOST_NEWS = 1


@register(
    "borrowed",
    Lock.TRACEABILITY,
    sees="statements that set a value or name beside the question's words, of which half, and three at least, stand"
    " neither in the cited passages nor in their titles",
    blind="a subject exchanged in one or two words, or told with more words of the source; statements in another"
    " language than their passages",
)
def check(case: Case) -> Iterator[Finding]:
    """Yield UNSUPPORTED_STATEMENT."""
    for reading in case.reworded:
        words = _borrowed(case, reading)
        if words:
            told = ", ".join(dict.fromkeys(t.word.surface for t in words))
            yield Finding(
                IssueType.UNSUPPORTED_STATEMENT,
                reading.index,
                f"the cited passages do not speak of what the question names: {told}",
                RemedyKind.RETRIEVE_MISSING,
                span=(words[0].start, words[-1].end),
                citation=reading.cited[0],
                found=told,
                queries=(case.question.text,),
            )


def _borrowed(case: Case, reading: Reading) -> tuple[Term, ...]:
    """The words of the question that the statement's passages lack, if they are too many to be a retelling."""
    analysis, bag = reading.analysis, case.bags.cited(reading.cited)
    if analysis.han != bag.han:
        return ()
    values = [(q.start, q.end) for q in analysis.quantities]
    terms = [t for t in analysis.terms if t.weight >= 1 and not any(a <= t.start < b for a, b in values)]
    coverage = cover(terms, bag)
    asked = case.question.analysis.keys
    missing = tuple(t for t in coverage.missing if t.key in asked)
    if sum(t.key not in asked for t in terms) > _MOST_NEWS:
        return ()
    proper = [(n.start, n.end) for n in analysis.names if n.kind == "proper"]
    common = [t for t in missing if not any(a <= t.start < b for a, b in proper)]
    if len(missing) < _LEAST_WORDS or len(common) < _LEAST_COMMON:
        return ()
    return missing if sum(t.weight for t in missing) >= _LEAST_SHARE * coverage.weight else ()
