"""What a search may see, as data: structured, never a store expression."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date

from services.common.domain.time import DayInterval

PUBLIC_ACCESS_KEY = "public"


@dataclass(frozen=True, slots=True)
class ChunkFilter:
    """Conditions on chunks; all that are set must hold.

    ``access_keys`` is what the caller may read (see ``access_key``) and is always applied; an empty tuple
    lets nothing through. ``in_force_on`` is None to see every version.
    """

    access_keys: tuple[str, ...]
    in_force_on: date | None = None
    doc_types: tuple[str, ...] = ()
    languages: tuple[str, ...] = ()
    document_ids: tuple[str, ...] = ()
    min_authority: int = 0
    published: DayInterval | None = None
    heading: str = ""
    versions: tuple[str, ...] = ()

    def describe(self) -> str:
        """The filter in words, for a reader of search results; access keys stay out of it."""
        parts: list[str] = []
        parts.append(f"in force on {self.in_force_on}" if self.in_force_on else "every version")
        for label, values in (
            ("type", self.doc_types),
            ("language", self.languages),
            ("document", self.document_ids),
            ("version", self.versions),
        ):
            if values:
                shown = ", ".join(values[:5]) + (", ..." if len(values) > 5 else "")
                parts.append(f"{label} {shown}")
        if self.min_authority:
            parts.append(f"authority at least {self.min_authority}")
        if self.published is not None:
            start = self.published.start or "any day"
            parts.append(f"published from {start} to {self.published.end or 'any day'}, or undated")
        if self.heading:
            parts.append(f"under the heading {self.heading!r}")
        parts.append("readable by the caller")
        return "; ".join(parts)


def access_key(groups: Iterable[str]) -> str:
    """One short word for a set of access groups, so that the store filters on a scalar.

    Documents with the same groups share a key; no groups means public.
    """
    unique = sorted(set(groups))
    if not unique:
        return PUBLIC_ACCESS_KEY
    digest = hashlib.sha256("\n".join(unique).encode()).hexdigest()
    return f"g-{digest[:32]}"


def readable_keys(known: Iterable[tuple[str, frozenset[str]]], groups: frozenset[str]) -> tuple[str, ...]:
    """Keys that a caller with ``groups`` may read, out of ``known`` (key, its groups); public always.

    A key that is not known yet is left out, so a stale list hides and never reveals.
    """
    keys = {key for key, members in known if members & groups}
    return (PUBLIC_ACCESS_KEY, *sorted(keys))
