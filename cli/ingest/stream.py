"""Sends an upload until all of it is done, whatever is cut or dies on the way; leaves out what the service dies of.

A connection that is lost twice with no document done in between is lost for a reason. What was sent and not answered is
then sent again, each document by itself: one that the service dies of alone, time and again, is named and left out, and
the others go on.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import closing
from typing import Any

from cli.client import Client
from cli.errors import RequestFailed
from cli.ingest.messages import Upload
from cli.render.console import note
from cli.render.ingest import Tally
from cli.resume import resumed

# Losses in a row with nothing done in between, before what is at work is sent by itself; and of one by itself.
LOST_TOGETHER, LOST_ALONE = 2, 2
# The service reads ahead a few files and stores some dozens of documents at once: what it dies of is among so many.
MOST_SUSPECTS = 64
# A service that dies of so many documents in a row, and does none in between, would die of any.
MOST_LEFT_OUT = 3


class _SameAgain(Exception):
    """The connection was lost as often as it may be with nothing done in between."""

    def __init__(self, error: RequestFailed) -> None:
        super().__init__(error.message)
        self.error = error


class IngestStream:
    """One ingest; ``show`` is called after each event."""

    def __init__(self, client: Client, upload: Upload, tally: Tally, expected: int, show: Callable[[], None]) -> None:
        self._client = client
        self._upload = upload
        self._tally = tally
        self._expected = expected
        self._show = show
        self._ends = time.monotonic() + client.timeout

    def run(self) -> None:
        """Returns when all is done.

        Raises:
            RequestFailed: as ``resumed``; or the service dies, and of no document in particular.
        """
        left_out, done = 0, -1
        lost = self._all_but_left_out(begun=False)
        while lost is not None:
            if self._tally.done > done:
                left_out, done = 0, self._tally.done
            found = self._find()
            if not found and self._tally.done == done:
                lost.message += f" ({LOST_TOGETHER} times in a row, and of no document that was at work)"
                raise lost
            left_out += found
            if left_out == MOST_LEFT_OUT:
                lost.message += f" (each time, with {left_out} different documents; the service itself is not well)"
                raise lost
            self._tally.begin_again()
            lost = self._all_but_left_out(begun=True)

    def _all_but_left_out(self, begun: bool) -> RequestFailed | None:
        """Sends everything; how the connection was lost, if it was time and again at the same documents."""
        losses = _Losses(LOST_TOGETHER, lambda: self._tally.done)
        try:
            self._take(
                lambda: self._upload.messages(self._expected, self._tally.job_id),
                self._tally.begin_again,
                losses,
                begun,
            )
        except _SameAgain as again:
            return again.error
        return None

    def _find(self) -> bool:
        """Sends what may be to blame by itself until the service dies of it; whether it did, and it is left out."""
        tally, job_id = self._tally, self._tally.job_id
        for origin in self._upload.unanswered(tally.came)[:MOST_SUSPECTS]:
            tally.job_id = ""
            tally.begin_again(cut=False)
            losses = _Losses(LOST_ALONE, lambda: 0)
            try:
                self._take(
                    lambda origin=origin: self._upload.messages(1, only=origin),  # type: ignore[misc]
                    lambda: tally.begin_again(cut=False),
                    losses,
                    begun=True,
                )
            except _SameAgain:
                self._upload.leave_out(origin, LOST_ALONE)
                note(f"{origin}: the service died {LOST_ALONE} times while it worked on nothing else; it is left out")
                return True
            finally:
                tally.job_id = job_id
        return False

    def _take(self, request: Callable[[], Any], again: Callable[[], None], losses: _Losses, begun: bool) -> None:
        method = self._client.knowledge_bases.Ingest
        stream = resumed(self._client, method, request, again, lost=losses.count, begun=begun, ends=self._ends)
        with closing(stream):
            for event in stream:
                self._tally.add(event)
                self._show()


class _Losses:
    """Counts connections lost in a row while ``done`` stayed what it was."""

    def __init__(self, most: int, done: Callable[[], int]) -> None:
        self._most = most
        self._done = done
        self._count, self._before = 0, -1

    def count(self, error: RequestFailed) -> None:
        """Counts one. Raises _SameAgain."""
        done = self._done()
        self._count = self._count + 1 if done == self._before else 1
        self._before = done
        if self._count == self._most:
            raise _SameAgain(error)
