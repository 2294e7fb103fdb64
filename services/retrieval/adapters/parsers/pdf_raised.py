"""Small raised digits of a PDF page: powers and the numbers of notes, which its text has as digits like all others."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from services.retrieval.adapters.parsers.html_inline import raised_text

_NUMBER = re.compile(r"[-\u2212\u2013+]?\d{1,12}(?!\d)")
# Behind a word, a number or a bracket; what is raised may count as a line of its own.
_BEFORE = re.compile(r"[^\W_][)\]]?\s{0,2}$|[)\]]\s{0,2}$")
_SMALLER = 0.85
_RAISED = 0.15
_NEAR = 0.5
_LONGEST = 3  # digits, behind a sign
_CONTEXT = 40


@dataclass(frozen=True, slots=True)
class Ink:
    """What a character covers, in points: left, right and its lower end, which grows upwards."""

    left: float
    right: float
    bottom: float


def raised_edits(text: str, size: Callable[[int], float], ink: Callable[[int], Ink]) -> dict[int, str]:
    """What single characters of a page's text are to be replaced by, by their indexes.

    ``size`` tells the height of a character's print, ``ink``, which costs more, where it stands.
    """
    edits: dict[int, str] = {}
    for match in _NUMBER.finditer(text):
        first, last = match.span()
        small = size(last - 1)
        start = first
        if small < _SMALLER * (large := size(first)):  # 103, of which 3 is the power
            start = next(index for index in range(first + 1, last) if size(index) < _SMALLER * large)
        before = text[max(0, start - _CONTEXT) : start]
        if last - start > _LONGEST + 1 or not _BEFORE.search(before):
            continue
        kept = before.rstrip()
        place = start - len(before) + len(kept) - 1
        if small >= _SMALLER * (large := size(place)) or not _is_raised(ink(place), ink(last - 1), large):
            continue
        for index in range(place + 1, last):
            edits[index] = ""
        edits[start] = raised_text(kept, text[start:last])
    return edits


def _is_raised(before: Ink, raised: Ink, size: float) -> bool:
    near = -_NEAR * size < raised.left - before.right < size
    return near and _RAISED * size < raised.bottom - before.bottom < size
