"""Markdown: stored as it is."""

from __future__ import annotations

from services.retrieval.adapters.parsers.encoding import decode, encoding_warnings
from services.retrieval.domain.documents import ParsedFile
from services.retrieval.domain.ingest_config import IngestConfig


def parse(content: bytes, path: str, config: IngestConfig) -> ParsedFile:
    """See ``registry.Parser``."""
    text, encoding = decode(content, path)
    warnings = encoding_warnings(encoding)
    return ParsedFile(text=text, warnings=warnings)
