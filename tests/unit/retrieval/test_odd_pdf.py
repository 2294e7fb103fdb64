"""PDFs as programs write them: titles that are none, text beside the page, merged cells, words broken at line ends."""

from __future__ import annotations

import pytest

from services.retrieval.adapters.parsers import pdf_layout, pdf_table_checks
from services.retrieval.adapters.parsers.pdf import _title
from services.retrieval.adapters.parsers.pdf_blocks import Block, PageLines
from services.retrieval.adapters.parsers.pdf_edges import repeated_count
from services.retrieval.adapters.parsers.pdf_grid import Grid
from services.retrieval.adapters.parsers.pdf_layout import Title, assemble
from services.retrieval.adapters.parsers.registry import parse_file
from services.retrieval.domain.documents import ParsedFile
from services.retrieval.domain.ingest_config import IngestConfig
from tests.unit.retrieval.pdf_writer import Page, pdf

_X, _Y = (72, 192, 312, 432), (100, 124, 148, 172, 196)


def read(*pages: Page) -> ParsedFile:
    return parse_file(pdf(*pages), "t.pdf", IngestConfig())


def pages_of(*pages: list[str]) -> list[PageLines]:
    return [PageLines(number, [Block(lines)]) for number, lines in enumerate(pages, start=1)]


def joined(*lines: str) -> str:
    return assemble(pages_of(list(lines)), []).text.strip()


@pytest.mark.parametrize(
    ("lines", "text"),
    [
        (("The inspec-", "tion of self-", "contained pumps"), "The inspection of self-contained pumps"),
        (("COVID-", "19 rules for non-", "EU staff, 2-", "3 bar"), "COVID-19 rules for non-EU staff, 2-3 bar"),
        (("from pre-", "and post-war days"), "from pre- and post-war days"),
        (("a cost of 5 -", "8 EUR"), "a cost of 5 - 8 EUR"),
        (("what happened in the", "war. After it the limit was", "5.0 bar or, as to", "it. All"),
         "what happened in the war. After it the limit was 5.0 bar or, as to it. All"),
        (("Items follow", "a) one", "ii. two", "3. three", "(4)four", "一、总则"),
         "Items follow\n\na) one\n\nii. two\n\n3. three\n\n(4)four\n\n一、总则"),
    ],
)  # fmt: skip
def test_lines_are_joined_as_they_are_read(lines: tuple[str, ...], text: str) -> None:
    assert joined(*lines) == text


def test_items_that_run_over_all_pages_are_no_running_headers() -> None:
    pages = pages_of(*[["ACME Manual", *(f"Code {10 * page + n}: stop." for n in range(8)), "4"] for page in range(5)])
    text = assemble(pages, []).text
    assert "ACME" not in text and all(f"Code {n}: stop." in text for n in (0, 7, 10, 47))
    assert repeated_count(pages) == 10


@pytest.mark.parametrize("end", ["........ 7", ". . . . . 7", ".....", "…… 12"])
def test_dots_that_lead_to_a_page_are_left_out_where_there_are_headings(end: str) -> None:
    assembled = assemble(pages_of([f"Safety {end}"], ["Safety", "Wear it ... always."]), [Title("Safety", 1, 1)])
    assert assembled.text == "# Safety\n\nWear it ... always.\n\n"


def test_dots_and_figures_are_looked_at_no_further_than_they_go(monkeypatch: pytest.MonkeyPatch) -> None:
    looked: list[int] = []

    class Measured:
        def __init__(self, pattern: object) -> None:
            self._pattern = pattern

        def search(self, text: str, start: int = 0) -> object:
            looked.append(len(text) - start)
            return self._pattern.search(text, start)  # type: ignore[attr-defined]

        def fullmatch(self, text: str) -> object:
            looked.append(len(text))
            return self._pattern.fullmatch(text)  # type: ignore[attr-defined]

    monkeypatch.setattr(pdf_layout, "_LEADERS", Measured(pdf_layout._LEADERS))
    monkeypatch.setattr(pdf_table_checks, "_FIGURE", Measured(pdf_table_checks._FIGURE))
    assemble(pages_of(["." * 9_000 + " " * 9_000 + "x"]), [Title("T", 1, 0)])
    assert not pdf_table_checks._is_figure("1" + "%" * 9_000 + "x y")
    assert looked and max(looked) <= 40


