"""Tables of a PDF page, drawn with rules or set apart by white space and shading, and the text around them."""

from __future__ import annotations

import io
import logging
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from services.retrieval.adapters.parsers.pdf_aligned import regions
from services.retrieval.adapters.parsers.pdf_blocks import Block
from services.retrieval.adapters.parsers.pdf_forms import Value
from services.retrieval.adapters.parsers.pdf_grid import Grid
from services.retrieval.adapters.parsers.pdf_lines import stretches
from services.retrieval.adapters.parsers.pdf_rows import rows_of
from services.retrieval.adapters.parsers.pdf_shades import Box
from services.retrieval.adapters.parsers.pdf_table_checks import is_table
from services.retrieval.adapters.parsers.pdf_words import PageText, Word, lines_of

# A page with fewer drawn paths than this has no ruled table worth looking for: finding costs 0.1 to 0.2 s.
_MIN_PATHS = 6
# Pages examined for ruled tables in one document; beyond, only those that white space sets apart are found.
_MAX_PAGES = 300
# A table that ends below this share of the page may go on above that of the next one.
_LOWER, _UPPER = 0.7, 0.3
_TOLERANCE = 3.0


@dataclass(frozen=True, slots=True)
class PageTable:
    """Rows of cell texts, where the words begin that they were made of, and where it stands on its page.

    ``borders`` are the left and right ends of what lies between two columns.
    """

    rows: list[list[str]]
    words: frozenset[int]
    borders: list[tuple[float, float]]
    box: Box
    page_height: float

    @property
    def top(self) -> float:
        """Distance from the upper edge."""
        return self.box[1]

    def continued_by(self, other: PageTable) -> bool:
        """True if a table of the next page may go on with this one: at the edges, and in the same columns."""
        if len(self.borders) != len(other.borders):
            return False
        if self.box[3] < _LOWER * self.page_height or other.top > _UPPER * other.page_height:
            return False
        pairs = zip(self.borders, other.borders, strict=True)
        return all(max(a[0], b[0]) <= min(a[1], b[1]) + _TOLERANCE for a, b in pairs)


class TableFinder:
    """Finds tables and counts cells that did not come through. One document, one thread."""

    def __init__(self, content: bytes) -> None:
        self._content = content
        self._document: Any = None
        self._examined = 0
        self._before: PageTable | None = None
        self.skipped_pages = 0
        self.cells_lost = 0

    def close(self) -> None:
        """Frees the document."""
        if self._document is not None:
            self._document.close()

    def blocks(self, page: Any, textpage: Any, index: int, values: Iterable[Value] = ()) -> list[Block]:
        """The page's text in the order of the file, and tables as blocks of rows in their places; ``values`` of its
        form beside their labels, at its end without."""
        text = PageText(page, textpage)
        alone = text.fill_in(values)
        return [*self._blocks(page, text, index), *([Block(alone)] if alone else [])]

    def _blocks(self, page: Any, text: PageText, index: int) -> list[Block]:
        words = text.words()
        tables = self._tables(page, text, words, index)
        before, self._before = self._before, max(tables, key=lambda table: table.box[3], default=None)
        if not tables:
            return [_running(text, text.running(0, len(text.text)), index)]
        return _in_place(text, words, tables, before, index)

    def _tables(self, page: Any, text: PageText, words: Sequence[Word], index: int) -> list[PageTable]:
        drawn = text.drawn(page)
        ruled = self._ruled(text, words, index) if drawn.paths >= _MIN_PATHS else []
        aligned = []
        for lines in stretches(words):
            for region in regions(lines, drawn):
                rows = rows_of(region)
                texts = [[_joined(cell) for cell in row] for row in rows]
                taken = frozenset(word.start for row in rows for cell in row for word in cell)
                table = PageTable(texts, taken, region.gutters, region.box, text.height)
                continues = self._before is not None and self._before.continued_by(table)
                if is_table(region, texts, text.bold, continues=continues):
                    aligned.append(table)
        return _without_overlap(ruled, aligned)

    def _ruled(self, text: PageText, words: Sequence[Word], index: int) -> list[PageTable]:
        """Tables of at least two rows and two columns that are drawn as grids."""
        if self._examined >= _MAX_PAGES:
            self.skipped_pages += 1
            return []
        self._examined += 1
        if self._document is None:
            import pdfplumber

            logging.getLogger("pdfminer").setLevel(logging.ERROR)  # it tells of every font that lacks something
            self._document = pdfplumber.open(io.BytesIO(self._content))
        plumber_page = self._document.pages[index]
        found = [table for table in plumber_page.find_tables() if _is_grid(table)]
        tables = [self._filled(Grid(table), text, words) for table in found]
        plumber_page.close()
        return [table for table in tables if table is not None]

    def _filled(self, grid: Grid, text: PageText, words: Sequence[Word]) -> PageTable | None:
        """The words of a grid by cell; None without words."""
        inside = [word for word in words if _within(word.box, grid.box)]
        texts = {cell: _joined(parts) for cell, parts in grid.fill(inside, text).items()}
        whole = sum(len(word.text) for word in inside)
        kept = sum(len(cell.replace(" ", "")) for cell in texts.values())
        if not whole:
            return None
        if kept < 0.95 * whole:
            self.cells_lost += max(1, round(grid.count * (1 - kept / whole)))
        borders = [(edge, edge) for edge in grid.edges[1:-1]]
        return PageTable(grid.rows(texts), frozenset(word.start for word in inside), borders, grid.box, text.height)


