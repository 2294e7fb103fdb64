"""Threads that jobs share in turns: what one has put in does not hold up another."""

from __future__ import annotations

import asyncio
import contextlib
import contextvars
from collections import Counter, deque
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from functools import partial
from typing import ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")


class Turns:
    """Places that jobs take in turns. For one event loop.

    A job that waits gets the next free place before another that waits gets a second one, and none but one may be held
    by a single job (of one place: that one): so a job that begins need not wait for another's long work.
    """

    def __init__(self, places: int) -> None:
        self._free = places
        self._share = max(1, places - 1)
        self._held: Counter[str] = Counter()
        # In the order of their turns.
        self._waiting: dict[str, deque[asyncio.Future[None]]] = {}

    async def take(self, job: str) -> None:
        """Returns when ``job`` holds one place more."""
        place: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting.setdefault(job, deque()).append(place)
        self._hand_out()
        try:
            await place
        except asyncio.CancelledError:
            if place.done() and not place.cancelled():
                self.give_back(job)
            raise

    def give_back(self, job: str) -> None:
        """One place of ``job`` is free again."""
        self._free += 1
        self._held[job] -= 1
        if not self._held[job]:
            del self._held[job]
        self._hand_out()

    def _hand_out(self) -> None:
        while self._free and (job := self._next()) is not None:
            waiting = self._waiting.pop(job)
            place = waiting.popleft()
            if waiting:
                self._waiting[job] = waiting  # behind the others
            if not place.done():  # done: cancelled while it waited
                place.set_result(None)
                self._free -= 1
                self._held[job] += 1

    def _next(self) -> str | None:
        return next((job for job in self._waiting if self._held[job] < self._share), None)


class FairPool:
    """Blocking work of jobs in ``threads`` threads, in turns."""

    def __init__(self, threads: int, name: str) -> None:
        self._turns = Turns(threads)
        self._executor = ThreadPoolExecutor(threads, thread_name_prefix=name)

    async def run(self, job: str, function: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> T:
        """Runs ``function`` in a thread when it is the job's turn, with the caller's context variables.

        Who is cancelled while it runs leaves at once; the place is free when the thread is.
        """
        await self._turns.take(job)
        loop = asyncio.get_running_loop()
        work = partial(contextvars.copy_context().run, function, *args, **kwargs)
        try:
            done: Future[T] = self._executor.submit(work)
        except BaseException:
            self._turns.give_back(job)
            raise

        def free(_: Future[T]) -> None:
            with contextlib.suppress(RuntimeError):  # the loop has ended, and its turns with it
                loop.call_soon_threadsafe(self._turns.give_back, job)

        done.add_done_callback(free)
        return await asyncio.wrap_future(done)

    def close(self) -> None:
        """Lets running work finish and drops what is queued."""
        self._executor.shutdown(wait=False, cancel_futures=True)
