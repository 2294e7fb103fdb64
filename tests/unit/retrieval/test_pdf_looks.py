"""What the print of a PDF tells: its headings, where there is no outline, and where its paragraphs begin."""

from __future__ import annotations

import pytest

from services.retrieval.adapters.parsers.pdf_looks import Look, usual
from services.retrieval.adapters.parsers.registry import parse_file
from services.retrieval.domain.documents import ParsedFile
from services.retrieval.domain.ingest_config import IngestConfig
from tests.unit.retrieval.pdf_writer import Page, pdf

TEXT = [
    "The inspection of pressure vessels follows a plan that the operator keeps and that an",
    "Inspector of the works confirms. Every vessel has a sheet of its own, which names the last",
    "and the next inspection and whoever carried it out, with the day and the place of it",
]


def read(*pages: Page) -> ParsedFile:
    return parse_file(pdf(*pages), "t.pdf", IngestConfig())


def blocks(*pages: Page) -> list[str]:
    return read(*pages).text.strip().split("\n\n")


def chapter(title: str, size: float = 16, section: str = "", font: str = "") -> Page:
    page = Page()
    page.text(72, 80, title, font, size)
    y = page.lines(72, 110, TEXT)
    if section:
        page.text(72, y + 20, section, font, 13)
        page.lines(72, y + 40, TEXT)
    return page


def test_larger_print_makes_headings_of_as_many_levels_as_there_are_sizes() -> None:
    cover = Page()
    cover.text(72, 300, "Manual of the pump", size=30)
    cover.text(72, 400, "Revision of May", size=20)
    found = blocks(cover, chapter("Scope", section="Terms of it"), chapter("Rules", section="Which hold"))
    assert [block for block in found if block.startswith("#")] == [
        "# Manual of the pump", "# Revision of May", "# Scope", "## Terms of it", "# Rules", "## Which hold",
    ]  # fmt: skip
    assert found.count(" ".join(TEXT)) == 4


def test_a_heading_of_two_lines_is_one_and_pages_begin_where_they_do() -> None:
    page = Page()
    page.lines(72, 80, ["Chapter two of the book:", "Duties of those who work"], 18, size=16)
    page.lines(72, 130, TEXT)
    parsed = read(chapter("Scope"), page)
    assert "# Chapter two of the book: Duties of those who work\n\n" in parsed.text
    assert parsed.text[parsed.pages[1].start :].startswith("# Chapter two")


@pytest.mark.parametrize("title", ["It ends as a sentence does.", "1234 - 5678", "A very long line " * 12])
def test_what_is_larger_and_no_title_stays_text(title: str) -> None:
    assert not any(block.startswith("#") for block in blocks(chapter(title, 12), chapter(title, 12)))


def test_large_print_throughout_is_no_heading() -> None:
    page = Page()
    page.lines(72, 80, [f"Line {number} of the poster" for number in range(20)], 30)
    page.text(72, 780, "small print of it", size=6)
    assert not any(block.startswith("#") for block in blocks(page))


def test_paragraphs_begin_where_lines_are_further_apart_and_not_within_a_sentence() -> None:
    page = Page()
    y = page.lines(72, 80, [*TEXT, *TEXT[:2]])
    y = page.lines(72, y + 8, ["Notes are kept for five years", "by whoever wrote them"])
    page.lines(72, y + 8, ["and shown on request"])
    first, second = blocks(page)
    assert first == " ".join([*TEXT, *TEXT[:2]])
    assert second == "Notes are kept for five years by whoever wrote them and shown on request"


def test_a_line_in_another_font_of_the_same_size_goes_on() -> None:
    page = Page()
    page.lines(72, 80, TEXT[:1])
    page.lines(72, 92, ["V1 of the table"], font="code")
    page.lines(72, 104, ["中文的一行文字"], font="zh")
    page.lines(72, 116, TEXT[2:])
    assert len(blocks(page)) == 1


def test_what_is_usual_is_told_by_characters_and_not_by_lines() -> None:
    looks = [Look(9.0, 1.2, 0, 80)] * 5 + [Look(14.0, 2.0, 1, 10)] * 8
    found = usual(looks)
    assert (found.size, found.gap, found.headings) == (9.0, 1.2, [14.0])
    assert found.level(Look(14.2, None, 3, 9), "Scope") == 1 and found.level(None, "Scope") is None
    assert usual([]).level(looks[-1], "Scope") is None
