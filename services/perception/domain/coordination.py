"""The two or more things that one word sets against each other (甲和乙, 甲比乙, 甲还是乙).

Chinese puts no blanks between words and no article before a noun, so a pattern cannot tell where the things
compared begin and end. A rule therefore names only the joining word (group ``joint``, option ``frame``) and what
makes it a comparison; the noun phrases beside it are grown here by word boundaries: to the left up to the clause's
beginning, to the right up to a word that ends a noun phrase (``side_stop``), and both are made parallel, since the
things compared usually end alike (锂电池比铅酸电池寿命长: the right one ends with 电池, 寿命 is what is compared).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from services.perception.domain.matching import Match, Question
from services.perception.domain.rules import Able, Sets

Span = tuple[int, int]

_CLAUSE_END = frozenset(",。?!;:…")
_PAUSE = (",", "、")
_LONGEST_SIDE = 26
_OF = "的"
_ASKS = re.compile("怎么|怎样|如何|什么|多少|为何|谁|哪|吗")
# Words that end a noun phrase, but are a syllable of some (空气能热水器).
_MAY_BE_INSIDE = frozenset("能有在会是")
# After these the second thing is measured against the first one, not listed beside it.
_AGAINST = frozenset(("跟", "同"))
# What words for people end with.
_PEOPLE = frozenset("员工者师生手商户民人夫")
# Kinds of frames whose two things stand in one clause on equal terms; they end at the same stops.
_EVEN = ("and", "same", "attribute")
# What begins with one of these has a verb of its own, so the first thing keeps its verb, too: 走保险还是自己修.
_DOES = frozenset(("自己", "直接", "找人", "请人", "重新", "另外"))
_JOINTS = frozenset(("和", "与", "跟", "及", "以及", "、", "还是", "或", "或者"))


@dataclass(frozen=True, slots=True)
class Frame:
    """``sides`` in text order; ``attribute`` is the respect in which they are compared, if it stands after 的."""

    sides: tuple[Span, ...]
    attribute: Span | None = None


def grow(question: Question, match: Match, times: Sequence[Span]) -> Frame | None:
    """What stands on both sides of the match's joint; None where one side is empty or no noun phrase."""
    joint = match.group("joint") or (match.start, match.end)
    text = question.text.text
    bounds = {place for token in question.analysis.tokens for place in (token.start, token.end)}
    if joint[0] not in bounds or joint[1] not in bounds:
        return None  # 和 inside a word: 颐和园
    kind = match.rule.options["frame"]
    begun = match.group("from")  # where a rule knows the beginning of the left side: 与甲相比,乙…
    end = joint[0] - (kind == "or" and text[joint[0] - 1 : joint[0]] in _PAUSE)  # 是租,还是买: one clause
    start = begun[0] if begun else _clause_start(text, end)
    left = _strip_left(question, (start, end), joint[1], times, kind)
    clause_end = next((i for i in range(joint[1], len(text)) if _ends_clause(text, i)), len(text))
    if left is None or joint[1] >= clause_end or (begun and left in times):
        return None
    stop = _stop(question, joint[1], clause_end, times, kind)
    right, attribute = _right(question, left, (joint[1], stop), clause_end, kind)
    right = _without_verb(question, left, right, kind)
    left = _with_verb(question, left, right)
    left = _parallel_left(question, left, right, times, kind, text[joint[0] : joint[1]])
    sides = [*_members(question, left), *_members(question, right)]
    if len(sides) < 2 or any(not 0 < end - start <= _LONGEST_SIDE for start, end in sides):
        return None
    if any(_ASKS.search(text, start, end) for start, end in sides):
        return None  # two questions, not two things: 怎么修、备件是哪个
    return Frame(tuple(sides), attribute)


def _clause_start(text: str, at: int) -> int:
    return next((i + 1 for i in range(at - 1, -1, -1) if _ends_clause(text, i)), 0)


def _ends_clause(text: str, at: int) -> bool:
    """True for a mark between clauses; the colon of ISO 9001:2015 is none."""
    in_number = text[at] == ":" and text[at - 1 : at].isdigit() and text[at + 1 : at + 2].isdigit()
    return text[at] in _CLAUSE_END and not in_number


