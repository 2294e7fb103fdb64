"""Tables of a PDF page that are drawn with rules, and the text around them."""

from __future__ import annotations

import io
from typing import Any

from services.retrieval.adapters.parsers.pdf_layout import Block
from services.retrieval.adapters.parsers.tables import to_table

# A page with fewer drawn paths than this has no ruled table worth looking for: finding costs 0.1 to 0.2 s.
_MIN_PATHS = 6
# Pages examined for tables in one document; beyond, tables come through as running text.
_MAX_PAGES = 300
_PATH_OBJECT = 2


class TableFinder:
    """Finds ruled tables and counts their cells. One document, one thread."""

    def __init__(self, content: bytes) -> None:
        self._content = content
        self._document: Any = None
        self._examined = 0
        self.skipped_pages = 0
        self.cells = 0
        self.cells_lost = 0

    def close(self) -> None:
        """Frees the document."""
        if self._document is not None:
            self._document.close()

    def find(self, page: Any, index: int) -> list[Any]:
        """Tables of at least two rows and two columns on a page, top to bottom."""
        paths = sum(1 for item in page.get_objects(max_depth=1) if item.type == _PATH_OBJECT)
        if paths < _MIN_PATHS:
            return []
        if self._examined >= _MAX_PAGES:
            self.skipped_pages += 1
            return []
        self._examined += 1
        if self._document is None:
            import pdfplumber

            self._document = pdfplumber.open(io.BytesIO(self._content))
        plumber_page = self._document.pages[index]
        found = [table for table in plumber_page.find_tables() if _is_table(table)]
        plumber_page.close()
        return sorted(found, key=lambda table: table.bbox[1])


def page_blocks(page: Any, textpage: Any, index: int, finder: TableFinder) -> list[Block]:
    """The page's text from top to bottom: lines of running text, and tables as Markdown."""
    width, height = page.get_size()
    tables = finder.find(page, index)
    if not tables:
        return [Block(_lines(textpage.get_text_range()))]
    blocks: list[Block] = []
    top = 0.0
    for table in tables:
        left, upper, right, lower = table.bbox
        if upper < top:  # overlaps the one before
            continue
        blocks.append(Block(_area(textpage, 0, top, width, upper, height)))
        blocks.append(Block(_area(textpage, 0, upper, left, lower, height)))
        blocks.append(_table_block(table, textpage, height, finder))
        blocks.append(Block(_area(textpage, right, upper, width, lower, height)))
        top = lower
    blocks.append(Block(_area(textpage, 0, top, width, height, height)))
    return [block for block in blocks if block.lines]


def _table_block(table: Any, textpage: Any, height: float, finder: TableFinder) -> Block:
    rows = []
    for row in table.rows:
        rows.append([
            " ".join(_box(textpage, cell, height)) if cell is not None else "" for cell in row.cells
        ])  # fmt: skip
    text, cells = to_table(rows)
    finder.cells += cells
    whole = "".join("".join(_box(textpage, table.bbox, height)).split())
    kept = "".join("".join("".join(row) for row in rows).split())
    if len(kept) < 0.95 * len(whole):
        finder.cells_lost += max(1, round(cells * (1 - len(kept) / max(1, len(whole)))))
    return Block(text.split("\n") if text else [], is_table=True)


def _is_table(table: Any) -> bool:
    return len(table.rows) >= 2 and max(len(row.cells) for row in table.rows) >= 2


def _box(textpage: Any, box: Any, height: float) -> list[str]:
    left, top, right, bottom = box
    return _area(textpage, left, top, right, bottom, height)


def _area(textpage: Any, left: float, top: float, right: float, bottom: float, height: float) -> list[str]:
    """Lines within a box given from the top left; PDF counts from the bottom left."""
    if right - left < 1 or bottom - top < 1:
        return []
    return _lines(textpage.get_text_bounded(left, height - bottom, right, height - top))


def _lines(text: str) -> list[str]:
    return [line.strip() for line in text.replace("\r\n", "\n").replace("\r", "\n").split("\n") if line.strip()]
