"""From what a term runs: 60 days from discovery are not 60 days from purchase, 自收到之日起 is not 自签订之日起."""

from __future__ import annotations

import re
from collections.abc import Iterator

from services.common.domain.verdict import IssueType, Lock, RemedyKind
from services.validation.domain.analysis import Analysis
from services.validation.domain.case import Case, Finding, Reading
from services.validation.domain.checks import register
from services.validation.domain.reading.evidence import Unit
from services.validation.domain.values.compare import equal, loosely
from services.validation.domain.values.quantity import Quantity
from services.validation.domain.values.units import SPANS

# Events that terms run from, each told in the words of both languages.
_EVENTS = (
    r"purchas|bought|buying|购买|购入|购机|购车|买入",
    r"deliver|receipt|receiv|hand(?:ed|ing)?[ -]?over|handover|交付|交货|到货|送达|收到|接到|收货|签收|移交",
    r"discover|noticed|became aware|becom(?:es|ing) aware|learn|发现|知道|得知|知悉",
    r"signature|signed|signing|conclu|签订|签署|签字|订立",
    r"publi|announc|公布|发布|公告|公示",
    r"appl(?:y|ied|ication|ying)|submi|filing|filed|lodg|申请|提交|递交|申报",
    r"invoic|bill|开票|账单|发票",
    r"install|fitt(?:ed|ing)|commission|安装|投运|调试",
    r"approv|grant|批准|核准|获批|审批通过",
    r"regist|登记|注册",
    r"pa(?:id|yment|ying)|付款|支付|缴费|缴纳",
    r"accept(?:ance|ed)|inspect|验收",
    r"expir|\bend\b|ends|ended|terminat|期满|届满|到期|结束|终止",
    r"arriv|到达|抵达|入住",
    r"dismiss|resign|leaving|left the|离职|辞职|解除|退休",
    r"birth|born|出生|分娩",
)
_EVENT = tuple(re.compile(words) for words in _EVENTS)
_AFTER = re.compile(r"\s*(?:of|from|after|following|since|starting (?:from|on|with))\s+(?P<a>[^,;.()]{3,40})")
_HAN_FROM = re.compile(
    r"(?:自|从|于)?(?P<a>[^，。；、自从]{2,14}?)(?:之日|之时|当[日天]|之后|以后|次日)?(?:起|后)(?:计算?)?的?[^，。；\d]{0,4}$"
)


@register(
    "starts",
    Lock.TRACEABILITY,
    sees="a term told from another event than the passage's (purchase for discovery), in either language",
    blind="events told in words that are not known as such, terms without an event",
)
def check(case: Case) -> Iterator[Finding]:
    """Yield DATE_MISMATCH."""
    for reading in case.reworded:
        for quantity in reading.analysis.quantities:
            event = _event_of(reading.analysis, quantity)
            if event is None:
                continue
            found = _from_another(case, reading, quantity, event)
            if found is not None:
                yield found
                return


def _from_another(case: Case, reading: Reading, quantity: Quantity, event: int) -> Finding | None:
    """Every place of the value runs from another known event."""
    place: tuple[Unit, Quantity] | None = None
    for unit in case.units(reading.cited):
        for other in unit.analysis.quantities:
            if not equal(*loosely(quantity, other)):
                continue
            theirs = _event_of(unit.analysis, other)
            if theirs is None or theirs == event or _EVENT[event].search(unit.analysis.low):
                return None
            place = unit, other
    if place is None:
        return None
    unit, other = place
    return Finding(
        IssueType.DATE_MISMATCH, reading.index, f"{quantity.surface} runs from another event in the evidence",
        RemedyKind.REGENERATE, span=(quantity.start, quantity.end), citation=unit.citation,
        evidence=(unit.start + other.start, unit.start + other.end), found=quantity.surface,
        expected=unit.analysis.text,
    )  # fmt: skip


def _event_of(analysis: Analysis, quantity: Quantity) -> int | None:
    """The number of the one event that a span of time is told from; None if it is told from none, or several."""
    if quantity.unit.dimension not in SPANS or quantity.interval:
        return None
    found = (
        _HAN_FROM.search(analysis.low[: quantity.start]) if analysis.han else _AFTER.match(analysis.low, quantity.end)
    )
    if found is None:
        return None
    events = [i for i, event in enumerate(_EVENT) if event.search(found["a"])]
    return events[0] if len(events) == 1 else None
