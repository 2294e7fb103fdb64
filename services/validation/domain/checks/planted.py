"""What a passage orders its reader to say is data: it supports no statement."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from services.common.domain.verdict import IssueType, Lock, RemedyKind
from services.validation.domain.case import Case, Finding, Reading
from services.validation.domain.checks import register
from services.validation.domain.compare import equal
from services.validation.domain.evidence import Passage, Unit
from services.validation.domain.patterns import Pattern

# To put aside what the reader was told before: nobody who writes for people does that to "the instructions above".
_PUT_ASIDE = Pattern(
    r"(?:^|[.,:;!?\"'“”(\[]\s?|\b(?:please|now|and|then|must|should|will|can|to)\s)"
    r"(?:ignore|disregard|forget|override|bypass)\s(?:"
    r"[^.;。]{0,20}\b(?:previous|prior|above|earlier|preceding|foregoing|your|system)\b[^.;。]{0,20}"
    r"\b(?:instructions?|prompts?|rules|directives?|messages?|texts?|context)\b"
    r"|[^.;。]{0,20}\b(?:instructions?|prompts?|rules|directives?|everything|all|anything|messages?|text)\b"
    r"[^.;。]{0,12}\b(?:above|before|so far|you were given)\b"
    r"|(?:all |any )(?:of )?(?:the |these |those )?(?:instructions?|prompts?)\b)"
    r"|(?:忽略|无视|忘记|忘掉|抛开|不要理会|绕过)[^。；]{0,8}(?:以上|之前|上面|上述|前面|此前|先前|所有|全部|一切|你的|系统)"
    r"[^。；]{0,8}(?:指令|指示|提示词?|命令|设定)"
    r"|(?:忽略|无视|忘记|忘掉|抛开|不要理会)(?:掉)?(?:以上|之前|上面|上述|前面|此前|先前)(?:的)?(?:所有|全部|一切)?(?:的)?(?:内容|文字|话)"
)
# Speaks to a model by name; an order only where the sentence also says what to answer.
_TO_MODEL = Pattern(
    r"\b(?:system|developer) (?:prompt|message)\b|\b(?:new|updated) (?:system )?instructions?\s*:"
    r"|\b(?:you are|act as) (?:now )?(?:an? |the )?(?:helpful )?(?:ai|assistant|chat ?bot|language model|llm)\b"
    r"|\b(?:as|dear|hey) (?:an? |the )?(?:ai|chat ?bot|language model|llm)\b"
    r"|\b(?:ai assistant|chat ?bot|language model|llm|ai)s?\b[^.;。]{0,30}\bmust\b"
    r"|系统提示词?|(?:新的?|最新)指令[:：]|(?:你|您)(?:现在)?(?:是|扮演)[^。；，]{0,8}(?:助手|机器人|模型)"
    r"|(?:ai|人工智能|智能|语言|聊天)(?:助手|模型|机器人)[^。；，]{0,6}(?:必须|务必|应当|要)"
)
_TO_SAY = re.compile(
    r"\b(?:answer|reply|respond|say|state|tell|output|print|write|claim|confirm|repeat)\b"
    r"|回答|回复|答复|输出|告诉|写|说|声明|确认|重复"
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
        low = unit.analysis.low
        ordered = _orders(low) or (ordered and _GOES_ON.match(low) is not None)
        if ordered:
            yield unit


def _orders(low: str) -> bool:
    to_model = _TO_MODEL.search(low) is not None and _TO_SAY.search(low) is not None
    return to_model or _PUT_ASIDE.search(low) is not None


def _carried_by(case: Case, reading: Reading, planted: dict[tuple[int, int], Unit]) -> Unit | None:
    """The planted sentence that carries a statement, unless another one does as well or it reports the order."""
    if _PUT_ASIDE.search(reading.analysis.low):
        return None
    aligned = case.align(reading, reading.cited)
    shares = [(a.coverage.share, planted.get((a.unit.citation, a.unit.index))) for a in aligned]
    best, unit = max(((s, u) for s, u in shares if u is not None), key=lambda pair: pair[0], default=(0.0, None))
    honest = max((s for s, u in shares if u is None), default=0.0)
    if unit is not None and best >= _CARRIES and honest < best - _AS_WELL:
        return unit
    return _only_source(reading, [a.unit for a in aligned], planted)


def _only_source(reading: Reading, units: Sequence[Unit], planted: dict[tuple[int, int], Unit]) -> Unit | None:
    """The planted sentence that alone has a value of the statement, whatever else the statement says."""
    for value in reading.analysis.quantities:
        having = [u for u in units if any(equal(value, q) for q in u.analysis.quantities)]
        if having and not value.weak and all((u.citation, u.index) in planted for u in having):
            return having[0]
    return None
