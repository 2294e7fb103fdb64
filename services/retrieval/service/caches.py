"""Results and query vectors kept in memory. A write into a knowledge base makes its results unreachable."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable
from typing import Generic, TypeVar

from prometheus_client import Counter

V = TypeVar("V")

_LOOKUPS = Counter("trirag_retrieval_cache_lookups_total", "Cache lookups by cache and outcome.", ["cache", "outcome"])


class LruCache(Generic[V]):
    """At most ``size`` values, the least recently used goes first. Thread-safe; size 0 keeps nothing."""

    def __init__(self, name: str, size: int) -> None:
        self._size = size
        self._values: OrderedDict[Hashable, V] = OrderedDict()
        self._lock = threading.Lock()
        self._hits = _LOOKUPS.labels(name, "hit")
        self._misses = _LOOKUPS.labels(name, "miss")

    def get(self, key: Hashable) -> V | None:
        """The value, or None."""
        with self._lock:
            value = self._values.get(key)
            if value is not None:
                self._values.move_to_end(key)
        (self._misses if value is None else self._hits).inc()
        return value

    def put(self, key: Hashable, value: V) -> None:
        """Keeps a value."""
        with self._lock:
            self._values[key] = value
            self._values.move_to_end(key)
            while len(self._values) > self._size:
                self._values.popitem(last=False)

    def get_or_make(self, key: Hashable, make: Callable[[], V]) -> V:
        """The value of ``key``, made by ``make`` if there is none yet."""
        value = self.get(key)
        if value is None:
            value = make()
            self.put(key, value)
        return value
