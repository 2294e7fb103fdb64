"""DOCX by mammoth, which reads styles as headings, lists and tables, after docx_source has mended it."""

from __future__ import annotations

import io
import re
from dataclasses import replace
from typing import Any

from services.retrieval.adapters.parsers.archive import check_archive
from services.retrieval.adapters.parsers.docx_source import Readable, readable
from services.retrieval.adapters.parsers.html import parse_html
from services.retrieval.domain.documents import ParsedFile
from services.retrieval.domain.ingest_config import IngestConfig
from services.retrieval.domain.quality.rejection import DocumentRejected, Reason

_STYLES = "\n".join(f"p[style-name='heading {level}'] => h{level}:fresh" for level in range(1, 7))
# The arrow with which mammoth ends a note.
_BACK_FROM_NOTE = re.compile(r"\s*<a href=\"#[^\"]*\">↑</a>")


def parse(content: bytes, path: str, config: IngestConfig) -> ParsedFile:
    """See ``registry.Parser``."""
    check_archive(content, "DOCX", config)
    import mammoth

    source = readable(content)
    converted: Any = mammoth.convert_to_html(io.BytesIO(source.content), style_map=_STYLES)
    text = _BACK_FROM_NOTE.sub("", converted.value)
    if not text.strip():
        raise DocumentRejected(Reason.EMPTY_TEXT, "the DOCX holds no text; if it holds scans, run them through OCR")
    parsed = parse_html(f"<html><body>{text}</body></html>", tables_are_data=True)
    return replace(parsed, warnings=(*parsed.warnings, *_warnings(source)))


def _warnings(source: Readable) -> tuple[str, ...]:
    told = []
    if source.damaged:
        told.append(
            f"{', '.join(source.damaged)} in the DOCX is damaged, so numbers of lists, headings or notes may be "
            "missing; open the file in a word processor, save it and ingest it again"
        )
    if source.taken_in:
        told.append(
            f"{source.taken_in} documents that the DOCX takes in were left out; open it in a word processor, save it "
            "and ingest it again"
        )
    return tuple(told)
