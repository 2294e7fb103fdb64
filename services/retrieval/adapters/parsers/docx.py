"""DOCX by mammoth, which reads styles as headings, lists and tables."""

from __future__ import annotations

import io
from typing import Any

from services.retrieval.adapters.parsers.archive import check_archive
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


def parse(content: bytes, path: str, config: IngestConfig) -> ParsedFile:
    """See ``registry.Parser``."""
    check_archive(content, "word/document.xml", "DOCX", config)
    import mammoth

    converted: Any = mammoth.convert_to_html(
        io.BytesIO(content), style_map=_STYLES, convert_image=mammoth.images.img_element(lambda _image: {"src": ""})
    )
    if not converted.value.strip():
        raise DocumentRejected(Reason.EMPTY_TEXT, "the DOCX holds no text; if it holds scans, run them through OCR")
    return parse_html(f"<html><body>{converted.value}</body></html>")
