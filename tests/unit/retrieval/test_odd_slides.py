"""Slides with objects that the library does not know or that lack a part: the rest of the deck is read."""

from __future__ import annotations

import base64
import copy
import io
import re
import zipfile
from collections.abc import Callable
from typing import Any

import pytest
from lxml import etree
from pptx import Presentation
from pptx.chart.data import CategoryChartData, XyChartData
from pptx.enum.chart import XL_CHART_TYPE

from services.retrieval.adapters.parsers.registry import parse_file
from services.retrieval.domain.documents import ParsedFile
from services.retrieval.domain.ingest_config import IngestConfig

Change = Callable[[str, bytes], bytes]
_MC = "http://schemas.openxmlformats.org/markup-compatibility/2006"
_MATH = "http://schemas.openxmlformats.org/officeDocument/2006/math"


def read(deck: object, change: Change = lambda _name, data: data) -> ParsedFile:
    saved, changed = io.BytesIO(), io.BytesIO()
    deck.save(saved)  # type: ignore[attr-defined]
    with zipfile.ZipFile(saved) as source, zipfile.ZipFile(changed, "w") as target:
        for name in source.namelist():
            target.writestr(name, change(name, source.read(name)))
    return parse_file(changed.getvalue(), "a.pptx", IngestConfig())


def deck_with_chart() -> object:
    deck = Presentation()
    shapes = deck.slides.add_slide(deck.slide_layouts[5]).shapes
    shapes.title.text = "Sales"
    data = CategoryChartData()
    data.categories = ["Q1", "东"]
    data.add_series("Net", (1.5, 2))
    data.add_series("Gross", (2.5, None))
    shapes.add_chart(XL_CHART_TYPE.COLUMN_CLUSTERED, 0, 0, 9, 9, data)
    return deck


@pytest.mark.parametrize("plot", [b"bar3DChart", b"line3DChart", b"pie3DChart", b"stockChart", b"surfaceChart"])
def test_figures_of_any_kind_of_plot_are_read(plot: bytes) -> None:
    parsed = read(deck_with_chart(), lambda _, data: data.replace(b"c:barChart", b"c:" + plot))
    assert "|  | Net | Gross |\n| --- | --- | --- |\n| Q1 | 1.5 | 2.5 |\n| 东 | 2 |  |" in parsed.text
    assert parsed.warnings == ()


def test_points_are_told_with_both_their_places() -> None:
    deck = Presentation()
    data = XyChartData()
    for name, points in (("Low", ((1, 10), (2, 20))), ("High", ((3, 30),))):
        series = data.add_series(name)
        for x, y in points:
            series.add_data_point(x, y)
    deck.slides.add_slide(deck.slide_layouts[6]).shapes.add_chart(XL_CHART_TYPE.XY_SCATTER, 0, 0, 9, 9, data)
    assert "|  | Low |\n| --- | --- |\n| 1 | 10 |\n| 2 | 20 |\n|  | High |\n| 3 | 30 |" in read(deck).text


def test_a_chart_without_its_part_is_told_and_the_deck_is_read() -> None:
    def without(name: str, data: bytes) -> bytes:
        return re.sub(rb"<Relationship [^>]*chart[^>]*/>", b"", data) if name.endswith("slide1.xml.rels") else data

    deck = deck_with_chart()
    deck.slides[0].shapes.add_textbox(0, 0, 9, 9).text_frame.text = "Beside it"  # type: ignore[attr-defined]
    parsed = read(deck, without)
    assert "Beside it" in parsed.text
    assert parsed.warnings[0].startswith("1 objects on slides are damaged")


def test_a_text_without_a_form_and_one_with_the_id_of_the_title_are_read() -> None:
    deck = Presentation()
    shapes = deck.slides.add_slide(deck.slide_layouts[5]).shapes
    shapes.title.text = "Title"
    bare = shapes.add_textbox(0, 0, 9, 9)
    bare.text_frame.text = "Without a form"
    bare._element.nvSpPr.cNvSpPr.attrib.pop("txBox")
    bare._element.spPr.remove(bare._element.spPr.prstGeom)
    twin = shapes.add_group_shape().shapes.add_textbox(0, 0, 9, 9)
    twin.text_frame.text = "Same id"
    twin._element.nvSpPr.cNvPr.set("id", str(shapes.title.shape_id))
    assert read(deck).text.strip() == "## Title\n\nWithout a form\n\nSame id"


