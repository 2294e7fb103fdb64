"""Things put into a sentence that else runs like one of the passages': a place, a means, an agent, a property."""

from __future__ import annotations

import re
from collections.abc import Callable

from services.validation.domain.analysis import Analysis, Term
from services.validation.domain.case import Case, Reading
from services.validation.domain.reading.nouns import nominal
from services.validation.domain.roles.exchanged_nouns import bounds
from services.validation.domain.wording.align import Bag, cover, match
from services.validation.domain.wording.edits import Edit, Followed, followed, terms_of
from services.validation.domain.wording.joined import foreign

_FOUND, _COPIED = 0.5, 0.8
# So many words of which hardly any stands in the passages are more than another verb or adverb of a retelling.
_RUN, _NOTHING = 2, 0.2


def put_in(case: Case, reading: Reading, bag: Bag, structural: Callable[[Term], bool]) -> tuple[int, int] | None:
    """Words for a thing that the cited passages lack, where nothing of the sentence was left out for them."""
    found = followed(case, reading)
    if found is None or reading.analysis.han != bag.han:
        return None
    said = case.bags.said(reading.analysis)
    for edit in found.edits:
        if not edit.anchored or found.alike_around(edit) < _COPIED or any(w.surface not in _EMPTY for w in edit.theirs):
            continue
        if any(_left_out(found, e, said) for e in found.edits if e.mine or not _edge(found, e)):
            continue
        told = [t for t in terms_of(reading.analysis, edit.mine) if t.weight >= 1 and not structural(t)]
        new = [t for t in told if foreign(t, bag)]
        if not (len(new) >= _RUN and cover(told, bag).share <= _NOTHING):
            new = [t for t in new if _thing(reading.analysis, edit, t)]
        new = [t for t in new if not any(q.end == t.start for q in reading.analysis.quantities)]
        if new and not _spells_out(reading.analysis, edit):
            return bounds(new)
    return None


def _thing(analysis: Analysis, edit: Edit, term: Term) -> bool:
    """The word names a thing, or belongs to a phrase or an attribute that was put between words of the sentence."""
    if nominal(analysis, term) or _counted(analysis, term):
        return True
    if edit.theirs or term.word.surface.endswith("ly"):
        return False
    if not term.word.han:
        return edit.mine[0].surface in _PHRASE
    following = next((t for t in analysis.terms if t.start >= edit.mine[-1].end), None)
    return edit.mine[-1].start == term.start and following is not None and nominal(analysis, following)


_PHRASE = frozenset((
    "about", "after", "against", "and", "as", "at", "because", "before", "between", "by", "during", "except", "for",
    "from", "if", "in", "including", "into", "like", "on", "once", "or", "over", "provided", "since", "such", "through",
    "under", "until", "via", "when", "which", "while", "with", "within", "without",
))  # fmt: skip


def _counted(analysis: Analysis, term: Term) -> bool:
    """Two veterinarians: what is counted is a thing."""
    return any(q.start <= term.start <= q.end + 1 for q in analysis.quantities)


_EMPTY = frozenset(("the", "a", "an", "的", "了", "also", "and", "和", "与", "及"))


def _left_out(found: Followed, edit: Edit, said: Bag) -> bool:
    """A thing of the sentence has no counterpart in the statement: what was put in may stand for it."""
    if not edit.theirs:
        return False
    start, end = edit.theirs[0].start, edit.theirs[-1].end
    forced = any(start <= c.start < end for c in found.unit.analysis.cues) and not edit.mine
    lost = [t for t in terms_of(found.unit.analysis, edit.theirs) if t.weight >= 1 and match(t, said) < _FOUND]
    # A verb or an adverb may be told by one that no list has.
    return forced or any(nominal(found.unit.analysis, t) for t in lost)


def _edge(found: Followed, edit: Edit) -> bool:
    """What opens or closes the sentence of the passage, and may be left out as a detail."""
    words = found.unit.analysis.words
    return bool(edit.theirs) and (edit.theirs[0] is words[0] or edit.theirs[-1] is words[-1])


def _spells_out(analysis: Analysis, edit: Edit) -> bool:
    """What an abbreviation of the statement stands for: NFL (National Football League)."""
    initials = "".join(c for w in edit.mine if (c := analysis.text[w.start]).isupper())
    return len(initials) > 1 and re.search(rf"(?<![A-Za-z]){re.escape(initials)}(?![a-z])", analysis.text) is not None
