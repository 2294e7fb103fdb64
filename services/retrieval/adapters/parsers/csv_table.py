"""CSV and TSV: one table."""

from __future__ import annotations

import csv
import io
import re
import sys
from collections.abc import Iterable

from services.retrieval.adapters.parsers.encoding import decode, encoding_warnings
from services.retrieval.adapters.parsers.sheet_blocks import sheet_markdown
from services.retrieval.domain.documents import ParsedFile
from services.retrieval.domain.ingest_config import IngestConfig
from services.retrieval.domain.rejection import DocumentRejected, Reason

_SEPARATOR = re.compile(r"sep=(.)\r?\n", re.IGNORECASE)


def parse(content: bytes, path: str, config: IngestConfig) -> ParsedFile:
    """See ``registry.Parser``."""
    text, encoding = decode(content, path)
    csv.field_size_limit(min(sys.maxsize, 10_000_000))
    try:
        rows = list(_reader(text, path))
    except csv.Error as error:
        raise DocumentRejected(Reason.UNREADABLE_FILE, f"not a readable table: {error}; export it again") from None
    table, cells = sheet_markdown(([cell.strip() for cell in row] for row in rows), apart=False)
    if not table:
        raise DocumentRejected(Reason.EMPTY_TEXT, "the table has no cells")
    warnings = encoding_warnings(encoding)
    return ParsedFile(table + "\n", "", (), warnings, {"table_cells": float(cells), "table_cells_lost": 0.0})


def _reader(text: str, path: str) -> Iterable[list[str]]:
    named = _SEPARATOR.match(text)  # a first line with which Excel is told the separator
    if named is not None:
        return csv.reader(io.StringIO(text[named.end() :]), delimiter=named.group(1))
    dialect = _dialect(text, path)
    # A quotation mark that is never closed would swallow the rest of the file.
    if text.count('"') % 2:
        return csv.reader(io.StringIO(text), dialect=dialect, quoting=csv.QUOTE_NONE)
    return csv.reader(io.StringIO(text), dialect=dialect)


def _dialect(text: str, path: str) -> type[csv.Dialect]:
    if path.lower().endswith(".tsv"):
        return csv.excel_tab
    try:
        return csv.Sniffer().sniff(text[:16_384], delimiters=",;\t|")
    except csv.Error:
        return csv.excel
