"""Things that a text tells of side by side, each under a label: plans, valves, claims of one kind.

红枫卡年费120元；银杏卡年费200元, "water damage claims ...; hail claims ...": heads that differ in their first words and
then agree are siblings. So are the subjects of one predicate: "wrapped goods are heated to 134 °C; porous loads are
heated to 121 °C". What a text says of one of them is not so of another.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

from services.validation.domain.reading.evidence import Passage, Unit
from services.validation.domain.values.quantity import Quantity

_GROUP_END = re.compile(r"[;；]")
_HAN_HEAD = re.compile(r"[\s\W]*(?P<head>[\u4e00-\u9fffA-Za-z0-9-]{3,14})")
_WORD = re.compile(r"[A-Za-z0-9][\w'-]*")
_DETERMINERS = frozenset(("the", "a", "an", "each", "every", "this", "that", "these", "those", "all", "any", "no"))
# 申请人应当, 用户可以: the predicate has begun, and no noun is shared.
_PREDICATE = frozenset("应须可不将由在按自从经为是有的得能会需要并且与和或及等向对把被所均都已未至")
_LONGEST_OWN, _SHARED_CHARACTERS, _LONGEST_OWN_WORDS = 6, 2, 3


@dataclass(frozen=True, slots=True)
class Entry:
    """What one stretch of a passage tells under a label (in lower case); ``subject``: the label is a whole subject."""

    label: str
    unit: Unit
    start: int
    end: int
    quantities: tuple[Quantity, ...]
    subject: bool = False


def entries_of(passages: Sequence[Passage], stopwords: Collection[str]) -> list[Entry]:
    """The stretches of prose, in all passages, whose heads are siblings of one another."""
    heads: dict[str, list[tuple[str, Unit, int, int]]] = {}
    for passage in passages:
        for unit in passage.units:
            if unit.kind != "sentence":
                continue
            for start, end in _groups(unit.analysis.low):
                for own, shared in _splits(unit.analysis.low[start:end], stopwords, han=unit.analysis.han):
                    heads.setdefault(shared, []).append((own, unit, start, end))
    found: dict[tuple[str, int, int, int], Entry] = {}
    for shared, members in heads.items():
        if len({own for own, *_ in members}) < _PAIR:
            continue
        for own, unit, start, end in members:
            subject = shared.startswith(_PREDICATE_OF)
            label = own if unit.analysis.han or subject else f"{own} {shared}"
            inside = tuple(q for q in unit.analysis.quantities if start <= q.start < end)
            found[label, unit.citation, unit.index, start] = Entry(label, unit, start, end, inside, subject)
    return list(found.values())


_PAIR = 2


def _groups(low: str) -> Iterator[tuple[int, int]]:
    """The stretches between semicolons."""
    start = 0
    for end in [*(m.end() for m in _GROUP_END.finditer(low)), len(low)]:
        if low[start:end].strip():
            yield start, end
        start = end


def _splits(text: str, stopwords: Collection[str], *, han: bool) -> Iterator[tuple[str, str]]:
    """The ways to cut the head of a text into words of its own and what siblings share."""
    if han:
        match = _HAN_HEAD.match(text)
        head = match["head"] if match else ""
        for cut in range(1, min(_LONGEST_OWN, len(head) - _SHARED_CHARACTERS) + 1):
            if head[cut - 1] in _PREDICATE:
                return
            shared = head[cut : cut + _SHARED_CHARACTERS]
            if cut > 1 and all("\u4e00" <= c <= "\u9fff" and c not in _PREDICATE for c in shared):
                yield head[:cut], shared
        return
    words = [m.group() for m in _WORD.finditer(text[:_HEAD_CHARACTERS])]
    words = words[1:] if words and words[0] in _DETERMINERS else words
    yield from _subject(words, stopwords)
    for cut in range(1, min(_LONGEST_OWN_WORDS, len(words) - 1) + 1):
        own, shared = words[:cut], words[cut]
        if any(w in stopwords for w in (*own, shared)):
            return
        if len(shared) > _PAIR and shared.isalpha() and not shared.endswith(("ed", "ing")):
            yield " ".join(own), shared


_HEAD_CHARACTERS = 60
_PREDICATE_OF = ">"
_AUXILIARIES = frozenset(("is", "are", "was", "were", "be", "must", "may", "shall", "should", "can", "will"))
_LONGEST_SUBJECT = 4


def _subject(words: Sequence[str], stopwords: Collection[str]) -> Iterator[tuple[str, str]]:
    """Porous loads | are sterilised: a subject of content words and the verb after its auxiliaries."""
    end = next((i for i, word in enumerate(words) if word in _AUXILIARIES), 0)
    verb = next((word for word in words[end:] if word not in _AUXILIARIES), "")
    if 0 < end <= _LONGEST_SUBJECT and verb.isalpha() and not any(w in stopwords for w in (verb, *words[:end])):
        yield " ".join(words[:end]), f"{_PREDICATE_OF}{verb}"


@dataclass(frozen=True, slots=True)
class Stretch:
    """A stretch of a statement that speaks of one label."""

    label: str
    start: int
    end: int


def stretches(low: str, labels: Collection[str]) -> list[Stretch]:
    """The stretches of a lower-case statement, each from a label to the next one or to a semicolon.

    Labels told together ("A and B have 3 and 5") and labels that something is compared with have no stretch.
    """
    spots = _spots(low, labels)
    found: list[Stretch] = []
    for i, (start, end, label) in enumerate(spots):
        nearest = spots[i + 1][0] if i + 1 < len(spots) else len(low)
        stop = _STRETCH_END.search(low, end, nearest)
        last = stop.start() if stop else nearest
        joined = i + 1 < len(spots) and _JOINT.fullmatch(low[end : spots[i + 1][0]]) is not None
        joins = i > 0 and _JOINT.fullmatch(low[spots[i - 1][1] : start]) is not None
        if not joined and not joins and not _COMPARED.search(low[:start]):
            found.append(Stretch(label, end, last))
    return found


_STRETCH_END = re.compile(r"[;；。]|\.\s")
_JOINT = re.compile(r"\s*(?:[、,，/]|\band\b|\bor\b|和|与|及|或|同)*\s*(?:\bthe\s+)?", re.I)
_COMPARED = re.compile(
    r"(?:\bthan|\bversus|\bvs\.?|\bcompared (?:with|to)|\bagainst|\bas|\bunlike|\blike|\bnot"
    r"|比|较|相比|不同于|高于|低于|不是|而非)"
    r"\s*(?:that of |those of |for |the )*$"
)


def _spots(low: str, labels: Collection[str]) -> list[tuple[int, int, str]]:
    """Where labels stand, longer ones hiding shorter ones, in order."""
    left, found = low, []
    for label in sorted((n for n in labels if n in low), key=lambda name: (-len(name), name)):
        start = left.find(label)
        while start >= 0:
            end = start + len(label)
            if not _inside_word(left, start, end):
                found.append((start, end, label))
                left = left[:start] + "\0" * len(label) + left[end:]
            start = left.find(label, end)
    return sorted(found)


def _inside_word(low: str, start: int, end: int) -> bool:
    """Letters or figures go on before or after."""
    around = low[start - 1 : start] + low[end : end + 1]
    return any(c.isascii() and c.isalnum() for c in around)
