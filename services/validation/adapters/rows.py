"""Rows of JSON (the files of ``trirag validate``, ``sufficiency`` and ``eval``) to domain objects."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from typing import Any

from services.common.domain.document import DEFAULT_AUTHORITY, Chunk, DocumentMetadata

_DATES = ("published_at", "effective_from", "effective_to", "updated_at")
_TEXTS = ("document_id", "knowledge_base", "title", "source_uri", "language", "doc_type", "version", "supersedes")


class RowError(ValueError):
    """A row cannot be used; the text names the field, the reason and the remedy."""


@dataclass(frozen=True, slots=True)
class ValidationRow:
    """One answer to judge."""

    row_id: str
    question: str
    answer: str
    as_of: date | None
    chunks: tuple[Chunk, ...]


@dataclass(frozen=True, slots=True)
class SufficiencyRow:
    """One question with its evidence."""

    row_id: str
    question: str
    as_of: date | None
    chunks: tuple[Chunk, ...]


def validation_row(data: Mapping[str, Any]) -> ValidationRow:
    """Read ``{question, as_of?, answer, chunks: [{chunk_id, text, metadata}]}``.

    Raises:
        RowError: naming the field, the reason and the remedy.
    """
    return ValidationRow(
        _text(data, "id", default=""),
        _text(data, "question"),
        _text(data, "answer"),
        _day(data, "as_of"),
        _chunks(data),
    )


def sufficiency_row(data: Mapping[str, Any]) -> SufficiencyRow:
    """Read ``{question, as_of?, chunks: [{chunk_id, text, metadata}]}``.

    Raises:
        RowError: naming the field, the reason and the remedy.
    """
    return SufficiencyRow(_text(data, "id", default=""), _text(data, "question"), _day(data, "as_of"), _chunks(data))


def _text(data: Mapping[str, Any], field: str, *, default: str | None = None, where: str = "") -> str:
    value = data.get(field, default)
    if value is None:
        raise RowError(f"{where}{field}: missing; add it as text")
    if (
        isinstance(value, int | float)
        and not isinstance(value, bool)
        and field in ("id", "version", "chunk_id", "document_id")
    ):
        return str(value)
    if not isinstance(value, str):
        raise RowError(f"{where}{field}: text is expected, found {type(value).__name__}; quote it")
    if default is None and not value.strip():
        raise RowError(f"{where}{field}: empty; give the text")
    return value


def _day(data: Mapping[str, Any], field: str, where: str = "") -> date | None:
    value = data.get(field)
    if value in (None, ""):
        return None
    try:
        return date.fromisoformat(str(value)[:10])
    except ValueError as error:
        raise RowError(f"{where}{field}: {value!r} is no date; write YYYY-MM-DD") from error


def _chunks(data: Mapping[str, Any]) -> tuple[Chunk, ...]:
    items = data.get("chunks")
    if not isinstance(items, list):
        raise RowError("chunks: a list is expected; write [{chunk_id, text, metadata}]")
    return tuple(_chunk(item, f"chunks[{i}].") for i, item in enumerate(items))


def _chunk(item: Any, where: str) -> Chunk:
    if not isinstance(item, Mapping):
        raise RowError(f"{where.rstrip('.')}: an object is expected; write {{chunk_id, text, metadata}}")
    metadata = item.get("metadata") or {}
    if not isinstance(metadata, Mapping):
        raise RowError(f"{where}metadata: an object is expected, found {type(metadata).__name__}")
    chunk_id = _text(item, "chunk_id", default="", where=where)
    inside = where + "metadata."
    fields: dict[str, Any] = {
        name: _text(metadata, name, default="", where=inside) for name in _TEXTS if metadata.get(name) is not None
    }
    fields.update({name: _day(metadata, name, inside) for name in _DATES})
    fields.setdefault("document_id", chunk_id)
    fields["authority"] = _authority(metadata, inside)
    return Chunk(
        chunk_id, DocumentMetadata(**fields), _text(item, "text", default="" if "text" in item else None, where=where)
    )


def _authority(metadata: Mapping[str, Any], where: str) -> int:
    value = metadata.get("authority", DEFAULT_AUTHORITY)
    if isinstance(value, bool) or not isinstance(value, int) or not 1 <= value <= 5:
        raise RowError(f"{where}authority: {value!r}; write a whole number from 1 to 5")
    return value
