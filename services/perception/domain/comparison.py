"""What is compared with what, and in which respect."""

from __future__ import annotations

import re
from collections.abc import Sequence

from services.perception.domain import coordination
from services.perception.domain.candidates import Candidate
from services.perception.domain.matching import Match, Question
from services.perception.domain.rules import Rule, Sets

# Joining words tried in one text; what has more of them is a list or an attack.
_MOST_FRAMES = 12
_SIDES = ("a", "b", "c", "d")


def find_sides(question: Question, times: Sequence[tuple[int, int]] = ()) -> tuple[list[Candidate], list[Candidate]]:
    """(sides, attributes). The rule with the highest score that yields two sides or more wins.

    Args:
        question: what was asked.
        times: its time expressions, as [start, end) of the normalised text.
    """
    matches = sorted(question.matches(Sets.SIDES), key=lambda m: (-m.rule.score, m.start, m.end))
    frames = 0
    for match in matches:
        if match.rule.options.get("frame"):
            frames += 1
            if frames > _MOST_FRAMES:
                continue
            sides, attributes = _framed(question, match, times)
            if len(sides) >= 2:
                return sides, attributes
            continue
        sides = _sides(question, match)
        if len(sides) >= 2:
            attributes = _attributes(question, match)
            return sides, attributes
    return [], []


def _framed(
    question: Question, match: Match, times: Sequence[tuple[int, int]]
) -> tuple[list[Candidate], list[Candidate]]:
    """What stands on both sides of the joining word that a rule names."""
    frame = coordination.grow(question, match, times)
    if frame is None:
        return [], []
    sides = [_trimmed(question, match.rule, start, end, "side") for start, end in frame.sides]
    if any(side is None for side in sides):
        return [], []
    attribute = _trimmed(question, match.rule, *frame.attribute, "attribute") if frame.attribute else None
    return [side for side in sides if side is not None], [attribute] if attribute else []


def find_attributes(question: Question) -> list[Candidate]:
    """Attributes and conditions that rules name outside a comparison."""
    found = []
    for match in question.matches(Sets.ATTRIBUTE):
        place = match.group("attribute") or (match.start, match.end)
        candidate = _trimmed(question, match.rule, *place, match.rule.value or "attribute")
        if candidate is not None:
            found.append(candidate)
    return found


def _sides(question: Question, match: Match) -> list[Candidate]:
    found: list[Candidate] = []
    for name in _SIDES:
        place = match.group(name)
        if place is None:
            continue
        pieces = [place] if match.rule.options.get("whole") == "yes" else _listed(question, place)
        for start, end in pieces:
            candidate = _trimmed(question, match.rule, start, end, "side")
            if candidate is not None:
                found.append(candidate)
    return found


_LIST = re.compile(r"\s*(?:,(?: and\b| or\b)?|、|;|\bvs\b\.?|\bversus\b)\s*", re.IGNORECASE)


def _listed(question: Question, place: tuple[int, int]) -> list[tuple[int, int]]:
    """ "A, B" inside one group are two sides."""
    start, end = place
    part = question.text.text[start:end]
    pieces = []
    at = 0
    for gap in _LIST.finditer(part):
        pieces.append((start + at, start + gap.start()))
        if _ends_list(question, part[gap.start() :].lstrip()):
            return [(s, e) for s, e in pieces if s < e]
        at = gap.end()
    pieces.append((start + at, end))
    return [(s, e) for s, e in pieces if s < e]


def _ends_list(question: Question, rest: str) -> bool:
    """True if what follows the comma is no further side ("…, focusing on reports")."""
    rules = (rule for rule in question.rules_for(Sets.NOT_ENTITY) if rule.value == "side_end")
    return any(pattern.match(rest) for rule in rules for pattern in rule.patterns)


def _attributes(question: Question, match: Match) -> list[Candidate]:
    found = []
    for name, kind in (("attribute", "attribute"), ("attribute2", "attribute"), ("condition", "condition")):
        place = match.group(name)
        if place is not None:
            candidate = _trimmed(question, match.rule, *place, kind)
            if candidate is not None:
                found.append(candidate)
    return found


def _trimmed(question: Question, rule: Rule, start: int, end: int, kind: str) -> Candidate | None:
    """The stretch without articles and filler at its ends; those are rules too (``sides`` with a trim value)."""
    text = question.text.text
    for _ in range(4):
        before = (start, end)
        while start < end and text[start] in " \"'":
            start += 1
        while end > start and text[end - 1] in " ,.?!\"'。":
            end -= 1
        start, end = _trim_once(question.rules_for(Sets.NOT_ENTITY), text, start, end)
        if (start, end) == before:
            break
    if start >= end:
        return None
    return Candidate(start, end, kind, rule.origin(question.text.surface(start, end)), rule.score)


def _trim_once(rules: Sequence[Rule], text: str, start: int, end: int) -> tuple[int, int]:
    for rule in rules:
        if rule.value not in ("side_start", "side_end"):
            continue
        for pattern in rule.patterns:
            part = text[start:end]
            if rule.value == "side_start":
                hit = pattern.match(part)
                if hit is not None and hit.end() < len(part):
                    start += hit.end()
            else:
                hit = next((h for h in pattern.finditer(part) if h.end() == len(part)), None)
                if hit is not None and hit.start() > 0:
                    end = start + hit.start()
    return start, end
