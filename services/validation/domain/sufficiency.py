"""Whether the retrieved passages can carry an answer: needs, what covers them, what contradicts, a score."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date

from services.common.domain.document import Chunk
from services.common.domain.question import ParsedQuestion
from services.common.domain.verdict import Conflict, Need, Sufficiency, SufficiencyLabel
from services.validation.domain.analysis import Analyser
from services.validation.domain.case import Case
from services.validation.domain.config import ValidationConfig
from services.validation.domain.needs import look_for, needs_of
from services.validation.domain.rivalry import conflict_features, find_conflicts
from services.validation.domain.support import probability
from services.validation.domain.topical import Topical, topical_passages

FEATURES = ("window", "passage", "beyond", "amount", "together", "answer_near", "defines", "prose")


def judge_sufficiency(
    question: str,
    parsed: ParsedQuestion | None,
    chunks: Sequence[Chunk],
    as_of: date | None,
    today: date,
    config: ValidationConfig,
    analyser: Analyser,
) -> Sufficiency:
    """Judge the evidence; see ``validator.check_sufficiency``."""
    case = Case(question, parsed, "", chunks, as_of, today, config, analyser)
    needs = look_for(case, needs_of(case, parsed))
    topical = topical_passages(case)
    conflicts = find_conflicts(case, topical)
    answerable, _ = probability(config.sufficiency, answer_features(topical))
    answerable *= _sides_covered(needs)
    clash, _ = probability(config.conflict, conflict_features(case, topical, conflicts))
    score = answerable * (1 - clash) if topical else 0.0
    label = SufficiencyLabel.INSUFFICIENT
    if topical:
        label = _label(config, answerable, clash, needs, conflicts, _steps_told(needs, topical))
    return Sufficiency(label, score, needs, conflicts)


def _label(
    config: ValidationConfig,
    answerable: float,
    clash: float,
    needs: Sequence[Need],
    conflicts: Sequence[Conflict],
    steps_told: bool,
) -> SufficiencyLabel:
    if any(not c.decided_by for c in conflicts):
        return SufficiencyLabel.CONFLICTING
    thresholds = config.sufficiency.thresholds
    # What does not speak to the question cannot contradict itself on it.
    if answerable >= thresholds["on_topic"] and clash >= config.conflict.thresholds["conflicting"]:
        return SufficiencyLabel.CONFLICTING
    if _sides_covered(needs) < 1 or not steps_told:
        return SufficiencyLabel.INSUFFICIENT
    return SufficiencyLabel.SUFFICIENT if answerable >= thresholds["sufficient"] else SufficiencyLabel.INSUFFICIENT


def _sides_covered(needs: Sequence[Need]) -> float:
    """The share of a comparison's sides that some passage covers: no passage on one of them, no comparison.

    Parts and attributes count for nothing here. They are found by their words, and many a passage answers in others.
    """
    sides = [n for n in needs if n.kind == "side"]
    return sum(bool(n.covered_by) for n in sides) / len(sides) if sides else 1.0


def _steps_told(needs: Sequence[Need], topical: Sequence[Topical]) -> bool:
    """False where steps are asked for and no passage that speaks of the thing tells anybody to do anything."""
    if not any(n.kind == "steps" and not n.covered_by for n in needs):
        return True
    return any(t.tells_steps for t in topical)


def answer_features(topical: Sequence[Topical]) -> dict[str, float]:
    """What speaks for an answer: of each measure of ``Topical`` the best that a passage reaches, in [0, 1].

    other_language: all passages are in another language than the question, so that its words match less.
    """
    found = {name: max((float(getattr(t, name)) for t in topical), default=0.0) for name in FEATURES}
    return found | {"other_language": float(bool(topical) and all(t.other_language for t in topical))}
