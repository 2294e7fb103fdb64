"""DOCX by mammoth, which reads styles as headings, lists and tables, after docx_source has mended it."""

from __future__ import annotations

import io
import re
from typing import Any

from services.retrieval.adapters.parsers.archive import check_archive
from services.retrieval.adapters.parsers.docx_source import readable
from services.retrieval.adapters.parsers.html import parse_html
from services.retrieval.domain.documents import ParsedFile
from services.retrieval.domain.ingest_config import IngestConfig
from services.retrieval.domain.rejection import DocumentRejected, Reason

# Word writes the names of built-in styles in the language of its user.
_STYLES = (
    "\n".join(
        f"p[style-name='{name} {level}'] => h{level}:fresh"
        for level in range(1, 7)
        for name in ("heading", "标题", "標題")
    )
    + "\np[style-name='Title'] => h1:fresh\np[style-name='标题'] => h1:fresh"
)
# The arrow with which mammoth ends a note.
_BACK_FROM_NOTE = re.compile(r"\s*<a href=\"#[^\"]*\">↑</a>")


def parse(content: bytes, path: str, config: IngestConfig) -> ParsedFile:
    """See ``registry.Parser``."""
    check_archive(content, "word/document.xml", "DOCX", config)
    import mammoth

    mended, own_styles = readable(content)
    converted: Any = mammoth.convert_to_html(
        io.BytesIO(mended),
        style_map="\n".join([_STYLES, *own_styles]),
        convert_image=mammoth.images.img_element(lambda _image: {"src": ""}),
    )
    text = _BACK_FROM_NOTE.sub("", converted.value)
    if not text.strip():
        raise DocumentRejected(Reason.EMPTY_TEXT, "the DOCX holds no text; if it holds scans, run them through OCR")
    return parse_html(f"<html><body>{text}</body></html>", tables_are_data=True)
