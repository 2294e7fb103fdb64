"""What the user wants done: every action rule that fires, ranked."""

from __future__ import annotations

from collections.abc import Sequence

from services.common.domain.question import Action, Origin, OriginKind, ScoredAction
from services.perception.domain.candidates import Candidate
from services.perception.domain.matching import Match, Question
from services.perception.domain.rules import Sets

# What a later part wants follows what the first part wants.
_LATER_PART = 0.5
_DEFAULT_SCORE = 0.1
# Below a stated comparison, a recommendation or a failure, above a number, a yes or no, a fact.
_COMPARES = 0.9


def rank_actions(
    question: Question, parts: Sequence[tuple[int, int]], sides: Sequence[Candidate] = ()
) -> list[list[ScoredAction]]:
    """The actions of each part, best first; a part that no rule knows is a ``lookup``.

    The part that sets ``sides`` against each other compares, whatever words it uses; where a rule says that the
    sides are ``carried`` over, that is a later one than the part which names them.
    """
    carried = [r.id for r in question.rules_for(Sets.SIDES) if r.options.get("carried") == "yes"]
    later = bool(sides) and len(parts) > 1 and sides[0].origin.rule_id in carried
    return [
        _rank(question, start, end, bool(sides) and (index > 0 if later else start <= sides[0].start < end), sides)
        for index, (start, end) in enumerate(parts)
    ]


def combine(ranked: Sequence[Sequence[ScoredAction]]) -> tuple[ScoredAction, ...]:
    """The actions of a question: those of its first part, then what the others add.

    An action with the option ``whole`` (a failure to be fixed) leads wherever it stands: see ``_rank``.
    """
    order: dict[Action, ScoredAction] = {}
    for index, actions in enumerate(ranked):
        for action in actions:
            score = action.score if index == 0 else action.score * _LATER_PART
            if action.action not in order or order[action.action].score < score:
                order[action.action] = ScoredAction(action.action, round(score, 4), action.origin)
    first = ranked[0][0].action if ranked and ranked[0] else Action.LOOKUP
    return tuple(sorted(order.values(), key=lambda a: (a.action is not first, -a.score, a.action.value)))


def _asked(question: Question, start: int, end: int) -> tuple[int, int]:
    """The question inside a sentence that only leads over to it ("do you know who ..."); all of it if there is none.

    A rule's group ``asked`` says where it is; without one it begins behind the match.
    """
    part = question.text.text[start:end]
    first = start + len(part) - len(part.lstrip())
    frames = [m for m in question.matches_in(Sets.SPLIT, first, end, "frame") if m.start == first]
    if not frames:
        return start, end
    longest = max(frames, key=lambda m: m.end)
    inner = longest.group("asked") or (longest.end, end)
    return inner if any(question.matches_in(Sets.ACTION, *inner)) else (start, end)


def _rank(question: Question, start: int, end: int, compares: bool, sides: Sequence[Candidate]) -> list[ScoredAction]:
    best: dict[str, Match] = {}
    for match in question.matches_in(Sets.ACTION, *_asked(question, start, end)):
        known = best.get(match.rule.value)
        if known is None or (match.rule.score, -match.start) > (known.rule.score, -known.start):
            best[match.rule.value] = match
    ranked = sorted(best.values(), key=lambda m: (-m.rule.score, m.start, m.rule.id))
    actions = [ScoredAction(Action(m.rule.value), m.rule.score, question.origin(m)) for m in ranked]
    if compares and Action.COMPARE not in (a.action for a in actions):
        actions.append(ScoredAction(Action.COMPARE, _COMPARES, sides[0].origin))
        actions.sort(key=lambda a: -a.score)
    if not actions:
        origin = Origin(OriginKind.DEFAULT, "default.action", matched_text="")
        actions.append(ScoredAction(Action.LOOKUP, _DEFAULT_SCORE, origin))
    return actions
