"""From an ingest item to documents that passed every check. Blocking: runs in a thread."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from functools import partial
from typing import Any

from services.common.domain.document import DocumentMetadata
from services.retrieval.adapters.parsers.encoding import decode
from services.retrieval.adapters.parsers.registry import JSONL_ENDINGS, archive_of, looks_binary, parse_file, read_apart
from services.retrieval.domain.documents import (
    ParsedFile,
    PreparedDocument,
    StoredDocument,
    complete_metadata,
    fingerprint,
    retired_warning,
    settings_label,
)
from services.retrieval.domain.ingest_config import IngestConfig
from services.retrieval.domain.metadata import fields_from_json, given_groups, id_from_path, read_metadata
from services.retrieval.domain.passages.chunking import chunk_document
from services.retrieval.domain.passages.chunks import TokenCounter
from services.retrieval.domain.passages.cleaning import CleanText, clean_text
from services.retrieval.domain.quality.health import document_figures, health_problem, health_warnings
from services.retrieval.domain.quality.rejection import DocumentRejected, Reason
from services.retrieval.service.items import BrokenItem, DocumentOutcome, FileItem, IngestItem, LinesItem, Outcome
from services.retrieval.service.unpack import unpack

# Lines of a JSONL file that are prepared in one go.
_LINES = 16
_MAX_NAME = 255

Known = Callable[[str], StoredDocument | None]
"""The stored document of an id, if there is one."""

Reading = ParsedFile | DocumentRejected
"""What reading a file came to."""

ParseFile = Callable[[bytes, str], ParsedFile]
"""From a file's bytes and its path to its text.

Raises:
    DocumentRejected: in words for the owner of the file.
