"""How a sentence says what it says: of itself, of another time, as an example; before or after, forbidding or not."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

_OWN = re.compile(
    r"(?:[^,]{0,60}, )?(?:it|its|he|she|his|her|they|their|these|those|this|that|such|both)(?![A-Za-z])"
    r"|[他她它其](?![他余中])|本(?:法|条例|办法|规定|细则|制度|规则|规范|标准|手册|指南|文件|通知|协议|报告|决定|解释)",
    re.IGNORECASE,
)
# A case of a list, whose consequence stands before or behind the list.
_CASE = re.compile(r"的[,;。，；]?$")
# What points at something that stands elsewhere in the document.
_POINTS = re.compile(
    r"前[一二三两]?[款条项]|上述|前述|下列|本[条款章节项](?!例)"
    r"|(?<![A-Za-z])(?:the (?:above|foregoing|preceding|former|latter)|aforementioned|said|"
    r"this (?:section|chapter|article|paragraph|part|control|clause|regulation|act))(?![A-Za-z])",
    re.IGNORECASE,
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
_ROUGH = re.compile(
    r"(?<![A-Za-z])(?:about|approximately|approx|roughly|around|nearly|almost|some)(?![A-Za-z])|约|左右|将近|接近|近(?=\s)",
    re.IGNORECASE,
)
_HAN = re.compile(r"[\u3400-\u9fff]")


@dataclass(frozen=True, slots=True)
class Manner:
    """How a sentence gives its value: how often something is done (and not how long it takes), denied or forbidden,
    ``before`` or ``after`` something (empty: neither, or both), as an approximation; and whether it is Chinese."""

    often: bool
    negative: bool
    direction: str
    rough: bool
    chinese: bool


def manner(text: str, often: bool) -> Manner:
    """How ``text``, a sentence without its values, says what it says. A bound ("not more than") denies nothing."""
    before, after = bool(_BEFORE.search(text)), bool(_AFTER.search(text))
    return _one(
        often,
        bool(_NEGATION.search(_BOUND_NEGATION.sub(" ", text))),
        "" if before == after else "before" if before else "after",
        bool(_ROUGH.search(text)),
        bool(_HAN.search(text)),
    )


@lru_cache(maxsize=64)
def _one(often: bool, negative: bool, direction: str, rough: bool, chinese: bool) -> Manner:
    return Manner(often, negative, direction, rough, chinese)


def is_own(text: str) -> bool:
    """True for what speaks of its own document or points at something that stands elsewhere in it."""
    return bool(_OWN.match(text) or _POINTS.search(text) or _CASE.search(text))


def is_aside(text: str) -> bool:
    """True for an example, a supposition, what is told of a rule that is no longer one, and the day on which a document
    was adopted or came into force."""
    return bool(_ASIDE.search(text) or _HISTORY.search(text))
