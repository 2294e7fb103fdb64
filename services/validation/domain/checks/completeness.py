"""Every part of the question is answered or honestly declined; what the passage lists is listed."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from services.common.domain.verdict import IssueType, Lock, RemedyKind
from services.validation.domain.analysis import Analysis, Term
from services.validation.domain.asked.asked_kinds import kind_lacking
from services.validation.domain.asked.listed import draws_on, short_list
from services.validation.domain.case import REFUSAL, Case, Finding, Reading
from services.validation.domain.checks import register
from services.validation.domain.reading.evidence import Unit
from services.validation.domain.sources.timeline import Standing
from services.validation.domain.times.moments import covers
from services.validation.domain.values.binding import names_agree
from services.validation.domain.values.compare import equal
from services.validation.domain.values.units import LENGTH, MASS, NIGHT, RATIO, SPANS, TEMPERATURE, Dimension
from services.validation.domain.wording.align import Bag, cover

_UNIT_WORDS = frozenset(
    ["day", "week", "month", "year", "hour", "minut", "time", "天", "日", "周", "月", "年", "小时", "分钟"]
)
_ASKING = re.compile(
    r"\bhow (?:long|much|many|often|far|fast|high|soon|old|large|big)\b|多少|多久|多长|多大|多高|分别|各"
)
_NEARLY_AS_GOOD, _WORDS_TOLD = 0.15, 0.7


@register(
    "completeness",
    Lock.COMPLETENESS,
    sees="parts, attributes and asked counts without an answer; lists given short; refusals although a passage answers",
    blind="parts that need world knowledge to be recognised as answered",
)
def check(case: Case) -> Iterator[Finding]:
    """Yield INCOMPLETE_ANSWER."""
    if not case.readings:
        return
    last = case.readings[-1].index
    for reading in case.readings:
        if reading.role == REFUSAL:
            unit = _answered_after_all(case, reading)
            if unit is not None:
                yield _finding(
                    reading.index,
                    f"[{unit.citation}] says it: {unit.analysis.text}",
                    unit,
                    reading.statement.body.strip(),
                )
    for part, unit in _missing_parts(case):
        yield _finding(last, f"not answered: {part}", unit, part)
    short = short_list(case)
    if short is not None:
        unit, item = short
        yield _finding(last, f"the list lacks: {item}", unit, item)


def _finding(index: int, message: str, unit: Unit | None, query: str) -> Finding:
    return Finding(
        IssueType.INCOMPLETE_ANSWER,
        index,
        message,
        RemedyKind.REGENERATE if unit is not None else RemedyKind.RETRIEVE_MISSING,
        citation=unit.citation if unit is not None else 0,
        evidence=(unit.start, unit.end) if unit is not None else None,
        expected=unit.analysis.text if unit is not None else query,
        queries=() if unit is not None else (query,),
    )


# --- refusals ----------------------------------------------------------------------------------------------------


def _answered_after_all(case: Case, reading: Reading) -> Unit | None:
    """A unit in force that says what the refusal calls missing."""
    missing = _refused_terms(case, reading.analysis)
    if not missing:
        missing = list(case.question.analysis.terms)
    names = [n for n in reading.analysis.names if n.strict] or [n for n in case.question.analysis.names if n.strict]
    kinds = [dimensions for pattern, dimensions in _KINDS if pattern.search(reading.analysis.low)]
    day = case.as_of or case.today
    for passage in case.passages:
        if case.timeline(day).status(passage).standing is not Standing.CURRENT:
            continue
        headings = [u.analysis for u in passage.units if u.kind == "heading"]
        for unit in passage.units:
            if unit.kind == "heading" or (names and names_agree(names, unit.names) <= 0):
                continue
            if _told(case, reading, unit, missing):
                continue
            if not all(any(q.unit.dimension in d for q in unit.analysis.quantities) for d in kinds):
                continue  # a time limit is called missing: only a passage with a span of time has it
            bag = Bag.of([unit.analysis, passage.title, *headings])
            if cover(missing, bag).share >= 0.85 and _informs(case, unit):
                return unit
    return None


def _refused_terms(case: Case, analysis: Analysis) -> list[Term]:
    """The words of what is missing, without those of the refusal itself."""
    refusing = {t.key for t in case.analyser.analyse(_REFUSAL_WORDS).terms}
    asking = (_ASKING, *(pattern for pattern, _ in _KINDS))
    empty = [(m.start(), m.end()) for pattern in asking for m in pattern.finditer(analysis.low)]
    empty += [*analysis.negations, *((c.start, c.end) for c in analysis.cues)]
    left = [
        t
        for t in analysis.terms
        if t.key not in refusing and t.key not in _UNIT_WORDS and not any(a <= t.start < b for a, b in empty)
    ]
    return [t for t in left if t.word.surface not in _INSIDE]


# 资料里, 文中: where the refusal looked.
_INSIDE = frozenset("里中内上")
_REFUSAL_WORDS = (
    "documents document sources source passages passage material information texts context excerpts state states"
    " stated say mention contain carry apply involve exist whether give provide specify cover include answer"
    " retrieved available found find question provided evidence 金额 数额 数值 数量 数字 amount value figure number"
    " date details detail anything 资料 文件 文档 材料 来源 原文 说明 提到 提及 写明 给出 载明 规定 明确 提供 找到"
    " 检索 信息 内容 相关 手册 无法 回答 涉及 具体 列出 列明 所需 需要 注明 记载 交代 查到 显示 list lists listed"
    " mentioned specified given required needed describe described explain explained address addressed indicate"
    " indicated discuss discussed 至于 关于 描述 讲到 说到 一次 公告 通知 通告 须知 条例 办法 细则 指南 说明书 合同"
    " 协议 方案 报告 规程 没提 没写 没说 提 写 讲 怎么办 怎么 如何 怎样"
)


def _told(case: Case, reading: Reading, unit: Unit, missing: Sequence[Term]) -> bool:
    """The unit carries another statement of the answer, which tells it already or says nothing of what is missing."""
    return any(
        r.is_claim
        and (unit.analysis.han != r.analysis.han or cover(missing, Bag.of([r.analysis])).share > 0)
        and unit.citation in r.cited
        and (a := case.align(r, r.cited))
        and a[0].unit is unit
        and a[0].score > 0.7
        for r in case.readings
        if r is not reading
    )


def _informs(case: Case, unit: Unit) -> bool:
    """The unit holds an answer of the kind that is asked for."""
    if case.question.wants_number:
        return bool(unit.analysis.quantities or unit.analysis.moments)
    return len(unit.analysis.terms) + len(unit.analysis.quantities) > 1


# --- parts and attributes ----------------------------------------------------------------------------------------


def _missing_parts(case: Case) -> Iterator[tuple[str, Unit | None]]:
    parts = case.question.attributes if len(case.question.attributes) > 1 else case.question.parts
    if len(parts) < 2 or (case.question.compares and any(len(r.cited) > 1 for r in case.readings)):
        return
    analyses = [case.analyser.analyse(part) for part in parts]
    answer = Bag.of(r.analysis for r in case.readings)
    refused = [r for r in case.readings if r.role == REFUSAL]
    for part, analysis in zip(parts, analyses, strict=True):
        own = _own_terms(analysis, analyses)
        if not refused and kind_lacking(part, [r.analysis for r in case.readings]):
            yield part, next(iter(_units_of_part(case, own)), None) if own else None
            continue
        if not own or _provision_named(part, case):
            continue
        rules = any(t.word.surface in _RULES for t in analysis.terms)
        units = _units_of_part(case, own)
        if units:
            if _told_in_kind(part, case):
                continue
            if _kind_missing(part, case, units) and not refused:
                yield part, units[0]
                continue
            told = cover(own, answer).share >= _WORDS_TOLD and _of_kind(part, case)
            if not told and not any(_used(case, unit, exact=rules) for unit in units) and not _declined(own, refused):
                yield part, units[0]
        elif cover(own, answer).share == 0 and not refused and not _of_kind(part, case) and _fewer_claims(case, parts):
            yield part, None


_SPANS = (*SPANS, NIGHT)
# What a part asks for, by its words, and the dimensions that answer it.
_KINDS: tuple[tuple[re.Pattern[str], tuple[Dimension, ...]], ...] = (
    (
        re.compile(
            r"\bhow (?:long|soon|quickly|fast|often)\b|多久|多长时间|期限|时限|\bduration\b|\bperiod\b|\bdeadline\b"
            r"|\btime limit\b"
        ),
        _SPANS,
    ),
    (re.compile(r"\btemperatures?\b|温度|室温|气温|\bhow (?:hot|cold|warm)\b"), (TEMPERATURE,)),
    (re.compile(r"\bhow heavy\b|\bweight\b|重量|多重"), (MASS,)),
    (
        re.compile(r"\bhow (?:far|high|tall|wide|deep)\b|多高|多宽|多远|高度|宽度|长度|\b(?:height|width|length)\b"),
        (LENGTH,),
    ),
    (re.compile(r"\bwhat (?:share|percentage|proportion)\b|比例|百分之几|占比"), (RATIO,)),
)


def _kind_missing(part: str, case: Case, units: Sequence[Unit]) -> bool:
    """The part asks how long, a passage that speaks of it says so, and the answer gives no span or time at all."""
    claims = [r.analysis for r in case.readings if r.is_claim]
    if not _HOW_LONG.search(part.lower()) or any(a.moments for a in claims):
        return False
    if any(q.unit.dimension in _SPANS for a in claims for q in a.quantities):
        return False
    return any(q.unit.dimension in _SPANS and not q.weak for u in units for q in u.analysis.quantities)


_HOW_LONG = re.compile(r"\bhow (?:long|soon|quickly|fast)\b|多久|多长时间|期限|时限")


def _told_in_kind(part: str, case: Case) -> bool:
    """The answer gives a value of the kind that the part asks for, whatever its words."""
    wanted = [dimensions for pattern, dimensions in _KINDS if pattern.search(part.lower())]
    given = [q for r in case.readings if r.is_claim for q in r.analysis.quantities]
    loose = any(q.unit.unit_id in ("degree", "kWh") for q in given)
    return bool(wanted) and all(
        any(q.unit.dimension in dimensions for q in given) or (loose and dimensions == (TEMPERATURE,))
        for dimensions in wanted
    )


def _provision_named(part: str, case: Case) -> bool:
    """The part asks under which provision something is so, and the answer names one."""
    return _WHICH_PROVISION.search(part.lower()) is not None and any(
        r.analysis.references for r in case.readings if r.is_claim
    )


_WHICH_PROVISION = re.compile(
    r"\b(?:which|what) (?:article|section|clause|rule|provision|paragraph|requirement)\b"
    r"|哪一?[条款项]|第几[条款项]|哪个条款"
)


def _own_terms(analysis: Analysis, everything: Sequence[Analysis]) -> list[Term]:
    """The words that only this part has; all of its words if the parts share everything."""
    others = {t.key for a in everything if a is not analysis for t in a.terms}
    asking = [(m.start(), m.end()) for m in _ASKING.finditer(analysis.low)]
    own = [t for t in analysis.terms if t.key not in others and not any(a <= t.start < b for a, b in asking)]
    return [t for t in own if t.word.surface not in _RULES] or own


# 取消规则, cancellation policy: the rules on cancelling, whether or not they are called so.
_RULES = frozenset(["规则", "规定", "办法", "政策", "条款", "rules", "rule", "policy", "policies", "terms"])


def _units_of_part(case: Case, own: Sequence[Term]) -> list[Unit]:
    """The units in force that speak of a part, judged with the whole question's words and names, best first."""
    day = case.as_of or case.today
    names = [n for n in case.question.analysis.names if n.strict]
    found: list[tuple[float, Unit]] = []
    for passage in case.passages:
        if case.timeline(day).status(passage).standing is not Standing.CURRENT:
            continue
        for unit in passage.units:
            share = cover(own, case.bags.unit(unit)).share
            if unit.kind == "header" or share < 0.6 or names_agree(names, unit.names) < 0:
                continue
            whole = cover(case.question.analysis.terms, Bag.of([unit.analysis, passage.title])).share
            if whole >= (0.2 if share >= 0.8 else 0.4):
                found.append((share + whole, unit))
    found.sort(key=lambda pair: -pair[0])
    return [unit for score, unit in found if score >= found[0][0] - _NEARLY_AS_GOOD]


