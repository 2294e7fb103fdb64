"""What a sentence that opens with a pronoun speaks of: what the sentence before it tells of."""

from __future__ import annotations

import re

from services.validation.domain.case import Case
from services.validation.domain.reading.evidence import Unit
from services.validation.domain.wording.align import RELATED, SYNONYM, match

_PRONOUN = re.compile(r"\W*(?:its?|they|their|he|his|she|her)\b|\W*(?:其|它|该|他|她)", re.I)


def one_asked_for(case: Case, a: Unit, b: Unit) -> bool:
    """Both open with a pronoun ("Its draw is ..."), and only one speaks of what the question is about: a word of the
    question stands in the sentence before it and nowhere in the other's passage."""
    if not (_PRONOUN.match(a.analysis.text) and _PRONOUN.match(b.analysis.text)):
        return False
    return _asked_only_here(case, a, b) or _asked_only_here(case, b, a)


def _asked_only_here(case: Case, here: Unit, there: Unit) -> bool:
    earlier = [u for u in case.passage(here.citation).units if u.index < here.index and u.kind == "sentence"]
    if not earlier:
        return False
    asked = case.bags.said(case.question.analysis)
    spoken_of = [t for t in earlier[-1].analysis.terms if t.weight >= 1 and match(t, asked) >= SYNONYM]
    other = case.bags.cited([there.citation])
    title = case.title_bag(case.passage(there.citation))
    return any(match(t, other) < RELATED and match(t, title) < RELATED for t in spoken_of)
