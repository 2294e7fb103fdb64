"""What is compared with what, and in which respect."""

from __future__ import annotations

import re
from collections.abc import Sequence

from services.perception.domain import coordination, respects
from services.perception.domain.candidates import Candidate
from services.perception.domain.matching import Match, Question
from services.perception.domain.phrases import (
    Span,
    all_phrases,
    joined,
    joined_inside,
    like,
    same_kind,
    told_apart,
    trailing,
)
from services.perception.domain.rules import Able, Rule, Sets
from services.perception.domain.tokens import PROPER_TAGS

# Joining words tried in one text; what has more of them is a list or an attack.
_MOST_FRAMES = 12
# jieba's flags of nouns; some end with a particle's character (首都).
_NOUN_FLAG = "n"
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
        sides = _sides(question, match, times)
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
    if match.rule.options.get("proper") and not all(_is_name(question, *span) for span in frame.sides):
        return [], []
    attribute = _trimmed(question, match.rule, *frame.attribute, "attribute") if frame.attribute else None
    return [side for side in sides if side is not None], [attribute] if attribute else []


def _is_name(question: Question, start: int, end: int) -> bool:
    """True if the tagger takes every word of the stretch for a name."""
    return all(t.tag in PROPER_TAGS for t in question.analysis.tokens if start <= t.start < end)


def find_attributes(question: Question) -> list[Candidate]:
    """Attributes and conditions that rules name outside a comparison."""
    found = []
    for match in question.matches(Sets.ATTRIBUTE):
        if match.rule.value == respects.VALUE:
            continue
        place = match.group("attribute") or (match.start, match.end)
        candidate = _trimmed(question, match.rule, *place, match.rule.value or "attribute")
        if candidate is not None:
            found.append(candidate)
    return found


def _sides(question: Question, match: Match, times: Sequence[Span]) -> list[Candidate]:
    if match.rule.options.get("take"):
        return phrased_sides(question, match, times)
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


# "those in Bergen", "that for tenants": what follows is compared.
_STANDS_FOR = re.compile(r"(?:that|those|the ones?) (?:in|at|for|of|on|from|with|under) ")
# What joins the second thing to the first after a verb that compares.
_AFTER_VERB = frozenset({"with", "to", "against"})
# Words that stand for a thing and name none.
_EMPTY = re.compile(
    r"(?:it|they|them|that|this|these|those|there|he|she|i|you|we|me|us|one|ones|each(?: other)?|others?|another|both"
    r"|either|all|any|someone|something|anything|what|which|who|(?:the )?(?:two|three|former|latter|same|rest))",
    re.IGNORECASE,
)


def phrased_sides(question: Question, match: Match, times: Sequence[Span] = ()) -> list[Candidate]:
    """Sides as noun phrases, from a rule that only says where they stand (option ``take``).

    ``list``: the group ``list`` begins with "A, B and C"; ``verb``: so it does, and "with", "to" or "against" joins
    too; ``pair``: ``a`` holds one side somewhere, ``b`` begins with the other ones; ``around``: ``a`` ends with the
    one side. The group ``in`` of a pair is a preposition before the second side.
    """
    how = match.rule.options["take"]
    items: list[Span] = []
    place = match.group("list")
    if place is not None:
        find = joined_inside if match.rule.options.get("inside") == "yes" else joined
        items = find(question, *place, _AFTER_VERB if how == "verb" else frozenset())
    a, b = match.group("a"), match.group("b")
    if a is not None and b is not None:
        stands_for = _STANDS_FOR.match(question.text.text, *b)
        b = (stands_for.end(), b[1]) if stands_for is not None else b
        rest = joined(question, *b)
        first = None
        if rest and how == "around":
            first = trailing(question, *a)
        elif rest:
            subject = _without_verb(question, *a) if match.rule.options.get("verb") == "inside" else a
            found = all_phrases(question, *subject)
            first = like(question, found, rest[0], last=match.group("in") is not None or stands_for is not None)
            first = _period(question, subject, rest[0], times) or first
        items = [first, *rest] if first is not None else []
    sides = (
        _trimmed(question, match.rule, *span, "side", ("side_start",))
        for span in same_kind(question, told_apart(question, items))
    )
    return [s for s in sides if s is not None and not _EMPTY.fullmatch(question.text.text, s.start, s.end)]


