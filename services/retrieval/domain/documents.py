"""Documents on their way into a knowledge base."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date

from services.common.domain.document import DocumentMetadata
from services.retrieval.domain.passages.chunking import CHUNKER_VERSION
from services.retrieval.domain.passages.chunks import ChunkDraft, PageStart
from services.retrieval.domain.passages.cleaning import CleanText, detect_language
from services.retrieval.domain.ranking.lexical import ANALYZER_VERSION
from services.retrieval.domain.versions.families import Window
from services.retrieval.domain.versions.stated_dates import stated_dates
from services.retrieval.domain.versions.stated_draft import stated_draft

# Of the readers of formats: raised when one gives another text for the same file.
READER_VERSION = "3"
PIPELINE_VERSION = f"{READER_VERSION}.{CHUNKER_VERSION}.{ANALYZER_VERSION}"
"""Stored documents made by another version are made anew when they are ingested again."""


@dataclass(frozen=True, slots=True)
class ParsedFile:
    """What a format's parser gives: Markdown, a title if the format has one, pages, and figures.

    ``figures`` are counts such as ``table_cells``; ``warnings`` are sentences for the summary.
    """

    text: str
    title: str = ""
    pages: tuple[PageStart, ...] = ()
    warnings: tuple[str, ...] = ()
    figures: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class PreparedDocument:
    """A document that passed every check and is ready to be embedded and stored.

    ``other_id``: what it may be called where another file of the ingest, which differs only in the ending, has its id;
    empty if its id was given.
    """

    origin: str
    metadata: DocumentMetadata
    text: str
    pages: tuple[PageStart, ...]
    chunks: tuple[ChunkDraft, ...]
    fingerprint: str
    warnings: tuple[str, ...] = ()
    figures: Mapping[str, float] = field(default_factory=dict)
    other_id: str = ""


@dataclass(frozen=True, slots=True)
class StoredDocument:
    """A document as the catalogue holds it. ``revision`` names the write that its chunks belong to."""

    metadata: DocumentMetadata
    revision: str
    fingerprint: str
    window: Window
    chunk_count: int
    ingested_at: float
    figures: Mapping[str, float] = field(default_factory=dict)


def complete_metadata(metadata: DocumentMetadata, clean: CleanText, parsed_title: str, path: str) -> DocumentMetadata:
    """``metadata`` with what it lacks read from the text; those fields are named in ``extracted_fields``."""
    found: dict[str, str | date] = {}
    if not metadata.title:
        found["title"] = (parsed_title or first_heading(clean.text) or _stem(path))[:1024]
    if not metadata.language and (language := detect_language(clean.text)):
        found["language"] = language
    if not metadata.version and (draft := stated_draft(clean.text)):
        found["version"] = draft
    for name, day in stated_dates(clean.text).days.items():
        if getattr(metadata, name) is None:
            found[name] = day
    start = found.get("effective_from", metadata.effective_from)
    end = found.get("effective_to", metadata.effective_to)
    if isinstance(start, date) and isinstance(end, date) and start > end:
        # What was given wins over what was read.
        found.pop("effective_from", None)
        found.pop("effective_to", None)
    completed: DocumentMetadata = replace(metadata, **found)  # type: ignore[arg-type]
    checksum = hashlib.sha256(clean.text.encode("utf-8", "surrogatepass")).hexdigest()
    return replace(completed, extracted_fields=tuple(sorted(found)), checksum=checksum)


def fingerprint(metadata: DocumentMetadata, pages: Sequence[PageStart], settings: str) -> str:
    """What must be equal for a document to count as unchanged: text, metadata, pages, pipeline and settings."""
    described = json.dumps(
        [PIPELINE_VERSION, settings, repr(metadata), [(page.start, page.page) for page in pages]],
        ensure_ascii=True,
    )
    return hashlib.sha256(described.encode()).hexdigest()


def settings_label(chunking_label: str, embedder_label: str) -> str:
    """The settings that a fingerprint depends on."""
    return f"{chunking_label}|{embedder_label}"


def renewed_fingerprint(
    mark: str, metadata: DocumentMetadata, pages: Sequence[PageStart], before: str, after: str
) -> str:
    """The fingerprint ``mark`` after a change of settings, so that the same document still counts as unchanged.

    One that the present pipeline would not have made with the settings ``before`` stays: that document is to be made
    anew when it is next ingested.
    """
    return fingerprint(metadata, pages, after) if mark == fingerprint(metadata, pages, before) else mark


def chunk_id(document_id: str, ordinal: int) -> str:
    """The stable id of a document's chunk ``ordinal``."""
    return f"{document_id}#{ordinal}"


def split_chunk_id(identifier: str) -> tuple[str, int] | None:
    """Document id and ordinal of a chunk id; None if it is not one."""
    document_id, mark, ordinal = identifier.rpartition("#")
    if not mark or not document_id or not ordinal.isascii() or not ordinal.isdigit() or len(ordinal) > 9:
        return None
    return document_id, int(ordinal)


def first_heading(text: str) -> str:
    """The first Markdown heading of ``text``; empty if its first 200 lines have none."""
    for line in text.split("\n", 200)[:200]:
        match = re.match(r" {0,3}#{1,6}\s+(.+)", line)
        if match:
            return re.sub(r"(?<!\s)\s*(?:\{#[^}]{0,200}\}|(?<!#)#+)\s*$", "", match.group(1)).strip()
    return ""


def _stem(path: str) -> str:
    name = path.replace("\\", "/").rsplit("/", 1)[-1]
    return re.sub(r"[\x00-\x1f\x7f]", " ", name.rsplit(".", 1)[0]) or name


def retired_warning(day: date) -> str:
    """What the ingest of a document says that is retired since ``day``."""
    return f"it is retired since {day} and stays so; `trirag kb retire --undo` puts it back into force"
