"""Names from outside as they stand in messages."""

from __future__ import annotations


def printable(text: str) -> str:
    """``text`` on one line: control characters become visible escapes."""
    return "".join(char if char.isprintable() else char.encode("unicode_escape").decode() for char in text)
