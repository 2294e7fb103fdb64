"""Workbooks with what is hidden, struck out, raised, wrong or damaged in them: read as their readers see them."""

from __future__ import annotations

import datetime as dt
import io
import zipfile
from collections.abc import Callable
from typing import Any

import pytest
from openpyxl import Workbook
from openpyxl.styles import Font

from services.retrieval.adapters.parsers.cell_values import shown_value
from services.retrieval.adapters.parsers.registry import parse_file
from services.retrieval.domain.documents import ParsedFile
from services.retrieval.domain.ingest_config import IngestConfig
from services.retrieval.domain.quality.rejection import DocumentRejected, Reason

_SHEET, _STRINGS = "xl/worksheets/sheet1.xml", "xl/sharedStrings.xml"
_ROWS = (["Name", "Cost", "Value"], ["Pump", 99, 5], ["Fan", 98, 6], ["Valve", 97, 7])
Change = Callable[[str, bytes], bytes]


def book(*rows: list[Any], prepare: Callable[[Any], object] = lambda _sheet: None) -> bytes:
    made = Workbook()
    for row in rows or _ROWS:
        made.active.append(row)
    prepare(made.active)
    buffer = io.BytesIO()
    made.save(buffer)
    return buffer.getvalue()


def read(content: bytes, change: Change = lambda _name, data: data) -> ParsedFile:
    changed = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(content)) as source, zipfile.ZipFile(changed, "w") as target:
        for name in source.namelist():
            target.writestr(name, change(name, source.read(name)))
    return parse_file(changed.getvalue(), "a.xlsx", IngestConfig())


def on(part: str, old: bytes, new: bytes) -> Change:
    def change(name: str, data: bytes) -> bytes:
        assert name != part or old in data
        return data.replace(old, new) if name == part else data

    return change


def test_rows_and_columns_hidden_by_hand_are_left_out_and_told() -> None:
    def hide(sheet: Any) -> None:
        sheet.row_dimensions[3].hidden = True
        sheet.column_dimensions["B"].hidden = True

    parsed = read(book(prepare=hide))
    assert parsed.text == "## Sheet\n\n| Name | Value |\n| --- | --- |\n| Pump | 5 |\n| Valve | 7 |\n"
    assert [warning.split(" were")[0] for warning in parsed.warnings] == ["1 hidden rows", "1 hidden columns"]


def test_cells_merged_over_a_hidden_row_are_told_in_those_that_are_shown() -> None:
    def merge(sheet: Any) -> None:
        sheet.merge_cells("A2:A4")
        sheet.row_dimensions[2].hidden = True

    head: list[Any] = ["Site", "Item", "Limit"]
    parsed = read(book(head, ["Berlin", "Pump", 5], [None, "Valve", 6], [None, "Fan", 7], prepare=merge))
    assert parsed.text.endswith("| Berlin | Valve | 6 |\n| Berlin | Fan | 7 |\n") and "Pump" not in parsed.text


def test_a_number_of_a_row_that_no_sheet_has_costs_nothing_of_it() -> None:
    parsed = read(book(), on(_SHEET, b'<row r="3"', b'<row r="000000001' + b"9" * 5000 + b'"'))
    assert "| Fan | 98 | 6 |" in parsed.text


def test_rows_hidden_by_a_filter_or_folded_with_their_group_are_read() -> None:
    def fold(sheet: Any) -> None:
        sheet.row_dimensions.group(3, 4, hidden=True)

    def filtered(sheet: Any) -> None:
        sheet.row_dimensions[3].hidden = True
        sheet.auto_filter.ref = "A1:C4"
        sheet.auto_filter.add_filter_column(0, ["Pump"])

    for prepare in (fold, filtered):
        parsed = read(book(prepare=prepare))
        assert "Fan" in parsed.text and parsed.warnings == ()


def test_what_is_struck_out_does_not_hold_and_is_told() -> None:
    def strike(sheet: Any) -> None:
        sheet["B2"].font = Font(strike=True)

    parsed = read(book(prepare=strike))
    assert "99" not in parsed.text and "98" in parsed.text
    assert parsed.warnings[0].startswith("1 cells are struck out")


def test_errors_of_formulas_stand_as_they_are_shown_and_are_told() -> None:
    parsed = read(book(["Name", "Rate"], ["a", "#DIV/0!"], ["b", "#N/A"], ["c", 5]))
    assert "| a | #DIV/0! |" in parsed.text and "| c | 5 |" in parsed.text
    assert parsed.warnings[0].startswith("2 cells hold errors such as #DIV/0!")


@pytest.mark.parametrize("written", ["-5", "2958466", "1e300", "1e999"])
def test_days_that_no_calendar_has_stand_as_they_are_written_and_are_told(written: str) -> None:
    content = book(["Name", "Since"], ["a", dt.date(2024, 5, 1)], ["b", dt.date(2024, 5, 2)])
    parsed = read(content, on(_SHEET, b"<v>45414</v>", f"<v>{written}</v>".encode()))
    assert f"| b | {written} |" in parsed.text and "| a | 2024-05-01 |" in parsed.text
    assert parsed.warnings[0].startswith("1 cells hold no number or day")


