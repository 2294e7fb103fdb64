"""Markdown: stored as it is."""

from __future__ import annotations

from services.retrieval.adapters.parsers.encoding import decode
from services.retrieval.domain.documents import ParsedFile
from services.retrieval.domain.ingest_config import IngestConfig


def parse(content: bytes, path: str, config: IngestConfig) -> ParsedFile:
    """See ``registry.Parser``."""
    text, encoding = decode(content, path)
    warnings = () if encoding.startswith("utf") else (f"decoded from {encoding}; save as UTF-8 to be sure",)
    return ParsedFile(text=text, warnings=warnings)