def _strip_left(question: Question, left: Span, right: int, times: Sequence[Span], kind: str) -> Span | None:
    """The left side without the verb that governs both sides and without a period that holds for both."""
    start, end = _without_lead_in(question, left)
    if kind not in _EVEN:
        end = _without_adjective(question, start, end, kind)
    if kind in ("than", "same"):
        end = _without_tail(question, start, end, kind)
    tokens = [t for t in question.analysis.tokens if start <= t.start and t.end <= end]
    following = next((t for t in question.analysis.tokens if t.start >= right), None)
    own_verb = kind == "or" and following is not None and following.text in _DOES
    verbs = [p for r, patterns in _able(question, "side_verb", kind) for p in patterns if not (own_verb and r.options)]
    for token in tokens[:-1]:
        if kind == "or" and following is not None and token.text == following.text:
            start = token.start  # 坐飞机还是坐高铁, 先验收还是先付款: both begin with the same word
            break
        if any(pattern.fullmatch(token.text) for pattern in verbs):
            start = token.end
    start = _inside_verb(question, start, end, kind)
    both_dated = any(begin == right for begin, _ in times)
    for begin, finish in times:
        if begin == start and finish < end and not both_dated:
            start = finish + (question.text.text[finish] == _OF)
    return (start, end) if start < end else None


def _without_lead_in(question: Question, left: Span) -> Span:
    """The left side without 请问, 对比一下 and the like, which rules (``side_start``) name."""
    start, end = left
    patterns = question.patterns(Sets.NOT_ENTITY, "side_start")
    for _ in range(3):
        hits = (p.match(question.text.text, start, end) for p in patterns)
        size = max((hit.end() - start for hit in hits if hit is not None and hit.end() < end), default=0)
        if not size:
            break
        start += size
    return start, end


def _without_adjective(question: Question, start: int, end: int, kind: str) -> int:
    """The end of a side before the adjective that it is measured by (手术好还是吃药好)."""
    text = question.text.text
    able = _able(question, "side_stop", kind)
    patterns = [p for rule, own in able if rule.options.get("ends") == "yes" for p in own]
    for size in (4, 3, 2, 1):
        if end - size > start + 1 and any(p.fullmatch(text, end - size, end) for p in patterns):
            return end - size
    return end


def _without_tail(question: Question, start: int, end: int, kind: str) -> int:
    """The end of a side before what only leads over to the comparison (在哪些方面优于, 是不是比)."""
    text = question.text.text
    patterns = _patterns(question, "side_tail", kind)
    bounds = {token.start for token in question.analysis.tokens if token.start > start}
    for _ in range(3):
        hits = (hit for p in patterns for hit in p.finditer(text, start, end) if hit.end() == end)
        cut = min((hit.start() for hit in hits if hit.start() in bounds), default=end)
        if cut == end:
            break
        end = cut
    return end


def _inside_verb(question: Question, start: int, end: int, kind: str) -> int:
    """The start of a side behind a verb that the segmenter may have run together with the noun (采暖用电锅炉)."""
    patterns = _patterns(question, "side_verb_inside", kind)
    hits = (hit for p in patterns for hit in p.finditer(question.text.text, start, end))
    return max((hit.end() for hit in hits if hit.end() < end), default=start)


def _without_verb(question: Question, left: Span, right: Span, kind: str) -> Span:
    """The right side without its own verb where the left one was freed of its (买国债还是存大额存单)."""
    tokens = question.analysis.tokens
    before = next((t.text for t in tokens if t.end == left[0]), "")
    first = next((t for t in tokens if t.start == right[0]), None)
    verbs = [p for rule, own in _able(question, "side_verb", kind) if rule.options for p in own]
    if kind != "or" or first is None or first.end >= right[1] or not any(p.fullmatch(first.text) for p in verbs):
        return right
    led = before.endswith(first.text) or any(p.fullmatch(before) for p in verbs)  # 该用 may be one word
    return (first.end, right[1]) if led else right


def _with_verb(question: Question, left: Span, right: Span) -> Span:
    """The left side with the verb before it where nothing else tells it from the right one (租叉车还是买叉车)."""
    text = question.text.text
    name, other = text[slice(*left)], text[slice(*right)]
    before = next((t for t in question.analysis.tokens if t.end == left[0]), None)
    same = other.endswith(name) and 0 < len(other) - len(name) <= _LONGEST_VERB
    return (before.start, left[1]) if same and before is not None and before.tag.startswith("v") else left


_LONGEST_VERB = 2


def _able(question: Question, value: str, kind: str) -> list[Able]:
    """The rules of ``value`` that hold in frames of ``kind``: those without the option ``frame`` hold in all."""
    able = question.able(Sets.NOT_ENTITY, value)
    return [pair for pair in able if kind in pair[0].options.get("frame", kind).split("|")]


def _patterns(question: Question, value: str, kind: str) -> list[re.Pattern[str]]:
    return [pattern for _, patterns in _able(question, value, kind) for pattern in patterns]


