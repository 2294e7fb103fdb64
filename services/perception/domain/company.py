"""Chinese names that only their company gives away: what is listed or compared with a name."""

from __future__ import annotations

from collections.abc import Sequence

from services.common.domain.question import Origin
from services.perception.domain.candidates import Candidate
from services.perception.domain.entities import NAME_RANK, vetoed
from services.perception.domain.matching import Question, overlaps
from services.perception.domain.text import is_cjk
from services.perception.domain.tokens import PROPER_TAGS


def beside_names(question: Question, named: Sequence[Candidate], sides: Sequence[Candidate]) -> list[Candidate]:
    """``named``, and what is listed or compared with a name and looks like one: 苏辙 in 苏轼与苏辙谁先做官.

    Only Chinese needs it: there nothing but its company shows that an unknown word is a name.
    """
    found = list(named)
    for start, end, origin in [*_compared(named, sides), *_listed(question, named)]:
        kind = next((c.type for c in named if _company(question, c, start, end, sides)), None)
        if kind is None or overlaps(start, end, [(c.start, c.end) for c in found]):
            continue
        candidate = Candidate(start, end, kind, origin, NAME_RANK)
        if _is_unknown_name(question, start, end) and not vetoed(question, candidate):
            found.append(candidate)
    return sorted(found, key=lambda c: c.start)


def _compared(named: Sequence[Candidate], sides: Sequence[Candidate]) -> list[tuple[int, int, Origin]]:
    """The sides of a comparison, if a name is one of them."""
    spans = {(c.start, c.end) for c in named}
    if not any((side.start, side.end) in spans for side in sides):
        return []
    return [(side.start, side.end, side.origin) for side in sides]


_LISTED = frozenset("、和与跟及")


def _listed(question: Question, named: Sequence[Candidate]) -> list[tuple[int, int, Origin]]:
    """The word that 、 joins to a name, at either side."""
    tokens = question.analysis.tokens
    found = []
    for left, joint, right in zip(tokens, tokens[1:], tokens[2:], strict=False):
        if joint.text != "、":
            continue
        for name in named:
            other = right if name.end == joint.start else left if name.start == joint.end else None
            if other is not None:
                found.append((other.start, other.end, name.origin))
    return found


def _company(question: Question, name: Candidate, start: int, end: int, sides: Sequence[Candidate]) -> bool:
    """True if ``name`` is compared with the stretch, or joined to it by one character."""
    if {(name.start, name.end), (start, end)} <= {(side.start, side.end) for side in sides}:
        return True
    text = question.text.text
    return any(text[a:b] in _LISTED for a, b in ((name.end, start), (end, name.start)))


_MOST_NAME = 8


def _is_unknown_name(question: Question, start: int, end: int) -> bool:
    """True for two to eight Chinese characters of which the tagger takes every word for a name or knows none."""
    text = question.text.text[start:end]
    if not 2 <= len(text) <= _MOST_NAME or not all(is_cjk(char) for char in text):
        return False
    tokens = [t for t in question.analysis.tokens if start <= t.start and t.end <= end]
    return bool(tokens) and tokens[-1].end == end and all(t.tag in PROPER_TAGS for t in tokens)