def slide(text: str = "") -> tuple[object, Any]:
    """A deck of a slide with a box, and the box's paragraph."""
    deck = Presentation()
    made = deck.slides.add_slide(deck.slide_layouts[5])
    made.shapes.title.text = "Title"
    frame = made.shapes.add_textbox(0, 0, 9, 9).text_frame
    frame.text = text
    return deck, frame.paragraphs[0]


def test_powers_formulas_and_what_is_struck_out_are_told_apart() -> None:
    deck, paragraph = slide("10")
    for text, name, value in (("3", "baseline", "30000"), (" m of", "lang", "en"), (" old", "strike", "sngStrike")):
        run = paragraph.add_run()
        run.text = text
        run.font._element.set(name, value)
    formula = (
        f'<mc:AlternateContent xmlns:mc="{_MC}" xmlns:m="{_MATH}"><mc:Choice Requires="a14">'
        '<a14:m xmlns:a14="http://schemas.microsoft.com/office/drawing/2010/main"><m:oMath><m:sSup><m:e><m:r><m:t>c</m:t>'
        "</m:r></m:e><m:sup><m:r><m:t>2</m:t></m:r></m:sup></m:sSup></m:oMath></a14:m></mc:Choice><mc:Fallback/>"
        "</mc:AlternateContent>"
    )
    paragraph._p.append(etree.fromstring(formula))
    assert read(deck).text == "## Title\n\n10^3 m of c^2\n\n"


def test_shapes_in_several_forms_are_read_once_and_hidden_ones_never() -> None:
    deck, paragraph = slide("wrapped")
    shape = paragraph._p.getparent().getparent()
    hidden = copy.deepcopy(shape)
    hidden.xpath(".//a:t")[0].text = "unseen"
    hidden.xpath(".//p:cNvPr")[0].set("hidden", "1")
    shape.addnext(hidden)
    both = etree.SubElement(shape.getparent(), f"{{{_MC}}}AlternateContent")
    etree.SubElement(both, f"{{{_MC}}}Choice").append(shape)
    etree.SubElement(both, f"{{{_MC}}}Fallback").append(copy.deepcopy(shape))
    assert read(deck).text == "## Title\n\nwrapped\n\n"


def test_pictures_are_told_by_their_alternative_texts() -> None:
    deck, _ = slide()
    pixel = base64.b64decode("R0lGODlhAQABAAAAACwAAAAAAQABAAACAkQBADs=")
    for text in ("Pump with two valves", "image1.png", ""):
        deck.slides[0].shapes.add_picture(io.BytesIO(pixel), 0, 0)._element.nvPicPr.cNvPr.set("descr", text)
    assert read(deck).text == "## Title\n\nPump with two valves\n\n"


def test_text_that_begins_like_markdown_stays_text_and_titles_alone_are_a_text() -> None:
    deck, _ = slide("# No heading")
    assert "\\# No heading" in read(deck).text
    deck, _ = slide()
    assert read(deck).text == "## Title\n\n"


def test_decks_in_the_strict_standard_are_read() -> None:
    deck, _ = slide("kept")
    names = (b"presentationml", b"drawingml", b"officeDocument")

    def strict(_name: str, data: bytes) -> bytes:
        for name in names:
            data = data.replace(b"openxmlformats.org/%s/2006/" % name, b"\0%s/" % name)
        return data.replace(b"http://schemas.\0", b"http://purl.oclc.org/ooxml/")

    assert "kept" in read(deck, strict).text


@pytest.mark.parametrize(
    ("part", "told"),
    [
        ("docProps/core.xml", ""), ("ppt/theme/theme1.xml", ""), ("ppt/slideLayouts/slideLayout6.xml", ""),
        ("ppt/notesSlides/notesSlide1.xml", "the notes of 1 slides are damaged"),
        ("ppt/slides/slide2.xml", "1 slides are damaged and were left out"),
    ],
)  # fmt: skip
def test_a_damaged_part_is_told_if_it_has_a_text_and_the_rest_is_read(part: str, told: str) -> None:
    deck, _ = slide("kept")
    deck.slides[0].notes_slide.notes_text_frame.text = "Noted"
    deck.slides.add_slide(deck.slide_layouts[5]).shapes.title.text = "Second"
    deck.slides.add_slide(deck.slide_layouts[5]).shapes.title.text = "Third"
    found = read(deck, lambda name, data: data[:90] if name == part else data)
    assert "kept" in found.text and "## Third" in found.text and found.pages[-1].page == 3
    assert [warning[: len(told)] for warning in found.warnings] == ([told] if told else [])
