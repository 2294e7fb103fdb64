"""What a part of a question asks for by its first words, and whether a text tells anything of that kind."""

from __future__ import annotations

import re
from collections.abc import Sequence

from services.validation.domain.analysis import Analysis
from services.validation.domain.values.quantity import Quantity
from services.validation.domain.values.units import AGE, LENGTH, NIGHT, RATIO, SPANS

_HOW_LONG = re.compile(r"\bhow long\b|多久(?!\w{0,4}一?次)|多长时间")
_WHERE = re.compile(r"\bwhere\b|在哪|哪里|哪儿|何处|什么地方")
# Lengths of time told without a figure.
_IN_WORDS = re.compile(
    r"\b(?:un?til|till|as long as|unlimited|indefinite|permanent|for ?ever|life|always|never|no (?:time )?limit"
    r"|throughout|immediate|at once|during|overnight|all day|half|several|few|year|month|week|day|hour|minute|time"
    r"|semester|trimester|terms?\b|season|decade|centur|generation|ends? of\b|up to\b|entire)"
    r"|无限|不限|没有限制|永久|终身|长期|立即|当[天日场即]|随时|直到|直至|期间|届满|为止|全[天年程]|一直"
    r"|学期|学年|季|世纪|一代|[年月周]底|末"
)
# Where, or with whom or what: "where do I apply?" is answered by "by e-mail".
_PLACE = re.compile(
    r"\b(?:by|with|at|in|on|near|behind|beside|under|below|above|opposite|inside|outside|within|from|to|via|through"
    r"|between|next to|online|anywhere|everywhere|nowhere|here|there|room|floor|street|road|building)\b"
    r"|[在于到向从]|[处室楼层门区馆路街号网站厅口台部局院园]|中心|窗口|平台|系统|附近|旁|对面|线上"
    r"|登录|通过|使用|小程序|公众号|微信|支付宝|邮寄|快递|邮件|电话|app"
)


def kind_lacking(part: str, told: Sequence[Analysis]) -> bool:
    """The part asks how long or where, and nothing in what is told can be a time or a place."""
    low = part.lower()
    if _HOW_LONG.search(low):
        return not any(_tells_length(analysis) for analysis in told)
    if _WHERE.search(low):
        return not any(_PLACE.search(a.low) or any(n.kind == "proper" for n in a.names) for a in told)
    return False


_TIME_LIMIT = re.compile(r"\b(?:deadlines?|due dates?|time limits?|validity|expiry)\b|期限|截止|时限|有效期")
_MONEY = re.compile(r"\b(?:fees?|prices?|costs?|fares?|charges?|deposits?)\b|费用?|价格?|收费|押金|多少钱")


def kind_absent(asked: str, passages: Sequence[Analysis]) -> bool:
    """A time limit or an amount of money is asked for, and no passage has any time, or any amount or share."""
    low = asked.lower()
    if _TIME_LIMIT.search(low):
        return not any(_tells_length(analysis) for analysis in passages)
    if _MONEY.search(low):
        return not any(_may_be_money(q) for analysis in passages for q in analysis.quantities) and not any(
            _FREE.search(analysis.low) for analysis in passages
        )
    return False


_FREE = re.compile(r"\b(?:free|no (?:charge|fee|cost)|waived|nothing)\b|免|不收|无需|零")


def _may_be_money(quantity: Quantity) -> bool:
    """An amount in a currency, also per something, a share, or a bare number."""
    dimension = quantity.unit.dimension
    return not dimension or dimension == RATIO or any(base.startswith("money") for base, _ in dimension)


def _tells_length(analysis: Analysis) -> bool:
    dimensions = (*SPANS, NIGHT, AGE, LENGTH)
    spans = any(q.unit.dimension in dimensions or q.interval for q in analysis.quantities)
    rates = [(q.start, q.end) for q in analysis.quantities if q.amount is not None]
    words = [m for m in _IN_WORDS.finditer(analysis.low) if not any(a <= m.start() < b + _PER for a, b in rates)]
    return bool(spans or analysis.moments or words)


# "EUR 2 per hour": the hour stands behind the amount.
_PER = 10
