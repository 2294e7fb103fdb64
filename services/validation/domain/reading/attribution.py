"""A statement's opening that only names its source: "According to the documents, ...", "资料显示，..."."""

from __future__ import annotations

import re

_SOURCE = (
    r"(?:(?:provided|given|cited|retrieved|above|available|quoted|relevant|same) )?"
    r"(?:documents?|sources?|texts?|passages?|excerpts?|context|evidence|documentation|materials?)"
    r"(?: (?:provided|given|cited|retrieved|above))?"
)
_SAYS = (
    r"(?:says?|states?|notes?|reports?|explains?|shows?|indicates?|mentions?|specif(?:y|ies)|confirms?|tells? us"
    r"|describes?|points? out)"
)
_HAN_SOURCE = (
    r"(?:所?(?:提供|给出?|引用?|检索到?|查到)的|以上|上述|上面的?|现有)?(?:参考|相关|有关)?"
    r"(?:资料|文件|文档|材料|原文|来源|上下文|文中|文本)"
)
_HAN_SAYS = r"(?:中|里)?(?:明确)?(?:显示|指出|提到|记载|表明|说明|写明|写道|介绍|称|说)"
# A source that is called more than that (its title, its year, a draft) is a claim about it.
_OPENING = re.compile(
    rf"\W*(?:(?:according to|as (?:stated|noted|described|mentioned|explained|shown|reported) (?:in|by)|based on|per)"
    rf" (?:the |these |this )?{_SOURCE},\s"
    rf"|(?:the|these|this) {_SOURCE} {_SAYS} that\s"
    rf"|it is (?:noted|stated|reported|mentioned|explained) (?:(?:in|by) the {_SOURCE} )?that\s"
    rf"|(?:根据|按照?|依据|据){_HAN_SOURCE}(?:中?的?(?:记载|说明|内容|说法|描述|介绍)|{_HAN_SAYS})?[，,：:]"
    rf"|{_HAN_SOURCE}{_HAN_SAYS}[，,：:]?)",
    re.I,
)


def without_attribution(body: str) -> str:
    """The body with such an opening blanked out, so that offsets stay."""
    opening = _OPENING.match(body)
    if opening is None or not re.search(r"\w", body[opening.end() :]):
        return body
    return " " * opening.end() + body[opening.end() :]
