"""Lists: what the passage lists and the question asks for is listed whole."""

from __future__ import annotations

import re
from collections.abc import Sequence

from services.validation.domain.analysis import Analysis, Term
from services.validation.domain.case import Case, Reading
from services.validation.domain.reading.evidence import Unit
from services.validation.domain.reading.patterns import Pattern
from services.validation.domain.reading.references import Reference
from services.validation.domain.times.moments import Moment, same_time
from services.validation.domain.values.compare import equal
from services.validation.domain.values.quantity import Quantity
from services.validation.domain.wording.align import EXACT, PARTIAL, Bag, covered, in_span, match

_LIST_INTRO = re.compile(r"(?:下列|以下|如下|包括|包含|提交|提供|携带|出示|说明|有)[^：:，。；]{0,24}[：:]|[：:]")
_OPEN_QUESTION = re.compile(r"\b(?:which|what|list|name|who)\b|什么|哪些|哪几|列出|何种|哪几种", re.I)
_YES_NO = re.compile(
    r"^\s*(?:is|are|was|were|do|does|did|can|may|must|should|shall|will|has|have|could)\b|是否|能否|可否|吗[？?]?$|能不能"
    r"|可不可以|要不要",
    re.I,
)
_NO_LIST = re.compile(r"\bhow (?:many|much|long|often|far|fast)\b|多少|多久|多长|几|何时|\bwhen\b", re.I)
# Whatever the sources say of it answers "what do they say about": no list is asked for.
_SAID_OF = re.compile(
    r"\bwhat (?:do|does|did) .{1,60}? (?:say|tell|mention|state|write|report)s?\b|(?:说|讲|提到|写|规定)了?(?:些)?什么",
    re.I,
)
_FULL, _NONE = 0.55, 0.3


def short_list(case: Case) -> tuple[Unit, str] | None:
    """The cited passage lists several things, the question asks for them, and the answer leaves some out."""
    parts = case.question.parts if len(case.question.parts) > 1 else (case.question.text,)
    for part in parts:
        found = _short_list_of(case, part, single=len(parts) == 1)
        if found is not None:
            return found
    return None


def _short_list_of(case: Case, question: str, *, single: bool) -> tuple[Unit, str] | None:
    """The list that one question asks for, given short."""
    if not _OPEN_QUESTION.search(question) or any(p.search(question) for p in (_YES_NO, _NO_LIST, _SAID_OF)):
        return None
    claims = [r for r in case.readings if r.is_claim and r.cited]
    cited = sorted({c for r in claims for c in r.cited})
    if not claims:
        return None
    asked = case.question.analysis if single else case.analyser.analyse(question)
    aligned = case.align_analysis(asked, cited, (0, len(asked.text)))
    across = aligned and aligned[0].unit.analysis.han != claims[0].analysis.han
    if not single and (across or not aligned or aligned[0].coverage.share < _ABOUT_PART):
        return None
    for best in aligned[:1]:
        if not any(draws_on(case, r, best.unit) or case.align(r, r.cited)[0].unit is best.unit for r in claims):
            # The answer speaks of something else than this list.
            continue
        items = _items(case, best.unit)
        if len(items) < 2 or (case.question.asked_count and len(items) != case.question.asked_count):
            continue
        if _some_asked(best.unit, items, asked):
            continue
        answer = Bag.of(r.analysis for r in claims)
        shares = [(_told_share(case, terms, best.unit, span, answer, claims), span) for span, terms in items]
        told = [s for s, _ in shares if s >= _FULL]
        left = [span for s, span in shares if s < _NONE]
        if told and left and (single or not _as_many(claims, best.unit, len(items))):
            start, end = left[0]
            return best.unit, best.unit.analysis.text[start:end].strip(" ，,；;、.。")
    return None


def _some_asked(unit: Unit, items: Sequence[tuple[tuple[int, int], list[Term]]], asked: Analysis) -> bool:
    """The items are things with their values, and the question names some of them: the rest is not asked for."""
    if not all(any(a <= q.start < b for q in unit.analysis.quantities) for (a, b), _ in items):
        return False
    bag = Bag.of([asked])
    named = [terms for _, terms in items if match(terms[0], bag) == EXACT]
    return 0 < len(named) < len(items)


_ABOUT_PART = 0.5


def _as_many(claims: Sequence[Reading], unit: Unit, items: int) -> bool:
    """A statement drawn from the unit has as many items as it: the one not recognised may be told in other words."""
    joints = _HAN_JOINTS if unit.analysis.han else _JOINTS
    return any(len(joints.findall(r.analysis.low)) + 1 >= items for r in claims if unit.citation in r.cited)


_JOINTS = re.compile(r",\s*(?:and |or )?|\band\b|\bor\b|;")
_HAN_JOINTS = re.compile(r"[、；，]|以及|(?<!不)及(?!格|时|其)|和|与(?!否)|或(?!许)")


