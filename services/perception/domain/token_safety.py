"""A bound on the work that one token pattern can cause, as ``pattern_safety`` is for regular expressions.

A matcher keeps every stretch that a pattern can take from one word on. ``OP: '+'`` over a run of n names makes n
stretches at each of n words: a text of a thousand names then costs seconds. With every repeat bounded, a text of n
words makes at most n x ``MAX_STRETCHES`` of them.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

MAX_STRETCHES = 100
_RANGE = re.compile(r"\{(\d+)?(?:(,)(\d+)?)?\}")
_ONCE = {"1": 1, "!": 1, "?": 2}


def stretches(tokens: Sequence[Mapping[str, object]]) -> int:
    """How many stretches of different make-up the pattern can take from one word on.

    Raises:
        ValueError: for a repeat without upper bound.
    """
    count = 1
    for token in tokens:
        count *= _lengths(str(token.get("OP", "1")))
    return count


def check(tokens: Sequence[Mapping[str, object]]) -> str | None:
    """Why the pattern is refused, None if it is safe."""
    try:
        count = stretches(tokens)
    except ValueError as error:
        return str(error)
    if count > MAX_STRETCHES:
        return f"up to {count} stretches from one word on, more than {MAX_STRETCHES}; narrow the repeats"
    return None


def _lengths(op: str) -> int:
    if op in _ONCE:
        return _ONCE[op]
    hit = _RANGE.fullmatch(op)
    if hit is None or (hit.group(2) and hit.group(3) is None):
        raise ValueError(f"OP {op!r} has no upper bound: write {{1,8}} for + and {{0,8}} for *")
    if not hit.group(2):
        return 1
    return int(hit.group(3)) - int(hit.group(1) or 0) + 1