def _stop(question: Question, start: int, end: int, times: Sequence[Span], kind: str) -> int:
    """Where the noun phrase that begins at ``start`` ends at the latest."""
    patterns = _patterns(question, "side_stop", kind)
    text = question.text.text
    for token in question.analysis.tokens:
        if token.start <= start or token.start >= end:
            continue
        period = any(begin == token.start for begin, _ in times)
        if period or any(pattern.match(text, token.start, end) for pattern in patterns):
            end = token.start
            break
    return end if kind in _EVEN else _without_adjective(question, start, end, kind)


def _right(question: Question, left: Span, right: Span, clause_end: int, kind: str) -> tuple[Span, Span | None]:
    """The right side, ending like the left one where it can, and the attribute behind it."""
    text = question.text.text
    start, stop = right
    owner = text[left[0] : left[1]]
    alike = _alike(question, left, start, min(clause_end, start + _LONGEST_SIDE))
    if alike is not None and (
        alike < stop or text[stop : stop + 1] in _MAY_BE_INSIDE or owner.endswith(text[stop:alike])
    ):
        stop = alike
        for joint in question.analysis.tokens:  # 甲、乙和丙
            if joint.start == stop < clause_end and joint.text in _JOINTS:
                stop = _stop(question, joint.end, clause_end, (), "and")
    if text[stop : stop + 1] != _OF:
        return (start, stop), None
    after = stop + 1
    if kind == "than" and _measured_at(question, after, kind):
        return (start, stop), None
    if _OF in owner[1:]:
        tail = owner[owner.rindex(_OF) + 1 :]
        if text.startswith(tail, after):
            return (start, after + len(tail)), None
        later = _later_stop(question, after, clause_end)
        if later > after:
            return (start, later), None
    end = _later_stop(question, after, clause_end)
    return (start, stop), ((after, end) if end > after else None)


def _measured_at(question: Question, at: int, kind: str) -> bool:
    """True if the adjective that things are measured by begins here (西安的起步价比成都的贵)."""
    able = _able(question, "side_stop", kind)
    patterns = [p for rule, own in able if rule.options.get("ends") == "yes" for p in own]
    return any(p.match(question.text.text, at) for p in patterns)


def _later_stop(question: Question, start: int, end: int) -> int:
    """The end of what stands after 的, which may be nothing (甲和乙的区别)."""
    return _stop(question, start - 1, end, (), "attribute")


def _alike(question: Question, left: Span, start: int, limit: int) -> int | None:
    """Where a word that ends the left side ends in the text from ``start``."""
    text = question.text.text
    ends = {token.end for token in question.analysis.tokens}
    nouns = {token.start for token in question.analysis.tokens if token.tag.startswith("n")}
    owner = text[left[0] : left[1]]
    for size in (3, 2, 1):
        head = owner[-size:]
        if len(owner) <= size or not all("\u4e00" <= c <= "\u9fff" for c in head):
            continue
        at = text.find(head, start, limit)
        while at >= 0:
            end = at + size
            if end in ends and at > start and text[start:end] != owner and not (size == 1 and end in nouns):
                return end
            at = text.find(head, at + 1, limit)
    return None


def _parallel_left(question: Question, left: Span, right: Span, times: Sequence[Span], kind: str, joint: str) -> Span:
    """The left side cut to what the right side answers to: a period to a period, 甲 of 甲的价格 to 乙."""
    start, end = left
    text = question.text.text
    if right in times:
        own = [(b, e) for b, e in times if start <= b and (e == end or text[e : e + 1] == _OF)]
        return own[0] if own else left
    owner, other = text[start:end], text[right[0] : right[1]]
    alike = other[-1:] == owner[-1:]
    measured = _measure(question, start, end, kind)
    if _OF not in owner[1:-1] or _OF in other:
        return (start, measured) if kind == "than" and not alike and _OF not in owner else left
    cut = start + owner.rindex(_OF)
    kin = owner[: cut - start][-1:] == other[-1:] or (owner[cut - start - 1] in _PEOPLE and other[-1:] in _PEOPLE)
    whose = kind == "than" or kin or (kind == "same" and (joint in _AGAINST or measured == cut + 1))
    return (start, cut) if whose and not alike else (cut + 1, end)


def _measure(question: Question, start: int, end: int, kind: str) -> int:
    """Where the name of a measure begins that a side ends with (公寓产权年限: the flat is compared); else ``end``."""
    patterns = _patterns(question, "side_measure", kind)
    hits = (hit for p in patterns for hit in p.finditer(question.text.text, start, end) if hit.end() == end)
    return min((hit.start() for hit in hits if hit.start() > start), default=end)


def _members(question: Question, side: Span) -> Iterator[Span]:
    """ "甲、乙" on one side are two of the things compared."""
    start, end = side
    at = start
    for token in question.analysis.tokens:
        if start < token.start and token.end < end and token.text in _JOINTS:
            yield at, token.start
            at = token.end
    yield at, end
