"""Workbooks, tables of text and slides as people make them: formats, merged and hidden parts, charts, diagrams."""

from __future__ import annotations

import datetime as dt
import io
from typing import Any

import pytest
from lxml import etree

from services.retrieval.adapters.parsers.cell_values import shown_value
from services.retrieval.adapters.parsers.registry import parse_file
from services.retrieval.domain.documents import ParsedFile
from services.retrieval.domain.ingest_config import IngestConfig
from services.retrieval.domain.quality.rejection import DocumentRejected


def read(content: bytes, path: str) -> ParsedFile:
    return parse_file(content, path, IngestConfig())


def workbook(*sheets: tuple[str, list[list[Any]]]) -> Any:
    from openpyxl import Workbook

    book = Workbook()
    book.remove(book.active)
    for title, rows in sheets:
        sheet = book.create_sheet(title)
        for row in rows:
            sheet.append(row)
    return book


def saved(document: Any) -> bytes:
    buffer = io.BytesIO()
    document.save(buffer)
    return buffer.getvalue()


@pytest.mark.parametrize(
    ("value", "form", "text"),
    [
        (0.125, "0%", "12.5%"), (0.1 + 0.2, "General", "0.3"), (5.0, "General", "5"), (1e-7, "0.00", "1e-07"),
        (12500000, '#,##0.0,,"M"', "12.5M"), (1234567, '0.0,"K"', "1234.567K"), (-2500000, '0,,.0"M"', "-2.5M"),
        (123456, '0!.0,"万"', "12.3456万"), (123456, '0\\.0,"万"', "12.3456万"), (12, "0!℃", "12℃"),
        (5551234, '000\\-0000" x"', "5551234"), (5551234, '000!.0!.00" x"', "5551234"), (7, '0" x "-0', "7"),
        (500, '[>=1000000]0.0,,"M";[>=1000]0.0,"K";0', "500"), (2500, '[>=1000000]0.0,,"M";[>=1000]0.0,"K";0', "2.5K"),
        (1234567.5, '#,##0.00 "EUR"', "1234567.5 EUR"), (12, "[$€-407] #,##0", "€ 12"), (7, '"Rev. "0', "Rev. 7"),
        (3, "_-* #,##0.00 €_-;-* #,##0.00 €_-", "3 €"), (True, "General", "TRUE"), ("007", "@", "007"),
        (dt.datetime(2024, 5, 1), "yyyy-mm-dd", "2024-05-01"),
        (dt.datetime(2024, 5, 1, 13, 30), "d.m.yy h:mm", "2024-05-01 13:30"),
        (dt.datetime(2024, 5, 1), "d.m.yy h:mm", "2024-05-01 00:00"), (dt.time(8, 30), "h:mm", "08:30"),
        (dt.timedelta(hours=26), "[h]:mm", "26:00"), (None, "0", ""),
    ],
)  # fmt: skip
def test_cells_are_told_as_they_are_seen_with_all_their_digits(value: object, form: str, text: str) -> None:
    assert shown_value(value, form) == text


def test_titles_and_several_tables_of_a_sheet_are_told_apart() -> None:
    rows = [
        ["Valve list"],
        ["Tag", "Limit"],
        ["V-1", 5],
        [],
        ["V-2", 7],
        [],
        [None, None, "C", "D"],
        [None, None, 3, 4],
    ]
    assert read(saved(workbook(("Plant", rows))), "a.xlsx").text == (
        "## Plant\n\nValve list\n\n| Tag | Limit |\n| --- | --- |\n| V-1 | 5 |\n| V-2 | 7 |\n\n"
        "| C | D |\n| --- | --- |\n| 3 | 4 |\n"
    )


def test_cells_merged_downwards_are_told_in_each_row() -> None:
    book = workbook(("S", [["Tag", "Type"], ["V-1", "Gate"], ["V-2", None], ["V-3", "Ball"]]))
    book["S"].merge_cells("B2:B3")
    assert read(saved(book), "a.xlsx").text.count("Gate") == 2


def test_hidden_sheets_are_left_out_and_told_and_formulas_without_values_too() -> None:
    book = workbook(("Shown", [["a", "b"], [1, "=A2*2"]]), ("Secret", [["hidden"]]))
    book["Secret"].sheet_state = "hidden"
    parsed = read(saved(book), "a.xlsx")
    assert "hidden" not in parsed.text and "| 1 | =A2*2 |" in parsed.text
    assert "'Secret'" in parsed.warnings[0] and "1 formulas" in parsed.warnings[1]


def test_a_far_cell_costs_no_empty_columns() -> None:
    book = workbook(("S", [["a", "b"], [1, 2]]))
    book["S"]["AZ3"] = "far"
    assert len(read(saved(book), "a.xlsx").text) < 120


@pytest.mark.parametrize(
    ("content", "text"),
    [
        (b"sep=;\na;b\n1;2\n", "| a | b |\n| --- | --- |\n| 1 | 2 |"),
        (b"Report\nMade on Monday\n\na,b\n1,2\n", "Report\n\nMade on Monday\n\n| a | b |\n| --- | --- |\n| 1 | 2 |"),
        (b"Name\nA\nB, C\n", "| Name |  |\n| --- | --- |\n| A |  |\n| B | C |"),
        ("Größe;Preis\n1,5;2\n".encode("cp1252"), "| Größe | Preis |\n| --- | --- |\n| 1,5 | 2 |"),
        ("型号;数量\nX轴;3\n".encode("gb18030"), "| 型号 | 数量 |\n| --- | --- |\n| X轴 | 3 |"),
        (b'a,b\n5" pipe,1\n6,2\n', '| a | b |\n| --- | --- |\n| 5" pipe | 1 |\n| 6 | 2 |'),
    ],
)
def test_tables_of_text_with_titles_marks_and_encodings(content: bytes, text: str) -> None:
    assert read(content, "a.csv").text.strip() == text


