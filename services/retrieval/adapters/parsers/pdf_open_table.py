"""A table that may run over several pages of a PDF, until something else follows it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from services.retrieval.adapters.parsers.tables import to_table
from services.retrieval.domain.passages.chunks import PageStart

_ENDED = re.compile(r"[.!?:;。！？：；…][\"'”’)）\]]*$")
# A cell that is not longer is a figure or a word, which nothing breaks.
_SHORT = 8


@dataclass(slots=True)
class OpenTable:
    """Rows so far, the first one the header, and which of them begin a page."""

    rows: list[list[str]] = field(default_factory=list)
    header: list[str] | None = None
    _pages: dict[int, int] = field(default_factory=dict)

    def goes_on_with(self, rows: Sequence[Sequence[str]]) -> bool:
        """True if ``rows`` of the next page are of this table."""
        return bool(self.rows) and len(self.rows[0]) == len(rows[0])

    def add(self, rows: Sequence[list[str]], page: int | None) -> None:
        """More rows, on a new page unless that is None.

        A header that is printed again is left out, and a row that was broken between pages is joined.
        """
        todo = [row for row in rows if any(row)]
        if not self.rows:
            self.header = todo[0] if todo else None
        elif todo and todo[0] == self.header:
            todo = todo[1:]
        if len(self.rows) > 1 and todo and _goes_on(self.rows[-1], todo[0]):
            self.rows[-1] = [" ".join(filter(None, pair)) for pair in zip(self.rows[-1], todo[0], strict=True)]
            todo = todo[1:]
        if page is not None:
            self._pages[len(self.rows)] = page
        self.rows += todo

    def take(self) -> tuple[str, list[PageStart], int]:
        """The table as Markdown, where pages begin in it, and how many cells are not empty; empties it."""
        text, cells = to_table(self.rows)
        ends = [0]
        for line in text.split("\n"):
            ends.append(ends[-1] + len(line) + 1)
        # The rule under the header is a line more; a page that adds no row begins where the table ends.
        starts = [PageStart(min(ends[row + (row > 0)], len(text)), page) for row, page in self._pages.items()]
        self.rows, self._pages = [], {}
        return text, starts, cells


def _goes_on(row: Sequence[str], rest: Sequence[str]) -> bool:
    """True if ``rest`` is what the page had no room for: no cell begins anew, a sentence goes on."""
    both = [(one, other) for one, other in zip(row, rest, strict=True) if one and other]
    if rest[0] or not both or any(len(one) <= _SHORT and len(other) <= _SHORT for one, other in both):
        return False
    return any(other[:1].islower() or not _ENDED.search(one) for one, other in both)
