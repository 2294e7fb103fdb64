"""The document that a Chinese question wants its answer from, found by words beside the words that say so.

Chinese puts no blanks and no article around a name, so a pattern cannot tell where it begins and ends. A rule says only
in which stretch the document stands (group ``source``) and on which side of it (option ``take``); where it begins and
ends follows from the nouns that documents are called by (rules with the value ``document_noun``), from known names and
codes, and from word boundaries.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from services.perception.domain.candidates import Candidate
from services.perception.domain.matching import Match, Question
from services.perception.domain.rules import Sets
from services.perception.domain.text import is_cjk

WAYS = ("first", "last", "all")
# Rules with these values list what documents, and who speaks, are called by; they find no source themselves.
NOUNS = ("document_noun", "body_noun")
_TEXTS = ("document", "standard", "identifier")
_BEINGS = ("organization", "person")
_LONGEST = 40
_ASKS = re.compile("怎么|怎样|如何|什么|多少|为何|哪|吗")
# After these words a document begins: 疏散在设备台账里, 我想按合同.
_BEFORE = frozenset(("在", "从", "按", "按照", "根据", "依据", "依照", "参照", "照", "据", "查", "翻", "见", "看"))
# As the end of a name these go on; after another noun they are what the document does or has: 手册规定, 协议附件二.
_NO_PART = frozenset(
    ("规定", "说明", "记录", "通知", "决定", "总结", "答复", "统计", "计划", "调查", "研究", "附件", "条款", "标准")
)


class _Found(NamedTuple):
    """Where documents end in a stretch, and where those begin that are known as a whole."""

    ends: list[int]
    begins: dict[int, int]


def grown_source(question: Question, match: Match, names: Sequence[Candidate]) -> Candidate | None:
    """The document in the rule's group ``source``; None if there is none.

    The option ``take`` says which: ``first`` the one that begins where the group does, ``last`` the one that ends where
    it does, ``all`` the whole group. With ``of: document|body`` an authority, a firm or a person will do, with
    ``of: body`` nothing else.
    """
    start, end = match.group("source") or (match.start, match.end)
    kinds = match.rule.options.get("of", "document").split("|")
    start = behind_lead_in(question, start, end)
    found = _documents(question, start, end, names) if "document" in kinds else _Found([], {})
    if "body" in kinds:
        _add_beings(question, start, end, names, found)
    place = _taken(question, (start, end), found, match.rule.options["take"])
    if place is not None and "document" not in kinds:  # a date before a body is none of its name
        place = (found.begins.get(place[1], place[0]), place[1])
    if place is None or not 0 < place[1] - place[0] <= _LONGEST or _ASKS.search(question.text.text, *place):
        return None
    start, end = _without_marks(question.text.text, *place)
    if start >= end:
        return None
    origin = match.rule.origin(question.text.surface(match.start, match.end))
    return Candidate(start, end, "source", origin, match.rule.score)


def behind_lead_in(question: Question, start: int, end: int) -> int:
    """The start of a stretch behind 请问, 我想知道, 我们公司的 and the like, which rules (``source_start``) name."""
    patterns = question.patterns(Sets.NOT_ENTITY, "source_start")
    for _ in range(4):
        hits = (p.match(question.text.text, start, end) for p in patterns)
        size = max((hit.end() - start for hit in hits if hit is not None and hit.end() < end), default=0)
        if not size:
            break
        start += size
    return start


def _documents(question: Question, start: int, end: int, names: Sequence[Candidate]) -> _Found:
    """Where documents end between ``start`` and ``end``."""
    text = question.text.text
    bounds = {place for token in question.analysis.tokens for place in (token.start, token.end)}
    nouns = [m for m in question.matches_in(Sets.SOURCE, start, end, "document_noun") if m.rule.language != "en"]
    ends = {m.end for m in nouns if m.end in bounds or m.end == end or not is_cjk(text[m.end])}
    begins = {}
    for name in names:
        if not start <= name.start < name.end <= end:
            continue
        called = name.type in _TEXTS or name.end in ends or (name.type == "clause" and text[name.start].isascii())
        if called or any(m.end == name.start for m in nouns):  # 图纸TZ-118
            ends.add(name.end)
            begins[name.end] = name.start
    titles = [(i, text.find("》", i)) for i in range(start, end) if text[i] == "《"]
    inside = {e for e in ends for first, last in titles if first < e <= last}
    inside |= {e for e in ends for m in nouns if m.start < e < m.end}
    ends.update(last + 1 for _, last in titles if last >= 0)
    return _Found(sorted(ends - inside), begins)


def _add_beings(question: Question, start: int, end: int, names: Sequence[Candidate], found: _Found) -> None:
    """Add where known organisations and people, and what bodies are called, end."""
    for name in names:
        if name.type in _BEINGS and start <= name.start < name.end <= end:
            found.ends.append(name.end)
            found.begins[name.end] = name.start
    found.ends.extend(m.end for m in question.matches_in(Sets.SOURCE, start, end, "body_noun"))
    for token in question.analysis.tokens:
        if token.tag in ("nr", "nt", "nrt") and start <= token.start < token.end <= end and len(token.text) > 1:
            found.ends.append(token.end)
    found.ends.sort()


def _taken(question: Question, zone: tuple[int, int], found: _Found, way: str) -> tuple[int, int] | None:
    start, end = zone
    if way == "first":
        first = next((e for e in found.ends if e > start), None)
        return (start, _extended(question, first, found)) if first is not None else None
    last = _last(question, end, found)
    if last is None:
        return None
    if way == "last":
        start = max([start, *_begun(question, start, last)])
    return (start, last)


def _last(question: Question, end: int, found: _Found) -> int | None:
    """The end of a document that fills a stretch to its end, but for what rules (``source_tail``) name."""
    return next((place for place in found.ends if _only_tails(question, place, end)), None)


def _only_tails(question: Question, start: int, end: int) -> bool:
    """True for 第三章里的规定: nothing but what may follow a document's name."""
    patterns = question.patterns(Sets.NOT_ENTITY, "source_tail")
    for _ in range(6):
        if start == end:
            return True
        hits = (pattern.match(question.text.text, start, end) for pattern in patterns)
        size = max((hit.end() - start for hit in hits if hit is not None), default=0)
        if not size:
            return False
        start += size
    return start == end


def _begun(question: Question, start: int, end: int) -> list[int]:
    """Places behind a word before which no name of a document goes on (疏散在设备台账)."""
    title = question.text.text.rfind("《", start, end)
    limit = title if title >= 0 else end - 1
    return [t.end for t in question.analysis.tokens if start <= t.start and t.end <= limit and t.text in _BEFORE]


def _extended(question: Question, first: int, found: _Found) -> int:
    """The end of a name that goes on with another noun (劳动合同 + 法) or a number (工单 + INC-3391)."""
    text = question.text.text
    for place in found.ends:
        begun = found.begins.get(place, place)
        if place <= first or not (begun <= first or place - first <= 4):
            continue
        noun = any(m.start == first and m.end == place for m in question.matches_in(Sets.SOURCE, first, place))
        if begun <= first or (noun and text[first:place] not in _NO_PART):
            first = place
    return first


def _without_marks(text: str, start: int, end: int) -> tuple[int, int]:
    """A title without its marks, if they enclose all of it."""
    if text[start] == "《" and text.find("》", start) == end - 1:
        return start + 1, end - 1
    return start, end
