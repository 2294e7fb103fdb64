"""Whether the retrieved passages can carry an answer: needs, what covers them, what contradicts, a score."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date

from services.common.domain.document import Chunk
from services.common.domain.question import ParsedQuestion
from services.common.domain.verdict import Conflict, Need, Sufficiency, SufficiencyLabel
from services.validation.domain.analysis import Analyser
from services.validation.domain.asked.asked_kinds import kind_absent
from services.validation.domain.asked.needs import look_for, needs_of
from services.validation.domain.asked.topical import Topical, topical_passages
from services.validation.domain.case import Case
from services.validation.domain.config import ValidationConfig
from services.validation.domain.sources.rivalry import conflict_features, find_conflicts
from services.validation.domain.wording.support import probability

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
    if _compared(needs):
        # What is learnt asks for the question's words in one passage; those of a comparison stand in several.
        answerable = max(answerable, config.sufficiency.thresholds["sufficient"])
    clash, _ = probability(config.conflict, conflict_features(case, topical, conflicts))
    score = answerable * (1 - clash) if topical else 0.0
    label = SufficiencyLabel.INSUFFICIENT
    if topical:
        told = _steps_told(needs, topical) and not _kind_absent(case, needs)
        label = _label(config, answerable, clash, needs, conflicts, told)
    return Sufficiency(label, score, needs, conflicts)


def _label(
    config: ValidationConfig,
    answerable: float,
    clash: float,
    needs: Sequence[Need],
    conflicts: Sequence[Conflict],
    told: bool,
) -> SufficiencyLabel:
    if any(not c.decided_by for c in conflicts):
        return SufficiencyLabel.CONFLICTING
    thresholds = config.sufficiency.thresholds
    # What does not speak to the question cannot contradict itself on it.
    if answerable >= thresholds["on_topic"] and clash >= config.conflict.thresholds["conflicting"]:
        return SufficiencyLabel.CONFLICTING
    if _sides_covered(needs) < 1 or not told:
        return SufficiencyLabel.INSUFFICIENT
    return SufficiencyLabel.SUFFICIENT if answerable >= thresholds["sufficient"] else SufficiencyLabel.INSUFFICIENT


def _sides_covered(needs: Sequence[Need]) -> float:
    """The share of a comparison's sides that some passage covers: no passage on one of them, no comparison.

    Parts and attributes count for nothing here: they are found by their words, and many a passage answers in others.
    Only one that asks for a value of which no passage has the kind is missing for certain (``_kind_absent``).
    """
    sides = [n for n in needs if n.kind == "side"]
    return sum(bool(n.covered_by) for n in sides) / len(sides) if sides else 1.0


def _compared(needs: Sequence[Need]) -> bool:
    """The question compares, and every side has a passage that names it and tells what is compared."""
    sides = [n for n in needs if n.kind == "side"]
    return len(sides) > 1 and all(n.covered_by for n in sides)


def _kind_absent(case: Case, needs: Sequence[Need]) -> bool:
    """One of several things asked for is a time limit or an amount, and no passage has any such value."""
    asked = [n.description for n in needs if n.kind in ("attribute", "part") and not n.covered_by]
    passages = [u.analysis for p in case.passages for u in p.units] if asked else []
    return any(kind_absent(a, passages) for a in asked)


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
