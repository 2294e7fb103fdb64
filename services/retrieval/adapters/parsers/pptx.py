"""PPTX by python-pptx: a heading for each slide, its texts, tables and notes."""

from __future__ import annotations

import io
from collections.abc import Iterator
from typing import Any

from services.retrieval.adapters.parsers.archive import check_archive
from services.retrieval.adapters.parsers.tables import to_table
from services.retrieval.domain.chunks import PageStart
from services.retrieval.domain.documents import ParsedFile
from services.retrieval.domain.ingest_config import IngestConfig
from services.retrieval.domain.rejection import DocumentRejected, Reason


def parse(content: bytes, path: str, config: IngestConfig) -> ParsedFile:
    """See ``registry.Parser``; a slide counts as a page."""
    check_archive(content, "ppt/presentation.xml", "PPTX", config)
    from pptx import Presentation

    text, pages, cells, empty = "", [], 0, 0
    slides = list(Presentation(io.BytesIO(content)).slides)
    for number, slide in enumerate(slides, start=1):
        blocks, count = _slide(slide)
        cells += count
        empty += not blocks
        pages.append(PageStart(len(text), number))
        title = slide.shapes.title.text_frame.text.strip() if slide.shapes.title is not None else ""
        text += "\n\n".join([f"## {' '.join(title.split()) or f'Slide {number}'}", *blocks]) + "\n\n"
    if empty == len(slides):
        raise DocumentRejected(Reason.EMPTY_TEXT, "the slides hold no text; if they are pictures, run them through OCR")
    figures = {"pages": float(len(slides)), "empty_pages": float(empty), "table_cells": float(cells)}
    return ParsedFile(text, "", tuple(pages), (), figures)


def _slide(slide: Any) -> tuple[list[str], int]:
    blocks, cells = [], 0
    for shape in _shapes(slide.shapes):
        if shape is slide.shapes.title or (
            slide.shapes.title is not None and shape.shape_id == slide.shapes.title.shape_id
        ):
            continue
        if getattr(shape, "has_table", False) and shape.has_table:
            table, count = to_table([[cell.text for cell in row.cells] for row in shape.table.rows])
            cells += count
            blocks.append(table)
        elif shape.has_text_frame:
            lines = [p.text.strip() for p in shape.text_frame.paragraphs if p.text.strip()]
            blocks.append("\n".join(f"- {line}" for line in lines) if len(lines) > 1 else "".join(lines))
    if slide.has_notes_slide and slide.notes_slide.notes_text_frame is not None:
        blocks.append(slide.notes_slide.notes_text_frame.text.strip())
    return [block for block in blocks if block], cells


def _shapes(shapes: Any) -> Iterator[Any]:
    for shape in shapes:
        if shape.shape_type == 6:  # a group
            yield from _shapes(shape.shapes)
        else:
            yield shape
