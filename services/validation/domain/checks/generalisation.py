"""Usually does not become always, a cause not the only cause, some not all."""

from __future__ import annotations

import re
from collections.abc import Iterator

from services.common.domain.verdict import IssueType, Lock, RemedyKind
from services.validation.domain.analysis import Term
from services.validation.domain.case import Case, Finding, Reading
from services.validation.domain.checks import register
from services.validation.domain.force import polarity
from services.validation.domain.reading.clauses import Pair
from services.validation.domain.reading.names import Name
from services.validation.domain.reading.patterns import Pattern
from services.validation.domain.wording.align import EXACT, cover, match

_SURE, _HEDGED = 0.45, 0.3
# "31 for every kilowatt" is a rate; who must do it is the only one to do it.
_RATE = re.compile(r"\b(?:for|per|in|of)\s*$")
_SOLE = re.compile(r"只能由|仅由|\bonly\b|solely")
_SOLE_TOLD = re.compile(r"(?:须|应当?|必须)由|\bmust be \w+ by\b|\bshall be \w+ by\b")
# 全检, 全员: a whole told by one character; the same in the answer takes a word of its own (全部检查).
_WHOLE = re.compile(r"全(?=[检员体额程数班套])|逐|每|各|双方|两者|两侧|\beach\b|\bboth\b|\bevery\b|\bneither\b")
_COUNTED = re.compile(
    r"(?:[两二三四五六七八九十几]|双方|二者|两者)[^，。；]{0,8}$|(?:[和与及或、]|以及)[^，。；]{1,12}$|\b(?:both|two|three|four|five|six)\b[^,.;]{0,30}$"
)


@register(
    "generalisation",
    Lock.TRACEABILITY,
    sees="always, only, all, never and their Chinese equals where the evidence is hedged, excepts something, or"
    " names no such scope",
    blind="claims of scope without such a word",
)
def check(case: Case) -> Iterator[Finding]:
    """Yield UNSUPPORTED_STATEMENT."""
    for reading in case.reworded:
        for pair in case.pairs(reading):
            always = _at_any_time(case, pair)
            if always is not None:
                yield _finding(reading, pair, always)
                break
            hedged = case.config.lexicon.hedge.search(pair.evidence.low) is not None
            found = _overstated(case, reading, pair) if pair.forward.share >= (_HEDGED if hedged else _SURE) else None
            if found is not None:
                yield _finding(reading, pair, found)
                break
        yield from _widened(case, reading)


def _widened(case: Case, reading: Reading) -> Iterator[Finding]:
    """Nationwide, 全国, of what the cited passages and their titles tell of nothing so wide."""
    wide = case.config.lexicon.scope.search(reading.analysis.low)
    if wide is None or wide.group() in case.question.analysis.low:
        return
    titles = "\n".join(case.passage(c).title.low for c in reading.cited)
    if _WIDE.search(case.bags.cited(reading.cited).low) or _WIDE.search(titles):
        return
    best = case.align(reading, reading.cited)[:1]
    if best and best[0].unit.analysis.han == reading.analysis.han:
        unit, word = best[0].unit, reading.analysis.text[wide.start() : wide.end()]
        yield Finding(
            IssueType.UNSUPPORTED_STATEMENT, reading.index, f"the evidence tells nothing so wide as {word!r}",
            RemedyKind.REGENERATE, span=wide.span(), citation=unit.citation, evidence=(unit.start, unit.end),
            found=word, expected=unit.analysis.text,
        )  # fmt: skip


_WIDE = Pattern(
    r"\bnation|\bcountr(?:y|ies)\b|\bworld|\bglobal|\bindustry|\bcompan(?:y|ies)\b|\bfederal\b|\bstates?\b|\bregions?\b"
    r"|全国|国家|各地|各省|全省|全球|世界|行业|中国|我国|中华"
)


# "On any day of the year", where the passage goes on "on public holidays no bicycles are carried".
_ANY_TIME = re.compile(
    r"\b(?:on any day|any day of the|(?:on )?every day of the|all (?:the )?year(?: round)?|at any time|at all times"
    r"|throughout the year)\b|全年|一年到头|任何时候|任何时间|任何一天"
)
_AT_TIMES = re.compile(
    r"\b(?:holidays?|(?:mon|tues|wednes|thurs|fri|satur|sun)days?|weekends?|nights?|winter|summer|christmas|easter)\b"
    r"|节假日|法定假日|周末|星期|周[一二三四五六日]|夜间|冬季|夏季|春节"
)


