"""The connection to Milvus: made when it is first needed, bounded in time, its failures in words."""

from __future__ import annotations

import logging
import re
import threading
import time
from collections.abc import Callable
from typing import TypeVar

import grpc
import structlog
from pymilvus import MilvusClient
from pymilvus.exceptions import MilvusException

from services.common.errors import Unavailable

log = structlog.get_logger("milvus")
T = TypeVar("T")

STORE_UNAVAILABLE = "STORE_UNAVAILABLE"
"""Reason of every failure of the store."""

# pymilvus pings an idle server every 10 s; a server with gRPC's own defaults takes that for an attack and closes
# the connection. Every call has a bound in time, so nothing is lost without pings.
_CHANNEL_OPTIONS = {"grpc.keepalive_time_ms": 600_000, "grpc.keepalive_permit_without_calls": False}
_LOST_CONNECTION = re.compile(r"Fail connecting|UNAVAILABLE|Too many pings|closed channel", re.IGNORECASE)
_RECENT_ANSWER = 2.0
_QUICK_FAILURE, _RECONNECT_PAUSE = 0.5, 0.05
# pymilvus logs every failed call with its traceback; the failures are reported below in one line.
for _name in ("pymilvus.decorators", "pymilvus.client.connection_manager"):
    logging.getLogger(_name).setLevel(logging.CRITICAL)


class MilvusConnection:
    """One client for all threads. ``timeout`` bounds a call that brings no bound of its own, in seconds."""

    def __init__(self, uri: str, token: str, database: str, timeout: float) -> None:
        self._uri = uri
        self._token = token
        self._database = database
        self._timeout = timeout
        self._client: MilvusClient | None = None
        self._connecting = threading.Lock()
        self._answered_at = -_RECENT_ANSWER

    def close(self) -> None:
        """Closes the connection."""
        if self._client is not None:
            self._client.close()
            self._client = None

    @property
    def answered_just_now(self) -> bool:
        """Whether the server has answered anything in the last two seconds."""
        return time.monotonic() - self._answered_at < _RECENT_ANSWER

    def call(self, what: str, work: Callable[[MilvusClient], T], *, connect_timeout: float | None = None) -> T:
        """Runs ``work``; every failure of the store becomes Unavailable, in words and without a trace."""
        began = time.monotonic()
        reason = ""
        # A connection that the other side closed while it was idle fails at once and works the second time.
        for last in (False, True):
            try:
                result = work(self._connected(connect_timeout or self._timeout))
                self._answered_at = time.monotonic()
                return result
            except MilvusException as error:
                reason = str(error.message).splitlines()[0][:200] if error.message else type(error).__name__
            except grpc.RpcError as error:
                reason = str(error.code().name if isinstance(error, grpc.Call) else error)
            except (ConnectionError, TimeoutError, OSError) as error:
                reason = str(error) or type(error).__name__
            if last or time.monotonic() - began > _QUICK_FAILURE or not _LOST_CONNECTION.search(reason):
                break
            time.sleep(_RECONNECT_PAUSE)
        seconds = time.monotonic() - began
        log.warning("milvus call failed", call=what, seconds=round(seconds, 3), reason=reason)
        raise Unavailable(
            STORE_UNAVAILABLE, f"the vector store failed to {what} within {seconds:.1f} s", retry_after=1.0
        )

    def _connected(self, timeout: float) -> MilvusClient:
        client = self._client
        if client is not None:
            return client
        # One thread connects; the others fail at the same bound instead of queueing behind it.
        if not self._connecting.acquire(timeout=timeout):
            raise TimeoutError("still connecting")
        try:
            if self._client is None:
                self._client = MilvusClient(
                    uri=self._uri,
                    token=self._token,
                    db_name=self._database,
                    timeout=timeout,
                    grpc_options=_CHANNEL_OPTIONS,
                )
            return self._client
        finally:
            self._connecting.release()
