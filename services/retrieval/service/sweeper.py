"""Rows that nobody sees are removed: those of writes that were overtaken or broke off, and those that were replaced.

Blocking, thread-safe.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import structlog

from services.common.errors import Unavailable
from services.retrieval.adapters.leftovers import Leftovers
from services.retrieval.domain.ports import RevisionRef, VectorStore

log = structlog.get_logger("sweeper")


class Sweeper:
    """Sweeps, but for what this process is writing."""

    def __init__(self, leftovers: Leftovers, store: VectorStore) -> None:
        self._leftovers = leftovers
        self._store = store
        self._in_progress: set[str] = set()
        self._lock = threading.Lock()

    @contextmanager
    def writing(self, knowledge_base: str, refs: Sequence[RevisionRef]) -> Iterator[None]:
        """Notes revisions before their first row is written, and leaves them alone meanwhile."""
        revisions = {ref.revision for ref in refs}
        with self._lock:
            self._in_progress |= revisions
        try:
            self._leftovers.note(knowledge_base, refs)
            yield
        finally:
            with self._lock:
                self._in_progress -= revisions

    def sweep(self, knowledge_base: str | None = None) -> int:
        """Removes what broken-off writes left behind, in all knowledge bases or one; returns of how many revisions.

        A collection that does not answer keeps its rows until the next sweep, and the others do not wait for it.

        Raises:
            Unavailable: the store or the catalogue does not answer at all.
        """
        listed = self._leftovers.listed(knowledge_base)
        with self._lock:
            # After the list was read: what is on it and ended meanwhile is struck off, and cannot be claimed.
            idle = [ref for ref in listed if ref.revision not in self._in_progress]
        swept, silent = 0, set()
        for ref in self._leftovers.claim(idle):
            if ref.collection in silent:
                continue
            try:
                self._remove(ref)
            except Unavailable as error:
                self._store.ping()  # else each of a hundred collections would be waited for
                silent.add(ref.collection)
                log.warning("rows left to be swept later", collection=ref.collection, reason=error.message)
                continue
            self._leftovers.forget([ref])
            swept += 1
        if swept:
            log.info("swept", revisions=swept)
        return swept

    def discard(self, refs: Sequence[RevisionRef]) -> None:
        """Removes rows that nobody can see; what fails here is swept later."""
        try:
            for ref in refs:
                self._remove(ref)
            self._leftovers.forget(refs)
        except Unavailable as error:
            log.warning("rows left to be swept later", revisions=len(refs), reason=error.message)

    def renote(self, knowledge_base: str, refs: Sequence[RevisionRef]) -> None:
        """Notes what a write that failed may have left: some may have been inserted after another process swept it."""
        try:
            self._leftovers.note_again(knowledge_base, refs)
        except Unavailable as error:
            log.warning("rows not noted", revisions=len(refs), reason=error.message)

    def _remove(self, ref: RevisionRef) -> None:
        if ref.chunk_count < 0:
            self._store.drop_collection(ref.collection)
        else:
            self._store.delete_revision(ref)
