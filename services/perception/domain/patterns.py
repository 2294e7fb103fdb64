"""Patterns that are compiled when a text first may have them.

Half of the time that packs take to load went into compiling patterns, and most questions need one in twenty of them.
"""

from __future__ import annotations

import re


class Pattern:
    """A regular expression known to be right: ``source`` has been parsed and its work bounded already.

    Threads may share it; two that come at once compile the same thing twice.
    """

    __slots__ = ("_compiled", "flags", "source")

    def __init__(self, source: str, flags: int = 0) -> None:
        self.source = source
        self.flags = flags
        self._compiled: re.Pattern[str] | None = None

    def compiled(self) -> re.Pattern[str]:
        """The compiled pattern."""
        if self._compiled is None:
            self._compiled = re.compile(self.source, self.flags)
        return self._compiled

    def search(self, text: str) -> re.Match[str] | None:
        """As ``re.Pattern.search``."""
        return self.compiled().search(text)
