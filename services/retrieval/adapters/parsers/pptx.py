"""PPTX by python-pptx: a heading for each slide that is shown, its texts, tables, charts, diagrams and notes."""

from __future__ import annotations

import io
import re
from collections.abc import Iterator, Sequence
from typing import Any

from lxml import etree

from services.retrieval.adapters.parsers.archive import check_archive
from services.retrieval.adapters.parsers.cell_values import shown_value
from services.retrieval.adapters.parsers.docx_numbers import shown
from services.retrieval.adapters.parsers.tables import to_table
from services.retrieval.domain.chunks import PageStart
from services.retrieval.domain.documents import ParsedFile
from services.retrieval.domain.ingest_config import IngestConfig
from services.retrieval.domain.rejection import DocumentRejected, Reason

_A = "{http://schemas.openxmlformats.org/drawingml/2006/main}"
_GROUP = 6  # of MSO_SHAPE_TYPE
# Date, footer and slide number (of PP_PLACEHOLDER): they run through all slides.
_FURNITURE = (13, 15, 16)
_DIAGRAM_DATA = "/diagramData"
_FORMS = {"alphaLc": "lowerLetter", "alphaUc": "upperLetter", "romanLc": "lowerRoman", "romanUc": "upperRoman"}


def parse(content: bytes, path: str, config: IngestConfig) -> ParsedFile:
    """See ``registry.Parser``; a slide counts as a page."""
    check_archive(content, "ppt/presentation.xml", "PPTX", config)
    from pptx import Presentation

    text, pages, cells, empty, hidden = "", [], 0, 0, 0
    slides = list(Presentation(io.BytesIO(content)).slides)
    for number, slide in enumerate(slides, start=1):
        if slide._element.get("show") in ("0", "false"):
            hidden += 1
            continue
        blocks, count = _slide(slide)
        cells += count
        empty += not blocks
        pages.append(PageStart(len(text), number))
        title = slide.shapes.title.text_frame.text.strip() if slide.shapes.title is not None else ""
        text += "\n\n".join([f"## {' '.join(title.split()) or f'Slide {number}'}", *blocks]) + "\n\n"
    if empty == len(slides) - hidden:
        raise DocumentRejected(Reason.EMPTY_TEXT, "the slides hold no text; if they are pictures, run them through OCR")
    figures = {"pages": float(len(slides)), "empty_pages": float(empty), "table_cells": float(cells)}
    told = (f"{hidden} hidden slides were left out; show them and ingest the file again if they count",)
    return ParsedFile(text, "", tuple(pages), told if hidden else (), figures)


def _slide(slide: Any) -> tuple[list[str], int]:
    blocks, cells = [], 0
    title = slide.shapes.title
    for shape in _shapes(slide.shapes):
        if title is not None and shape.shape_id == title.shape_id:
            continue
        if shape.is_placeholder and shape.placeholder_format.type in _FURNITURE:
            continue
        if getattr(shape, "has_table", False) and shape.has_table:
            table, count = to_table(_table(shape.table))
            cells += count
            blocks.append(table)
        elif getattr(shape, "has_chart", False) and shape.has_chart:
            block, count = _chart(shape.chart)
            cells += count
            blocks.append(block)
        elif shape.has_text_frame:
            blocks.append(_paragraphs(shape.text_frame.paragraphs))
        else:
            blocks.append("\n".join(f"- {line}" for line in _diagram(shape)))
    if slide.has_notes_slide and slide.notes_slide.notes_text_frame is not None:
        blocks.append(_clean(slide.notes_slide.notes_text_frame.text, "\n"))
    return [block for block in blocks if block], cells


def _shapes(shapes: Any) -> Iterator[Any]:
    for shape in shapes:
        if shape.shape_type == _GROUP:
            yield from _shapes(shape.shapes)
        else:
            yield shape


def _paragraphs(paragraphs: Sequence[Any]) -> str:
    """One paragraph as it is, several as a list with their levels and numbers."""
    found = [(p, text) for p in paragraphs if (text := _clean(p.text))]
    if len(found) < 2:
        return "".join(text for _, text in found)
    lines, counts = [], [0] * 10
    for paragraph, text in found:
        level = min(paragraph.level, 8)
        numbering = paragraph._p.find(f"{_A}pPr/{_A}buAutoNum")
        counts[level] = counts[level] + 1 if numbering is not None else 0
        counts[level + 1 :] = [0] * (9 - level)
        mark = "-" if numbering is None else _number(numbering, counts[level])
        lines.append(f"{'  ' * level}{mark} {text}")
    return "\n".join(lines)


def _number(numbering: Any, count: int) -> str:
    form = re.match(r"(?:alpha|roman)[UL]c", numbering.get("type", ""))
    start = numbering.get("startAt", "1")
    number = count - 1 + (int(start) if start.isdecimal() else 1)
    return f"{shown(number, _FORMS.get(form.group(), 'decimal') if form else 'decimal')}."


def _table(table: Any) -> list[list[str]]:
    """Rows of a table; a cell that is merged downwards is told in each of its rows."""
    rows: list[list[str]] = []
    for number, row in enumerate(table.rows):
        texts = []
        for column, cell in enumerate(row.cells):
            above = cell.is_spanned and not cell._tc.get("hMerge") and number > 0
            texts.append(rows[number - 1][column] if above else _clean(cell.text))
        rows.append(texts)
    return rows


def _chart(chart: Any) -> tuple[str, int]:
    """The figures of a chart as a table below its title."""
    title = chart.chart_title.text_frame.text if chart.has_title and chart.chart_title.has_text_frame else ""
    rows: list[list[str]] = []
    for plot in chart.plots:
        names = [str(category) for category in plot.categories]
        series = list(plot.series)
        rows.append(["", *(one.name or "" for one in series)])
        values = [[shown_value(value, "") for value in one.values] for one in series]
        length = max((len(column) for column in values), default=0)
        for index in range(length):
            name = names[index] if index < len(names) else ""
            rows.append([name, *(column[index] if index < len(column) else "" for column in values)])
    table, cells = to_table(rows)
    return "\n\n".join(part for part in (_clean(title), table) if part), cells


def _diagram(shape: Any) -> list[str]:
    """Texts of a diagram (SmartArt), which stand in a part of their own."""
    relations = shape._element.xpath(".//*[local-name()='relIds']/@*[local-name()='dm']")
    found = []
    for relation in relations:
        part = shape.part.rels.get(relation)
        if part is None or not part.reltype.endswith(_DIAGRAM_DATA):
            continue
        root = etree.fromstring(part.target_part.blob, etree.XMLParser(resolve_entities=False, no_network=True))
        paragraphs = ("".join(p.itertext(f"{_A}t")) for p in root.iter(f"{_A}p"))
        found += [text for paragraph in paragraphs if (text := _clean(paragraph))]
    return found


def _clean(text: str, line_break: str = " ") -> str:
    """A text without the vertical tabs that stand for line breaks within a paragraph."""
    return text.replace("\x0b", line_break).strip()