def test_strings_of_runs_keep_powers_and_lose_readings_and_what_is_struck_out() -> None:
    strings = (
        b'<sst xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main">'
        b'<si><r><t>10</t></r><r><rPr><vertAlign val="superscript"/></rPr><t>3</t></r><r><t xml:space="preserve"> m</t>'
        b"</r></si><si><r><rPr><strike/></rPr><t>old</t></r><r><t>new</t></r></si>"
        b"<si><t>K</t><rPh sb='0' eb='1'><t>reading</t></rPh></si>"
        b"<si><t>a_x000D_&#10;b_x005F_x0041__xD800_</t></si></sst>"
    )
    rows = b"".join(b'<row r="%d"><c r="A%d" t="s"><v>%d</v></c></row>' % (n, n, n - 1) for n in range(1, 5))
    source = io.BytesIO(book(["x"]))
    with zipfile.ZipFile(source, "a") as archive:
        archive.writestr(_STRINGS, strings)
    override = (
        b'<Override PartName="/xl/sharedStrings.xml" ContentType="application/vnd.openxmlformats-officedocument.'
        b'spreadsheetml.sharedStrings+xml"/></Types>'
    )

    def change(name: str, data: bytes) -> bytes:
        if name == _SHEET:
            start, end = data.index(b"<sheetData>"), data.index(b"</sheetData>")
            return data[: start + len(b"<sheetData>")] + rows + data[end:]
        return data.replace(b"</Types>", override)

    assert read(source.getvalue(), change).text.split("\n")[2:-1] == [
        "| 10^3 m |", "| --- |", "| new |", "| K |", "| a b_x0041__xD800_ |",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("value", "form", "text"),
    [
        (1234, "000000", "001234"), (-7, "000", "-007"), (5, '"No. "000', "No. 005"), (12.5, "000", "12.5"),
        (1, '"yes";"no";"none"', "yes"), (-1, '"yes";"no";"none"', "no"), (0, '"yes";"no";"none"', "none"),
        (5, ";;;", "5"), ("x", '"Ref: "@', "Ref: x"), ("x", '0;-0;0;@" kg"', "x kg"), ("x", "General", "x"),
    ],
)  # fmt: skip
def test_codes_and_words_that_formats_show_are_told(value: object, form: str, text: str) -> None:
    assert shown_value(value, form) == text


@pytest.mark.parametrize(
    "change",
    [
        on(_SHEET, b'<c r="B2"', b'<c r="B2" s="99"'), on(_SHEET, b'<row r="2"', b'<row r="x"'),
        lambda name, data: b"<x" if name.startswith("docProps/") else data,
        lambda name, data: data.replace(
            b"http://schemas.openxmlformats.org/spreadsheetml/2006/", b"http://purl.oclc.org/ooxml/spreadsheetml/"
        ),
        on(_SHEET, b"</sheetData>", b'</sheetData><hyperlinks><hyperlink ref="?"/></hyperlinks><pageSetup scale="x"/>'),
    ],
)  # fmt: skip
def test_what_does_not_concern_the_values_of_cells_refuses_no_workbook(change: Change) -> None:
    parsed = read(book(), change)
    assert "| Pump | 99 | 5 |" in parsed.text and parsed.warnings == ()


def test_a_sheet_that_breaks_off_is_refused_by_its_name() -> None:
    with pytest.raises(DocumentRejected, match="the sheet 'Sheet' is damaged") as refused:
        read(book(), lambda name, data: data[:-200] if name == _SHEET else data)
    assert refused.value.reason is Reason.UNREADABLE_FILE


def test_texts_of_boxes_that_lie_on_a_sheet_are_read() -> None:
    drawing = (
        '<xdr:wsDr xmlns:xdr="http://schemas.openxmlformats.org/drawingml/2006/spreadsheetDrawing" '
        'xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main"><xdr:sp><xdr:txBody><a:p><a:r>'
        "<a:t>Prices </a:t></a:r><a:r><a:t>without tax</a:t></a:r></a:p><a:p/></xdr:txBody></xdr:sp></xdr:wsDr>"
    )
    relation = (
        '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">'
        '<Relationship Id="r1" Type="http://x/relationships/drawing" Target="../drawings/drawing1.xml"/>'
        "</Relationships>"
    )
    buffer = io.BytesIO(book())
    with zipfile.ZipFile(buffer, "a") as archive:
        archive.writestr("xl/worksheets/_rels/sheet1.xml.rels", relation)
        archive.writestr("xl/drawings/drawing1.xml", drawing)
    assert read(buffer.getvalue()).text.endswith("| Valve | 97 | 7 |\n\nPrices without tax\n")
