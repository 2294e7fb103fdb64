"""Plain text: headings are found where the genre shows them (numbered chapters, 第X章)."""

from __future__ import annotations

import re

from services.retrieval.adapters.parsers.encoding import decode, encoding_warnings
from services.retrieval.domain.documents import ParsedFile
from services.retrieval.domain.ingest_config import IngestConfig

_CHAPTER = re.compile(
    r"^[ \t\u3000]*(第[一二三四五六七八九十百零\d]+[编章节](?:[ \t\u3000].{0,40})?)[ \t\u3000]*$", re.MULTILINE
)
# What makes terminals show a log in colours.
_COLOUR = re.compile(r"\x1b\[[0-9;]{0,20}[A-Za-z]")
_LEVELS = {"编": 1, "章": 2, "节": 3}


def parse(content: bytes, path: str, config: IngestConfig) -> ParsedFile:
    """See ``registry.Parser``."""
    decoded, encoding = decode(content, path)
    text = _COLOUR.sub("", decoded.replace("\r\n", "\n").replace("\r", "\n"))
    warnings = encoding_warnings(encoding)
    return ParsedFile(text=_CHAPTER.sub(_to_heading, text), warnings=warnings)


def _to_heading(match: re.Match[str]) -> str:
    title = match.group(1).strip()
    level = _LEVELS[next(char for char in title if char in _LEVELS)]
    return f"{'#' * level} {title}"
