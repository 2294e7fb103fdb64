"""Streams taken up again where what lies between has cut them: a proxy ends every call after its longest time."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from typing import Any

from cli.client import Client
from cli.errors import RequestFailed

# A stream cut so soon was not cut for lasting too long; after a few of these in a row something else is wrong.
TOO_SOON_SECONDS = 5.0
MOST_TOO_SOON = 3
PAUSE_SECONDS = 1.0


def resumed(
    client: Client, method: Any, request: Callable[[], Any], again: Callable[[], None] = lambda: None
) -> Iterator[Any]:
    """The responses of a stream, and of those that follow it when it is cut, within the client's time for one call.

    ``request`` makes what each call sends; ``again`` is told before every call but the first. The call has to be one
    that may be made twice.

    Raises:
        RequestFailed: a service refused or failed the call, nothing answers, or it is cut as soon as it begins.
    """
    ends = time.monotonic() + client.timeout
    too_soon = 0
    while True:
        began = time.monotonic()
        try:
            yield from client.stream(method, request(), max(0.001, ends - began))
            return
        except RequestFailed as error:
            now = time.monotonic()
            too_soon = too_soon + 1 if now - began < TOO_SOON_SECONDS else 0
            if not error.cut or too_soon > MOST_TOO_SOON or now + PAUSE_SECONDS >= ends:
                raise
        time.sleep(PAUSE_SECONDS)
        again()
