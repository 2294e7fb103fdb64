"""The words of a table that is drawn as a grid, cell by cell."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from typing import Any

from services.retrieval.adapters.parsers.pdf_shades import Box
from services.retrieval.adapters.parsers.pdf_words import PageText, Word

# A word belongs to the cell that it begins in unless it reaches this far into the next one, in points.
_REACH = 2.0


class Grid:
    """The cells of a table that pdfplumber found."""

    def __init__(self, table: Any) -> None:
        self.box: Box = table.bbox
        # By rows from top to bottom; None where a cell above or on the left goes on.
        self._rows: list[list[Box | None]] = [list(row.cells) for row in table.rows]
        self._cells = [[cell for cell in row if cell is not None] for row in self._rows]
        self._lefts = [[cell[0] for cell in row] for row in self._cells]
        self._tops = [min(cell[1] for cell in row) for row in self._cells]

    @property
    def count(self) -> int:
        """How many cells there are."""
        return sum(map(len, self._cells))

    @property
    def edges(self) -> list[float]:
        """Where columns begin and end, from left to right."""
        return [float(x) for x in sorted({round(x) for row in self._cells for cell in row for x in (cell[0], cell[2])})]

    def at(self, x: float, y: float) -> Box | None:
        """The cell at a place."""
        for row in range(bisect_right(self._tops, y) - 1, -1, -1):
            index = bisect_right(self._lefts[row], x) - 1
            cell = self._cells[row][index] if index >= 0 else None
            if cell is not None and x <= cell[2] and y <= cell[3]:
                return cell
        return None

    def parts(self, word: Word, text: PageText) -> list[Word]:
        """A word in parts where it runs over a border: neighbours may leave no space between them."""
        found, rest = [], word
        while True:
            left, top, right, bottom = rest.box
            cell = self.at(left + _REACH, (top + bottom) / 2)
            if cell is None or not left + _REACH < cell[2] < right - _REACH:
                break
            pieces = text.split(rest, cell[2])
            if len(pieces) < 2:
                break
            found.append(pieces[0])
            rest = pieces[1]
        return [*found, rest]

    def fill(self, words: Sequence[Word], text: PageText) -> dict[Box, list[Word]]:
        """The words of each cell, in the order of the file."""
        filled: dict[Box, list[Word]] = {}
        for word in words:
            for part in self.parts(word, text):
                left, top, right, bottom = part.box
                cell = self.at((left + right) / 2, (top + bottom) / 2)
                if cell is not None:
                    filled.setdefault(cell, []).append(part)
        return filled

    def rows(self, texts: dict[Box, str]) -> list[list[str]]:
        """Rows of the texts of cells; what is merged downwards is told in each of its rows, sideways in the first
        column."""
        lefts = sorted({cell[0] for row in self._cells for cell in row})
        result = []
        for cells, own in zip(self._rows, self._cells, strict=True):
            middle = (min(cell[1] for cell in own) + min(cell[3] for cell in own)) / 2
            row = []
            for left, cell in zip(lefts, cells, strict=True):
                shown = cell or self.at(left + _REACH, middle)
                row.append(texts.get(shown, "") if shown is not None and shown[0] == left else "")
            result.append(row)
        return result
