"""A dictionary of words in sorted arrays: a tenth of the memory that Python's own would take.

Words of up to four characters, nearly all of a Chinese dictionary, are one 64-bit number each and found by bisection;
longer ones are kept as text. What was asked for lately is remembered, since questions share most of their words.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

# Characters that go into one number, and bits of each.
_PACKED, _BITS = 4, 16
# Asked-for words that are remembered; then all are forgotten.
_REMEMBERED = 8_192


class _Columns(NamedTuple):
    keys: array[int]
    frequencies: array[int]
    flags: array[int]


_Plain = tuple[tuple[bytes, ...], tuple[str, ...], dict[str, tuple[Any, ...]], int]


class WordEntry(NamedTuple):
    """``frequency`` 0 marks a text that only begins words; its flag is empty."""

    frequency: int
    flag: str


class WordTable:
    """Words and all their beginnings. May be used by several threads."""

    def __init__(self, columns: _Columns, flags: tuple[str, ...], longer: dict[str, WordEntry], total: int) -> None:
        """``columns`` in the order of their keys, with places in ``flags``; ``total`` is the sum of all frequencies."""
        self._keys, self._frequencies, self._numbers = columns
        self._flags = flags
        self._longer = longer
        self.total = total
        self._lately: dict[str, WordEntry | None] = {}

    @classmethod
    def of(cls, words: Iterable[tuple[str, int, str]]) -> WordTable:
        """``words``: (word, frequency above 0, flag), each word once."""
        columns = _empty_columns()
        keys, frequencies, flags = columns
        numbers: dict[str, int] = {"": 0}
        longer: dict[str, WordEntry] = {}
        beginnings: set[int] = set()
        for word, frequency, flag in words:
            if len(word) <= _PACKED:
                keys.append(_key(word))
                frequencies.append(frequency)
                flags.append(numbers.setdefault(flag, len(numbers)))
            else:
                longer[word] = WordEntry(frequency, flag)
                beginnings.add(_key(word[:_PACKED]))
        for word in tuple(longer):
            for size in range(_PACKED + 1, len(word)):
                longer.setdefault(word[:size], _BEGINNING)
        total = sum(frequencies) + sum(entry.frequency for entry in longer.values())
        more = _beginnings(keys, beginnings)
        keys.extend(more)
        frequencies.extend(bytes(len(more)))
        flags.extend(bytes(len(more)))
        order = np.argsort(np.frombuffer(keys, dtype=np.uint64))
        return cls(_Columns(*(_ordered(values, order) for values in columns)), tuple(numbers), longer, total)

    def plain(self) -> _Plain:
        """The table as values that can be kept; :meth:`restored` makes it again."""
        columns = (self._keys.tobytes(), self._frequencies.tobytes(), self._numbers.tobytes())
        return columns, self._flags, {word: tuple(entry) for word, entry in self._longer.items()}, self.total

    @classmethod
    def restored(cls, plain: _Plain) -> WordTable:
        """The table of which ``plain`` was taken, on the same machine."""
        columns, flags, longer, total = plain
        filled = _empty_columns()
        for values, content in zip(filled, columns, strict=True):
            values.frombytes(content)
        return cls(filled, flags, {word: WordEntry(*entry) for word, entry in longer.items()}, total)

    def find(self, word: str) -> WordEntry | None:
        """The entry of a word or of a beginning of words, None if it is neither."""
        try:
            return self._lately[word]
        except KeyError:
            pass
        if len(self._lately) >= _REMEMBERED:
            self._lately = {}
        found = self._lately[word] = self._look_up(word)
        return found

    def _look_up(self, word: str) -> WordEntry | None:
        if len(word) > _PACKED:
            return self._longer.get(word)
        key = _key(word)
        place = bisect_left(self._keys, key)
        if place == len(self._keys) or self._keys[place] != key:
            return None
        return WordEntry(self._frequencies[place], self._flags[self._numbers[place]])


_BEGINNING = WordEntry(0, "")


def _empty_columns() -> _Columns:
    return _Columns(array("Q"), array("I"), array("B"))


def _key(word: str) -> int:
    return int.from_bytes(word.encode("utf-16-be", "surrogatepass"), "big")


def _beginnings(keys: array[int], further: set[int]) -> list[int]:
    """What the keys begin with, and ``further`` beginnings, without those that are keys themselves."""
    words = np.frombuffer(keys, dtype=np.uint64)
    whole = np.concatenate((words, np.array(sorted(further), dtype=np.uint64)))
    shorter = [whole[len(words) :], *(whole >> np.uint64(_BITS * gone) for gone in range(1, _PACKED))]
    found: NDArray[np.uint64] = np.setdiff1d(np.concatenate(shorter), words)
    return [int(key) for key in found if key]


def _ordered(values: array[int], order: NDArray[np.intp]) -> array[int]:
    picked = array(values.typecode)
    picked.frombytes(np.frombuffer(values, dtype=values.typecode)[order].tobytes())
    return picked