def _at_any_time(case: Case, pair: Pair) -> tuple[int, int] | None:
    """The statement holds at any time what another sentence of the passage denies for some days or seasons."""
    found = _ANY_TIME.search(pair.answer.low)
    if found is None or pair.forward.share < _SURE or case.config.lexicon.exception.search(pair.answer.analysis.low):
        return None
    if _ANY_TIME.search(pair.unit.analysis.low) or polarity.main_sign(pair.answer, case.config.lexicon) < 0:
        return None
    said = case.bags.said(pair.answer.analysis)
    for unit in case.units([pair.unit.citation]):
        if unit is pair.unit or not (scope := _AT_TIMES.search(unit.analysis.low)):
            continue
        denies = any(polarity.main_sign(c, case.config.lexicon) < 0 for c in case.clauses(unit.analysis))
        rest = [t for t in unit.analysis.terms if not scope.start() <= t.start < scope.end()]
        if denies and scope.group() not in pair.answer.analysis.low and cover(rest, said).share >= _SAME_ACT:
            return pair.answer.start + found.start(), pair.answer.start + found.end()
    return None


_SAME_ACT = 0.3


def _overstated(case: Case, reading: Reading, pair: Pair) -> tuple[int, int] | None:
    lexicon = case.config.lexicon
    match = lexicon.universal.search(pair.answer.low)
    if match is None:
        return None
    excepted = lexicon.exception.search(pair.unit.analysis.low) and not (
        lexicon.exception.search(pair.answer.analysis.low) or _exception_named(case, pair)
    )
    if _SOLE_WORD.fullmatch(match.group()) and _all_but(case, pair):
        return None  # "the only ones admitted" are those that are excepted from a ban
    if (lexicon.universal.search(pair.unit.analysis.low) or _WHOLE.search(pair.unit.analysis.low)) and not excepted:
        return None
    if match.group() in ("都", "均", "all", "皆") and _COUNTED.search(pair.answer.low[: match.start()]):
        return None  # 两类都: of the two that are counted
    if _SOLE_WORD.fullmatch(match.group()) and _RESERVED.search(pair.unit.analysis.low):
        return None
    if _RATE.search(pair.answer.low[: match.start()]) or (
        _SOLE.search(match.group()) and _SOLE_TOLD.search(pair.evidence.low)
    ):
        return None
    start, end = pair.answer.start + match.start(), pair.answer.start + match.end()
    if _SOLE_WORD.fullmatch(match.group()) and _ruled_out(case, reading, pair, start, end):
        return None
    if any(start <= n.start <= end + 12 for n in pair.answer.analysis.quantities if n.start >= end):
        # "all three forms" counts; the number is judged elsewhere.
        return None
    hedged = lexicon.hedge.search(pair.evidence.low)
    if _CERTAIN.fullmatch(match.group()) and not hedged:
        return None
    conditional = polarity.conditional(pair.evidence, lexicon) or polarity.sign(pair.evidence, lexicon) < 0
    if hedged or excepted:
        return start, end
    # Without a hedge or an exception to drop, only a word that shuts out everything else says more than the evidence.
    only = _ONLY.fullmatch(match.group()) and (
        _permits(pair) or min(pair.forward.share, pair.backward.share) >= _COPIED
    )
    says_more = (
        only
        or _EXCLUSIVE.fullmatch(match.group())
        or (_EVERYTHING.fullmatch(match.group()) and (_restricted(pair) or _of_some(pair, match.end())))
    )
    return (start, end) if not conditional and says_more else None


def _exception_named(case: Case, pair: Pair) -> bool:
    """The statement speaks of what the evidence excepts (但实习生没有); how is for the check of polarity to judge."""
    said = case.bags.said(pair.answer.analysis)
    scopes = [polarity.exception_scope(c, case.config.lexicon) for c in case.clauses(pair.unit.analysis)]
    return any(scopes) and all(match(t, said) >= EXACT for scope in scopes for t in scope)


_ONLY = re.compile(r"only|仅|只|只会|只能由")
_COPIED = 0.7


