"""The question in characters that every part reads alike, and as it is searched without a parse."""

from __future__ import annotations

import unicodedata
from datetime import date

from services.common.domain.question import Action, Origin, OriginKind, ParsedQuestion, ScoredAction
from services.orchestrator.domain.sentences import is_chinese

# Chinese writing's own punctuation stays: rules and splitters know it.
_CHINESE_PUNCTUATION = "，！？：；（）～"
_WIDE_OFFSET = 0xFEE0
_FOLDED = {code: code - _WIDE_OFFSET for code in range(0xFF01, 0xFF5F) if chr(code) not in _CHINESE_PUNCTUATION} | {
    0x3000: 0x20
}


def legible(question: str) -> str:
    """``question`` with full-width letters, digits and blanks as plain ones, and without what nobody sees.

    Input methods and copied web pages bring them along; to search and embeddings they are other words. Invisible
    characters (zero width, direction marks) go, control characters become blanks. A question of nothing else is
    returned as it is.
    """
    kept = []
    for char in question.translate(_FOLDED):
        category = unicodedata.category(char)
        if category == "Cc":
            kept.append(char if char in "\n\t" else " ")
        elif category != "Cf":
            kept.append(char)
    folded = "".join(kept)
    return folded if folded.strip() else question


def unparsed(question: str, today: date) -> ParsedQuestion:
    """The question without a parse: searched as it stands under the default plan."""
    origin = Origin(OriginKind.DEFAULT, "perception_unavailable")
    return ParsedQuestion(
        question=question,
        language="zh" if is_chinese(question) else "en",
        actions=(ScoredAction(Action.LOOKUP, 0.1, origin),),
        reference_date=today,
        rules_version="",
    )
