"""What a question wants answered one by one: the sides of a comparison, its parts, or the whole of it."""

from __future__ import annotations

from dataclasses import dataclass

from services.common.domain.question import Action, ParsedQuestion


@dataclass(frozen=True, slots=True)
class Need:
    """One thing to answer; ``side`` is set in comparisons, ``others`` are the other sides."""

    text: str
    action: Action
    side: str = ""
    others: tuple[str, ...] = ()


def needs_of(parsed: ParsedQuestion) -> list[Need]:
    """Never empty. The need of a side is the side with what is left of the question without the sides."""
    if len(parsed.parts) > 1:
        return [Need(p.text, p.action) for p in parsed.parts]
    sides = [s.text for s in parsed.sides]
    if parsed.action is Action.COMPARE and len(sides) > 1:
        rest = parsed.question
        for side in sides:
            rest = rest.replace(side, " ")
        return [
            Need(" ".join(f"{side} {rest}".split()), parsed.action, side, tuple(o for o in sides if o != side))
            for side in sides
        ]
    return [Need(parsed.question, parsed.action)]
