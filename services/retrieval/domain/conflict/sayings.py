"""How a sentence says what it says: of itself, of another time, as an example; before or after, forbidding or not."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache, partial

_OWN = re.compile(
    r"(?:[^,]{0,60}, )?(?:it|its|he|she|his|her|they|their|these|those|this|that(?! is)|such|both)(?![A-Za-z])"
    r"|[他她它其](?![他余中])|本(?:法|条例|办法|规定|细则|制度|规则|规范|标准|手册|指南|文件|通知|协议|报告|决定|解释)",
    re.IGNORECASE,
)
_IT = re.compile(r"(?:it|they)(?![A-Za-z])|[它其](?![他余中])", re.IGNORECASE)
# A case of a list, whose consequence stands before or behind the list.
_CASE = re.compile(r"的[,;。，；]?$")
# What points at something that stands elsewhere in the document.
_POINTS = re.compile(
    r"前[一二三两]?[款条项]|上述|前述|下列|本[条款章节项](?!例)"
    r"|(?<![A-Za-z])(?:the (?:above|foregoing|preceding|former|latter)|aforementioned|said|"
    r"this (?:section|chapter|article|paragraph|part|control|clause|regulation|act))(?![A-Za-z])",
    re.IGNORECASE,
)
# Fewer than 14 characters are refused; 少于8位的密码无效.
_REFUSAL = r"(?:is|are|will be|gets?) (?:refused|rejected|invalid|not (?:accepted|allowed|permitted|valid|admitted))"
_REFUSAL_ZH = r"(?:的[^,，;；。]{0,12})?(?:无效|不予[\u3400-\u9fff]{2}|被拒绝?|不被接受|不接受|不合格)"
_REFUSED = tuple(
    (
        re.compile(
            rf"(?<![A-Za-z])(?:{english}) than ([^,;.]{{1,60}}?) {_REFUSAL}"
            rf"|(?:{chinese})([^,，;；。]{{1,30}}?){_REFUSAL_ZH}",
            re.IGNORECASE,
        ),
        bounds,
    )
    for english, chinese, bounds in (
        ("fewer|less|shorter|lower|lighter", "少于|低于|不足|短于", ("at least ", "至少")),
        ("more|longer|higher|larger|heavier", "超过|多于|高于|大于", ("at most ", "最多")),
    )
)
# When a document was adopted, published or amended.
_HISTORY = re.compile(r"(?:公布|发布|修[订改正]|通过|施行|批准|颁布|生效)[)）。;；]*$")
_ASIDE = re.compile(
    # A case of what stands before.
    r"^(?:情节(?:特别|较|尚)?(?:严重|轻微|恶劣)|逾期(?:仍?不|未)改正|拒不改正)"
    r"|^(?:in (?:serious|such) cases|otherwise)(?![A-Za-z])"
    r"|^(?:(?:see|cf)(?![A-Za-z])|参?见|例如|比如|譬如|假设|假如|设想)"
    r"|(?<![A-Za-z])(?:for example|for instance|e\.g\.|suppose|imagine|formerly|previously|used to|no longer|"
    r"until the amendment|the (?:former|old|earlier|previous) (?:act|rule|version|text|law|policy|manual|edition)|"
    r"(?:was|were|been) (?:repealed|superseded|replaced by|withdrawn))(?![A-Za-z])"
    r"|曾经?(?:规定|要求|为)|已(?:经)?(?:废止|失效|作废)|原(?:规定|先规定|标准为)|修[订改]前|旧(?:法|版|规)",
    re.IGNORECASE,
)
_NEGATION = re.compile(
    r"(?<![A-Za-z])(?:not|no|never|nobody|none|nothing|without|cannot|n't|"
    r"prohibit|forbid|forbidden|bann?)(?:ed|s)?(?![A-Za-z])"
    r"|不(?!仅|同|但|良|动产|可抗力)|(?<!并)未|无(?!线|论|人机)|禁止|严禁|勿",
    re.IGNORECASE,
)
_BOUND_NEGATION = re.compile(
    r"(?:not|no) (?:exceed|more|less|fewer|later|longer|earlier|higher|lower|fall|drop|"
    r"be (?:over|under|above|below)|go (?:over|above))\w*"
    r"|不(?:得|应|能|可|会)?(?:超|少|低|高|多|大|小|晚|早|迟|短|长)[过于]?",
    re.IGNORECASE,
)
_BEFORE = re.compile(
    r"(?<![A-Za-z])(?:before|prior|ahead|in advance|preceding|earlier than)(?![A-Za-z])"
    r"|(?<![以提先目])前|之前|以前|提前|事先|提早",
    re.IGNORECASE,
)
_AFTER = re.compile(
    r"(?<![A-Za-z])(?:after|following|since|upon|once|from the (?:day|date))(?![A-Za-z])"
    r"|后(?!台|勤|续|果|门)|起(?:算|[，,]|内|\d|$)",
    re.IGNORECASE,
)
_START = re.compile(
    r"(?<![A-Za-z])(?:begin|start|commence|open)(?:s|n?ing|ed)?(?![A-Za-z])|(?<![A-Za-z])began(?![A-Za-z])|开始|起始|启动",
    re.IGNORECASE,
)
_END = re.compile(
    r"(?<![A-Za-z])(?:end|finish|conclude|close)(?:s|ing|ed|d)?(?![A-Za-z])"
    r"|(?<![A-Za-z])(?:until|deadline|due date)(?![A-Za-z])|结束|截止|截至|届满",
    re.IGNORECASE,
)
_ROUGH = re.compile(
    r"(?<![A-Za-z])(?:about|approximately|approx|roughly|around|nearly|almost|some)(?![A-Za-z])|约|左右|将近|接近|近(?=\s)",
    re.IGNORECASE,
)
_HAN = re.compile(r"[\u3400-\u9fff]")


@dataclass(frozen=True, slots=True)
class Manner:
    """How a sentence gives its value.

    ``often``: how often something is done (and not how long it takes); ``negative``: denied or forbidden;
    ``direction``: ``before`` or ``after`` something, ``edge``: the ``start`` or the ``end`` of something (empty:
    neither, or both); ``rough``: as an approximation; ``chinese``: in Chinese.
    """

    often: bool
    negative: bool
    direction: str
    rough: bool
    chinese: bool
    edge: str = ""


def manner(text: str, often: bool) -> Manner:
    """How ``text``, a sentence without its values, says what it says. A bound ("not more than") denies nothing."""
    before, after = bool(_BEFORE.search(text)), bool(_AFTER.search(text))
    start, end = bool(_START.search(text)), bool(_END.search(text))
    return _one(
        often,
        bool(_NEGATION.search(_BOUND_NEGATION.sub(" ", text))),
        "" if before == after else "before" if before else "after",
        bool(_ROUGH.search(text)),
        bool(_HAN.search(text)),
        "" if start == end else "start" if start else "end",
    )


@lru_cache(maxsize=64)
def _one(often: bool, negative: bool, direction: str, rough: bool, chinese: bool, edge: str) -> Manner:
    return Manner(often, negative, direction, rough, chinese, edge)


def is_own(text: str) -> bool:
    """True for what speaks of its own document or points at something that stands elsewhere in it."""
    return bool(_OWN.match(text) or _POINTS.search(text) or _CASE.search(text))


def as_bound(text: str) -> str:
    """``text`` in which what is refused beyond a bound is told as the bound: fewer than 14 are refused, at least 14."""
    for pattern, (english, chinese) in _REFUSED:
        text = pattern.sub(partial(_bounded, english, chinese), text)
    return text


def _bounded(english: str, chinese: str, match: re.Match[str]) -> str:
    return f"{english}{match[1]}" if match[1] else f"{chinese}{match[2]}"


def is_resolved(text: str) -> bool:
    """True for what speaks of the one thing that the sentence before it names: it has to be replaced."""
    return bool(_IT.match(text) and not _POINTS.search(text) and not _CASE.search(text))


def is_aside(text: str) -> bool:
    """True for an example, a supposition, what is told of a rule that is no longer one, and the day on which a document
    was adopted or came into force."""
    return bool(_ASIDE.search(text) or _HISTORY.search(text))
