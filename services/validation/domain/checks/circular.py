"""An answer says something: not only the words of the question, or the name of its source, again."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import date

from services.common.domain.verdict import IssueType, Lock, RemedyKind
from services.validation.domain.analysis import Analysis
from services.validation.domain.case import Case, Finding, Reading
from services.validation.domain.checks import register
from services.validation.domain.reading.evidence import Passage
from services.validation.domain.times.moments import covers
from services.validation.domain.values.compare import equal
from services.validation.domain.wording.align import Bag, cover

# Saying it again answers a question of yes or no, if it says enough of it.
_YES_OR_NO = re.compile(
    r"^\W*(?:is|are|was|were|do|does|did|can|could|may|must|shall|should|will|would|has|have|had|am)\b"
    r"|吗|是否|能否|可否|能不能|可不可以|要不要|是不是|有没有|需不需要",
    re.I,
)
_ENOUGH_SAID = 0.5
# These ask for a source: its name is the answer.
_ASKS_FOR_SOURCE = re.compile(
    r"\b(?:which|what|whose|name of the|title of the|under which|in which|by which) (?:[a-z-]+ ){0,3}?(?:documents?"
    r"|regulations?|laws?|acts?|directives?|polic(?:y|ies)|manuals?|handbooks?|standards?|editions?|versions?|reports?"
    r"|guides?|notes?)\b|\b(?:title|source|who|name[ds]?|called|cite|reference)\b"
    r"|(?:哪|什么|何种|名称|叫)[^,，。？?]{0,8}(?:文件|法规|法律|条例|制度|手册|标准|版本|版|报告|指南)|依据什么|谁|名称|叫什么|出处|来源",
    re.I,
)
_NUMBER = re.compile(r"\d+(?:[./-]\d+)*")
_LABELS = frozenset(("question", "answer", "问题", "答案", "回答"))


@register(
    "circular",
    Lock.CONSISTENCY,
    sees="answers of which every statement repeats the question or the title of its source and adds no word, value, "
    "time or name of its own",
    blind="answers that add words and still say nothing",
)
def check(case: Case) -> Iterator[Finding]:
    """Yield INCOMPLETE_ANSWER."""
    claims = [reading for reading in case.readings if reading.is_claim]
    if case.question.compares or not claims or not case.question.analysis.terms:
        return
    if not all(_adds_nothing(case, reading) for reading in claims):
        return
    yield Finding(
        IssueType.INCOMPLETE_ANSWER,
        claims[0].index,
        "the answer only says the question, or the name of its source, again",
        RemedyKind.REGENERATE,
        found=claims[0].statement.body.strip(),
        queries=(case.question.text,),
    )


def _adds_nothing(case: Case, reading: Reading) -> bool:
    answer, question = reading.analysis, case.question.analysis
    known = [question]
    passages: list[Passage] = []
    if not _ASKS_FOR_SOURCE.search(question.low):
        passages = [case.passage(citation) for citation in reading.cited]
        if len({passage.chunk.document.title for passage in passages}) > 1:
            passages = []  # of several sources a name may be the answer
        known += [passage.title for passage in passages]
    told = [t for t in answer.terms if t.word.surface not in _LABELS]
    forces = {c.kind for c in answer.cues} - {c.kind for c in question.cues}
    if answer.negations or forces or cover(told, Bag.of(known)).missing:
        return False
    said = " ".join(text.low for text in known)
    values = [q for q in answer.quantities if q.interval or not q.weak]
    named = [q for q in values if not q.unit.unit_id and q.surface in said]  # 679 of a regulation's number
    if any(not any(equal(q, k) for text in known for k in text.quantities) for q in values if q not in named):
        return False
    days = {day for passage in passages for day in _days(passage)}
    told_days = (m for m in answer.moments if m.interval() not in days)
    if any(not any(covers(m, k) for text in known for k in text.moments) for m in told_days):
        return False
    if any(number not in said for number in _numbers(answer)):
        return False
    if any(not any(n.surface.lower() in text.low for text in known) for n in answer.names if n.strict):
        return False
    if passages and not cover(told, Bag.of([passage.title for passage in passages])).missing:
        return True  # the name of the source, and nothing else
    if _YES_OR_NO.search(question.low):
        return cover(question.terms, Bag.of([answer])).share < _ENOUGH_SAID
    return True


def _days(passage: Passage) -> Iterator[tuple[date, date]]:
    """The days that a document's own data name: an answer that repeats them says no more than its title."""
    document = passage.chunk.document
    for day in (document.published_at, document.effective_from, document.effective_to, document.updated_at):
        if day is not None:
            yield day, day


def _numbers(answer: Analysis) -> list[str]:
    """Numbers that are no date, such as that of a requirement: where one is asked for, it is the answer."""
    text = answer.low
    for moment in answer.moments:
        text = text[: moment.start] + " " * (moment.end - moment.start) + text[moment.end :]
    return _NUMBER.findall(text)
