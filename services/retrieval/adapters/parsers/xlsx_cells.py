"""The cells of a sheet, row by row as they stand in the file, whatever size the sheet says it has.

openpyxl pads every row to the size a sheet declares, and one cell that it cannot cast ends the reading of the workbook.
"""

from __future__ import annotations

import datetime as dt
import math
import xml.etree.ElementTree as ElementTree
from collections import Counter
from collections.abc import Iterator
from typing import Any

from lxml import etree
from openpyxl.cell.read_only import ReadOnlyCell
from openpyxl.worksheet._reader import COL_TAG, INLINE_STRING, ROW_TAG, VALUE_TAG, WorkSheetParser
from openpyxl.xml.functions import iterparse

from services.retrieval.adapters.parsers.xlsx_book import damaged
from services.retrieval.adapters.parsers.xlsx_strings import string_of

_WRITTEN, _ERROR, _INLINE = "str", "e", "inlineStr"
_ON = ("1", "true")
_MOST_ROWS, _MOST_COLUMNS = 1_048_576, 16_384
Cells = dict[int, ReadOnlyCell]


class SheetCells:
    """Cells of a sheet of a workbook opened by ``open_book``; ``counts`` what of them is told to the owner.

    ``filtered``: rows are hidden by a filter, which is no reason to leave them out.
    """

    def __init__(self, sheet: Any, *, filtered: bool = False) -> None:
        self._sheet = sheet
        self._filtered = filtered
        self.counts: Counter[str] = Counter()

    def __iter__(self) -> Iterator[tuple[int, Cells, bool]]:
        """Numbers of rows and their cells by column, both from 1; only what the file holds. True for a hidden row.

        Raises:
            DocumentRejected: UNREADABLE_FILE.
        """
        book = self._sheet.parent
        with book._archive.open(self._sheet._worksheet_path) as stream:
            parser = _Parser(
                stream,
                self._sheet._shared_strings,
                data_only=book.data_only,
                epoch=book.epoch,
                date_formats=book._date_formats,
                timedelta_formats=book._timedelta_formats,
            )
            parser.styles = len(book._cell_styles)
            try:
                yield from self._shown(parser, _struck_styles(book))
            except (ElementTree.ParseError, etree.XMLSyntaxError) as error:
                raise damaged(f"the sheet {self._sheet.title!r} is", error) from None
            self.counts.update(unreadable=parser.unreadable, errors=parser.errors)

    def _shown(self, parser: _Parser, struck: set[int]) -> Iterator[tuple[int, Cells, bool]]:
        hidden_columns: set[int] = set()
        for number, hidden, cells in parser.rows():
            is_hidden = hidden and not self._filtered
            self.counts["hidden_rows"] += is_hidden and any(cell["value"] is not None for cell in cells)
            shown: Cells = {}
            for cell in cells:
                if cell["value"] is not None and cell["column"] in parser.hidden_columns:
                    hidden_columns |= set() if is_hidden else {cell["column"]}
                elif cell["value"] is not None and cell["style_id"] in struck:
                    self.counts["struck"] += not is_hidden
                else:
                    shown[cell["column"]] = ReadOnlyCell(self._sheet, **cell)
            yield number, shown, is_hidden
        self.counts["hidden_columns"] = len(hidden_columns)


def _struck_styles(book: Any) -> set[int]:
    fonts = book._fonts
    return {
        number
        for number, style in enumerate(book._cell_styles)
        if style.fontId < len(fonts) and fonts[style.fontId].strike
    }


def is_empty_text(cell: Any) -> bool:
    """True for a formula whose computed result is the empty text: its cell has the type of texts, and no value."""
    return bool(cell.value is None and cell.data_type == _WRITTEN)


class _Parser(WorkSheetParser):  # type: ignore[misc]
    """Reads rows only, and keeps what a cell holds as it is written where it is no number, day or text."""

    source: Any
    row_counter: int
    col_counter: int
    unreadable = 0
    errors = 0
    styles = 0

    def rows(self) -> Iterator[tuple[int, bool, list[dict[str, Any]]]]:
        """Number of each row, whether it is hidden by hand, and its cells."""
        self.hidden_columns: set[int] = set()
        for _, element in iterparse(self.source):
            if element.tag == ROW_TAG:
                number, cells = self.parse_row(element)
                yield number, _is_hidden(element), cells
                element.clear()
            elif element.tag == COL_TAG and _is_hidden(element):
                first, last = (element.get(name, "0") for name in ("min", "max"))
                if first.isdecimal() and last.isdecimal():
                    self.hidden_columns |= set(range(int(first[:9]), min(int(last[:9]), _MOST_COLUMNS) + 1))

    def parse_row(self, row: Any) -> tuple[int, list[dict[str, Any]]]:
        number = row.get("r", "")
        is_number = number.isdecimal() and len(number) < 9 and 0 < int(number) <= _MOST_ROWS
        self.row_counter = int(number) if is_number else self.row_counter + 1
        self.col_counter = 0
        return self.row_counter, [self.parse_cell(cell) for cell in row]

    def parse_cell(self, element: Any) -> dict[str, Any]:
        before = self.col_counter
        written = element.findtext(VALUE_TAG)
        kind = element.get("t")
        inline = element.find(INLINE_STRING) if kind == _INLINE else None
        if inline is not None:
            element.set("t", _WRITTEN)  # its text is read here
        try:
            cell = dict(super().parse_cell(element))
        except (ValueError, OverflowError, IndexError, KeyError):
            cell = None
        if cell is None or _is_none(cell, kind, written):
            self.unreadable += 1
            column = self.col_counter if self.col_counter != before else before + 1
            self.col_counter = column
            # The number of a text that the workbook does not have tells nothing.
            value = None if kind == "s" else written
            return {"row": self.row_counter, "column": column, "value": value, "data_type": "s", "style_id": 0}
        if inline is not None and cell["data_type"] != "f":
            cell |= {"value": string_of(inline), "data_type": "s"}
        self.errors += kind == _ERROR and cell["value"] is not None
        cell["style_id"] = cell["style_id"] if 0 <= cell["style_id"] < self.styles else 0
        return cell


def _is_hidden(element: Any) -> bool:
    """True for rows and columns that are hidden by hand, and not folded away with their group."""
    return element.get("hidden") in _ON and element.get("outlineLevel", "0") == "0"


def _is_none(cell: dict[str, Any], kind: str | None, written: str | None) -> bool:
    """True for numbers that are none and days that no calendar of a workbook has."""
    value = cell["value"]
    if isinstance(value, float) and not math.isfinite(value):
        return True
    if kind not in (None, "n"):
        return False
    is_day = isinstance(value, dt.datetime | dt.date | dt.time)
    return cell["data_type"] == _ERROR or (is_day and (written or "").strip().startswith("-"))