def _used(case: Case, unit: Unit, *, exact: bool = False) -> bool:
    """Some claim tells what the unit says: is drawn from it, has its values (unless ``exact`` their kind), its news."""
    claims = [r for r in case.readings if r.is_claim]
    if any(unit.citation in r.cited and draws_on(case, r, unit) for r in claims):
        return True
    values = [q for q in unit.analysis.quantities if not q.weak]
    if values and not unit.headers:
        return any(
            equal(q, v)
            or equal(v, q)
            or (not exact and (q.amount or q).unit.dimension == (v.amount or v).unit.dimension)
            for r in claims
            for q in r.analysis.quantities
            for v in values
        )
    if unit.analysis.moments and not unit.headers:
        return any(
            covers(m, e) or m.kind == e.kind for r in claims for m in r.analysis.moments for e in unit.analysis.moments
        )
    asked = case.question.analysis.keys
    news = [t for t in unit.analysis.terms if t.key not in asked] or list(unit.analysis.terms)
    return any(cover(news, Bag.of([r.analysis])).share >= 0.3 for r in claims)


def _fewer_claims(case: Case, parts: Sequence[str]) -> bool:
    """The answer has fewer clauses with content than the question has parts."""
    return sum(len(case.clauses(r.analysis)) for r in case.readings if r.is_claim) < len(parts)


def _declined(own: Sequence[Term], refused: Sequence[Reading]) -> bool:
    return any(cover(own, Bag.of([r.analysis])).share >= 0.5 for r in refused)


def _of_kind(part: str, case: Case) -> bool:
    """A part that asks when, how much or who is answered by a time, a number, a name."""
    claims = [r.analysis for r in case.readings if r.is_claim]
    if re.search(r"\bwhen\b|\bdate\b|何时|什么时候|哪天|日期", part, re.I):
        return any(a.moments for a in claims)
    if re.search(r"\bhow (?:much|many|long|often)\b|\bcosts?\b|多少|多久|多长|几", part, re.I):
        return any(a.quantities for a in claims)
    return bool(re.search(r"\b(?:who|whom|why|how)\b|谁|为什么|怎么|如何", part, re.I))
