"""HTML by lxml, converted to Markdown."""

from __future__ import annotations

import re

from lxml import etree
from lxml import html as lxml_html

from services.retrieval.adapters.parsers.encoding import decode, encoding_warnings
from services.retrieval.adapters.parsers.html_markdown import to_markdown
from services.retrieval.domain.documents import ParsedFile
from services.retrieval.domain.ingest_config import IngestConfig
from services.retrieval.domain.passages.genre import promote_headings
from services.retrieval.domain.quality.rejection import DocumentRejected, Reason

_CHARSET = re.compile(rb"charset\s*=\s*[\"']?\s*([A-Za-z0-9_\-]+)", re.IGNORECASE)
_DECLARATION = re.compile(r"^\s*<\?xml[^>]*\?>")


def parse(content: bytes, path: str, config: IngestConfig) -> ParsedFile:
    """See ``registry.Parser``."""
    declared = _CHARSET.search(content[:4096])
    source, encoding = decode(content, path, declared.group(1).decode() if declared else "")
    parsed = parse_html(_DECLARATION.sub("", source))
    warnings = (*parsed.warnings, *encoding_warnings(encoding))
    return ParsedFile(parsed.text, parsed.title, (), warnings, parsed.figures)


def parse_html(source: str, *, tables_are_data: bool = False) -> ParsedFile:
    """Markdown of an HTML text; ``tables_are_data`` as for ``to_markdown``.

    Raises:
        DocumentRejected: EMPTY_TEXT, UNREADABLE_FILE.
    """
    if not source.strip():
        raise DocumentRejected(Reason.EMPTY_TEXT, "there is no text in it; check the source")
    try:
        # Tags that are never closed nest without end; the reader's own bounds on time and memory stand.
        parser = lxml_html.HTMLParser(recover=True, huge_tree=True, remove_comments=True, remove_pis=True)
        root = lxml_html.document_fromstring(source, parser=parser)
    except (etree.ParserError, etree.XMLSyntaxError, ValueError) as error:
        raise DocumentRejected(Reason.UNREADABLE_FILE, f"the HTML cannot be read: {error}; export it again") from None
    _refuse_what_was_given_up(parser.error_log)
    converted = to_markdown(root, tables_are_data=tables_are_data)
    title = (root.findtext(".//title") or "").strip()
    figures = {"table_cells": float(converted.cells), "table_cells_lost": float(converted.cells_lost)}
    return ParsedFile(promote_headings(converted.text), title, (), (), figures)


def _refuse_what_was_given_up(errors: etree._ListErrorLog) -> None:
    """A parser that meets a bound of its own stops there and gives what it has: half a document is none.

    Raises DocumentRejected.
    """
    stops = errors.filter_types((etree.ErrorTypes.ERR_RESOURCE_LIMIT,))
    if stops:
        problem = f"elements nest too deeply at line {stops[0].line}, so the rest of the HTML would be lost"
        raise DocumentRejected(Reason.UNREADABLE_FILE, f"{problem}; close its tags, or save it as text")