_SAME_PERIOD = re.compile(
    r"(?:the )?(?:same|previous|prior|preceding|corresponding) (?:period|year|half|quarter|month|week|season)",
    re.IGNORECASE,
)


def _period(question: Question, subject: Span, other: Span, times: Sequence[Span]) -> Span | None:
    """The last period in the subject where the other side is one too ("in 2024 … against the same period of 2023")."""
    dated = any(span == other for span in times)
    if not dated and _SAME_PERIOD.match(question.text.text, *other) is None:
        return None
    inside = [time for time in times if subject[0] <= time[0] and time[1] <= subject[1]]
    return inside[-1] if inside else None


# After these the main verb follows the subject: "did Samsung ship more phones than Apple".
_HELPING = re.compile(r"(?:do|does|did|don't|doesn't|didn't|can|could|will|would|may|might|should) $", re.IGNORECASE)
_LAST_WORD = re.compile(r"(?<=\S) (?P<word>[a-z]+) ?$")


def _without_verb(question: Question, start: int, end: int) -> Span:
    """A subject up to its verb, where grammar says that its last word is one, whatever the tagger says."""
    text = question.text.text
    if _HELPING.search(text, max(0, start - 10), start) is None:
        return start, end
    last = _LAST_WORD.search(text, start, end)
    return (start, last.start()) if last is not None else (start, end)


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
    return any(pattern.match(rest) for pattern in question.patterns(Sets.NOT_ENTITY, "side_end"))


def _attributes(question: Question, match: Match) -> list[Candidate]:
    found = []
    for name, kind in (("attribute", "attribute"), ("attribute2", "attribute"), ("condition", "condition")):
        place = match.group(name)
        if place is not None:
            candidate = _trimmed(question, match.rule, *place, kind)
            if candidate is not None:
                found.append(candidate)
    return found


def _trimmed(
    question: Question,
    rule: Rule,
    start: int,
    end: int,
    kind: str,
    trims: tuple[str, ...] = ("side_start", "side_end"),
) -> Candidate | None:
    """The stretch without articles and filler at its ends; those are rules too (``sides`` with a trim value)."""
    text = question.text.text
    rules = question.able(Sets.NOT_ENTITY, *trims)
    words = (t for t in question.analysis.tokens if t.tag.startswith(_NOUN_FLAG))
    inside = frozenset(at for t in words for at in range(t.start + 1, t.end))
    for _ in range(4):
        before = (start, end)
        while start < end and text[start] in " \"'":
            start += 1
        while end > start and text[end - 1] in " ,.?!\"'。":
            end -= 1
        start, end = _trim_once(rules, text, start, end, inside)
        if (start, end) == before:
            break
    if start >= end:
        return None
    return Candidate(start, end, kind, rule.origin(question.text.surface(start, end)), rule.score)


def _trim_once(rules: Sequence[Able], text: str, start: int, end: int, inside: frozenset[int]) -> tuple[int, int]:
    """One round of trimming; nothing is cut off at a place ``inside`` a word (成都 ends with no 都)."""
    for rule, patterns in rules:
        for pattern in patterns:
            part = text[start:end]
            if rule.value == "side_start":
                hit = pattern.match(part)
                if hit is not None and hit.end() < len(part):
                    start += hit.end()
            else:
                hit = next((h for h in pattern.finditer(part) if h.end() == len(part)), None)
                if hit is not None and hit.start() > 0 and start + hit.start() not in inside:
                    end = start + hit.start()
    return start, end
