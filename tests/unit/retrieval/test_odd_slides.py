"""Slides with objects that the library does not know or that lack a part: the rest of the deck is read."""

from __future__ import annotations

import io
import re
import zipfile
from collections.abc import Callable

import pytest
from pptx import Presentation
from pptx.chart.data import CategoryChartData, XyChartData
from pptx.enum.chart import XL_CHART_TYPE

from services.retrieval.adapters.parsers.registry import parse_file
from services.retrieval.domain.documents import ParsedFile
from services.retrieval.domain.ingest_config import IngestConfig

Change = Callable[[str, bytes], bytes]


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
