"""PPTX by python-pptx: a heading for each slide that is shown, its texts, tables, charts, diagrams and notes."""

from __future__ import annotations

import io
import re
from collections.abc import Iterator, Sequence
from typing import Any

from lxml import etree

from services.retrieval.adapters.parsers.alt_text import told
from services.retrieval.adapters.parsers.archive import check_archive
from services.retrieval.adapters.parsers.docx_numbers import shown
from services.retrieval.adapters.parsers.office_parts import transitional, without_damaged
from services.retrieval.adapters.parsers.pptx_chart import chart_rows
from services.retrieval.adapters.parsers.pptx_text import choose, paragraph_text
from services.retrieval.adapters.parsers.tables import to_table
from services.retrieval.domain.documents import ParsedFile
from services.retrieval.domain.ingest_config import IngestConfig
from services.retrieval.domain.passages.chunks import PageStart
from services.retrieval.domain.quality.rejection import DocumentRejected, Reason

_A = "{http://schemas.openxmlformats.org/drawingml/2006/main}"
_GROUP = "{http://schemas.openxmlformats.org/presentationml/2006/main}grpSp"
_PICTURE = "{http://schemas.openxmlformats.org/presentationml/2006/main}pic"
_MAIN = "ppt/presentation.xml"
_NOTES = "ppt/notesSlides/notesSlide"
_MARKDOWN = ("#", "|", "```", "~~~", "<!--")
# Date, footer and slide number (of PP_PLACEHOLDER): they run through all slides.
_FURNITURE = (13, 15, 16)
_DIAGRAM_DATA = "/diagramData"
_FORMS = {"alphaLc": "lowerLetter", "alphaUc": "upperLetter", "romanLc": "lowerRoman", "romanUc": "upperRoman"}


def parse(content: bytes, path: str, config: IngestConfig) -> ParsedFile:
    """See ``registry.Parser``; a slide counts as a page."""
    check_archive(content, "PPTX", config, _MAIN)
    from pptx import Presentation

    text, pages, cells, lost, empty, hidden = "", [], 0, 0, 0, 0
    sound, damaged = without_damaged(transitional(content, _MAIN))
    slides = _slides(Presentation(io.BytesIO(sound)))
    for number, slide in enumerate(slides, start=1):
        if slide is None:
            continue
        if slide._element.get("show") in ("0", "false"):
            hidden += 1
            continue
        choose(slide._element)
        blocks, count, unread = _slide(slide)
        cells += count
        lost += unread
        pages.append(PageStart(len(text), number))
        title = _clean(_text(slide.shapes.title.text_frame)) if slide.shapes.title is not None else ""
        empty += not blocks and not title
        text += "\n\n".join([f"## {' '.join(title.split()) or f'Slide {number}'}", *blocks]) + "\n\n"
    gone = slides.count(None)
    if empty == len(slides) - hidden - gone:
        raise DocumentRejected(Reason.EMPTY_TEXT, "the slides hold no text; if they are pictures, run them through OCR")
    figures = {"pages": float(len(slides)), "empty_pages": float(empty), "table_cells": float(cells)}
    return ParsedFile(text, "", tuple(pages), _warnings(hidden, lost, gone, damaged), figures)


def _slides(presentation: Any) -> list[Any]:
    """The slides in their order; None for one whose part is damaged or missing."""
    found = []
    for entry in presentation._element.get_or_add_sldIdLst():
        try:
            found.append(presentation.part.related_slide(entry.rId))
        except KeyError:
            found.append(None)
    return found


def _warnings(hidden: int, lost: int, gone: int, damaged: list[str]) -> tuple[str, ...]:
    told = []
    if gone:
        told.append(
            f"{gone} slides are damaged and were left out; repair the file in a presentation program and ingest it "
            "again"
        )
    notes = sum(name.startswith(_NOTES) for name in damaged)
    if notes:
        told.append(f"the notes of {notes} slides are damaged and were left out; save them again if they count")
    if hidden:
        told.append(f"{hidden} hidden slides were left out; show them and ingest the file again if they count")
    if lost:
        told.append(
            f"{lost} objects on slides are damaged and were left out; repair the file in a presentation program and "
            "ingest it again if they count"
        )
    return tuple(told)


def _slide(slide: Any) -> tuple[list[str], int, int]:
    """Its blocks, the cells of its tables, and how many objects could not be read."""
    from pptx.exc import PythonPptxError

    blocks, cells, lost = [], 0, 0
    title = slide.shapes.title
    for shape in _shapes(slide.shapes):
        if title is not None and shape._element is title._element:
            continue
        if _is_hidden(shape) or (shape.is_placeholder and shape.placeholder_format.type in _FURNITURE):
            continue
        try:
            block, count = _block(shape)
        except (PythonPptxError, etree.XMLSyntaxError, KeyError, ValueError, AttributeError, NotImplementedError):
            lost += 1
            continue
        blocks.append(block)
        cells += count
    if slide.has_notes_slide and slide.notes_slide.notes_text_frame is not None:
        blocks.append(_escaped(_text(slide.notes_slide.notes_text_frame, "\n")))
    return [block for block in blocks if block], cells, lost


def _is_hidden(shape: Any) -> bool:
    return any(found == "1" for found in shape._element.xpath("./*[1]/p:cNvPr/@hidden"))


def _text(frame: Any, line_break: str = " ") -> str:
    return "\n".join(paragraph_text(paragraph._p, line_break) for paragraph in frame.paragraphs).strip()


def _block(shape: Any) -> tuple[str, int]:
    """The text of a shape and the cells of its table. Raises what a shape without its parts makes python-pptx raise."""
    if getattr(shape, "has_table", False) and shape.has_table:
        return to_table(_table(shape.table))
    if getattr(shape, "has_chart", False) and shape.has_chart:
        return _chart(shape.chart)
    if shape.has_text_frame:
        return _paragraphs(shape.text_frame.paragraphs), 0
    if shape._element.tag == _PICTURE:
        return _escaped(told("".join(shape._element.xpath("./p:nvPicPr/p:cNvPr/@descr")))), 0
    return "\n".join(f"- {line}" for line in _diagram(shape)), 0


def _shapes(shapes: Any) -> Iterator[Any]:
    for shape in shapes:
        if shape._element.tag == _GROUP:
            yield from _shapes(shape.shapes)
        else:
            yield shape


def _paragraphs(paragraphs: Sequence[Any]) -> str:
    """One paragraph as it is, several as a list with their levels and numbers."""
    found = [(p, text) for p in paragraphs if (text := paragraph_text(p._p))]
    if len(found) < 2:
        return _escaped("".join(text for _, text in found))
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
            texts.append(rows[number - 1][column] if above else _clean(_text(cell.text_frame)))
        rows.append(texts)
    return rows


def _chart(chart: Any) -> tuple[str, int]:
    """The figures of a chart as a table below its title."""
    title = chart.chart_title.text_frame.text if chart.has_title and chart.chart_title.has_text_frame else ""
    table, cells = to_table(chart_rows(chart._chartSpace))
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


def _escaped(text: str) -> str:
    """A paragraph that happens to begin like Markdown stays one."""
    return "\n".join("\\" + line if line.startswith(_MARKDOWN) else line for line in text.split("\n"))


def _clean(text: str, line_break: str = " ") -> str:
    """A text without the vertical tabs that stand for line breaks within a paragraph."""
    return text.replace("\x0b", line_break).strip()
