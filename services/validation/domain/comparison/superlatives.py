"""Superlatives: what is called the longest, cheapest, 最高 is not beaten by another retrieved member of its set."""

from __future__ import annotations

import re

from services.validation.domain.analysis import Analysis
from services.validation.domain.case import Case, Finding, Reading
from services.validation.domain.comparison.growth import of_growth
from services.validation.domain.comparison.measured_words import direction_of
from services.validation.domain.comparison.sides import (
    Side,
    Value,
    clause_around,
    side_at,
    side_score,
    values_of,
    wrong_direction,
)
from services.validation.domain.comparison.unit_price import per_unit
from services.validation.domain.reading.patterns import Pattern
from services.validation.domain.sources.agreement import titles_tell_apart
from services.validation.domain.times.journeys import journeys
from services.validation.domain.values import binding
from services.validation.domain.values.compare import close, comparable, equal, loosely
from services.validation.domain.values.quantity import Quantity
from services.validation.domain.values.units import CALENDAR, TIME
from services.validation.domain.wording.align import cover

_SUPERLATIVE = re.compile(
    r"\b(?:the|has the|with the) (?:[a-z]+er|more|less|fewer)\b(?! than)(?![^.;]*\bthan\b)|\b(?:(?:the|its"
    r"|has the|with the)\s+)?(?:\w+est|most|least)\b(?!\s+(?:of the time|cases))|最(?:高|低|大|小|长|短"
    r"|重|轻|多|少|快|慢|贵|便宜|早|晚|宽|窄|厚|薄|远|近|强|弱|热|冷|吵|响|安静|省电|耗电|省油|耗油|省钱)",
    re.I,
)
_NOT_SUPERLATIVE = re.compile(
    r"\b(?:at (?:the )?(?:most|least|latest|earliest)|most (?:of|cases|recent)|latest|request\w*|test\w*"
    r"|interest\w*|rest|west\w*|invest\w*|largest possible|forest|honest|guest|digest|harvest|protest|contest"
    r"|suggest|manifest|chest|nest|modest|arrest)\b",
    re.I,
)
# 最吵的C5: what it is said of follows.
_OF_NOUN = re.compile(r"的(?!是)(?=[A-Za-z])")
_ASKS_TO_CHOOSE = Pattern(r"\b(?:which|who|compare|\w+est|most|least|than|or|differ\w*)\b|哪|谁|最|比|还是|对比", re.I)
_PLACED = re.compile(r"\s*(?:in|at|for|with|on|by)\s+")
_LIMIT_WORDS = re.compile(
    r"最(?:高|低|大|小|长|短|多|少)(?!的[是为]?[^，。]{0,12}[，是])(?:[\u4e00-\u9fff]{0,6})(?:为|是|不超过|\d)|\b(?:maximum|minimum)\b",
    re.I,
)


def superlative(case: Case, reading: Reading) -> list[Finding]:
    """The longest of all: judged against every retrieved member of the set."""
    tabular = any(u.headers for u in case.units(reading.cited))
    if not _ASKS_TO_CHOOSE.search(case.question.text) and len(reading.cited) < 2 and not tabular:
        return []
    analysis = reading.analysis
    for found in _SUPERLATIVE.finditer(analysis.low):
        if _NOT_SUPERLATIVE.match(found.group().strip()) or _LIMIT_WORDS.match(analysis.low, found.start()):
            continue
        grown = of_growth(case, reading, found)
        wrong = _beaten(case, reading, found) if grown is None else grown
        if wrong:
            return wrong
    return []


