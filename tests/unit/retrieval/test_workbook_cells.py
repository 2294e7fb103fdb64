"""Cells of workbooks as programs write them: empty results, sheets that say they are huge, values that are none."""

from __future__ import annotations

import io
import zipfile

import pytest
from openpyxl import Workbook

from services.retrieval.adapters.parsers import xlsx_cells
from services.retrieval.adapters.parsers.registry import parse_file
from services.retrieval.adapters.parsers.sheet_blocks import sheet_markdown
from services.retrieval.domain.documents import ParsedFile
from services.retrieval.domain.ingest_config import IngestConfig

_SPACE = 'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"'
_SHEET = "xl/worksheets/sheet1.xml"


def text(place: str, value: str) -> str:
    return f'<c r="{place}" t="inlineStr"><is><t>{value}</t></is></c>'


def read(*rows: str, dimension: str = "", after: str = "") -> ParsedFile:
    """What is read of a workbook with one sheet of these ``row`` elements' cells, each row's number first."""
    written = "".join(f'<row r="{row.split(":", 1)[0]}">{row.split(":", 1)[1]}</row>' for row in rows)
    size = f'<dimension ref="{dimension}"/>' if dimension else ""
    empty, changed = io.BytesIO(), io.BytesIO()
    Workbook().save(empty)
    with zipfile.ZipFile(empty) as source, zipfile.ZipFile(changed, "w") as target:
        for name in source.namelist():
            sheet = f"<worksheet {_SPACE}>{size}<sheetData>{written}</sheetData>{after}</worksheet>".encode()
            target.writestr(name, sheet if name == _SHEET else source.read(name))
    return parse_file(changed.getvalue(), "a.xlsx", IngestConfig())


def test_a_formula_whose_result_is_the_empty_text_has_been_computed() -> None:
    head = f"1:{text('A1', 'Name')}{text('B1', 'Note')}{text('C1', 'Sum')}"
    formula = '<f>IF(A2="x","late","")</f>'
    parsed = read(head, f'2:{text("A2", "Pump")}<c r="B2" t="str">{formula}<v></v></c><c r="C2"><f>1+1</f></c>')
    assert "late" not in parsed.text and "| Pump |  | =1+1 |" in parsed.text
    assert parsed.warnings[0].startswith("1 formulas have no computed value")


@pytest.mark.parametrize(
    "cell",
    ['<c r="B2" t="d"><v>2020-03</v></c>', '<c r="B2" t="d"><v>9999999-01-01</v></c>', '<c r="B2"><v>NaN</v></c>'],
)
def test_a_value_that_is_none_is_told_as_it_is_written_and_the_rest_is_read(cell: str) -> None:
    parsed = read(
        f"1:{text('A1', 'Name')}{text('B1', 'Since')}", f"2:{text('A2', 'Pump')}{cell}", f"3:{text('A3', 'Fan')}"
    )
    assert cell[cell.index("<v>") + 3 : cell.index("</v>")] in parsed.text and "Fan" in parsed.text
    assert parsed.warnings[0].startswith("1 cells hold no number or day")


def test_the_number_of_a_text_that_the_workbook_lacks_is_no_text() -> None:
    parsed = read(
        f"1:{text('A1', 'Name')}{text('B1', 'Since')}", f'2:{text("A2", "Pump")}<c r="B2" t="s"><v>77</v></c>'
    )
    assert "77" not in parsed.text and "Pump" in parsed.text and len(parsed.warnings) == 1


def test_rows_are_as_long_as_their_cells_whatever_the_sheet_says(monkeypatch: pytest.MonkeyPatch) -> None:
    lengths: list[int] = []
    monkeypatch.setattr(
        "services.retrieval.adapters.parsers.xlsx.sheet_markdown",
        lambda rows: (lengths.extend(map(len, rows)), sheet_markdown([["a", "b"]]))[1],
    )
    made: list[int] = []
    cell_class = xlsx_cells.ReadOnlyCell
    monkeypatch.setattr(xlsx_cells, "ReadOnlyCell", lambda sheet, **cell: made.append(1) or cell_class(sheet, **cell))
    rows = [f"{number}:{text(f'A{number}', 'a')}{text(f'B{number}', 'b')}" for number in range(1, 4)]
    read(*rows, f"1048576:{text('B1048576', 'end')}", dimension="A1:XFD1048576")
    assert lengths == [2, 2, 2, 0, 2] and len(made) == 7


def test_cells_beyond_the_size_that_a_sheet_says_it_has_are_read() -> None:
    assert "far" in read(f"1:{text('A1', 'a')}{text('B1', 'b')}", f"2:{text('C2', 'far')}", dimension="A1:B1").text


def test_what_is_merged_downwards_shows_in_rows_that_the_file_leaves_out() -> None:
    merged = '<mergeCells count="1"><mergeCell ref="B2:B4"/></mergeCells>'
    rows = [f"1:{text('A1', 'Name')}{text('B1', 'Gate')}", f"2:{text('A2', 'Pump')}{text('B2', 'G7')}"]
    assert read(*rows, f"4:{text('A4', 'Fan')}", after=merged).text.count("G7") == 3


class _Counting(str):
    """A text that counts how often it is asked whether it is empty."""

    asked = 0

    def __bool__(self) -> bool:
        _Counting.asked += 1
        return len(self) > 0


def test_blocks_of_a_sheet_are_looked_at_once_each_however_many_they_are() -> None:
    def asked(count: int) -> int:
        _Counting.asked = 0
        rows = [row for _ in range(count) for row in ([_Counting("a b"), _Counting("c d")], [])]
        sheet_markdown(rows)
        return _Counting.asked

    assert asked(200) < 3 * asked(100)
