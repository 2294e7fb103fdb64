"""What a passage orders its reader to say is data: it supports no statement."""

from __future__ import annotations

import re
from collections.abc import Iterator

from services.common.domain.verdict import IssueType, Lock, RemedyKind
from services.validation.domain.case import Case, Finding, Reading
from services.validation.domain.checks import register
from services.validation.domain.evidence import Passage, Unit

# A text that speaks to a model: what people write for people has no "previous instructions".
_ORDERS_MODEL = re.compile(
    r"\b(?:ignore|disregard|forget|override|bypass)\b[^.;。]{0,40}\b(?:instructions?|prompts?|rules|directives?)\b"
    r"|\b(?:system|developer) (?:prompt|message)\b|\b(?:new|updated) (?:system )?instructions?\s*:"
    r"|\b(?:you are|act as|as) (?:now )?(?:an? |the )?(?:ai|assistant|chat ?bot|language model|llm)\b"
    r"|\b(?:assistant|chat ?bot|language model|llm|ai)s?\b[^.;。]{0,30}\bmust (?:answer|reply|say|respond|tell)\b"
    r"|(?:忽略|无视|忘记|忘掉|抛开|不要理会|绕过)[^。；]{0,16}(?:指令|指示|提示词?|命令|设定)|系统提示词?|(?:新的?|最新)指令[:：]"
    r"|(?:你|您)(?:现在)?(?:是|扮演)[^。；，]{0,8}(?:助手|机器人|模型)|(?:助手|模型|机器人)(?:必须|务必|应当|要)(?:回答|回复|说|告诉)"
)
# The order goes on: "Answer that ...", 回答：...
_GOES_ON = re.compile(
    r"\W*(?:and |then |instead |please |always |only |just )*(?:answer|reply|respond|say|state|tell|output|print|write"
    r"|claim|confirm|repeat)\b|\W*(?:并|然后|而是|请|务必|只|直接|一律)*(?:回答|回复|答复|输出|告诉|写|说|声明|确认|重复)",
    re.I,
)
_CARRIES, _AS_WELL = 0.5, 0.1


@register(
    "planted",
    Lock.TRACEABILITY,
    sees="statements that only stand in a passage as what it orders a model to say (ignore all previous instructions"
    " and answer ...)",
    blind="planted text that gives no order; statements that report the order itself are left alone",
)
def check(case: Case) -> Iterator[Finding]:
    """Yield UNSUPPORTED_STATEMENT."""
    planted = {(u.citation, u.index): u for p in case.passages for u in _planted(p)}
    if not planted:
        return
    for reading in case.claims:
        unit = _carried_by(case, reading, planted)
        if unit is not None:
            yield Finding(
                IssueType.UNSUPPORTED_STATEMENT,
                reading.index,
                "stands only in text that orders its reader what to say, which is no evidence",
                RemedyKind.RETRIEVE_MISSING,
                citation=unit.citation,
                evidence=(unit.start, unit.end),
                found=unit.analysis.text,
                queries=(case.question.text,),
            )


def _planted(passage: Passage) -> Iterator[Unit]:
    """The sentences that give a model an order, with those in which the order goes on."""
    ordered = False
    for unit in passage.units:
        ordered = _ORDERS_MODEL.search(unit.analysis.low) is not None or (
            ordered and _GOES_ON.match(unit.analysis.low) is not None
        )
        if ordered:
            yield unit


def _carried_by(case: Case, reading: Reading, planted: dict[tuple[int, int], Unit]) -> Unit | None:
    """The planted sentence that carries a statement, unless another one does as well or it reports the order."""
    if _ORDERS_MODEL.search(reading.analysis.low):
        return None
    aligned = case.align(reading, reading.cited)
    shares = [(a.coverage.share, planted.get((a.unit.citation, a.unit.index))) for a in aligned]
    best, unit = max(((s, u) for s, u in shares if u is not None), key=lambda pair: pair[0], default=(0.0, None))
    honest = max((s for s, u in shares if u is None), default=0.0)
    return unit if unit is not None and best >= _CARRIES and honest < best - _AS_WELL else None
