"""Stretches of text put forward for a field, and the choice between overlapping ones."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from services.common.domain.question import Mention, Origin
from services.perception.domain.text import NormalisedText


@dataclass(frozen=True, slots=True)
class Candidate:
    """Characters ``start`` to ``end`` (exclusive) of the normalised text, put forward as ``type``.

    Of two that overlap, the higher ``rank`` wins, then the longer, then the earlier.
    """

    start: int
    end: int
    type: str
    origin: Origin
    rank: float = 0.5
    canonical: str = ""

    def mention(self, text: NormalisedText) -> Mention:
        """The candidate as it leaves the domain."""
        canonical = self.canonical or text.text[self.start : self.end]
        return Mention(
            text.surface(self.start, self.end), self.type, text.span(self.start, self.end), canonical, self.origin
        )


def choose(candidates: Iterable[Candidate], taken: Sequence[tuple[int, int]] = ()) -> list[Candidate]:
    """The candidates that survive, in text order; none overlaps another or a ``taken`` stretch."""
    kept: list[Candidate] = []
    places = list(taken)
    for candidate in sorted(candidates, key=lambda c: (-c.rank, c.start - c.end, c.start, c.type)):
        if candidate.start >= candidate.end:
            continue
        if any(candidate.start < end and start < candidate.end for start, end in places):
            continue
        kept.append(candidate)
        places.append((candidate.start, candidate.end))
    return sorted(kept, key=lambda c: c.start)