def presentation() -> Any:
    from pptx import Presentation

    return Presentation()


def test_levels_numbers_and_line_breaks_of_slides() -> None:
    deck = presentation()
    slide = deck.slides.add_slide(deck.slide_layouts[1])
    slide.shapes.title.text = "Plan\x0bof work"
    frame = slide.placeholders[1].text_frame
    frame.text = "One\x0bgoes on"
    for text, level in (("Sub", 1), ("Two", 0)):
        paragraph = frame.add_paragraph()
        paragraph.text, paragraph.level = text, level
    for paragraph in (frame.paragraphs[0], frame.paragraphs[2]):
        properties = paragraph._p.get_or_add_pPr()
        etree.SubElement(
            properties, "{http://schemas.openxmlformats.org/drawingml/2006/main}buAutoNum"
        ).set("type", "arabicPeriod")  # fmt: skip
    text = read(saved(deck), "a.pptx").text
    assert text.strip() == "## Plan of work\n\n1. One goes on\n  - Sub\n2. Two"


def test_merged_cells_and_charts_of_slides() -> None:
    from pptx.chart.data import CategoryChartData
    from pptx.enum.chart import XL_CHART_TYPE

    deck = presentation()
    shapes = deck.slides.add_slide(deck.slide_layouts[6]).shapes
    table = shapes.add_table(3, 2, 0, 0, 9, 9).table
    table.cell(1, 0).merge(table.cell(2, 0))
    for row, column, text in ((0, 0, "Unit"), (0, 1, "bar"), (1, 0, "Pump"), (1, 1, "5"), (2, 1, "9")):
        table.cell(row, column).text = text
    data = CategoryChartData()
    data.categories = ["Q1", "Q2"]
    data.add_series("Sales", (1.5, 2.0))
    chart = shapes.add_chart(XL_CHART_TYPE.COLUMN_CLUSTERED, 0, 0, 9, 9, data).chart
    chart.has_title = True
    chart.chart_title.text_frame.text = "Sales by quarter"
    text = read(saved(deck), "a.pptx").text
    assert "| Pump | 5 |\n| Pump | 9 |" in text
    assert "Sales by quarter\n\n|  | Sales |\n| --- | --- |\n| Q1 | 1.5 |\n| Q2 | 2 |" in text


def test_texts_of_a_diagram_are_not_lost() -> None:
    from pptx.opc.package import Part
    from pptx.opc.packuri import PackURI

    space = "http://schemas.openxmlformats.org/drawingml/2006"
    office = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
    point = f'<a:p xmlns:a="{space}/main"><a:r><a:t>{{}}</a:t></a:r></a:p>'
    data = f"<d:m xmlns:d='{space}/diagram'>{point.format('Plan')}{point.format('Check')}</d:m>"
    deck = presentation()
    slide = deck.slides.add_slide(deck.slide_layouts[6])
    part = Part(PackURI("/ppt/diagrams/data1.xml"), "application/xml", deck.part.package, data.encode())
    relation = slide.part.relate_to(part, f"{office}/diagramData")
    frame = (
        '<p:graphicFrame xmlns:p="http://schemas.openxmlformats.org/presentationml/2006/main"><p:nvGraphicFramePr>'
        '<p:cNvPr id="9" name="d"/><p:cNvGraphicFramePr/><p:nvPr/></p:nvGraphicFramePr><p:xfrm/>'
        f'<a:graphic xmlns:a="{space}/main"><a:graphicData uri="{space}/diagram"><d:relIds xmlns:d="{space}/diagram" '
        f'xmlns:r="{office}" r:dm="{relation}"/></a:graphicData></a:graphic></p:graphicFrame>'
    )
    slide.shapes._spTree.append(etree.fromstring(frame))
    assert "- Plan\n- Check" in read(saved(deck), "a.pptx").text


def test_hidden_slides_are_left_out_and_told_and_pages_stay_those_of_the_deck() -> None:
    deck = presentation()
    for title in ("First", "Second", "Third"):
        slide = deck.slides.add_slide(deck.slide_layouts[1])
        slide.shapes.title.text = title
        slide.placeholders[1].text = f"Text of {title}"
    deck.slides[1]._element.set("show", "0")
    parsed = read(saved(deck), "a.pptx")
    assert "Second" not in parsed.text and [page.page for page in parsed.pages] == [1, 3]
    assert parsed.warnings[0].startswith("1 hidden slides")
    for slide in deck.slides:
        slide._element.set("show", "0")
    with pytest.raises(DocumentRejected):
        read(saved(deck), "a.pptx")


def test_formulas_of_arrays_and_what_if_tables_without_values_are_told_as_they_are_written() -> None:
    from openpyxl.worksheet.formula import ArrayFormula, DataTableFormula

    array = ArrayFormula("B2:B2", "=SUM(B1:B1*2)")
    rows = [["name", "total"], ["sum", array], ["rates", DataTableFormula("B3:B4", dt2D=True, r1="A1", r2="A2")]]
    rows.append(["years", DataTableFormula("B4:B5", r1="A1")])
    parsed = read(saved(workbook(("Sums", rows))), "a.xlsx")
    assert "| sum | =SUM(B1:B1*2) |" in parsed.text
    assert "| rates | =TABLE(A1,A2) |" in parsed.text
    assert "| years | =TABLE(,A1) |" in parsed.text
    assert "0x" not in parsed.text
