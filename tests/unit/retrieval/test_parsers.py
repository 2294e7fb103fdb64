"""Formats become Markdown that keeps their structure."""

from __future__ import annotations

import io
from pathlib import Path

import pytest

from services.common.errors import FailedPrecondition
from services.retrieval.adapters.ingest_config import load_ingest_config
from services.retrieval.adapters.parsers.encoding import decode
from services.retrieval.adapters.parsers.pdf_blocks import Block, PageLines
from services.retrieval.adapters.parsers.pdf_edges import repeated_count
from services.retrieval.adapters.parsers.pdf_layout import Title, assemble
from services.retrieval.adapters.parsers.registry import parse_file
from services.retrieval.adapters.rerank_config import load_rerank_weights
from services.retrieval.domain.ingest_config import IngestConfig
from services.retrieval.domain.passages.genre import promote_headings
from services.retrieval.domain.quality.rejection import DocumentRejected

CONFIG = IngestConfig()


def _html(body: str) -> str:
    return parse_file(f"<html><body>{body}</body></html>".encode(), "a.html", CONFIG).text


def test_html_structure_is_kept_and_furniture_is_not() -> None:
    text = _html(
        "<nav>Menu</nav><h2>Title</h2><p>One <b>two</b><br>three</p><script>x()</script>"
        "<ul><li>a</li><li>b<ol><li>c</li></ol></li></ul><pre>code  here\n  x</pre><p hidden>no</p>"
    )
    assert text == "## Title\n\nOne two\nthree\n\n- a\n- b\n  1. c\n\n```\ncode  here\n  x\n```\n"


def test_html_data_tables_become_tables_and_layout_tables_paragraphs() -> None:
    data = _html("<table><tr><th>a</th><th>b</th></tr><tr><td>1|2</td><td>3</td></tr></table>")
    assert data.strip() == "| a | b |\n| --- | --- |\n| 1\\|2 | 3 |"
    layout = _html("<table><tr><td>(a)</td><td><p>first item</p></td></tr><tr><td>(b)</td><td>second</td></tr></table>")
    assert layout.strip() == "(a) first item\n\n(b) second"


def test_very_deep_html_is_read_whole_or_refused() -> None:
    def deep(levels: int) -> bytes:
        return b"<p>Before</p>" + b"<div>" * levels + b"deep" + b"</div>" * levels + b"<p>after</p>"

    assert parse_file(deep(1000), "deep.html", CONFIG).text.split() == ["Before", "deep", "after"]
    with pytest.raises(DocumentRejected, match="nest too deeply at line 1"):
        parse_file(deep(5000), "deep.html", CONFIG)


def test_genre_headings_take_their_title_line() -> None:
    text = promote_headings(
        "CHAPTER III\n\nRights of the data subject\n\nArticle 17\n\nRight to erasure\n\nThe data subject shall have."
    )
    assert (
        text == "## CHAPTER III Rights of the data subject\n\n#### Article 17 Right to erasure\n\n"
        "The data subject shall have."
    )
    assert promote_headings("Article 17 says that nothing is a heading here.").startswith("Article")


def test_csv_and_workbooks_become_tables() -> None:
    from openpyxl import Workbook

    assert (
        parse_file("名称;值\n泵;12\n".encode("gb18030"), "a.csv", CONFIG).text
        == "| 名称 | 值 |\n| --- | --- |\n| 泵 | 12 |\n"
    )
    book = Workbook()
    sheet = book.active
    assert sheet is not None
    sheet.title = "Fleet"
    for row in (["model", "kt"], ["A320", 440.0]):
        sheet.append(row)
    buffer = io.BytesIO()
    book.save(buffer)
    assert (
        parse_file(buffer.getvalue(), "a.xlsx", CONFIG).text
        == "## Fleet\n\n| model | kt |\n| --- | --- |\n| A320 | 440 |\n"
    )


def test_slides_are_pages_with_headings() -> None:
    from pptx import Presentation

    deck = Presentation()
    slide = deck.slides.add_slide(deck.slide_layouts[1])
    slide.shapes.title.text = "Results"
    slide.placeholders[1].text = "Revenue grew"
    buffer = io.BytesIO()
    deck.save(buffer)
    parsed = parse_file(buffer.getvalue(), "a.pptx", CONFIG)
    assert parsed.text.startswith("## Results\n\nRevenue grew")
    assert [page.page for page in parsed.pages] == [1]


def _pages(*pages: list[str]) -> list[PageLines]:
    return [PageLines(number, [Block(lines)]) for number, lines in enumerate(pages, start=1)]


def test_running_headers_and_page_numbers_are_removed() -> None:
    pages = _pages(*[["ACME Handbook 2024", f"Body of page number {'x' * n} ends here.", str(n)] for n in range(1, 6)])
    assembled = assemble(pages, [])
    text, starts = assembled.text, assembled.pages
    assert "ACME" not in text
    assert text.count("Body of page") == 5
    assert [start.page for start in starts] == [1, 2, 3, 4, 5]


def test_lines_are_joined_words_mended_and_hyphens_kept_where_they_belong() -> None:
    lines = [
        "The multi-factor rule con-",
        "siders a multi-",
        "factor device and more words here",
        "第一行文字",
        "第二行文字",
    ]
    text = assemble(_pages(lines), []).text
    assert "rule considers a multi-factor device" in text
    assert "第一行文字第二行文字" in text


