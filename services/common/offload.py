"""Blocking work (spaCy, embedding, file parsing) in threads, so that it never holds the event loop."""

from __future__ import annotations

import asyncio
import contextvars
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")


class BlockingPool:
    """A bounded thread pool whose work sees the caller's context variables (trace, identity)."""

    def __init__(self, threads: int, name: str = "blocking") -> None:
        self._executor = ThreadPoolExecutor(max_workers=threads, thread_name_prefix=name)

    async def run(self, function: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> T:
        """Runs ``function`` in a thread and awaits its result; exceptions come back as they are."""
        context = contextvars.copy_context()
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._executor, lambda: context.run(function, *args, **kwargs))

    def close(self) -> None:
        """Lets running work finish and drops what is queued."""
        self._executor.shutdown(wait=False, cancel_futures=True)
