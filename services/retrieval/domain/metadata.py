"""Metadata as a sidecar or a JSONL line gives it, validated into ``DocumentMetadata``."""

from __future__ import annotations

import difflib
import hashlib
import re
from collections.abc import Callable, Mapping
from datetime import date
from pathlib import PurePosixPath
from typing import Any

from services.common.domain.document import DEFAULT_AUTHORITY, DOC_TYPES, DocumentMetadata
from services.retrieval.domain.quality.rejection import DocumentRejected, Reason

_MAX_ID = 256
_MAX_GROUPS = 64
_ISO_DATE = re.compile(r"\d{4}-\d{2}-\d{2}")
_LANGUAGE = re.compile(r"[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8})*")
# What no store takes: halves of characters beyond the first plane, and zero.
_NO_CHARACTER = re.compile("[\x00\ud800-\udfff]")
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]")
_DATE_FIELDS = ("published_at", "effective_from", "effective_to", "updated_at")
_TEXT_LIMITS = {"title": 1024, "source_uri": 2048, "version": 64, "supersedes": _MAX_ID}


def _text(name: str, value: str) -> str:
    limit = _TEXT_LIMITS[name]
    if len(value) > limit:
        raise ValueError(f"has {len(value)} characters, at most {limit} are allowed")
    return value


def _identifier(_name: str, value: str) -> str:
    if len(value) > _MAX_ID:
        raise ValueError(f"has {len(value)} characters, at most {_MAX_ID} are allowed")
    if _CONTROL.search(value):
        raise ValueError("contains control characters or line breaks; remove them")
    return value


def _date(_name: str, value: str) -> date:
    try:
        if not _ISO_DATE.fullmatch(value):
            raise ValueError
        return date.fromisoformat(value)
    except ValueError:
        raise ValueError("is not a calendar date; write it as YYYY-MM-DD, such as 2024-01-31") from None


def _authority(_name: str, value: str) -> int:
    if value not in {"1", "2", "3", "4", "5"}:
        raise ValueError("is not a whole number from 1 (hearsay) to 5 (binding)")
    return int(value)


def _doc_type(_name: str, value: str) -> str:
    if value not in DOC_TYPES:
        raise ValueError(f"is not one of {', '.join(DOC_TYPES)}")
    return value


def _language(_name: str, value: str) -> str:
    if not _LANGUAGE.fullmatch(value):
        raise ValueError("is not a language code; write en, zh or another ISO 639-1 code")
    return value.lower()


def _groups(_name: str, value: str) -> tuple[str, ...]:
    groups = tuple(sorted({part.strip() for part in value.split(",") if part.strip()}))
    if len(groups) > _MAX_GROUPS:
        raise ValueError(f"names {len(groups)} groups, at most {_MAX_GROUPS} are allowed")
    for group in groups:
        if len(group) > 64 or re.search(r"\s", group):
            raise ValueError(f"names the group {group!r}; a group has no white space and at most 64 characters")
    return groups


_READERS: Mapping[str, Callable[[str, str], Any]] = {
    "document_id": _identifier,
    "title": _text,
    "source_uri": _text,
    "language": _language,
    "doc_type": _doc_type,
    "authority": _authority,
    "version": _text,
    "published_at": _date,
    "effective_from": _date,
    "effective_to": _date,
    "updated_at": _date,
    "supersedes": _identifier,
    "access_groups": _groups,
}

METADATA_FIELDS = tuple(_READERS)
"""Names that a sidecar or a JSONL line may use."""


def read_metadata(fields: Mapping[str, str], *, knowledge_base: str) -> DocumentMetadata:
    """The metadata that ``fields`` (name to text) gives; blank values count as not given, but for access groups.

    ``document_id`` may be missing: the caller then derives it from the path.

    Raises:
        DocumentRejected: INVALID_METADATA, naming every bad field with its value and the remedy at once.
    """
    values: dict[str, Any] = {}
    problems: list[str] = []
    for name, raw in fields.items():
        value = raw.strip()
        reader = _READERS.get(name)
        if reader is None:
            problems.append(_unknown_field(name))
        elif _NO_CHARACTER.search(value):
            problems.append(f"{name}: {_shorten(value)} holds half a character or a zero one; write it again")
        elif name == "access_groups" and not value.strip(", "):
            # An empty template variable must not open a document to everyone.
            problems.append("access_groups: is empty; name the groups, or leave the field out for a public document")
        elif value:
            try:
                values[name] = reader(name, value)
            except ValueError as error:
                problems.append(f"{name}: {_shorten(value)} {error}")
    start, end = values.get("effective_from"), values.get("effective_to")
    if start and end and start > end:
        problems.append(f"effective_to: {end} lies before effective_from {start}; both are days in force")
    document_id = values.pop("document_id", "")
    if document_id and values.get("supersedes") == document_id:
        problems.append("supersedes: names the document itself; name the one that it replaces, or leave the field out")
    if problems:
        raise DocumentRejected(Reason.INVALID_METADATA, "; ".join(problems), document_id=document_id)
    values.setdefault("authority", DEFAULT_AUTHORITY)
    return DocumentMetadata(document_id=document_id, knowledge_base=knowledge_base, **values)


def given_groups(fields: Mapping[str, str]) -> tuple[str, ...]:
    """The access groups that metadata names, also where something in it is wrong."""
    return tuple(sorted({part.strip() for part in fields.get("access_groups", "").split(",") if part.strip()}))


def fields_from_json(record: Mapping[str, Any]) -> dict[str, str]:
    """The metadata of a JSON document object as text fields; lists become comma-separated.

    Raises:
        DocumentRejected: INVALID_METADATA if a value is neither text, number nor a list of texts.
    """
    fields: dict[str, str] = {}
    problems: list[str] = []
    for name, value in record.items():
        if value is None:
            continue
        if isinstance(value, str):
            fields[name] = value
        elif isinstance(value, bool):
            problems.append(f"{name}: {str(value).lower()} is a truth value; write text")
        elif isinstance(value, int | float):
            fields[name] = str(value)
        elif isinstance(value, list) and all(isinstance(item, str) for item in value):
            fields[name] = ",".join(value)
        else:
            problems.append(f"{name}: {type(value).__name__} found where text or a list of texts belongs")
    if problems:
        raise DocumentRejected(Reason.INVALID_METADATA, "; ".join(problems))
    return fields


def id_from_path(path: str, with_ending: bool = False) -> str:
    """A document id for a file that was given none: its path without the ending, made printable.

    Paths beyond the length of an id keep their end and get a hash of the whole in front. ``with_ending``: for a file
    beside another one that differs only in the ending, and has that id.
    """
    pure = PurePosixPath(path.replace("\\", "/"))
    name = _CONTROL.sub("_", str(pure if with_ending else pure.with_suffix(""))).strip().lstrip("/") or "document"
    if len(name) <= _MAX_ID:
        return name
    digest = hashlib.sha256(path.encode("utf-8", "surrogatepass")).hexdigest()[:16]
    return f"{digest}-{name[-(_MAX_ID - 17) :]}"


def _unknown_field(name: str) -> str:
    close = difflib.get_close_matches(name, _READERS, n=1)
    hint = f"did you mean {close[0]}?" if close else f"known fields are {', '.join(_READERS)}"
    return f"{_shorten(name)} is not a metadata field; {hint}"


def _shorten(value: str) -> str:
    return repr(value if len(value) <= 80 else value[:77] + "...")