def test_outline_entries_become_headings_on_their_page_only() -> None:
    pages = _pages(["Contents", "Safety ........ 2"], ["Safety", "Wear a helmet."])
    assembled = assemble(pages, [Title("Safety", 2, 1)])
    text, starts = assembled.text, assembled.pages
    assert "## Safety\n\nWear a helmet." in text
    assert "...." not in text
    assert text[starts[1].start :].startswith("## Safety")


def test_text_that_looks_like_markdown_is_not() -> None:
    text = assemble(_pages(["# Description Level", "and more"]), []).text
    assert text.startswith("\\# Description")


def _pdf_with_table(rows: list[list[str]]) -> bytes:
    """A page with a line of text, a table drawn with rules, and another line."""
    width, height, left, top = 120, 24, 72, 660
    drawn = [f"{left} {top - n * height} {width * len(rows[0])} 0.5 re f" for n in range(len(rows) + 1)]
    depth = height * len(rows)
    drawn += [f"{left + n * width} {top - depth} 0.5 {depth} re f" for n in range(len(rows[0]) + 1)]
    texts = [(left, 700, "Words that stand before the table."), (left, top - depth - 40, "Words that come after it.")]
    for r, row in enumerate(rows):
        texts += [(left + c * width + 6, top - r * height - 16, cell) for c, cell in enumerate(row)]
    shown = [f"BT /F1 10 Tf {x} {y} Td ({text}) Tj ET" for x, y, text in texts]
    content = "\n".join([*drawn, *shown]).encode()
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 4 0 R "
        b"/Resources << /Font << /F1 << /Type /Font /Subtype /Type1 /BaseFont /Helvetica >> >> >> >>",
        b"<< /Length %d >>\nstream\n%s\nendstream" % (len(content), content),
    ]
    body = b"%PDF-1.4\n" + b"".join(b"%d 0 obj\n%s\nendobj\n" % (n, o) for n, o in enumerate(objects, start=1))
    return body + b"trailer << /Size 5 /Root 1 0 R >>\n%%EOF\n"


def test_a_ruled_table_of_a_pdf_becomes_a_table_in_its_place_with_every_cell() -> None:
    parsed = parse_file(_pdf_with_table([["Model", "Speed"], ["A320", "440 kt"], ["A330", "470 kt"]]), "t.pdf", CONFIG)
    assert parsed.text.split("\n\n")[:3] == [
        "Words that stand before the table.",
        "| Model | Speed |\n| --- | --- |\n| A320 | 440 kt |\n| A330 | 470 kt |",
        "Words that come after it.",
    ]
    assert (parsed.figures["table_cells"], parsed.figures["table_cells_lost"]) == (6, 0)


def test_a_paragraph_that_runs_over_two_thousand_pages_is_joined_once() -> None:
    line = "words that fill the whole width of a line without an end of a sentence con-"
    assembled = assemble(_pages(*[[line.replace("words", f"words {n}")] * 40 for n in range(2000)]), [])
    text, starts = assembled.text, assembled.pages
    assert len(starts) == 2000
    assert text[starts[1999].start :].startswith("words 1999")


def test_running_headers_are_counted() -> None:
    pages = _pages(*[["ACME Handbook 2024", f"Body of {'x' * n} ends here.", str(n)] for n in range(1, 6)])
    assert repeated_count(pages) == 10


def test_utf8_that_is_cut_off_is_refused_and_hurt_utf8_is_marked() -> None:
    text = "公司应当遵守法律，这是规定。" * 20
    with pytest.raises(DocumentRejected) as cut:
        parse_file(text.encode()[:-1], "a.md", CONFIG)
    assert cut.value.reason == "INCOMPLETE_FILE" and "cut off" in cut.value.message
    hurt = parse_file(text.encode() + b"\xe5\x85" + text.encode(), "a.md", CONFIG)
    assert hurt.text.replace("\ufffd", "") == text * 2
    assert "damaged" in hurt.warnings[0]
    assert decode("Café, naturally, costs more".encode("cp1252"), "x")[1] == "cp1252"


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "gb18030", "cp1252"])
def test_encodings_are_told_apart(encoding: str) -> None:
    text = (
        "Café costs 5 and “more”, naturally."
        if encoding == "cp1252"
        else "公司应当依法经营，这是法律的规定。English too."
    )
    assert decode(text.encode(encoding), "x")[0] == text


def test_the_shipped_configuration_loads_with_the_defaults(repository: Path) -> None:
    assert load_ingest_config(repository / "config" / "ingest.yaml") == IngestConfig()


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("chunking: {target_tokens: 900}", ["target_tokens must not exceed"]),
        ("chunking: {max: 3}", ["chunking.max"]),
        ("limits: {pages: many}", ["limits.pages", "'many'"]),
        ("chunking:\n\t- x", ["ingest.yaml:2: not valid YAML"]),
    ],
)
def test_a_wrong_configuration_is_named_with_field_or_line(tmp_path: Path, text: str, words: list[str]) -> None:
    path = tmp_path / "ingest.yaml"
    path.write_text(text, "utf-8")
    with pytest.raises(FailedPrecondition) as caught:
        load_ingest_config(path)
    for word in [str(path), *words]:
        assert word in caught.value.message


@pytest.mark.parametrize("load", [load_ingest_config, load_rerank_weights])
@pytest.mark.parametrize("content", [None, b"\xff\xfe"], ids=["absent", "not UTF-8"])
def test_a_configuration_that_cannot_be_read_is_no_silent_default(tmp_path: Path, load, content) -> None:
    path = tmp_path / "some.yaml"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(FailedPrecondition) as caught:
        load(path)
    assert str(path) in caught.value.message
