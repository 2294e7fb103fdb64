"""Whether a word of a text names a thing, as far as its surroundings and the segmenter's dictionary tell."""

from __future__ import annotations

import re

from services.validation.domain.analysis import Analysis, Term
from services.validation.domain.reading.text import names_thing

_NOUN_BEFORE = re.compile(
    r"(?:\b(?:the|a|an|of|with|by|for|in|on|at|per|and|or|its|their|each|every|this|from|to|under|into|no|any"
    r"|all)|[,:(])\s*$",
    re.I,
)

# "The insurer releases them": what takes an object is a verb.
_TAKES_OBJECT = re.compile(r"\s[\"']|\s(?:them|it|him|her|us|you|me|the|an?|its|their|his|our|your|this|these|those)\b")


# "Pour in half a litre", "Press Start for 5 seconds": a sentence that opens with what is to be done.
_OPENS = re.compile(r"\W*(?:(?:then|next|first|now|finally)\W+)?", re.I)
_ORDERS = re.compile(
    r"\s(?:(?:in|out|down|up|off|away|on|over)\s)?(?:\d|half\b|an?\b|the\b|your\b|both\b|all\b|any\b|one\b|two\b|[A-Z])"
    r"(?!.*\b(?:is|are|was|were|has|have|had|must|shall|should|may|might|can|could|will|would|costs?|takes?|does|do)\b)"
)

# "It weighs 1,280 kg", "costs about EUR 3".
_TAKES_NUMBER = re.compile(
    r"\s(?:about |around |roughly |some |only |just |up to |at least |nearly )?(?:[$€£¥]|eur |usd )?\d"
)

_AFTER_COPULA = re.compile(
    r"\b(?:(?:is|are|was|were)(?:n't)?|be|been|becomes?|became|gets?|stays?|remains?|too|very|so)\s+(?:(?:not|still|yet|now|also|already|always)\s+)*$"
)
_NO_NOUNS = frozenset((
    "away", "straight", "soon", "later", "again", "too", "also", "instead", "otherwise", "elsewhere",
    "afterwards", "beforehand", "left", "except", "outside", "due", "late", "early", "ahead", "back", "aside",
    "apart", "together", "alone", "else", "ever", "never", "always", "often", "once", "twice", "free", "able",
    "known", "close", "near",
    "well", "made", "done", "given", "taken", "shown", "held", "kept", "called", "other", "various", "certain",
    "driven", "led", "met", "sent", "paid", "built", "found", "lost", "spent", "grown", "drawn", "worn", "chosen",
    "broken", "written", "sold", "bought", "brought", "caught", "taught", "hidden", "frozen", "available",
))  # fmt: skip


def adverbial(term: Term) -> bool:
    """An English word that names no thing whatever stands around it: away, later, quickly."""
    return term.word.surface in _NO_NOUNS or term.word.surface.endswith("ly")


def nominal(analysis: Analysis, term: Term) -> bool:
    """A noun as far as its surroundings tell; Chinese words of two characters and more pass."""
    if term.word.han:
        # What follows 必须, 应当, 可以 at once is a verb.
        return (
            len(term.word.surface) >= 2
            and (names_thing(term.word.surface) or analysis.text[: term.start].endswith(("、", "和", "及", "与", "或")))
            and not any(c.end == term.start for c in analysis.cues)
        )
    if term.word.surface in _NO_NOUNS or _AFTER_COPULA.search(analysis.low[: term.start]):
        return False
    if _OPENS.fullmatch(analysis.text, 0, term.start) and _ORDERS.match(analysis.text, term.end):
        return False
    if term.word.surface.endswith(("ed", "ing", "ly")) or _TAKES_OBJECT.match(analysis.low, term.end):
        return False
    if any(c.end == term.start - 1 for c in analysis.cues) or analysis.low[: term.start].endswith(" to "):
        # "No pets may enter", "agrees to release": a verb.
        return False
    if not term.word.surface.endswith("s"):
        return True
    if _TAKES_NUMBER.match(analysis.low, term.end):
        return False
    before = analysis.text[: term.start]
    if _NOUN_BEFORE.search(before):
        return True
    previous = next((t for t in reversed(analysis.terms) if t.end < term.start), None)
    return (
        previous is not None
        and previous.end + 1 == term.start
        and bool(_NOUN_BEFORE.search(analysis.text[: previous.start]))
    )
