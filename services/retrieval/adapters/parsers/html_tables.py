"""Tables of HTML: which of them hold data, and these as rows in which every cell stands in its column."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Callable, Sequence
from itertools import groupby
from typing import Any

from services.retrieval.adapters.parsers.html_rows import Row

# (a), 1., § beside a text; a bare word or number is as likely the first cell of a row.
_LABEL = re.compile(r"[\s(（\[]*+(?:[A-Za-z]{1,5}|\d{1,3}|[一二三四五六七八九十]{1,3})?[\s)）\].、]*|[—–\-•·*▪◦]")
_MARKED = re.compile(r"[(（\[)）\].、—–\-•·*▪◦]")
_MOST_SPANNED = 100
_MOST_COLUMNS = 2000
# Cells that the spans of a group of rows fill beside those that are written: a few written ones could fill millions.
_MOST_FILLED = 500_000

CellText = Callable[[Any], str]
"""From a cell to its text in one line."""


def is_label(text: str) -> bool:
    """True for what stands before an item of a list: (a), 1., a dash."""
    return bool(_LABEL.fullmatch(text.strip()))


def is_layout(table: Any, rows: Sequence[Row], text: CellText, *, data: bool) -> bool:
    """True if a table only places text: one column, one row, tables within it, or labels beside text.

    ``data``: where it comes from tables are made for data, and only those of one column or row place text.
    """
    if table.find(".//th") is not None:
        return False
    if max(len(row.cells) for row in rows) == 1 or len(rows) == 1:
        return True
    if data:
        return False
    if table.find(".//table") is not None:
        return True
    if any(len(row.cells) != 2 for row in rows):
        return False
    labels = [text(row.cells[0]).strip() for row in rows]
    marked = sum(bool(_MARKED.search(label)) for label in labels)
    return all(is_label(label) for label in labels) and (2 * marked >= len(labels) or not any(labels))


def grid(rows: Sequence[Row], text: CellText) -> tuple[list[list[str]], int]:
    """Texts in rows and columns, and how many cells of the source have a text.

    What spans rows is told in each of them, for a row is read alone; what spans columns stands in the first. A span
    ends with the group of its rows (thead, tbody, tfoot), as in browsers.
    """
    result: list[list[str]] = []
    cells = 0
    for _, group in groupby(rows, key=lambda row: row.group):
        texts, count = _group_grid([row.cells for row in group], text)
        result += texts
        cells += count
    return result, cells


def _group_grid(rows: Sequence[Sequence[Any]], text: CellText) -> tuple[list[list[str]], int]:
    result: list[list[str]] = []
    open_cells: dict[int, tuple[int, str]] = {}  # by column: rows still to come, and the text for them
    cells = filled = 0
    for number, row in enumerate(rows):
        texts: list[str] = []
        waiting = deque(row)
        while waiting or any(column >= len(texts) for column in open_cells):
            column = len(texts)
            if column in open_cells:
                left, value = open_cells.pop(column)
                texts.append(value)
                if left > 1:
                    open_cells[column] = (left - 1, value)
            elif waiting:
                cell = waiting.popleft()
                value = text(cell)
                cells += bool(value)
                width, height = _spans(cell, len(rows) - number) if column < _MOST_COLUMNS else (1, 1)
                if filled + width * height > _MOST_FILLED:
                    width = height = 1
                filled += width * height - 1
                for offset in range(width):
                    shown = value if offset == 0 else ""
                    texts.append(shown)
                    if height > 1:
                        open_cells[column + offset] = (height - 1, shown)
            else:
                texts.append("")
        result.append(texts)
    return result, cells


def _spans(cell: Any, rows_left: int) -> tuple[int, int]:
    """How many columns and rows a cell takes; 0 rows are all that are left in its group."""
    width, height = _count(cell, "colspan"), _count(cell, "rowspan")
    return max(1, min(width, _MOST_SPANNED)), min(height, rows_left) or rows_left


def _count(cell: Any, name: str) -> int:
    value = cell.get(name, "1").strip()
    return int(value) if value.isdecimal() and len(value) < 9 else 1
