"""Tables of PDFs that no rules draw: found by their columns, joined over pages, and none where there is none."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from services.retrieval.adapters.parsers.registry import parse_file
from services.retrieval.domain.documents import ParsedFile
from services.retrieval.domain.ingest_config import IngestConfig
from tests.unit.retrieval.pdf_writer import Page, pdf

PROSE = [
    "The inspection of pressure vessels follows a plan that the operator keeps and that an",
    "inspector confirms. Every vessel has a sheet of its own, which names the last and the next",
    "inspection and whoever carried it out.",
]
COLUMNS = (72, 130, 480)


def read(*pages: Page) -> ParsedFile:
    return parse_file(pdf(*pages), "t.pdf", IngestConfig())


def table(parsed: ParsedFile) -> list[list[str]]:
    """Rows of all Markdown tables of a document without the rules under the headers."""
    rows = [line for line in parsed.text.split("\n") if line.startswith("|") and not line.startswith("| ---")]
    return [[cell.strip() for cell in row.strip("|").split("|")] for row in rows if "---" not in row]


REQUIREMENTS = [
    (["6.1.1"], ["Verify that limits on the rate of requests are", "documented and kept up to date."], ["1"]),
    (["6.1.2"], ["Verify that words of the trade are listed."], ["2"]),
    (
        ["6.1.3"],
        ["Verify that all ways to sign in are docu-", "mented together with the strength that", "each has."],
        ["2"],
    ),
]
WHOLE = [
    ["#", "Description", "Level"],
    ["6.1.1", "Verify that limits on the rate of requests are documented and kept up to date.", "1"],
    ["6.1.2", "Verify that words of the trade are listed.", "2"],
    ["6.1.3", "Verify that all ways to sign in are documented together with the strength that each has.", "2"],
]


def requirements(page: Page, y: float, *, header: bool = True, shaded: bool = True, rows=REQUIREMENTS) -> float:
    """A table whose every second row is shaded, as typesetting systems print them."""
    if header:
        for x, text in zip(COLUMNS, ("#", "Description", "Level"), strict=True):
            page.text(x, y, text)
        y += 20
    for number, row in enumerate(rows):
        height = 12 * max(len(cell) for cell in row)
        if shaded and number % 2 == 0:
            page.box(66, y - 11, 540, y + height - 5, grey=0.95)
        for x, lines in zip(COLUMNS, row, strict=True):
            page.lines(x, y, lines)
        y += height + 6
    return y


@pytest.mark.parametrize("shaded", [True, False])
def test_rows_that_are_shaded_or_only_set_apart_are_a_table_with_wrapped_cells_joined(shaded: bool) -> None:
    page = Page()
    page.lines(72, 80, PROSE)
    end = requirements(page, 140, shaded=shaded)
    page.lines(72, end + 14, PROSE)
    parsed = read(page)
    assert table(parsed) == WHOLE
    assert parsed.figures["table_cells"] == 12
    before, _, after = parsed.text.partition("| # |")
    assert before.startswith("The inspection") and "carried it out." in before and "carried it out." in after


def test_rules_above_below_and_under_the_header_are_enough() -> None:
    page = Page()
    page.box(72, 96, 540, 97)
    page.lines(72, 110, ["Term", "Vessel", "Sheet"], step=16)
    page.lines(200, 110, ["Meaning", "A closed container under pressure", "The record of a vessel"], step=16)
    page.box(72, 114, 540, 115)
    page.box(72, 148, 540, 149)
    assert table(read(_by_rows(page))) == [
        ["Term", "Meaning"],
        ["Vessel", "A closed container under pressure"],
        ["Sheet", "The record of a vessel"],
    ]


def _by_rows(page: Page) -> Page:
    """The same page with its texts in the order of rows, as tables are written."""
    page._shown.sort(key=lambda item: -float(item.split(b" Td")[0].split()[-1]) if b" Td" in item else -1e9)
    return page


@pytest.mark.parametrize("header", [True, False])
def test_a_table_that_goes_on_with_or_without_its_header_is_one_and_its_pages_are_known(header: bool) -> None:
    first, second, third = Page(), Page(), Page()
    for page in (first, second, third):
        page.text(72, 40, "Handbook of inspections")
    first.lines(72, 80, PROSE)
    requirements(first, 650)
    requirements(second, 80, header=header, rows=[(["6.1.4"], ["Verify that the list is short."], ["3"]), *[
        ([f"6.2.{n}"], [f"Verify that part {n} of the plan is kept."], ["1"]) for n in range(1, 34)]])  # fmt: skip
    requirements(third, 80, header=header, rows=[(["6.3.1"], ["Verify that it ends."], ["1"])] * 2)
    parsed = read(first, second, third)
    rows = table(parsed)
    assert [row[0] for row in rows[:6]] == ["#", "6.1.1", "6.1.2", "6.1.3", "6.1.4", "6.2.1"]
    assert sum(row[0] == "#" for row in rows) == 1
    assert "Handbook" not in parsed.text
    starts = {start.page: parsed.text[start.start :] for start in parsed.pages}
    assert starts[2].startswith("| 6.1.4 |")
    assert starts[3].startswith("| 6.3.1 |")


def test_a_row_that_is_broken_between_pages_is_joined() -> None:
    first, second = Page(), Page()
    first.lines(72, 80, PROSE)
    requirements(first, 700)
    second.lines(COLUMNS[1], 60, ["Nobody has put this into any list."])
    requirements(second, 78, header=False, rows=[([f"6.2.{n}"], ["Verify more."], ["1"]) for n in range(3)])
    rows = table(read(first, second))
    assert rows[3][1].endswith("that each has.")  # a sentence that has ended is not gone on with
    first, second = Page(), Page()
    requirements(first, 700, rows=[*REQUIREMENTS[:2], (["6.1.3"], ["Verify that all ways are listed,"], ["2"])])
    second.text(COLUMNS[1], 60, "and that the list is kept.")
    requirements(second, 78, header=False, rows=[([f"6.2.{n}"], ["Verify more."], ["1"]) for n in range(3)])
    rows = table(read(first, second))
    assert rows[3] == ["6.1.3", "Verify that all ways are listed, and that the list is kept.", "2"]
    assert rows[4] == ["6.2.0", "Verify more.", "1"]


def test_a_header_of_two_lines_and_empty_cells_keep_their_columns() -> None:
    page = Page()
    for x, lines in zip((72, 200, 300, 400), (["Pump"], ["Flow", "m3/h"], ["Head", "m"], ["Note"]), strict=True):
        page.lines(x, 100, lines)
    data = [("P-101", "40", "25", ""), ("P-102", "55", "", "spare"), ("P-103", "", "31", ""), ("P-104", "40", "25", "")]
    for number, row in enumerate(data):
        for x, text in zip((72, 200, 300, 400), row, strict=True):
            if text:
                page.text(x, 130 + 18 * number, text)
    assert table(read(page)) == [["Pump", "Flow m3/h", "Head m", "Note"], *map(list, data)]


def test_a_column_that_spans_rows_does_not_swallow_them() -> None:
    page = Page()
    cells = [
        ("Site", "Unit", "Limit"),
        ("North", "Boiler", "12 bar"),
        ("", "Drum", "8 bar"),
        ("South", "Tank", "2 bar"),
    ]
    for number, row in enumerate(cells):
        for x, text in zip((72, 200, 320), row, strict=True):
            if text:
                page.text(x, 100 + 14 * number, text)
    assert table(read(page)) == [list(row) for row in cells]


def test_a_chinese_table_is_found_and_its_wrapped_cells_joined_without_spaces() -> None:
    page = Page()
    rows = [("设备", ["检查要求"], "周期"),
            ("锅炉", ["每年由有资质的检验人员进行内部检验，并", "做好记录。"], "12个月"),
                        ("储罐", ["检查外壁的腐蚀情况。"], "6个月"), ("阀门", ["检查密封。"], "3个月")]  # fmt: skip
    y = 100.0
    for first, lines, last in rows:
        page.text(72, y, first, "zh")
        page.lines(150, y, lines, font="zh")
        page.text(450, y, last, "zh")
        y += 12 * len(lines) + 8
    assert table(read(page)) == [
        ["设备", "检查要求", "周期"],
        ["锅炉", "每年由有资质的检验人员进行内部检验，并做好记录。", "12个月"],
        ["储罐", "检查外壁的腐蚀情况。", "6个月"],
        ["阀门", "检查密封。", "3个月"],
    ]


def test_a_table_on_a_page_that_lies_on_its_side() -> None:
    page = Page(turned=90)
    requirements(page, 140, shaded=False)
    assert table(read(page)) == WHOLE


def _article(page: Page) -> None:
    left = [
        "Vessels are inspected by the",
        "operator, who keeps a sheet",
        "for each of them. The sheet",
        "names the last inspection",
    ]
    for x in (72, 320):
        page.lines(x, 100, left * 8)


def _article_line_by_line(page: Page) -> None:
    for number in range(30):
        page.text(72, 100 + 12 * number, "Vessels are inspected by the operator, who")
        page.text(320, 100 + 12 * number, f"names the last of {number} inspections and the one")


def _contents(page: Page) -> None:
    page.text(72, 80, "Contents", "bold")
    for number in range(12):
        page.text(72, 100 + 14 * number, f"Chapter {number} on the inspection of vessels " + ". " * 30)
        page.text(530, 100 + 14 * number, str(3 + 2 * number))


def _contents_without_leaders(page: Page) -> None:
    page.text(72, 80, "Contents")
    page.text(520, 80, "Page")
    for number in range(12):
        page.text(72, 100 + 14 * number, f"Chapter {number} on the inspection of vessels")
        page.text(530, 100 + 14 * number, str(3 + 2 * number))


def _bullets(page: Page) -> None:
    for number in range(8):
        page.text(90, 100 + 24 * number, "\u2022")
        page.lines(
            120, 100 + 24 * number, [f"Item {number} of what has to be looked at in a vessel,", "before it is filled."]
        )


def _numbered(page: Page) -> None:
    for number in range(8):
        page.text(90, 100 + 14 * number, f"{number + 1}.")
        page.text(120, 100 + 14 * number, f"Close valve {number} and wait until it is cold.")


def _form(page: Page) -> None:
    page.text(72, 80, "Invoice", "bold", 16)
    fields = [
        ("Invoice number:", "2024-0815"),
        ("Date:", "2024-05-01"),
        ("Customer:", "ACME Ltd"),
        ("Due:", "30 days"),
        ("VAT id:", "DE 123 456"),
    ]
    for number, (label, value) in enumerate(fields):
        page.text(72, 110 + 14 * number, label)
        page.text(180, 110 + 14 * number, value)
        page.text(330, 110 + 14 * number, f"Our sign {number}:")
        page.text(450, 110 + 14 * number, f"AB-{number}")


def _addresses(page: Page) -> None:
    for x, lines in (
        (72, ["ACME Limited", "12 Main Street", "London", "United Kingdom"]),
        (350, ["Bolt and Sons", "5 Rue Haute", "Paris", "France"]),
    ):
        for number, line in enumerate(lines):
            page.text(x, 100 + 14 * number, line)
    page._shown.sort(key=lambda item: -float(item.split(b" Td")[0].split()[-1]))


def _code(page: Page) -> None:
    source = [
        "def inspect(vessel):",
        "limit    = 12;   // bar",
        "interval = 24;   // months",
        "return limit == interval;",
        "count    = 10;   // vessels",
    ]
    for number, line in enumerate(source):
        for part, x in ((line[:11], 90), (line[11:17], 170), (line[17:], 260)):
            if part.strip():
                page.text(x, 100 + 12 * number, part, "code")


def _equations(page: Page) -> None:
    for number in range(5):
        page.text(200, 100 + 24 * number, f"p = {number} F / A")
        page.text(520, 100 + 24 * number, f"({number + 1})")


def _numbered_lines(page: Page) -> None:
    for number in range(20):
        page.text(60, 100 + 14 * number, str(number + 1))
        page.text(
            100, 100 + 14 * number, f"The witness said that vessel {number} was cold when he came to it that day."
        )


def _references(page: Page) -> None:
    for number in range(8):
        page.text(72, 100 + 26 * number, f"[{number + 1}]")
        page.lines(
            100,
            100 + 26 * number,
            [f"A. Author and B. Writer: On the inspection of {number} vessels.", "Journal of Pressure 12, 2004."],
        )


def _title_over_a_rule(page: Page) -> None:
    page.text(72, 60, "Handbook of inspections")
    page.text(480, 60, "May 2024")
    page.box(72, 64, 540, 65)
    page.text(72, 80, "Preface")
    page.text(480, 80, "7")
    page.lines(72, 120, PROSE)


@pytest.mark.parametrize(
    "draw",
    [
        _article, _article_line_by_line, _contents, _contents_without_leaders, _bullets, _numbered, _form, _addresses,
        _code, _equations, _numbered_lines, _references, _title_over_a_rule,
    ],
)  # fmt: skip
def test_what_is_only_aligned_is_no_table_and_loses_no_word(draw: Callable[[Page], None]) -> None:
    page = Page()
    page.lines(72, 30, PROSE[:1])
    draw(page)
    parsed = read(page)
    assert table(parsed) == [], parsed.text
    assert parsed.figures["table_cells"] == 0


def test_the_items_of_an_invoice_are_a_table_and_its_form_is_none() -> None:
    page = Page()
    _form(page)
    items = [
        ("Item", "Quantity", "Price"),
        ("Gasket", "4", "12.50"),
        ("Valve, brass", "1", "140.00"),
        ("Bolt", "60", "0.20"),
    ]
    for number, row in enumerate(items):
        for x, text in zip((72, 330, 450), row, strict=True):
            page.text(x, 260 + 16 * number, text)
    parsed = read(page)
    assert table(parsed) == [list(row) for row in items]
    assert "Invoice number: 2024-0815" in parsed.text


def test_words_that_stand_between_those_of_a_table_in_the_file_are_kept() -> None:
    page = Page()
    page.text(72, 700, "A note at the foot of the page that the file writes first.")
    requirements(page, 140)
    parsed = read(page)
    assert table(parsed) == WHOLE
    assert "A note at the foot" in parsed.text


def test_a_hyphen_at_the_end_of_a_line_leaves_no_mark_in_running_text() -> None:
    page = Page()
    page.lines(
        72, 100, ["All ways to sign in are docu-", "mented with the multi-", "factor device; multi-factor is meant."]
    )
    parsed = read(page)
    assert (
        parsed.text.strip() == "All ways to sign in are documented with the multi-factor device; multi-factor is meant."
    )


def test_a_first_column_that_is_wrapped_in_the_last_row_is_whole() -> None:
    page = Page()
    rows = [(["Rule"], ["Text"], "Level"), (["Access", "control"], ["Doors are locked at night", "and checked."], "1"),
            (["Fire"], ["Hoses are tested."], "2"), (["Water", "supply"], ["Tanks are full."], "3")]  # fmt: skip
    y = 100.0
    for first, second, third in rows:
        page.lines(72, y, first)
        page.lines(180, y, second)
        page.text(450, y, third)
        y += 12 * max(len(first), len(second)) + 6
    assert [row[0] for row in table(read(page))] == ["Rule", "Access control", "Fire", "Water supply"]


def test_powers_and_numbers_of_notes_are_told_from_other_digits() -> None:
    page = Page()
    page.text(72, 100, "The area is 10 m")
    page.text(147, 96, "2", size=6)
    page.text(155, 100, "and 5 x 10")
    page.text(203.5, 96, "3", size=6)
    page.text(212, 100, "litres; H")
    page.text(251, 102, "2", size=6)
    page.text(255, 100, "O; the limits")
    page.text(313.5, 96, "1", size=6)
    page.text(320, 100, "hold for 25 days and 3 m 2 of it.")
    text = read(page).text
    for part in ("10 m²", "5 x 10^3 litres", "the limits[1] hold", "25 days and 3 m 2 of it."):
        assert part in text, text


def test_powers_in_cells() -> None:
    page = Page()
    for number, (name, flow) in enumerate([("Pump", "Flow"), ("P-1", "10"), ("P-2", "12"), ("P-3", "15")]):
        page.text(72, 100 + 16 * number, name)
        page.text(200, 100 + 16 * number, flow)
        if number:
            page.text(211.5, 96 + 16 * number, str(number + 2), size=6)
    assert [row[1] for row in table(read(page))] == ["Flow", "10^3", "12^4", "15^5"]


def _rows(page: Page, rows: list[tuple[str, ...]], top: float = 100) -> None:
    for number, row in enumerate(rows):
        for column, text in enumerate(row):
            if text:
                page.text(72 + 160 * column, top + 14 * number, text)


def test_lines_across_the_columns_head_the_rows_below_them() -> None:
    page = Page()
    group = ("Group A: pumps and their parts in the north hall", "", "")
    rows = [("Item", "Qty", "Price"), ("Nut", "1", "7"), group, ("Pump", "2", "100"), ("Seal", "8", "5")]
    _rows(page, rows)
    assert table(read(page)) == [list(row) for row in rows]


def test_a_caption_or_prose_between_two_tables_is_no_row() -> None:
    for between in ("Table 2. Limits of the pumps in the north hall", *PROSE[:1]):
        page = Page()
        rows = [("Item", "Qty", "Price"), ("Nut", "1", "7"), ("Bolt", "2", "9")]
        _rows(page, rows)
        page.text(72, 170, between)
        _rows(page, rows, 200)
        assert table(read(page)) == [list(row) for row in rows * 2]