def _told_share(
    case: Case, terms: Sequence[Term], unit: Unit, span: tuple[int, int], answer: Bag, claims: Sequence[Reading]
) -> float:
    asked = case.bags.said(case.question.analysis)
    quantities = [q for q in unit.analysis.quantities if span[0] <= q.start < span[1] and not q.weak]
    news = [t for t in terms if match(t, asked) < _FULL] or list(terms)
    # A character that two words share (制动, 动力) tells no item.
    share = covered(news, answer, least=PARTIAL)
    if quantities:
        hit = any(equal(a, q) for r in claims for a in r.analysis.quantities for q in quantities)
        share = max(share, 0.6) if hit else share
    times = [m for m in unit.analysis.moments if span[0] <= m.start < span[1]]
    if any(same_time(a, m) for r in claims for a in r.analysis.moments for m in times):
        share = max(share, 0.6)  # 周二或周四: the days are the items
    return share


_SERIES_EN = Pattern(
    r"(?:[^,;:.()]+,\s+){1,}[^,;:.()]+?,?\s+(?:and|or)\s+[^,;:.()]+|[^,;:.()]+?\s(?:and|or)\s[^,;:.()]+", re.I
)
_SERIES_CUT = re.compile(r",\s*(?:(?:and|or)\s+)?|\s(?:and|or)\s", re.I)
_HAN_SERIES = re.compile(r"[^，。；：:、]+(?:、[^，。；：:、]+)+|[^，。；：:、]+?(?:和|及|以及|或者|或)[^，。；：:、]+")
_HAN_CUT = re.compile(r"、|以及|(?<=[\u4e00-\u9fff])(?:和|及|或者|或)(?=[\u4e00-\u9fff])")
_VERB_PHRASE = re.compile(
    r"\s*(?:is|are|was|were|[a-z]+(?:s|ed))\s+(?:at|to|with|in|on|by|from|for|within|after|before|up|the|a|an"
    r"|its|their|\d[\d.,]*)\b",
    re.I,
)
_LONGEST_LIST = 400
_MAX_ITEM_TERMS = 6


def _items(case: Case, unit: Unit) -> list[tuple[tuple[int, int], list[Term]]]:
    """The items of a unit's enumeration: after an introducing colon, between semicolons, or in a series of nouns.

    A series of two counts only where the question asks for several things.
    """
    if unit.headers or len(unit.analysis.text) > _LONGEST_LIST:
        return []
    text, analysis = unit.analysis.text, unit.analysis
    intro = _LIST_INTRO.search(text)
    least = 2 if case.question.wants_list or case.question.asked_count else 3
    if intro and re.search(r"[；;]", text[intro.end() :]):
        items = _cut_items(
            analysis, intro.end(), len(text), re.compile(r"[；;]\s*(?:[（(]?[一二三四五六七八九十\d]{1,2}[)）、.]\s*)?")
        )
        return items if len(items) >= least else []
    if analysis.han:
        series = max(
            _HAN_SERIES.finditer(text, intro.end() if intro else 0),
            key=lambda m: len(_HAN_CUT.findall(m.group())),
            default=None,
        )
        items = _cut_items(analysis, series.start(), series.end(), _HAN_CUT) if series else []
    else:
        series = max(
            _SERIES_EN.finditer(text, intro.end() if intro else 0),
            key=lambda m: len(_SERIES_CUT.findall(m.group())),
            default=None,
        )
        items = _cut_items(analysis, series.start(), series.end(), _SERIES_CUT) if series else []
    plain = [
        i
        for i in items[1:]
        if len(i[1]) <= _MAX_ITEM_TERMS and not any(i[0][0] <= c.start < i[0][1] for c in analysis.cues)
    ]
    verbal = any(_VERB_PHRASE.match(text[a:b]) for (a, b), _ in items[1:])
    return items if len(items) >= least and len(plain) == len(items) - 1 and not verbal else []


def _cut_items(
    analysis: Analysis, start: int, end: int, cut: re.Pattern[str]
) -> list[tuple[tuple[int, int], list[Term]]]:
    inside: tuple[Quantity | Moment | Reference, ...] = (*analysis.quantities, *analysis.moments, *analysis.references)
    edges = [start]
    for joint in cut.finditer(analysis.text, start, end):
        if not any(i.start < joint.end() and joint.start() < i.end for i in inside):
            edges.extend((joint.start(), joint.end()))
    edges.append(end)
    spans = [(edges[i], edges[i + 1]) for i in range(0, len(edges) - 1, 2)]
    return [
        (span, terms)
        for span in spans
        if (terms := in_span(analysis.terms, *span)) and sum(t.weight for t in terms) >= 0.7
    ]


def draws_on(case: Case, reading: Reading, unit: Unit) -> bool:
    """The unit is the one that carries some clause of the statement."""
    return any(pair.unit is unit and pair.forward.share >= _HALF for pair in case.pairs(reading))


_HALF = 0.5
