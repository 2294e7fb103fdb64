"""How lines of a PDF are printed, and what that tells: where paragraphs begin, and which lines are headings."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from statistics import median

# Print that differs by less is of one size.
_SAME_SIZE = 0.08
# Headings are printed larger than text by this ratio at least.
_LARGER = 1.15
# A line further below the one before, in distances of the lines of the text, begins a paragraph.
_APART = 1.3
# Sizes that are told apart; what is smaller than the last of them but larger than text is of its level.
_LEVELS = 4
_LONGEST = 150
# More of a document than this share is no headings, but a poster or slides.
_MOST = 0.3
_LETTER = re.compile(r"[^\W\d_]")
_SENTENCE = re.compile(r"[.,;:。，；：、…-]$")


@dataclass(frozen=True, slots=True)
class Look:
    """``size`` of the print in points; ``gap``: from the base of the line before on its page, in that size, None where
    that is not above it; ``page`` from 0; ``characters``."""

    size: float
    gap: float | None
    page: int
    characters: int


@dataclass(frozen=True, slots=True)
class Looks:
    """What is usual in a document. ``size`` of its text, ``gap`` between its lines, sizes of headings by level."""

    size: float = 0.0
    gap: float = 0.0
    headings: list[float] = field(default_factory=list)

    def level(self, look: Look | None, text: str) -> int | None:
        """Level of heading, from 1, of a line; None for text."""
        if look is None or not self.headings or look.size < _LARGER * self.size:
            return None
        if len(text) > _LONGEST or not _LETTER.search(text):
            return None
        return next((n for n, size in enumerate(self.headings, 1) if look.size >= size * (1 - _SAME_SIZE)), None)

    def apart(self, before: Look | None, look: Look | None, text: str) -> bool:
        """True if a line begins a paragraph by its place: further below, or in another size."""
        if before is None or look is None or text[:1].islower():
            return False
        if max(look.size, before.size) > _LARGER * min(look.size, before.size):
            return True
        return look.gap is not None and 0 < _APART * self.gap < look.gap


def usual(looks: Iterable[Look]) -> Looks:
    """What is usual in a document of these lines."""
    found = list(looks)
    if not found:
        return Looks()
    by_size: Counter[float] = Counter()
    for look in found:
        by_size[round(look.size, 1)] += look.characters
    size = max(by_size, key=lambda key: (by_size[key], -key))
    gaps = [look.gap for look in found if look.gap is not None and same_size(look.size, size)]
    large = [look for look in found if look.size >= _LARGER * size]
    if sum(look.characters for look in large) > _MOST * sum(look.characters for look in found):
        large = []
    return Looks(size, float(median(gaps)) if gaps else 0.0, _sizes(large))


def _sizes(large: Sequence[Look]) -> list[float]:
    """Sizes of headings from the largest; those that stand on the first page only are of its title."""
    later = sorted({look.size for look in large if look.page > 0}, reverse=True)
    sizes: list[float] = []
    for size in later or sorted({look.size for look in large}, reverse=True):
        if not sizes or not same_size(size, sizes[-1]):
            sizes.append(size)
    return sizes[: _LEVELS - 1] + sizes[_LEVELS - 1 :][-1:]


def same_size(one: float, other: float) -> bool:
    """True if two sizes of print hardly differ."""
    return abs(one - other) <= _SAME_SIZE * max(one, other)


def is_sentence(text: str) -> bool:
    """True for a text that ends as no heading does."""
    return bool(_SENTENCE.search(text.strip()))
