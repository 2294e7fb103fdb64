"""What a percentage is told of: 30% of the import duty is not 30% of the value of the goods."""

from __future__ import annotations

import re
from collections.abc import Sequence

from services.validation.domain.analysis import Analysis
from services.validation.domain.case import Case, Reading
from services.validation.domain.values.quantity import Quantity
from services.validation.domain.values.units import RATIO
from services.validation.domain.values.value_findings import Candidate
from services.validation.domain.wording.align import Bag, match

_BEHIND = re.compile(
    r"\s*of (?:the |its |their |his |her |an? |all |that )*(?P<b>[a-z][a-z -]{2,40}?)"
    r"(?=[,.;:)\[]|\s(?:and|or|but|for|in|is|was|are|were|has|have|per|by|when|if|that|which|who|from|to|at|on|within|with"
    r"|must|may|as|under|over)\b|\s*$)"
)
_BEFORE = re.compile(
    r"(?:[为是按达占收取付缴交扣]|^|[，。；：、])(?P<b>[^，。；：、为是按达占的]{2,10})的(?:约|近|大约|将近)?$"
)
# Names for whatever the share is of.
_LOOSE = re.compile(
    r"\b(?:what\w*|this|it|them|those|these|which|everything|amounts?|totals?|sums?|whole|figures?|rest|bill)$|^what\b"
    r"|(?:总额|全额|总价|总数|金额|款项|数额|部分|全部|它|其|上述)$"
)


def other_base(case: Case, reading: Reading, quantity: Quantity, right: Sequence[Candidate]) -> Candidate | None:
    """A place of the share whose base the statement does not name, while the statement's base is another thing that
    the cited passages speak of; None if any place may be of the same base."""
    if quantity.unit.dimension != RATIO or quantity.unit.kind == "point":
        return None
    mine = _base(case, reading.analysis, quantity)
    if mine is None or not any(match(t, case.bags.cited(reading.cited)) > 0 for t in mine.terms):
        return None
    said = case.bags.said(reading.analysis)
    for place in right:
        theirs = _base(case, place.unit.analysis, place.quantity)
        if theirs is None:
            return None
        bag = Bag.of([theirs])
        if any(match(t, bag) > 0 for t in mine.terms) or match(theirs.terms[-1], said) > 0:
            return None  # the head of their base, the last word, is told too
    return right[0] if right else None


def _base(case: Case, analysis: Analysis, quantity: Quantity) -> Analysis | None:
    """The words of what the share is of, None where the text does not say."""
    behind = _BEHIND.match(analysis.low, quantity.end)
    before = None if behind else _BEFORE.search(analysis.low[: quantity.start])
    found = behind or before
    if found is None:
        return None
    if _LOOSE.search(found["b"]):
        return None
    base = case.analyser.analyse(analysis.text[found.start("b") : found.end("b")])
    telling = [t for t in base.terms if t.weight >= 1 and t.key not in case.config.lexicon.meta_words]
    return base if telling and not base.quantities else None
