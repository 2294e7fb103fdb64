"""Questions that nothing can be searched for without what was said before."""

from __future__ import annotations

from collections.abc import Sequence

from services.common.domain.question import Origin
from services.perception.domain.candidates import Candidate
from services.perception.domain.matching import Match, Question
from services.perception.domain.rules import Sets


def read_vagueness(question: Question, subjects: Sequence[Candidate]) -> tuple[Origin | None, tuple[str, ...]]:
    """(why the question is vague, what it lacks); (None, ()) for a question that stands alone.

    A rule with the option ``unless_named: yes`` yields to a name or code in the question. With ``bare: yes`` it only
    holds in a short question that names nothing, not even by a common noun, before the match.
    """
    if question.matches(Sets.NOT_VAGUE):
        return None, ()
    origin: Origin | None = None
    missing: list[str] = []
    for match in question.matches(Sets.VAGUE):
        if subjects and match.rule.options.get("unless_named") == "yes":
            continue
        if not holds(question, match):
            continue
        origin = origin or question.origin(match)
        missing.extend(part for part in match.rule.value.split("|") if part not in missing)
    return origin, tuple(missing)


# Longer questions usually say what they are about, if only in words that no tagger takes for a noun.
_MOST_WORDS = 11


def holds(question: Question, match: Match) -> bool:
    """False for a match of a ``bare`` rule in a question that is long or has named something before."""
    if match.rule.options.get("bare") != "yes":
        return True
    tokens = question.analysis.tokens
    words = sum(1 for token in tokens if token.text[0].isalnum())
    named = any(token.end <= match.start and token.tag.startswith(("NN", "n")) for token in tokens)
    return words <= _MOST_WORDS and not named
