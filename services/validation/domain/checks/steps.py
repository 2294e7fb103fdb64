"""A procedure is told whole: no step of the passage's numbered list is left out of an answer that follows it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from services.common.domain.verdict import IssueType, Lock, RemedyKind
from services.validation.domain.analysis import Term
from services.validation.domain.case import Case, Finding, Reading
from services.validation.domain.checks import register
from services.validation.domain.reading.evidence import Passage
from services.validation.domain.values.compare import equal, loosely
from services.validation.domain.values.numerals import parse_chinese
from services.validation.domain.values.quantity import Quantity
from services.validation.domain.wording.align import RELATED, Bag, cover

_HOW_TO = re.compile(
    r"\bhow (?:do|does|is|are|to|can|should|must)\b|\bsteps?\b|\bprocedure\b|怎么(?!样的)|怎样|如何|步骤|流程|顺序"
)
_MARK = re.compile(
    r"(?:^|(?<=[\s;；：:。.,，]))(?:[(（](?P<a>\d{1,2}|[一二三四五六七八九十]{1,2})[)）]|(?P<b>\d{1,2})[.)、](?!\d))\s*",
    re.M,
)
_FEWEST_STEPS = 3
_TOLD, _UNTOLD, _FOLLOWED = 0.34, 0.1, 0.6


@dataclass(frozen=True, slots=True)
class Step:
    """A step of a passage's numbered list: its place, words and values."""

    start: int
    end: int
    terms: tuple[Term, ...]
    quantities: tuple[Quantity, ...]


@register(
    "steps",
    Lock.COMPLETENESS,
    sees="a numbered step of a cited procedure that a how-to answer leaves out while it tells the others",
    blind="procedures without numbers, answers in the other language",
)
def check(case: Case) -> Iterator[Finding]:
    """Yield INCOMPLETE_ANSWER at the last statement."""
    claims = [r for r in case.readings if r.is_claim and r.cited]
    if not claims or not _HOW_TO.search(case.question.analysis.low) or len(case.question.parts) > 1:
        return
    for citation in sorted({c for r in claims for c in r.cited}):
        passage = case.passage(citation)
        left = _left_out(passage, [r for r in claims if citation in r.cited])
        if left is not None:
            text = passage.text[left.start : left.end].strip(" ;；,，.。")
            yield Finding(
                IssueType.INCOMPLETE_ANSWER, case.readings[-1].index, f"the procedure has one more step: {text}",
                RemedyKind.REGENERATE, citation=citation, evidence=(left.start, left.end), expected=text,
            )  # fmt: skip
            return


def _left_out(passage: Passage, claims: Sequence[Reading]) -> Step | None:
    """The one step that the claims drawn from a passage do not tell, None if there is none or more than one."""
    if any(u.analysis.han != r.analysis.han for u in passage.units for r in claims):
        return None
    steps = steps_of(passage)
    if len(steps) < _FEWEST_STEPS:
        return None
    answer = Bag.of(r.analysis for r in claims)
    values = [q for r in claims for q in r.analysis.quantities]
    shares = [_share(step, answer, values) for step in steps]
    left = [step for step, share in zip(steps, shares, strict=True) if share <= _UNTOLD]
    told = sum(share >= _TOLD for share in shares)
    return left[0] if len(left) == 1 and told >= _FOLLOWED * len(steps) else None


def _share(step: Step, answer: Bag, values: Sequence[Quantity]) -> float:
    if any(equal(*loosely(v, q)) for v in values for q in step.quantities if not q.weak):
        return 1.0
    return cover(step.terms, answer, least=RELATED).share


def steps_of(passage: Passage) -> list[Step]:
    """The steps of a passage's first list that is numbered 1, 2, 3 and on."""
    marks: list[re.Match[str]] = []
    for found in _MARK.finditer(passage.text):
        number = found["a"] or found["b"]
        value = int(number) if number.isdigit() else int(getattr(parse_chinese(number), "value", 0))
        if value == len(marks) + 1:
            marks.append(found)
    if len(marks) < _FEWEST_STEPS:
        return []
    ends = [m.start() for m in marks[1:]] + [_last_end(passage.text, marks[-1].end())]
    return [_step(passage, m.end(), end) for m, end in zip(marks, ends, strict=True)]


def _last_end(text: str, start: int) -> int:
    end = re.compile(r"[;；。\n]|\.\s").search(text, start)
    return end.start() if end else len(text)


def _step(passage: Passage, start: int, end: int) -> Step:
    terms = [t for u in passage.units for t in u.analysis.terms if start <= u.start + t.start < end]
    values = [q for u in passage.units for q in u.analysis.quantities if start <= u.start + q.start < end]
    return Step(start, end, tuple(terms), tuple(values))
