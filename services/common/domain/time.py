"""Days and intervals of days. Every interval in TriRAG is inclusive at both ends."""

from __future__ import annotations

import enum
from dataclasses import dataclass
from datetime import date


@dataclass(frozen=True, slots=True)
class DayInterval:
    """A span of days, both ends inclusive; ``None`` leaves that end open.

    Raises:
        ValueError: if both ends are given and ``start`` is after ``end``.
    """

    start: date | None = None
    end: date | None = None

    def __post_init__(self) -> None:
        if self.start is not None and self.end is not None and self.start > self.end:
            raise ValueError(f"interval starts on {self.start} after its end {self.end}")

    def contains(self, day: date) -> bool:
        """True if ``day`` lies inside the interval, ends included."""
        return (self.start is None or self.start <= day) and (self.end is None or day <= self.end)

    def overlaps(self, other: DayInterval) -> bool:
        """True if at least one day belongs to both intervals."""
        starts_in_time = self.start is None or other.end is None or self.start <= other.end
        ends_in_time = other.start is None or self.end is None or other.start <= self.end
        return starts_in_time and ends_in_time


class TimeRelation(enum.StrEnum):
    """How an answer's time must relate to the interval that the question names."""

    IN = "in"
    SINCE = "since"
    BEFORE = "before"
    AFTER = "after"
    BETWEEN = "between"
    AS_OF = "as_of"
    LATEST = "latest"
