"""Who asks how much, what share or on which day gets a value, a share, a day: a sentence without one is no answer."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date

from services.common.domain.verdict import IssueType, Lock, RemedyKind
from services.validation.domain.analysis import Analysis
from services.validation.domain.case import REFUSAL, Case, Finding, Reading
from services.validation.domain.checks import register
from services.validation.domain.reading.evidence import Unit
from services.validation.domain.sources.timeline import Standing
from services.validation.domain.times.moments import Moment
from services.validation.domain.values.compare import equal
from services.validation.domain.values.quantity import Quantity
from services.validation.domain.values.units import RATIO
from services.validation.domain.wording.align import Bag, cover

_NOUNS = (
    "thresholds?|limits?|amounts?|prices?|percentages?|rates?|shares?|fees?|costs?|maximum|minimum|number|quantity|weight"
    "|height|length|width|distance|duration|temperature|speed|size"
)
_VALUE = re.compile(
    r"\bhow (?:many|much|long|often|far|fast|high|heavy|old|large|big|soon|tall|wide|deep|hot|cold|quickly)\b"
    rf"|\bwhat (?:is|was|are|were) (?:the )?(?:[\w-]+ ){{0,2}}(?:{_NOUNS})\b"
    r"|\b(?:which|what) (?:threshold|limit|amount|price|percentage|share|fee|proportion)\b"
    r"|\b(?:above|below|beyond|up to) (?:which|what) "
    r"|\bat (?:which|what) (?:age|temperature|price|speed|level|height|rate)\b"
    r"|多少|几(?:天|日|个|次|年|周|小时|分钟|人|倍|元|成|位)|多(?:长|久|高|大|重|快|远)|百分之几"
    r"|(?:上限|下限|门槛|阈值|限额|金额|比例|费率)(?:是|为)",
    re.I,
)
# "How much of it is true", "how far is the rule binding" ask for a degree.
_DEGREE = re.compile(r"\bhow (?:much|far) (?:of|is|are|does|do|can|may|should|must)\b(?!.*\bcosts?\b)", re.I)
# Words that answer without a figure.
_WITHOUT_FIGURE = re.compile(
    r"\b(?:unlimited|indefinite(?:ly)?|permanent(?:ly)?|for ?ever|life(?:long|time)|free|none|nothing|never|always"
    r"|(?:no|without(?: any)?|not? (?:fixed|set|specific)) (?:limit|time limit|maximum|minimum|charge|cost|fee"
    r"|period|number|deadline|delay)|immediate(?:ly)?|at once|instant(?:ly)?|promptly|undue delay|until|till"
    r"|when(?:ever)?|as (?:long|soon|often|much|many|far|fast|quickly) as|than (?:is )?(?:strictly )?necessary|every"
    r"|each|daily|weekly|monthly|quarterly|yearly|annual(?:ly)?|hourly|nightly|regular(?:ly)?|periodic(?:ally)?|continuous(?:ly)?"
    r"|constant(?:ly)?|occasional(?:ly)?|rare(?:ly)?|seldom|often|frequent(?:ly)?|sometimes|depends?|depending|var(?:y|ies)|doubled?|tripled?|halved?|half|several|few"
    r"|many|most|all|both|once|twice|same|equal|century|decades?|equivalent|throughout|entire|whole|proportion(?:al"
    r"|ate)?|unchanged)\b"
    r"|无限|不限|无上限|没有(?:限制|上限|规定)|长期|永久|终身|立即|即时|当即|马上|随时|直到|直至|期间|届满|取决|视.{0,12}而定"
    r"|必要|所必需|最[短长]时间|每|定期|不定期|经常|持续|从不|免费|不收|不变|翻倍|一半|半|全部|所有|全额|相同|同样|数[十百千万]|很少|偶尔|有时"
    r"|频繁",
    re.I,
)
_NUMERAL = re.compile(r"[零〇一二两三四五六七八九十百千万亿]+")
_SHARE = re.compile(r"\b(?:what|which)(?: is the)? (?:share|percentage|proportion|per ?cent)\b|百分之几|占比", re.I)
_MONEY = re.compile(
    r"\bhow much (?:money|(?:does|do|did|will|would) .{1,60} cost)\b|\b(?:what|which)(?: is the)? (?:price|fee)\b"
    r"|多少钱",
    re.I,
)
_DAY = re.compile(
    r"\b(?:on|by|from|since|until) (?:which|what) (?:date|day)\b|\b(?:which|what) (?:date|day|year|month)\b(?! of)"
    r"|\bwhat is the date\b|哪(?:一)?[天日年]|几月几[日号]|何年何月",
    re.I,
)
_SPEAKS_OF_IT = 0.5

Holds = Callable[[Quantity], bool]


@dataclass(frozen=True, slots=True)
class _Lacking:
    """What is asked for and not given. ``holds`` tells a value that would give it; None where a day is asked for."""

    name: str
    holds: Holds | None


@register(
    "asked_value",
    Lock.COMPLETENESS,
    sees="answers without a value, an amount of money, a share or a day where one is asked for, but for those of the"
    " question and of the source's name",
    blind="which of several values is meant; words that tell a value and stand in no list",
)
def check(case: Case) -> Iterator[Finding]:
    """Yield INCOMPLETE_ANSWER at the last claim."""
    claims = [r for r in case.readings if r.is_claim]
    if not claims or any(r.role == REFUSAL for r in case.readings):
        return
    if case.question.compares or len(case.question.parts) > 1:
        return  # sides and parts have checks of their own
    lacking = _lacking(case, claims)
    if lacking is None:
        return
    unit = _told_by(case, lacking)
    yield Finding(
        IssueType.INCOMPLETE_ANSWER,
        claims[-1].index,
        f"the question asks for {lacking.name}, the answer gives none",
        RemedyKind.REGENERATE if unit is not None else RemedyKind.RETRIEVE_MISSING,
        citation=unit.citation if unit is not None else 0,
        evidence=(unit.start, unit.end) if unit is not None else None,
        expected=unit.analysis.text if unit is not None else case.question.text,
        queries=() if unit is not None else (case.question.text,),
    )


def _lacking(case: Case, claims: Sequence[Reading]) -> _Lacking | None:
    question = case.question.analysis.low
    told = [r.analysis for r in claims]
    days = [m for r in claims for m in _moments(case, r)]
    values = [q for r in claims for q in _values(case, r)]
    if _DAY.search(question):
        return None if days or values else _Lacking("a day or time", None)
    if not _VALUE.search(question) or _DEGREE.search(question) or any(_WITHOUT_FIGURE.search(a.low) for a in told):
        return None
    if _SHARE.search(question):
        return None if any(map(_is_share, values)) else _Lacking("a share", _is_share)
    if _MONEY.search(question):
        return None if any(map(_is_money, values)) else _Lacking("an amount of money", _is_money)
    if any(_NUMERAL.fullmatch(r.statement.body.strip(" 。.")) for r in claims):
        return None
    return None if values or days else _Lacking("a value", lambda value: not value.weak)


def _is_share(value: Quantity) -> bool:
    """A ratio, or a bare number that may be one."""
    return value.unit.dimension == RATIO or not value.unit.dimension


def _is_money(value: Quantity) -> bool:
    """An amount in a currency, also per something, a share of a price, or a bare number that may be one."""
    return (
        value.unit.dimension == RATIO
        or not value.unit.dimension
        or any(name.startswith("money") for name, _ in value.unit.dimension)
    )


def _values(case: Case, reading: Reading) -> Iterator[Quantity]:
    """The values that a statement gives beside those of the question, of its source's name, and of places in a text."""
    known = [case.question.analysis, *(case.passage(c).title for c in reading.cited)]
    for value in reading.analysis.quantities:
        if any(equal(value, k) for text in known for k in text.quantities) or _names_a_place(reading.analysis, value):
            continue
        if not value.unit.unit_id and any(value.surface.lower() in text.low for text in known):
            continue
        yield value