def _beaten(case: Case, reading: Reading, found: re.Match[str]) -> list[Finding]:
    """Another member of the set beats the subject of one superlative."""
    analysis = reading.analysis
    following = _NEXT_WORD.match(analysis.low, found.end())
    word = _superlative_word(case, found.group(), following["w"] if following else "")
    quotient = per_unit(case, reading, found, word)
    if quotient is not None:
        return quotient
    values = [v for v in values_of(case, [p.citation for p in case.passages]) if v.quantity.surface]
    own = [v for v in values if v.unit.citation in reading.cited]
    side = _subject(analysis, found)
    if _OF_TIME.search(analysis.low[slice(*clause_around(analysis, found.start()))]):
        # 用时最短: only spans of time are meant, be they told by their two ends.
        values = [v for v in values if v.quantity.unit.dimension in (TIME, CALENDAR)]
        values += journeys(case, [p.citation for p in case.passages])
        own = [v for v in values if v.unit.citation in reading.cited]
    if not side.named or not own:
        return []
    told = _told_beside(analysis, found)
    own = [v for v in own if any(equal(*loosely(q, v.quantity)) for q in told)] or own
    measure = [t for t in analysis.terms if t not in side.terms]
    subject = max(
        own,
        key=lambda v: (
            side_score(side.terms, side.names, side.moments, v)
            + 0.5 * cover(measure, v.bag).share
            + cover(measure, v.binding.own_bag).share
        ),
    )
    if side_score(side.terms, side.names, side.moments, subject) < 0.8:
        return []
    members = [
        v
        for v in values
        if v is not subject
        and comparable(v.quantity, subject.quantity)
        and _sibling(v, subject)
        and not titles_tell_apart(case, *(case.passage(x.unit.citation) for x in (v, subject)))
    ]
    direction = direction_of(word, subject.quantity, case)
    beaten = [
        v
        for v in members
        if direction * (v.quantity.low - subject.quantity.low) > 0 and not close(v.quantity.low, subject.quantity.low)
    ]
    return [wrong_direction(reading, (found.start(), found.end()), subject, beaten[0])] if beaten and direction else []


_OF_TIME = re.compile(r"用时|历时|耗时|时长|行程时间|\b(?:journey|travel|running|waiting|cooking) time|\bduration")
_NEXT_WORD = re.compile(r"\s+(?P<w>[a-z]+)")


def _told_beside(analysis: Analysis, found: re.Match[str]) -> list[Quantity]:
    """The value that follows a superlative before the next one: "the cheapest (390 a month)"."""
    after = [m.start() for m in _SUPERLATIVE.finditer(analysis.low, found.end())]
    end = min([found.end() + _BESIDE, *after])
    return [q for q in analysis.quantities if found.end() <= q.start < end and not q.interval][:1]


_BESIDE = 30


def _superlative_word(case: Case, matched: str, following: str) -> str:
    """The word that gives the direction: "most economical" is less of the measure."""
    phrase = f"{matched.split()[-1]} {following}" if matched.isascii() and following else ""
    if phrase in case.config.lexicon.more_words:
        return phrase
    words: list[str] = re.findall(r"[a-z]+", matched)
    if not words:
        return matched
    return next((w for w in words if w in case.config.lexicon.more_words), words[-1])


def _subject(analysis: Analysis, found: re.Match[str]) -> Side:
    """What the superlative is said of: the words before it, else what follows "is"."""
    start, end = clause_around(analysis, found.start())
    before = side_at(analysis, start, found.start())
    if not before.names and _PRONOUN.search(analysis.low, start, found.start()):
        # "A is fastest, and it lifts the least": the first that the statement names.
        names = tuple(n for n in analysis.names if n.strict and n.end <= start)[:1]
        before = Side(before.terms, names, before.moments) if names else before
    noun = _OF_NOUN.match(analysis.low, found.end())
    if noun:
        named = side_at(analysis, noun.end(), min(end, noun.end() + _BESIDE)).names[:1]
        if named:
            return Side((), named, ())
    placed = _PLACED.match(analysis.low, found.end())
    if placed and not before.names:
        after = side_at(analysis, placed.end(), end)
        if after.names:
            return Side((), after.names, after.moments)
    if before.named:
        return before
    copula = re.search(r"\b(?:is|was|are|were|has|had|by)\b|的是|为|是", analysis.low[found.end() : end])
    return side_at(analysis, found.end() + copula.end(), end) if copula else Side((), (), ())


_PRONOUN = re.compile(r"\b(?:it|its|they|he|she)\b|其|它|该")


def _sibling(value: Value, subject: Value) -> bool:
    """Another member of the set: the same sentence pattern or the same column of a table."""
    if value.unit.headers and subject.unit.headers:
        mine, theirs = _column(value), _column(subject)
        if value.unit.citation == subject.unit.citation:
            return mine == theirs
        # Columns of two tables with one heading hold members of one set.
        return min(mine, theirs) >= 0 and value.unit.headers[mine][2].low == subject.unit.headers[theirs][2].low
    if value.unit is subject.unit:
        return binding.names_agree(value.binding.names, subject.binding.names) < 0
    forward = cover(value.unit.analysis.terms, subject.bag).share
    backward = cover(subject.unit.analysis.terms, value.bag).share
    return min(forward, backward) >= _ALIKE


_ALIKE = 0.55


def _column(value: Value) -> int:
    return next((i for i, (a, b, _) in enumerate(value.unit.headers) if a <= value.quantity.start < b), -1)
