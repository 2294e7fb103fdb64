"""A bounded memory of the most recently used results of a pure function, shared by threads."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable
from threading import Lock
from typing import Generic, TypeVar

V = TypeVar("V")


class Recent(Generic[V]):
    """Keeps at most ``size`` results; the least recently used one goes first. The results must not change."""

    def __init__(self, size: int) -> None:
        """``size`` is the number of results kept, at least 1."""
        self._size = size
        self._kept: OrderedDict[Hashable, V] = OrderedDict()
        self._lock = Lock()

    def get(self, key: Hashable, make: Callable[[], V]) -> V:
        """The result for a key; made outside the lock where it is not kept (two threads may make it at once)."""
        with self._lock:
            if key in self._kept:
                self._kept.move_to_end(key)
                return self._kept[key]
        value = make()
        with self._lock:
            self._kept[key] = value
            if len(self._kept) > self._size:
                self._kept.popitem(last=False)
        return value
