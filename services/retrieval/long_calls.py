"""Bounds how many calls that last may be served at once, so that they leave places for those that are short.

A watcher, an ingest and a migration hold their place among ``max_in_flight`` for minutes or hours. Without a bound of
their own, 64 people who watch an ingest would keep everyone from searching.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from enum import StrEnum

from services.common.errors import Overloaded

# Of the calls that a worker admits, each kind may hold this share; together they leave a quarter to short calls.
_SHARE = 4
_RETRY_AFTER_SECONDS = 5.0


class LongCall(StrEnum):
    """A kind of call that lasts; its value stands in messages."""

    WATCH = "watchers"
    INGEST = "ingests"
    MIGRATION = "migrations"


class LongCalls:
    """Places for calls that last, of one worker."""

    def __init__(self, max_in_flight: int) -> None:
        """``max_in_flight``: calls that the worker admits at once."""
        self._limit = max(1, max_in_flight // _SHARE)
        # Of a worker that admits few calls the kinds together leave one place to short calls, too.
        self._together = max(1, max_in_flight - 1)
        self._held: Counter[LongCall] = Counter()

    @contextmanager
    def place(self, kind: LongCall) -> Iterator[None]:
        """Holds a place while the call lasts.

        Raises:
            Overloaded: all places of its kind are taken.
        """
        if self._held[kind] >= self._limit or self._held.total() >= self._together:
            raise Overloaded(
                f"TOO_MANY_{kind.upper()}",
                f"{self._limit} {kind} are being served at once and no more are taken, so that searches find a place; "
                f"try again in {_RETRY_AFTER_SECONDS:g} s, or raise TRIRAG_RETRIEVAL_MAX_IN_FLIGHT",
                metadata={"limit": str(self._limit)},
                retry_after=_RETRY_AFTER_SECONDS,
            )
        self._held[kind] += 1
        try:
            yield
        finally:
            self._held[kind] -= 1
