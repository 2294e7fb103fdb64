"""Indexes of a collection in Milvus: which one dense search has, and loading them, damaged ones included."""

from __future__ import annotations

import threading
from collections import defaultdict
from collections.abc import Callable
from typing import Any

import structlog
from pymilvus import MilvusClient
from pymilvus.exceptions import ErrorCode, MilvusException

from services.retrieval.adapters.milvus_schema import DENSE, index_params

log = structlog.get_logger("milvus")

# What the local server (milvus-lite) calls itself.
_LOCAL_SERVER = "lite"
# A server that refused a moment ago says at once what it is; one that is gone is not waited for a second time.
_QUICK = 2.0


def is_local_server(client: MilvusClient, timeout: float) -> bool:
    """Whether the server is the local one, which keeps everything in files of its own."""
    return _LOCAL_SERVER in str(client.get_server_version(timeout=timeout)).lower()


def dense_index_of(client: MilvusClient, collection: str, timeout: float) -> dict[str, Any]:
    """The description of the index on the vectors; empty if there is none."""
    index: dict[str, Any] = {}
    for name in client.list_indexes(collection, field_name=DENSE, timeout=timeout):
        index = client.describe_index(collection, name, timeout=timeout) or {}
    return index


class CollectionLoader:
    """Loads collections; thread-safe, one load of a collection at a time.

    The local server writes an index file in the background and in place. Killed meanwhile it finds a file cut short
    and refuses to load the collection ever after, each kind of index in words of its own. The rows are whole, so the
    indexes are made again from them.
    """

    def __init__(self, timeout: float) -> None:
        self._timeout = timeout
        self._loading: defaultdict[str, threading.Lock] = defaultdict(threading.Lock)

    def load(self, client: MilvusClient, collection: str, *, exact: Callable[[MilvusClient], bool]) -> None:
        """Loads the collection; ``exact`` tells whether dense indexes are exact, should none be left to tell.

        Raises:
            MilvusException: the server refuses even with indexes made anew.
            TimeoutError: another call loads the collection for longer than the bound.
        """
        lock = self._loading[collection]
        if not lock.acquire(timeout=self._timeout):
            raise TimeoutError(f"{collection} is still being loaded")
        try:
            self._load(client, collection, exact)
        finally:
            lock.release()

    def _load(self, client: MilvusClient, collection: str, exact: Callable[[MilvusClient], bool]) -> None:
        try:
            client.load_collection(collection, timeout=self._timeout)
            return
        except MilvusException as error:
            if error.code != ErrorCode.UNEXPECTED_ERROR or not is_local_server(client, _QUICK):
                raise
            reason = str(error.message)[:200]
        log.warning("indexes are made again: the store cannot load them", collection=collection, reason=reason)
        kind = dense_index_of(client, collection, self._timeout).get("index_type")
        flat = exact(client) if kind is None else kind == "FLAT"
        # The local server may drop all of them at the first name.
        while names := client.list_indexes(collection, timeout=self._timeout):
            client.drop_index(collection, names[0], timeout=self._timeout)
        client.create_index(collection, index_params(flat), timeout=self._timeout, sync=False)
        client.load_collection(collection, timeout=self._timeout)
