"""PDF: text, pages and the places of words by pypdfium2, ruled tables by pdfplumber's table finder."""

from __future__ import annotations

import re
import threading
from dataclasses import dataclass, replace
from typing import Any

from services.retrieval.adapters.parsers.pdf_blocks import PageLines
from services.retrieval.adapters.parsers.pdf_edges import repeated_count
from services.retrieval.adapters.parsers.pdf_forms import values_of
from services.retrieval.adapters.parsers.pdf_layout import Title, assemble
from services.retrieval.adapters.parsers.pdf_tables import TableFinder
from services.retrieval.domain.documents import ParsedFile
from services.retrieval.domain.ingest_config import IngestConfig
from services.retrieval.domain.passages.genre import promote_headings
from services.retrieval.domain.quality.rejection import DocumentRejected, Reason

# PDFium is not thread-safe: one document at a time in a process.
_LOCK = threading.Lock()
# Characters that a page with a picture and a text layer has at least; a stamp or a page number alone is less.
_PAGE_WITH_TEXT = 16
# A form of pages that are made when it is opened, kept in a file whose only page asks to wait for them.
_XFA = 2  # the kind of forms in PDFium
_SHELL = 2_000
_WAIT = re.compile(r"please wait|请稍候|请等待", re.IGNORECASE)
_PICTURE = 3  # the kind of page objects in PDFium

_WRITTEN_BY = re.compile(r"^\s*Microsoft (?:Office )?(?:Word|PowerPoint|Excel)\s*[-–—]\s*", re.IGNORECASE)
_NO_TITLE = re.compile(
    r"\W*(?:(?:untitled|anonymous|unspecified|no title|document|presentation|powerpoint presentation|book|slide|layout"
    r"|microsoft (?:word|powerpoint|excel)|无标题|未命名|文档|演示文稿|工作簿|幻灯片)[\s_-]*\d*)?\W*"
    r"|\S.*\.(?:docx?|pptx?|xlsx?|pdf|indd|qxd|tex|dvi|rtf|odt|html?|txt|wps)",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class _Extract:
    pages: list[PageLines]
    titles: list[Title]
    title: str
    cells_lost: int
    skipped_tables: int
    is_dynamic: bool


def parse(content: bytes, path: str, config: IngestConfig) -> ParsedFile:
    """See ``registry.Parser``."""
    with _LOCK:
        extract = _extract(content, config)
    total = len(extract.pages)
    empty = sum(page.is_empty for page in extract.pages)
    if empty == total:
        raise DocumentRejected(
            Reason.NO_TEXT_LAYER,
            f"none of the {total} pages has a text layer: the PDF is a scan; run it through OCR and ingest the result",
        )
    assembled = assemble(extract.pages, extract.titles)
    if extract.is_dynamic and len(assembled.text) < _SHELL and _WAIT.search(assembled.text):
        raise DocumentRejected(
            Reason.UNREADABLE_FILE,
            "the PDF is a form that only Acrobat can show (XFA); print it there as a PDF and ingest that",
        )
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
        title = _title(str(document.get_metadata_dict().get("Title", "")))
        return _Extract(
            pages, _outline(document), title, finder.cells_lost, finder.skipped_pages, _is_dynamic(document)
        )
    finally:
        finder.close()
        document.close()


def _open(content: bytes) -> Any:
    import pypdfium2

    try:
        document = pypdfium2.PdfDocument(content)
        if document.get_formtype():
            document.init_forms()
        return document
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
        lines = PageLines(number=index + 1, blocks=finder.blocks(page, textpage, index, values_of(document, page)))
        return replace(lines, is_empty=_is_empty(page, lines.characters))
    finally:
        textpage.close()
        page.close()


def _is_dynamic(document: Any) -> bool:
    """True for a form whose pages are made by the program that shows it."""
    return bool(document.get_formtype() == _XFA)


def _title(given: str) -> str:
    """The title that a file gives itself; empty if a program wrote it there, or the name of a file."""
    title = " ".join(_WRITTEN_BY.sub("", given).replace("\x00", "").split())
    return "" if _NO_TITLE.fullmatch(title) else title


def _is_empty(page: Any, characters: int) -> bool:
    """True without a text, or with a stamp on a picture."""
    few = characters < _PAGE_WITH_TEXT
    return few and (not characters or next(page.get_objects(filter=[_PICTURE], max_depth=3), None) is not None)


def _outline(document: Any) -> list[Title]:
    titles = []
    for bookmark in document.get_toc(max_depth=6):
        destination = bookmark.get_dest()
        text = " ".join((bookmark.get_title() or "").split())
        if destination is not None and text and destination.get_index() is not None:
            titles.append(Title(text, bookmark.level + 1, destination.get_index()))
    return titles
