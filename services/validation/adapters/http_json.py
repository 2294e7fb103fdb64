"""One JSON request to a server that may be anything: slow, talkative, silent or no such server at all."""

from __future__ import annotations

import contextlib
import http.client
import json
import socket
import threading
import time
from collections.abc import Iterator
from typing import Any
from urllib.parse import urlsplit

_LONGEST_REPLY = 1_000_000


def post_json(url: str, body: dict[str, Any], key: str, timeout: float) -> Any:
    """The JSON answer of a server to a JSON request; redirects and proxies of the environment are not followed.

    ``timeout`` (seconds) is that of the whole call, not of its parts: a reply that comes in drops is late as well.

    Raises:
        OSError, ValueError: no answer in time, a status of error, or no JSON.
    """
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise ValueError(f"{url!r} is no http address")
    end = time.monotonic() + timeout
    kind = http.client.HTTPSConnection if parts.scheme == "https" else http.client.HTTPConnection
    headers = {"Content-Type": "application/json"} | ({"Authorization": f"Bearer {key}"} if key else {})
    target = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    with contextlib.closing(kind(parts.hostname, parts.port, timeout=timeout)) as connection:
        try:
            connection.connect()
            with _ended_at(connection.sock, end):
                connection.request("POST", target, json.dumps(body).encode(), headers)
                response = connection.getresponse()
                reply = response.read(_LONGEST_REPLY)
        except http.client.HTTPException as error:
            raise OSError(f"no HTTP answer: {error!r}") from error
    if not 200 <= response.status < 300:
        raise OSError(f"HTTP status {response.status}")
    return parse_json(reply)


def parse_json(text: str | bytes) -> Any:
    """A JSON value.

    Raises:
        ValueError: it is none, or nested too deep to be read.
    """
    try:
        return json.loads(text)
    except RecursionError:
        raise ValueError("nested too deep") from None


@contextlib.contextmanager
def _ended_at(connected: socket.socket, end: float) -> Iterator[None]:
    """Shuts the socket at ``end`` (monotonic seconds), which ends every read of it.

    Raises:
        TimeoutError: it was shut; what had come by then is not used.
    """
    late = threading.Event()

    def shut() -> None:
        late.set()
        with contextlib.suppress(OSError):
            connected.shutdown(socket.SHUT_RDWR)

    timer = threading.Timer(max(0.0, end - time.monotonic()), shut)
    timer.daemon = True
    timer.start()
    try:
        yield
    except (OSError, ValueError, http.client.HTTPException):
        if not late.is_set():
            raise
    finally:
        timer.cancel()
    if late.is_set():
        raise TimeoutError("no answer in time")