"""


class Preparer:
    """Parses, checks and cuts documents of one knowledge base. Thread-safe."""

    def __init__(
        self,
        knowledge_base: str,
        config: IngestConfig,
        count_tokens: TokenCounter,
        known: Known,
        embedder_label: str,
        parse: ParseFile | None = None,
    ) -> None:
        self._knowledge_base = knowledge_base
        self._config = config
        self._count_tokens = count_tokens
        self._known = known
        self._parse_file = parse or partial(parse_file, config=config)
        self._settings_label = settings_label(config.chunking_label, embedder_label)

    def reads_apart(self, item: IngestItem) -> bool:
        """Whether ``read`` of the item takes another process, and the item is not refused for its size or metadata."""
        if not isinstance(item, FileItem) or not read_apart(item.content, item.path):
            return False
        try:
            self._check_size(len(item.content))
            read_metadata(item.fields, knowledge_base=self._knowledge_base)
        except DocumentRejected:
            return False
        return True

    def read(self, item: IngestItem) -> Reading | None:
        """What ``prepare`` would read first, None if that is nothing: reading may wait where cutting need not."""
        if not isinstance(item, FileItem):
            return None
        try:
            return self._parse(item)
        except DocumentRejected as rejection:
            return rejection

    def prepare(self, item: IngestItem, reading: Reading | None = None) -> Iterator[PreparedDocument | DocumentOutcome]:
        """Each document of an item (a JSONL file has many): ready to store, or its outcome if it is not stored.

        ``reading``: what the item was read to, if it was.
        """
        if isinstance(item, BrokenItem):
            yield DocumentOutcome.rejected(item.origin, item.rejection, access_groups=given_groups(item.fields))
        elif isinstance(item, LinesItem):
            for number, line in item.lines:
                yield self._line(line, f"{item.path}:{number}", item.fields)
        elif isinstance(item, FileItem):
            yield self._guarded(item.path, item.fields, lambda: self._parse(item, reading), item.path, item.modified)
        else:
            yield self._guarded(item.origin, item.fields, lambda: ParsedFile(text=item.text), "")

    def under_other_id(self, prepared: PreparedDocument) -> PreparedDocument | None:
        """The document under its ``other_id``; None if it has none, or a document of that id is stored already."""
        if not prepared.other_id or self._known(prepared.other_id) is not None:
            return None
        day = prepared.metadata.retired_at  # of the document that has the id
        metadata = replace(prepared.metadata, document_id=prepared.other_id, retired_at=None)
        return replace(
            prepared,
            metadata=metadata,
            fingerprint=fingerprint(metadata, prepared.pages, self._settings_label),
            warnings=tuple(w for w in prepared.warnings if day is None or w != retired_warning(day)),
            other_id="",
        )

    def split(self, item: IngestItem) -> Iterator[IngestItem]:
        """An archive as the files in it and a JSONL file as groups of its lines, one after the other.

        Lazy, so that documents are stored as they are read and memory holds no more than a few of them.
        """
        if not isinstance(item, FileItem):
            yield item
        elif archive_of(item.path) is not None:
            for part in unpack(item, self._config):
                yield from self.split(part)
        elif item.path.lower().endswith(JSONL_ENDINGS):
            yield from self._line_groups(item)
        else:
            yield item

    def _line_groups(self, item: FileItem) -> Iterator[IngestItem]:
        try:
            lines = self._json_lines(item)
        except DocumentRejected as rejection:
            yield BrokenItem(item.path, rejection, item.fields)
            return
        for start in range(0, len(lines), _LINES):
            yield LinesItem(item.path, tuple(lines[start : start + _LINES]), item.fields)

    def _parse(self, item: FileItem, reading: Reading | None = None) -> ParsedFile:
        if isinstance(reading, DocumentRejected):
            raise reading
        if reading is not None:
            return reading
        self._check_size(len(item.content))
        return self._parse_file(item.content, item.path)

    def _check_size(self, size: int) -> None:
        limit = self._config.limits.file_bytes
        if size > limit:
            raise DocumentRejected(
                Reason.TOO_LARGE,
                f"the file has {size / 1048576:.1f} MiB, at most {limit / 1048576:.0f} MiB are read; split it, "
                "or raise limits.file_mib in config/ingest.yaml",
            )

    def _json_lines(self, item: FileItem) -> list[tuple[int, str]]:
        self._check_size(len(item.content))
        if not item.content:
            raise DocumentRejected(Reason.EMPTY_FILE, "the file has 0 bytes; export or copy it again")
        if looks_binary(item.content):
            raise DocumentRejected(Reason.NOT_TEXT, "the file is named JSONL but is binary data; export it again")
        decoded, _ = decode(item.content, item.path)
        text = decoded.replace("\r\n", "\n").replace("\r", "\n")
        if text.lstrip().startswith("[") and text.rstrip().endswith("]"):
            raise DocumentRejected(
                Reason.BROKEN_JSON, "the file is one JSON array; write each of its objects on a line of its own"
            )
        lines = [(number, line) for number, line in enumerate(text.split("\n"), start=1) if line.strip()]
        if not lines:
            raise DocumentRejected(Reason.EMPTY_TEXT, "there is no line with a document in it")
        return lines

    def _line(self, line: str, origin: str, shared: Mapping[str, str]) -> PreparedDocument | DocumentOutcome:
        try:
            fields, text = read_json_document(line)
        except DocumentRejected as rejection:
            return DocumentOutcome.rejected(origin, rejection, access_groups=given_groups(shared))
        return self._guarded(origin, {**shared, **fields}, lambda: ParsedFile(text=text), "")

    def _guarded(
        self, origin: str, fields: Mapping[str, str], parse: Callable[[], ParsedFile], path: str, modified: float = 0.0
    ) -> PreparedDocument | DocumentOutcome:
        document_id = fields.get("document_id", "").strip()
        try:
            metadata = read_metadata(fields, knowledge_base=self._knowledge_base)
            metadata = replace(metadata, file_name=_file_name(path), file_modified=modified)
            other_id = ""
            if not metadata.document_id:
                derived, other_id = self._derived_ids(path, origin)
                metadata = replace(metadata, document_id=derived)
            document_id = metadata.document_id
            outcome = self._finish(origin, metadata, parse(), path or origin)
            return replace(outcome, other_id=other_id) if isinstance(outcome, PreparedDocument) else outcome
        except DocumentRejected as rejection:
            return DocumentOutcome.rejected(origin, rejection, document_id, given_groups(fields))

    def _derived_ids(self, path: str, origin: str) -> tuple[str, str]:
        """The id of a file that was given none, and another one to fall back on (empty: none).

        What was stored with its ending, beside a file that differs only in it, keeps that id whatever becomes of the
        other file.
        """
        if not path:
            raise DocumentRejected(
                Reason.INVALID_METADATA, f"document_id is missing in {origin}; give each document one"
            )
        short, whole = id_from_path(path), id_from_path(path, with_ending=True)
        stored = self._known(whole)
        if stored is not None and stored.metadata.file_name == _file_name(path):
            return whole, ""
        return short, whole if whole != short else ""

    def _finish(
        self, origin: str, metadata: DocumentMetadata, parsed: ParsedFile, path: str
    ) -> PreparedDocument | DocumentOutcome:
        clean = clean_text(parsed.text)
        self._check_text(clean)
        figures = document_figures(clean, parsed, self._config.health)
        completed = replace(
            complete_metadata(metadata, clean, parsed.title, path), content_health=figures["content_health"]
        )
        stored = self._known(completed.document_id)
        completed, kept = _still_retired(completed, stored)
        pages = _moved_pages(parsed, clean)
        mark = fingerprint(completed, pages, self._settings_label)
        warnings = (*kept, *parsed.warnings, *health_warnings(clean, parsed, figures, completed, self._config.health))
        if stored is not None and stored.fingerprint == mark:
            return DocumentOutcome(
                origin, completed.document_id, Outcome.UNCHANGED, stored.chunk_count, warnings=warnings
            )
        chunks = chunk_document(
            clean.text, title=completed.title, count_tokens=self._count_tokens, rules=self._config.chunking, pages=pages
        )
        if not chunks:
            raise DocumentRejected(Reason.EMPTY_TEXT, "there is no text in it besides front matter and comments")
        return PreparedDocument(origin, completed, clean.text, pages, tuple(chunks), mark, warnings, figures)

    def _check_text(self, clean: CleanText) -> None:
        if not clean.text.strip():
            raise DocumentRejected(Reason.EMPTY_TEXT, "there is no text in it; check the source")
        limit = self._config.limits.text_characters
        if len(clean.text) > limit:
            raise DocumentRejected(
                Reason.TOO_LARGE, f"the text has {len(clean.text):,} characters, at most {limit:,} are stored; split it"
            )
        problem = health_problem(clean, self._config.health)
        if problem:
            raise DocumentRejected(Reason.UNHEALTHY_TEXT, problem)


def read_json_document(line: str) -> tuple[dict[str, str], str]:
    """Metadata fields and text of one line of a JSONL file of documents.

    Raises:
        DocumentRejected: BROKEN_JSON or INVALID_METADATA, saying what is wrong where.
    """
    try:
        record: Any = json.loads(line)
    except json.JSONDecodeError as error:
        raise DocumentRejected(
            Reason.BROKEN_JSON, f"not JSON at column {error.colno}: {error.msg}; mend or remove the line"
        ) from None
    except RecursionError:
        raise DocumentRejected(Reason.BROKEN_JSON, "nested too deeply; a document is a flat object") from None
    except ValueError as error:  # a number of thousands of digits
        raise DocumentRejected(Reason.BROKEN_JSON, f"{str(error).split(';')[0]}; write it as text") from None
    if not isinstance(record, dict):
        raise DocumentRejected(Reason.BROKEN_JSON, f"an object is expected, found {type(record).__name__}")
    text = record.pop("text", None)
    if not isinstance(text, str):
        kind = "is missing" if text is None else f"is {type(text).__name__}"
        raise DocumentRejected(Reason.INVALID_METADATA, f"text {kind}; it must be a string")
    return fields_from_json(record), text


def _still_retired(
    metadata: DocumentMetadata, stored: StoredDocument | None
) -> tuple[DocumentMetadata, tuple[str, ...]]:
    """A retired document stays retired when it is ingested again; only its owner brings it back."""
    day = stored.metadata.retired_at if stored else None
    if day is None:
        return metadata, ()
    return replace(metadata, retired_at=day), (retired_warning(day),)


def _file_name(path: str) -> str:
    return path.rsplit("/", 1)[-1][:_MAX_NAME]


def _moved_pages(parsed: ParsedFile, clean: CleanText) -> tuple[Any, ...]:
    """Page starts in the cleaned text, page by page. Cleaning only ever removes characters: positions move left."""
    if not parsed.pages or len(parsed.text) == len(clean.text):
        return parsed.pages
    moved, position, done = [], 0, 0
    for page in parsed.pages:
        position += len(clean_text(parsed.text[done : page.start]).text)
        done = page.start
        moved.append(replace(page, start=min(position, len(clean.text))))
    return tuple(moved)
