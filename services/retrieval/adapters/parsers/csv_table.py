"""CSV and TSV: one table."""

from __future__ import annotations

import csv
import re
import sys

from services.retrieval.adapters.parsers.csv_dialect import Form, form_of, records
from services.retrieval.adapters.parsers.encoding import decode, encoding_warnings
from services.retrieval.adapters.parsers.sheet_blocks import sheet_markdown
from services.retrieval.domain.documents import ParsedFile
from services.retrieval.domain.ingest_config import IngestConfig
from services.retrieval.domain.quality.rejection import DocumentRejected, Reason

_SEPARATOR = re.compile(r"sep=(.)\n", re.IGNORECASE)
# Spreadsheets are kept from dropping the zeros of 007 by writing it as a formula.
_AS_TEXT = re.compile(r'="([^"]*)"')
_MARKUP = re.compile(r"\s*<(?:!doctype\s+html|html|table|\?xml)\b", re.IGNORECASE)
# Ends of files in DOS.
_END_OF_FILE = "\x1a"


def parse(content: bytes, path: str, config: IngestConfig) -> ParsedFile:
    """See ``registry.Parser``."""
    decoded, encoding = decode(content, path)
    text = decoded.replace("\r\n", "\n").replace("\r", "\n").rstrip(_END_OF_FILE)
    if _MARKUP.match(text):
        raise DocumentRejected(
            Reason.FORMAT_MISMATCH,
            "the file is named CSV but holds HTML or XML; rename it to .html, or export it as CSV",
        )
    csv.field_size_limit(min(sys.maxsize, 10_000_000))
    named = _SEPARATOR.match(text)  # a first line with which Excel is told the separator
    try:
        form = Form(named.group(1)) if named is not None else form_of(text, path)
        rows = list(records(text[named.end() :] if named is not None else text, form))
    except csv.Error as error:
        raise DocumentRejected(Reason.UNREADABLE_FILE, f"not a readable table: {error}; export it again") from None
    table, cells = sheet_markdown(([_cell(cell) for cell in row] for row in rows), apart=False)
    if not table:
        raise DocumentRejected(Reason.EMPTY_TEXT, "the table has no cells; export it again")
    warnings = encoding_warnings(encoding)
    return ParsedFile(table + "\n", "", (), warnings, {"table_cells": float(cells), "table_cells_lost": 0.0})


def _cell(text: str) -> str:
    shown = text.strip()
    found = _AS_TEXT.fullmatch(shown) if shown.startswith("=") else None
    return found.group(1) if found else shown