def _in_place(
    page: PageText, words: Sequence[Word], tables: Sequence[PageTable], before: PageTable | None, index: int
) -> list[Block]:
    """Text in the order of the file with the tables out of it and in their places."""
    end = len(page.text)
    first = min(tables, key=lambda table: table.top)
    taken = {start for table in tables for start in table.words}
    free = [word for word in words if word.start not in taken]
    places = sorted(((_place(table, words, free, end), table) for table in tables), key=lambda item: item[0])
    blocks: list[Block] = []
    kept, done = "", 0
    for word in (*words, None):
        here = end if word is None else word.start
        while places and places[0][0] <= here:
            place, table = places.pop(0)
            blocks.append(_running(page, kept + page.running(done, place), index))
            continues = table is first and before is not None and before.continued_by(table)
            blocks.append(Block(rows=table.rows, continues=continues))
            kept, done = "", place
        kept += page.running(done, here)
        done = here
        if word is not None and word.start in taken:
            done = word.end
    blocks.append(_running(page, kept, index))
    return [block for block in blocks if block.lines or block.rows]


def _running(page: PageText, text: str, index: int) -> Block:
    """A block of running text of a page, with the looks of its lines."""
    lines = lines_of(text)
    before = (None, *(begin for begin, _ in lines))
    looks = [
        None if begin is None else page.look(begin, above, index)
        for (begin, _), above in zip(lines, before, strict=False)
    ]
    return Block([line for _, line in lines], looks=looks)


def _place(table: PageTable, words: Sequence[Word], free: Sequence[Word], end: int) -> int:
    """Where in the text a table belongs: between what stands above and below it, else where its own words are.

    Programs may write all tables of a page before or after its text.
    """
    left, top, right, bottom = table.box
    for before, after in pairwise((None, *free, None)):
        above = before is None or (before.box[3] <= top + _TOLERANCE and left < before.box[2] and before.box[0] < right)
        below = after is None or (after.box[1] >= bottom - _TOLERANCE and left < after.box[2] and after.box[0] < right)
        if above and below:
            return end if after is None else after.start
    return next(word.start for word in words if word.start in table.words)


def _without_overlap(ruled: Sequence[PageTable], aligned: Sequence[PageTable]) -> list[PageTable]:
    """Of tables that share words the larger ones."""
    kept: list[PageTable] = []
    for table in sorted([*ruled, *aligned], key=lambda item: len(item.words), reverse=True):
        if not any(table.words & other.words for other in kept):
            kept.append(table)
    return kept


def _is_grid(table: Any) -> bool:
    return len(table.rows) >= 2 and max(len(row.cells) for row in table.rows) >= 2


def _within(box: Box, outer: Box) -> bool:
    x, y = (box[0] + box[2]) / 2, (box[1] + box[3]) / 2
    return outer[0] <= x <= outer[2] and outer[1] <= y <= outer[3]


def _joined(words: Sequence[Word]) -> str:
    """The text of a cell, its lines set apart by line feeds."""
    result = ""
    for before, word in zip([None, *words], words, strict=False):
        if before is not None:
            result += "\n" if word.box[1] > (before.box[1] + before.box[3]) / 2 else " "
        result += word.text
    return result
