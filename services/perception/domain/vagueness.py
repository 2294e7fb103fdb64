"""Questions that nothing can be searched for without what was said before."""

from __future__ import annotations

from collections.abc import Sequence

from services.common.domain.question import Origin
from services.perception.domain.candidates import Candidate
from services.perception.domain.matching import Question
from services.perception.domain.rules import Sets


def read_vagueness(question: Question, subjects: Sequence[Candidate]) -> tuple[Origin | None, tuple[str, ...]]:
    """(why the question is vague, what it lacks); (None, ()) for a question that stands alone.

    A rule with the option ``unless_named: yes`` yields to a name or code in the question.
    """
    if question.matches(Sets.NOT_VAGUE):
        return None, ()
    origin: Origin | None = None
    missing: list[str] = []
    for match in question.matches(Sets.VAGUE):
        if subjects and match.rule.options.get("unless_named") == "yes":
            continue
        origin = origin or question.origin(match)
        missing.extend(part for part in match.rule.value.split("|") if part not in missing)
    return origin, tuple(missing)
