"""CSV and TSV: one table."""

from __future__ import annotations

import csv
import io
import sys

from services.retrieval.adapters.parsers.encoding import decode, encoding_warnings
from services.retrieval.adapters.parsers.tables import to_table
from services.retrieval.domain.documents import ParsedFile
from services.retrieval.domain.ingest_config import IngestConfig
from services.retrieval.domain.rejection import DocumentRejected, Reason


def parse(content: bytes, path: str, config: IngestConfig) -> ParsedFile:
    """See ``registry.Parser``."""
    text, encoding = decode(content, path)
    csv.field_size_limit(min(sys.maxsize, 10_000_000))
    try:
        rows = list(csv.reader(io.StringIO(text), dialect=_dialect(text, path)))
    except csv.Error as error:
        raise DocumentRejected(Reason.UNREADABLE_FILE, f"not a readable table: {error}; export it again") from None
    table, cells = to_table(rows)
    if not table:
        raise DocumentRejected(Reason.EMPTY_TEXT, "the table has no cells")
    warnings = encoding_warnings(encoding)
    return ParsedFile(table + "\n", "", (), warnings, {"table_cells": float(cells), "table_cells_lost": 0.0})


def _dialect(text: str, path: str) -> type[csv.Dialect]:
    if path.lower().endswith(".tsv"):
        return csv.excel_tab
    try:
        return csv.Sniffer().sniff(text[:16_384], delimiters=",;\t|")
    except csv.Error:
        return csv.excel
