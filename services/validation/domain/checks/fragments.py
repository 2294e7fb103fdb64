"""A bare yes, number of a place, or address is an answer only to a question that asks for one."""

from __future__ import annotations

import re
from collections.abc import Iterator

from services.common.domain.verdict import IssueType, Lock, RemedyKind
from services.validation.domain.case import Case, Finding
from services.validation.domain.checks import register

_YES_OR_NO = re.compile(
    r"^\W*(?:is|are|was|were|do|does|did|can|could|may|must|shall|should|will|would|has|have|had|am)\b"
    r"|\b(?:if|whether|or not|true|correct|isn't it|right)\b"
    r"|吗|是否|能否|可否|能不能|可不可以|要不要|是不是|有没有|需不需要|对不对",
    re.I,
)
_ASKS_FOR_LABEL = re.compile(
    r"\b(?:requirements?|sections?|articles?|clauses?|comments?|paragraphs?|chapters?|rules?|provisions?|numbers?|ids?"
    r"|identifiers?|codes?|versions?|releases?|references?|standards?|controls?|items?|parts?|annex|appendix|steps?|pages?)\b"
    r"|要求|条|款|节|章|编号|号|版|代码|标准|控制项|附录|页",
    re.I,
)
_ASKS_FOR_ADDRESS = re.compile(
    r"\b(?:where|links?|urls?|websites?|web ?pages?|address(?:es)?|sites?|sources?|downloads?|e-?mails?|contacts?)\b"
    r"|链接|网址|地址|网站|网页|邮箱|哪里|何处|下载",
    re.I,
)
_AFFIRMS = re.compile(r"(?:yes|no|true|false|correct|incorrect|ok|是的?|否|对的?|不是|不对|正确|错误|没错)", re.I)
_LABEL = re.compile(
    r"(?:(?:v|no|art|article|sec|section|requirement|req)\.?\s?|§+\s?|第)?[a-z]{0,4}-?\d+(?:\.\d+){2,}(?:\s?\([a-z0-9]+\))*[条款节]?"
    r"|\d+(?:\.\d+)?(?:\s?\([a-z0-9]{1,4}\))+|10\.\d{4,}/\S+",
    re.I,
)
_ADDRESS = re.compile(r"(?:https?://|www\.)\S+|[a-z][\w-]*(?:\.[\w-]+)+/\S*|[\w.+-]+@[\w-]+(?:\.[\w-]+)+", re.I | re.A)
_KINDS = (
    (_AFFIRMS, _YES_OR_NO, "a bare yes or no answers no such question"),
    (_LABEL, _ASKS_FOR_LABEL, "the number of a place does not say what stands there"),
    (_ADDRESS, _ASKS_FOR_ADDRESS, "an address does not say what stands there"),
)
_AROUND = " \t\"'“”‘’`*_.,;:!?。，；：！？()（）[]【】-–—"


@register(
    "fragments",
    Lock.COMPLETENESS,
    sees="answers that consist of a yes or true, the number of a requirement or section, or an address, where the"
    " question asks for no such thing",
    blind="other answers in single words; whether a number that was asked for is the right one",
)
def check(case: Case) -> Iterator[Finding]:
    """Yield INCOMPLETE_ANSWER at the first claim."""
    claims = [r for r in case.readings if r.is_claim]
    bodies = [r.statement.body.strip(_AROUND) for r in claims]
    question = case.question.text
    for kind, asked, message in _KINDS:
        if claims and all(kind.fullmatch(body) for body in bodies) and not asked.search(question):
            yield Finding(
                IssueType.INCOMPLETE_ANSWER,
                claims[0].index,
                message,
                RemedyKind.REGENERATE,
                found=bodies[0],
                queries=(question,),
            )
            return
