"""The cells of a sheet, row by row as they stand in the file, whatever size the sheet says it has.

openpyxl pads every row to the size a sheet declares, and one cell that it cannot cast ends the reading of the workbook.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from openpyxl.cell.read_only import ReadOnlyCell
from openpyxl.worksheet._reader import VALUE_TAG, WorkSheetParser

_WRITTEN = "str"


class SheetCells:
    """Cells of a sheet of a workbook opened with ``read_only``; counts those whose values could not be cast."""

    def __init__(self, sheet: Any) -> None:
        self._sheet = sheet
        self.unreadable = 0

    def __iter__(self) -> Iterator[tuple[int, dict[int, ReadOnlyCell]]]:
        """Numbers of rows and their cells by column, both from 1; only what the file holds."""
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
            for number, cells in parser.parse():
                yield number, {cell["column"]: ReadOnlyCell(self._sheet, **cell) for cell in cells}
            self.unreadable = parser.unreadable


def is_empty_text(cell: Any) -> bool:
    """True for a formula whose computed result is the empty text: its cell has the type of texts, and no value."""
    return bool(cell.value is None and cell.data_type == _WRITTEN)


class _Parser(WorkSheetParser):  # type: ignore[misc]
    """Keeps what a cell holds as it is written where it is no number, day or text of the workbook."""

    row_counter: int
    col_counter: int
    unreadable = 0

    def parse_cell(self, element: Any) -> dict[str, Any]:
        before = self.col_counter
        try:
            return dict(super().parse_cell(element))
        except (ValueError, OverflowError, IndexError):
            self.unreadable += 1
        column = self.col_counter if self.col_counter != before else before + 1
        self.col_counter = column
        # The number of a text that the workbook does not have tells nothing.
        value = None if element.get("t") == "s" else element.findtext(VALUE_TAG)
        return {"row": self.row_counter, "column": column, "value": value, "data_type": "s", "style_id": 0}
