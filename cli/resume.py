"""Streams taken up again where what lies between has cut them: a proxy ends calls after its longest time, or dies."""

from __future__ import annotations

import time
from collections.abc import Callable, Generator, Iterator
from itertools import chain, repeat
from typing import Any

from cli.client import Client
from cli.errors import RequestFailed
from cli.render.console import note

# A stream cut so soon was not cut for lasting too long; after a few of these in a row something else is wrong.
TOO_SOON_SECONDS = 5.0
MOST_TOO_SOON = 3
PAUSE_SECONDS = 1.0

# Once something answered, a connection that is lost is tried again for so long: a proxy or a service that died is
# started again within seconds, in which it is tried each second; one that moves to another machine within a minute.
RECONNECT_SECONDS = 120.0
RECONNECT_PAUSES = (0.5, 1.0, 1.0, 1.0, 1.0, 1.0, 2.0, 4.0, 8.0)


def resumed(
    client: Client,
    method: Any,
    request: Callable[[], Any],
    again: Callable[[], None] = lambda: None,
    *,
    lost: Callable[[RequestFailed], None] = lambda _: None,
    begun: bool = False,
    ends: float | None = None,
) -> Generator[Any, None, None]:
    """The responses of a stream, and of those that follow it when it is cut, within the client's time for one call.

    ``request`` makes what each call sends; ``again`` is told before every call but the first. The call has to be one
    that may be made twice. ``lost`` is told of a connection that was lost after the service had answered, and may end
    it all by raising. ``begun``: an earlier call was answered, so one that is not is waited for. ``ends``: of the time
    for all of it, by the monotonic clock.

    Raises:
        RequestFailed: a service refused or failed the call, nothing answers (from the beginning, or for
            RECONNECT_SECONDS after it was lost), or it is cut as soon as it begins, time and again.
    """
    ends = ends if ends is not None else time.monotonic() + client.timeout
    answered, too_soon = begun, 0
    lost_at: float | None = None
    pauses: Iterator[float] = iter(())
    while True:
        began, responses = time.monotonic(), 0
        try:
            for response in client.stream(method, request(), max(0.001, ends - began)):
                responses += 1
                answered, lost_at = True, None
                yield response
            return
        except RequestFailed as error:
            now = time.monotonic()
            if responses or error.cut:
                too_soon = too_soon + 1 if now - began < TOO_SOON_SECONDS else 0
            is_lost = error.lost and answered
            if is_lost and responses:
                lost(error)
            if not (error.cut or is_lost) or too_soon > MOST_TOO_SOON:
                raise
            pause = PAUSE_SECONDS
            if is_lost:
                if lost_at is None:
                    lost_at, pauses = now, chain(RECONNECT_PAUSES, repeat(RECONNECT_PAUSES[-1]))
                    note(f"the connection to {client.settings.target} was lost; trying to take it up again")
                pause = next(pauses)
                if now + pause > lost_at + RECONNECT_SECONDS:
                    error.message += f" (tried again for {now - lost_at:.0f} s)"
                    raise
            if now + pause >= ends:
                raise
        time.sleep(pause)
        again()
