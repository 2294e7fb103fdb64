"""The respect in which things are compared, read off from where it stands to them.

"the range of the Leaf versus the Zoe", 合肥厂的良率比苏州厂高: what the things are called says nothing about it, where
they stand says all. So rules with the value ``respect`` see a text in which each thing compared is a run of one mark,
as long as the thing is; ``{it}`` stands for such a run in the packs.
"""

from __future__ import annotations

from collections.abc import Sequence

from services.perception.domain.candidates import Candidate
from services.perception.domain.matching import Match, Question, run_rule
from services.perception.domain.rules import Sets

VALUE = "respect"
# A character that no text can have: it is dropped when a text is normalised.
MARK = "\ue000"


def find_respects(question: Question, sides: Sequence[Candidate]) -> list[Candidate]:
    """The first respect that a rule finds, as a list; empty if nothing is compared or no respect is named."""
    if len(sides) < 2:
        return []
    text = question.text.text
    masked = _masked(text, sides)
    found: list[Match] = []
    for rule in question.rules_for(Sets.ATTRIBUTE, VALUE):
        found += run_rule(rule, masked, 0, len(masked))
    for match in sorted(found, key=lambda m: (-m.rule.score, m.start)):
        start, end = match.group("attribute") or (match.start, match.end)
        if MARK not in masked[start:end] and start < end:
            origin = match.rule.origin(question.text.surface(match.start, match.end))
            return [Candidate(start, end, "attribute", origin, match.rule.score)]
    return []


def _masked(text: str, sides: Sequence[Candidate]) -> str:
    """``text`` with every side a run of the mark; places stay what they were."""
    for side in sides:
        text = text[: side.start] + MARK * (side.end - side.start) + text[side.end :]
    return text
