"""A thing and what is not of its kind: members and non-members, 高峰时段 and 非高峰时段."""

from __future__ import annotations

import re
from collections.abc import Iterator

from services.validation.domain.reading.text import stem

_NON = re.compile(r"非(?![常凡法但得同洲])(?P<z>[\u4e00-\u9fff]{2})|\bnon-(?P<e>[a-z]{3,})")


def counterpart_words(low: str) -> set[str]:
    """The things that a text names by what they are not; English ones as stems."""
    return {m["z"] or stem(m["e"]) for m in _NON.finditer(low)} if "非" in low or "non-" in low else set()


def mentions(low: str, word: str) -> Iterator[bool]:
    """Each mention of a thing in a text, True where it is of its counterpart."""
    if not word.isascii():
        yield from (found["non"] is not None for found in re.finditer(f"(?P<non>非)?{word}", low))
        return
    for found in re.finditer(r"(?P<non>\bnon-)?(?P<w>[a-z]+)", low):
        if stem(found["w"]) == word:
            yield found["non"] is not None


def of_counterparts(one: str, other: str) -> bool:
    """One text is told of a thing, the other of what is not of its kind only."""
    words = counterpart_words(one) ^ counterpart_words(other)
    return any(set(mentions(one, w)) ^ set(mentions(other, w)) == {True, False} for w in words)
