"""Documents of a JSONL file, one a line; a broken line is told apart from the others."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from cli.ingest.sources import SourceFile
from services.retrieval.domain.metadata import fields_from_json
from services.retrieval.domain.quality.rejection import DocumentRejected, Reason

# One document is one message of the stream; a longer text belongs in a file, which travels in parts.
MAX_TEXT_BYTES = 8 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class Row:
    """One line: a document, or why it is none. ``origin`` is ``file:line``."""

    origin: str
    text: str = ""
    fields: Mapping[str, str] | None = None
    reason: str = ""
    message: str = ""
    document_id: str = ""

    @property
    def broken(self) -> bool:
        """True if the line holds no document."""
        return self.fields is None


def count_rows(source: SourceFile) -> int:
    """Lines that are not blank. Raises OSError."""
    with source.path.open("rb") as lines:
        return sum(1 for line in lines if line.strip())


def read_rows(source: SourceFile) -> Iterator[Row]:
    """Every line that is not blank. Raises OSError.

    Metadata of the sidecar applies where the line does not give the field itself; a ``document_id`` of the
    sidecar is left out, since it cannot be that of every line.
    """
    defaults = {name: value for name, value in source.fields.items() if name != "document_id"}
    with source.path.open("rb") as lines:
        for number, line in enumerate(lines, start=1):
            if line.strip():
                yield _row(line, f"{source.name}:{number}", defaults)


def _row(line: bytes, origin: str, defaults: Mapping[str, str]) -> Row:
    try:
        record = json.loads(line.decode("utf-8-sig"))
    except UnicodeDecodeError:
        return Row(origin, reason=Reason.BROKEN_JSON, message="the line is not UTF-8 text; save the file as UTF-8")
    except json.JSONDecodeError as error:
        return Row(
            origin, reason=Reason.BROKEN_JSON, message=f"the line is not JSON: {error.msg} at column {error.colno}"
        )
    except RecursionError:
        return Row(origin, reason=Reason.BROKEN_JSON, message="the line is nested too deeply")
    if not isinstance(record, dict):
        return Row(
            origin, reason=Reason.BROKEN_JSON, message='the line is JSON but no object; write {"document_id": …}'
        )
    return _document(record, origin, defaults)


def _document(record: dict[str, Any], origin: str, defaults: Mapping[str, str]) -> Row:
    text = record.pop("text", None)
    document_id = record.get("document_id")
    if not isinstance(document_id, str) or not document_id.strip():
        return Row(
            origin, reason=Reason.INVALID_METADATA, message="document_id is missing or no text; give each line its own"
        )
    if not isinstance(text, str):
        told = "is missing" if text is None else "is no text"
        return Row(
            origin,
            reason=Reason.EMPTY_TEXT,
            message=f"text {told}; put the document's words there",
            document_id=document_id,
        )
    try:
        fields = {**defaults, **fields_from_json(record)}
        size = len(text.encode("utf-8"))
        "".join(fields.values()).encode("utf-8")
    except DocumentRejected as error:
        return Row(origin, reason=error.reason, message=error.message, document_id=document_id)
    except UnicodeEncodeError:
        return Row(
            origin, reason=Reason.BROKEN_JSON, message="the line holds half of a surrogate pair, which is no character"
        )
    if size > MAX_TEXT_BYTES:
        limit = f"{size / 2**20:.1f} MiB of text, at most {MAX_TEXT_BYTES // 2**20} in a line"
        return Row(
            origin, reason=Reason.TOO_LARGE, message=f"{limit}; put it in a file of its own", document_id=document_id
        )
    return Row(origin, text=text, fields=fields)
