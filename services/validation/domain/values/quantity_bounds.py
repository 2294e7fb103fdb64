"""What the words around a quantity make of it: a bound, an approximation, an interval, a count of something."""

from __future__ import annotations

import re
from dataclasses import replace

from services.validation.domain.config import QuantityWords
from services.validation.domain.reading.patterns import Pattern
from services.validation.domain.values.quantity import Quantity
from services.validation.domain.values.units import COUNTS, LENGTH, RATIO, SPANS

# "No later than three months before" asks for at least three months.
_NO_LATER = re.compile(
    r"(?:(?:no|not) later than|at the latest|by)\s*(?:a period of )?$"
    r"|(?:最晚|至迟|最迟|至少|起码|最少|不晚于|不迟于)[^，。；,;\d]{0,12}$"
)
_IN_ADVANCE = re.compile(r"\s*(?:before|ahead|in advance|prior|earlier|前|以前|之前)")
DENIED_BOUND = re.compile(
    r"(?:\bnever|\bnot|n't|\bno)\b[^,.;]{0,24}?\b(?:dr[ao]p\w*|f[ae]ll?\w*|fell|sank|sink\w*|dip\w*|go\w*|went|r[io]se\w*|climb\w*|be)"
    r"\s+(?:to\s+)?(?P<w>below|under|above|over)\s*$"
)
# "Never for more than a year" is at most a year.
_DENIED_MORE = re.compile(
    r"(?:\bnever|\bnot|n't|\bno)\b(?:\s+[a-z]+){0,3}\s+(?:more|longer|later|greater|higher|less|fewer|shorter"
    r"|lower) than\s*$"
    r"|(?:从不|决不|绝不|没有|从未)(?:超过|多于|高于|少于|低于)\s*$"
)
# 不得少于参评人数的五分之一: the base of a share stands between the bound and the share.
_BASE_OF_SHARE = re.compile(r"(?<=[于过])[\u4e00-\u9fff]{2,8}的$")
_FROM = re.compile(r"\bfrom\s*$")
_NO_NOUNS = frozenset(
    [
        "and",
        "or",
        "are",
        "is",
        "was",
        "were",
        "has",
        "had",
        "per",
        "for",
        "from",
        "with",
        "than",
        "but",
        "while",
        "not",
        "when",
        "each",
        "the",
        "respectively",
        "under",
        "over",
        "at",
        "of",
        "which",
        "that",
        "this",
        "these",
        "those",
        "will",
        "would",
        "can",
        "may",
        "must",
        "shall",
        "should",
        "instead",
        "only",
        "both",
        "more",
        "less",
        "long",
        "high",
        "in",
        "to",
        "on",
        "until",
        "till",
        "after",
        "before",
        "between",
        "against",
        "versus",
        "plus",
        "minus",
        "times",
        "about",
        "around",
        "compared",
    ]
)


class Qualifier:
    """Reads the words before and after a quantity; ``before`` holds the patterns of those before it by meaning."""

    def __init__(self, words: QuantityWords) -> None:
        nothing = "(?!)"
        self.before = {key: Pattern(rf"(?:{pattern or nothing})\s*$", re.I) for key, pattern in words.before.items()}
        self._after = {key: re.compile(rf"^\s*(?:{pattern or nothing})", re.I) for key, pattern in words.after.items()}

    def qualified(self, text: str, quantity: Quantity) -> Quantity:
        """The quantity with its bound, whether it is approximate or an interval, and the noun that it counts."""
        before = text[max(0, quantity.start - 40) : quantity.start].lower()
        after = text[quantity.end : quantity.end + 24].lower()
        bound, approx = self._bound(before, after) or quantity.bound, quantity.approx
        if not bound and quantity.unit.dimension == RATIO and (base := _BASE_OF_SHARE.search(before)):
            bound = self._bound(before[: base.start()], "")
        if bound in ("lt", "gt") and (denied := DENIED_BOUND.search(before)):
            # "Never dropped below 4" is at least 4.
            bound = "ge" if denied["w"] in ("below", "under") else "le"
        if bound in ("lt", "gt") and _DENIED_MORE.search(before):
            bound = "le" if bound == "gt" else "ge"
        if bound == "ge" and _FROM.search(before):
            # "From 345 in Cedar Lodge" opens a span or a change; it bounds nothing.
            bound = ""
        if bound == "le" and quantity.unit.dimension in SPANS and _IN_ADVANCE.match(after):
            # "60天前": so long before something; the latest moment for it is at least so long before.
            bound = "ge" if _NO_LATER.search(before) else "" if re.match(r"\s*(?:以前|之前|前)", after) else bound
        if self.before["approx"].search(before) or self._after["approx"].search(after):
            approx = True
        if not approx and ("余" in quantity.surface or "多" in quantity.surface):
            bound = bound or "gt"
        approx = approx or "来" in quantity.surface
        interval = quantity.interval or (bool(self.before["every"].search(before)) and quantity.unit.dimension in (
            *SPANS, LENGTH,
        ))  # fmt: skip
        noun = quantity.noun
        if quantity.unit.dimension in COUNTS and not noun:
            match = re.match(r"\s?(?:[a-z]+ly\s+|public\s+|new\s+)?([a-z]{3,})", after)
            noun = match.group(1) if match and match.group(1) not in _NO_NOUNS else ""
        amount = quantity.amount
        if amount is not None:
            amount = replace(amount, bound=bound, approx=approx)
        elif (bound, approx, interval, noun) == (quantity.bound, quantity.approx, quantity.interval, quantity.noun):
            return quantity
        return replace(quantity, bound=bound, approx=approx, interval=interval, noun=noun, amount=amount)

    def _bound(self, before: str, after: str) -> str:
        """The bound whose words are longest, so that 不超过 is not read as 超过."""
        best, length = "", 0
        for name in ("ge", "gt", "le", "lt"):
            for match in (self.before[name].search(before), self._after[name].match(after)):
                if match and len(match.group().strip()) > length:
                    best, length = name, len(match.group().strip())
        return best
