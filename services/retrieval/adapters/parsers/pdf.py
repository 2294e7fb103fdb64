"""PDF: text, pages and the places of words by pypdfium2, ruled tables by pdfplumber's table finder."""

from __future__ import annotations

import threading
from dataclasses import dataclass
from typing import Any

from services.retrieval.adapters.parsers.pdf_layout import PageLines, Title, assemble, repeated_count
from services.retrieval.adapters.parsers.pdf_tables import TableFinder
from services.retrieval.domain.documents import ParsedFile
from services.retrieval.domain.genre import promote_headings
from services.retrieval.domain.ingest_config import IngestConfig
from services.retrieval.domain.rejection import DocumentRejected, Reason

# PDFium is not thread-safe: one document at a time in a process.
_LOCK = threading.Lock()
# Characters a page with a text layer has at least; a stamp or a page number alone is less.
_PAGE_WITH_TEXT = 16


@dataclass(frozen=True, slots=True)
class _Extract:
    pages: list[PageLines]
    titles: list[Title]
    title: str
    cells_lost: int
    skipped_tables: int


def parse(content: bytes, path: str, config: IngestConfig) -> ParsedFile:
    """See ``registry.Parser``."""
    with _LOCK:
        extract = _extract(content, config)
    total = len(extract.pages)
    empty = sum(page.characters < _PAGE_WITH_TEXT for page in extract.pages)
    if empty == total:
        raise DocumentRejected(
            Reason.NO_TEXT_LAYER,
            f"none of the {total} pages has a text layer: the PDF is a scan; run it through OCR and ingest the result",
        )
    assembled = assemble(extract.pages, extract.titles)
    text, pages = assembled.text, assembled.pages
    if not extract.titles and not pages[1:]:
        text = promote_headings(text)  # page positions would move otherwise
    warnings = []
    if extract.skipped_tables:
        warnings.append(
            f"ruled tables on {extract.skipped_tables} pages may be read as running text: the PDF is very long"
        )
    figures = {
        "pages": float(total),
        "empty_pages": float(empty),
        "repeated_lines": float(repeated_count(extract.pages)),
        "table_cells": float(assembled.cells),
        "table_cells_lost": float(extract.cells_lost),
    }
    return ParsedFile(text, extract.title, tuple(pages), tuple(warnings), figures)


def _extract(content: bytes, config: IngestConfig) -> _Extract:
    document = _open(content)
    finder = TableFinder(content)
    try:
        if len(document) > config.limits.pages:
            raise DocumentRejected(
                Reason.TOO_LARGE,
                f"the PDF has {len(document):,} pages, at most {config.limits.pages:,} are read; split it",
            )
        pages = [_page(document, index, finder) for index in range(len(document))]
        title = str(document.get_metadata_dict().get("Title", "")).strip()
        return _Extract(pages, _outline(document), title, finder.cells_lost, finder.skipped_pages)
    finally:
        finder.close()
        document.close()


def _open(content: bytes) -> Any:
    import pypdfium2

    try:
        return pypdfium2.PdfDocument(content)
    except pypdfium2.PdfiumError as error:
        if "password" in str(error).lower():
            raise DocumentRejected(
                Reason.ENCRYPTED_PDF, "the PDF is protected by a password; save it without one and ingest it again"
            ) from None
        raise DocumentRejected(
            Reason.UNREADABLE_FILE, "the PDF is damaged and cannot be opened; export it again from its source"
        ) from None


def _page(document: Any, index: int, finder: TableFinder) -> PageLines:
    page = document[index]
    textpage = page.get_textpage()
    try:
        return PageLines(number=index + 1, blocks=finder.blocks(page, textpage, index))
    finally:
        textpage.close()
        page.close()


def _outline(document: Any) -> list[Title]:
    titles = []
    for bookmark in document.get_toc(max_depth=6):
        destination = bookmark.get_dest()
        text = " ".join((bookmark.get_title() or "").split())
        if destination is not None and text and destination.get_index() is not None:
            titles.append(Title(text, bookmark.level + 1, destination.get_index()))
    return titles