@pytest.mark.parametrize(
    ("given", "title"),
    [
        ("(anonymous)", ""), ("untitled", ""), ("Document1", ""), ("Microsoft Word - Report final.docx", ""),
        ("PowerPoint Presentation", ""), ("无标题", ""), ("  ", ""), ("Microsoft Word - Pump manual", "Pump manual"),
        ("Documents of the pump", "Documents of the pump"), ("Pump 3.1", "Pump 3.1"),
    ],
)  # fmt: skip
def test_titles_that_programs_wrote_are_none(given: str, title: str) -> None:
    assert _title(given) == title


def test_words_beside_the_page_are_not_read() -> None:
    page = Page()
    page.text(72, 100, "Words that are seen on the page.")
    for x, y in ((72, 900), (900, 100), (-400, 100), (72, -50)):
        page.text(x, y, "unseen words")
    assert read(page).text.strip() == "Words that are seen on the page."


def test_a_short_page_without_a_picture_is_no_scan() -> None:
    page = Page()
    page.text(72, 100, "Closed.")
    assert read(page).text.strip() == "Closed."


def grid(*cells: tuple[int, int, int, int, str]) -> Page:
    """Texts in cells (column, row, columns, rows) of a drawn grid of 3 by 4, without the strokes within merged ones."""
    page = Page()
    for column, row, width, height, text in cells:
        left, right, top, bottom = _X[column], _X[column + width], _Y[row], _Y[row + height]
        for box in ((left, top, right, top), (left, bottom, right, bottom), (left, top, left, bottom),
                    (right, top, right, bottom)):  # fmt: skip
            page.box(box[0] - 0.25, box[1] - 0.25, box[2] + 0.25, box[3] + 0.25)
        if text:
            page.text(left + 6, top + 16, text)
    return page


def rows(page: Page) -> list[str]:
    return [line for line in read(page).text.split("\n") if line.startswith("|") and "---" not in line]


def test_what_is_merged_downwards_is_told_in_each_row_and_sideways_once() -> None:
    page = grid(
        (0, 0, 1, 2, "Name"), (1, 0, 2, 1, "Limits"), (1, 1, 1, 1, "low"), (2, 1, 1, 1, "high"),
        (0, 2, 1, 2, "Pump"), (1, 2, 1, 1, "1"), (2, 2, 1, 1, "2"), (1, 3, 1, 1, "3"), (2, 3, 1, 1, "4"),
    )  # fmt: skip
    assert rows(page) == ["| Name | Limits |  |", "| Name | low | high |", "| Pump | 1 | 2 |", "| Pump | 3 | 4 |"]


def test_a_word_is_not_cut_by_a_border_of_other_rows() -> None:
    page = grid(
        (0, 0, 1, 1, "A"),
        (1, 0, 2, 1, "A header that goes over"),
        (0, 1, 1, 1, "x"),
        (1, 1, 1, 1, "1"),
        (2, 1, 1, 1, "2"),
    )
    assert rows(page)[0] == "| A | A header that goes over |  |"


def test_a_grid_without_a_word_and_one_of_a_single_column_stay_out_of_tables() -> None:
    empty = grid(*((column, row, 1, 1, "") for column in range(3) for row in range(4)))
    empty.text(72, 300, "Words below the form.")
    assert read(empty).text.strip() == "Words below the form."
    single = grid((0, 0, 3, 1, "Warning"), (0, 1, 3, 1, "Hot surface"), (0, 2, 3, 1, "Do not touch"))
    assert rows(single) == [] and read(single).text.split() == ["Warning", "Hot", "surface", "Do", "not", "touch"]


def test_each_word_of_a_grid_is_looked_up_and_not_compared_with_every_cell() -> None:
    class Row:
        def __init__(self, number: int) -> None:
            self.cells = [(10.0 * x, 10.0 * number, 10.0 * x + 10, 10.0 * number + 10) for x in range(50)]

    class Table:
        bbox = (0.0, 0.0, 500.0, 500.0)
        rows = [Row(number) for number in range(50)]  # noqa: RUF012

    found = Grid(Table())
    assert found.count == 2_500
    assert found.at(255, 305) == (250.0, 300.0, 260.0, 310.0) and found.at(600, 305) is None