def _permits(pair: Pair) -> bool:
    """The evidence gives a right, which leaves open whether there are others."""
    return bool(polarity.forces(pair.evidence) & {polarity.PERMISSION, polarity.CAPABILITY})


_EVERYTHING = re.compile(r"all|every|any|全部|所有|一切|任何|each and every")


def _restricted(pair: Pair) -> bool:
    """The evidence limits by a value what the statement tells of all: purchases above EUR 10,000."""
    clause = pair.evidence
    bounds = [q for q in clause.analysis.quantities if clause.start <= q.start < clause.end and q.bound]
    mine = [q for q in pair.answer.analysis.quantities if pair.answer.start <= q.start < pair.answer.end]
    return bool(bounds) and not mine


def _of_some(pair: Pair, end: int) -> bool:
    """ "All batches", 所有批次, where the evidence speaks of the same, the affected, the relevant ones (同批次)."""
    noun = _NOUN.match(pair.answer.low, end)
    if noun is None:
        return False
    word = noun["zh"] or noun["en"].rstrip("s")
    return (
        re.search(rf"{_RESTRICTING_HAN}{word}|{_RESTRICTING}(?:[a-z]+ )?{re.escape(word)}", pair.evidence.low)
        is not None
    )


_NOUN = re.compile(r"的?(?P<zh>[\u4e00-\u9fff]{2})|\s+(?:the |of the |its |their )?(?P<en>[a-z]{3,})")
_RESTRICTING = r"\b(?:same|affected|relevant|respective|corresponding|concerned|faulty|defective) "
_RESTRICTING_HAN = "(?:同一?|涉事|受影响的?|相关|有关|相应|问题)"


def _ruled_out(case: Case, reading: Reading, pair: Pair, start: int, end: int) -> bool:
    """What "only" stands beside is demanded by the evidence, or is what remains where it refuses the rest."""
    items: list[Name | Term] = [*reading.analysis.names, *reading.analysis.terms]
    after = [i for i in items if end <= i.start <= end + _NEAR]
    before = [i for i in items if start - _NEAR <= i.end <= start]
    words = [reading.analysis.low[i.start : i.end] for i in (*before, *after)]
    for unit in case.units(reading.cited):
        demanded = {c.kind for c in unit.analysis.cues} & {polarity.OBLIGATION, polarity.PROHIBITION}
        told = demanded and cover(pair.answer.terms, case.bags.unit(unit)).share >= _SURE - 0.05
        if told and any(word in unit.analysis.low for word in words):
            return True
    return False


def _all_but(case: Case, pair: Pair) -> bool:
    """The sentence denies something of all but what it excepts, and the statement speaks of that."""
    lexicon = case.config.lexicon
    clauses = case.clauses(pair.unit.analysis)
    return polarity.excepted(case, pair) and any(polarity.main_sign(c, lexicon) < 0 for c in clauses)


_NEAR = 4
_CERTAIN = re.compile(r"必定|一定|肯定会|必将|certain to|certainly|definitely|inevitably|guaranteed to|without doubt")
_EXCLUSIVE = re.compile(
    r"solely|exclusively|the only|sole|the sole|no other|nothing but|always|without exception|in every (?:such )?case"
    r"|in all cases|invariably|every time|each time|唯一|唯有|只能由|仅由|独家|总是|每次都?|一律|无一例外|永远"
    r"|始终|从不|绝不"
)
# Says that nobody else has it, without the word.
_RESERVED = re.compile(
    r"\b(?:reserved (?:for|to)|(?:restricted|limited|confined) to|nobody (?:else|but)|no one (?:else|but))\b"
    r"|仅限|限于|专供|专用|专属"
)
_SOLE_WORD = re.compile(r"only|solely|exclusively|the only|唯一|仅|只|唯有")


def _finding(reading: Reading, pair: Pair, span: tuple[int, int]) -> Finding:
    word = reading.analysis.text[span[0] : span[1]]
    return Finding(
        IssueType.UNSUPPORTED_STATEMENT,
        reading.index,
        f"the evidence does not say {word.strip()!r}",
        RemedyKind.REGENERATE,
        span=span,
        citation=pair.unit.citation,
        evidence=(pair.unit.start, pair.unit.end),
        found=word,
        expected=pair.unit.analysis.text,
    )