def _names_a_place(analysis: Analysis, value: Quantity) -> bool:
    """The 2 of "2(g)" measures nothing, nor does the first part of 2016-28710."""
    return bool(re.match(r"\([a-z]{1,3}\)", analysis.low[value.end :])) or (
        not value.unit.unit_id
        and re.fullmatch(r"\d+[-/.]\d+(?:[-/.]\d+)*", value.surface) is not None
        and "-" in value.surface
    )


def _moments(case: Case, reading: Reading) -> Iterator[Moment]:
    """The times that a statement gives beside the question's and its source's own."""
    own: set[date] = set()
    for citation in reading.cited:
        document = case.passage(citation).chunk.document
        days = (document.published_at, document.effective_from, document.effective_to, document.updated_at)
        own |= {day for day in days if day is not None}
    asked = {m.interval() for m in case.question.analysis.moments}
    for moment in reading.analysis.moments:
        span = moment.interval()
        if span in asked or (span is not None and span[0] == span[1] and span[0] in own):
            continue
        yield moment


def _told_by(case: Case, lacking: _Lacking) -> Unit | None:
    """The sentence in force that speaks of the question best and has what is asked for."""
    day = case.as_of or case.today
    asked = case.question.analysis.terms
    best: tuple[float, Unit | None] = (_SPEAKS_OF_IT, None)
    for passage in case.passages:
        if case.timeline(day).status(passage).standing is not Standing.CURRENT:
            continue
        for unit in passage.units:
            if unit.kind in ("heading", "header") or not _has(unit.analysis, lacking):
                continue
            share = cover(asked, Bag.of([unit.analysis, passage.title])).share
            best = max(best, (share, unit), key=lambda pair: pair[0])
    return best[1]


def _has(analysis: Analysis, lacking: _Lacking) -> bool:
    if lacking.holds is None:
        return bool(analysis.moments)
    return any(lacking.holds(q) for q in analysis.quantities if not q.weak)
