"""Files of questions, answers and passages, as `validate`, `sufficiency` and their evaluations read them.

``{question, as_of?, answer?, chunks: [{chunk_id, text, metadata}]}``; ``metadata`` holds the fields of a
document, dates as YYYY-MM-DD.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from datetime import date
from pathlib import Path
from typing import Any

from google.type import date_pb2
from trirag.common.v1 import types_pb2
from trirag.validation.v1 import validation_pb2 as pb

from cli.errors import UsageProblem

_TEXTS = ("title", "source_uri", "language", "doc_type", "version", "supersedes")
_DATES = ("published_at", "effective_from", "effective_to", "updated_at")


def read_case(file: str) -> dict[str, Any]:
    """The JSON object of a file, or of standard input for ``-``.

    Raises:
        UsageProblem: the file cannot be read or holds something else.
    """
    name = "standard input" if file == "-" else file
    try:
        raw = sys.stdin.buffer.read() if file == "-" else Path(file).read_bytes()
        case = json.loads(raw.decode("utf-8-sig"))
    except OSError as error:
        raise UsageProblem(f"{file}: {error.strerror or error}; name a readable file, or - for stdin") from None
    except UnicodeDecodeError:
        raise UsageProblem(f"{name}: is not UTF-8 text; save it as UTF-8") from None
    except json.JSONDecodeError as error:
        hint = "; it looks like JSONL: use `trirag eval`" if error.msg == "Extra data" else ""
        raise UsageProblem(f"{name}:{error.lineno}: is not JSON: {error.msg}{hint}") from None
    except RecursionError:
        raise UsageProblem(f"{name}: is nested too deeply") from None
    if not isinstance(case, dict):
        raise UsageProblem(f"{name}: holds {_kind(case)}; an object with question and chunks is expected")
    return case


def validation_request(case: Mapping[str, Any], where: str) -> pb.ValidateAnswerRequest:
    """The request of a case with an answer. Raises UsageProblem naming the first bad field."""
    return pb.ValidateAnswerRequest(
        question=_text(case, "question", where),
        answer=_text(case, "answer", where),
        chunks=_chunks(case, where),
        as_of=_day(case, "as_of", where),
    )


def sufficiency_request(case: Mapping[str, Any], where: str) -> pb.CheckSufficiencyRequest:
    """The request of a case without an answer. Raises UsageProblem naming the first bad field."""
    return pb.CheckSufficiencyRequest(
        question=_text(case, "question", where),
        chunks=_chunks(case, where),
        as_of=_day(case, "as_of", where),
    )


def _chunks(case: Mapping[str, Any], where: str) -> list[types_pb2.Chunk]:
    chunks = case.get("chunks")
    if not isinstance(chunks, list):
        raise UsageProblem(
            f"{where}: chunks: {_found(case, 'chunks')}; a list of {{chunk_id, text, metadata}} is expected"
        )
    return [_chunk(chunk, f"{where}: chunks[{index}]") for index, chunk in enumerate(chunks)]


def _chunk(chunk: Any, where: str) -> types_pb2.Chunk:
    if not isinstance(chunk, dict):
        raise UsageProblem(f"{where}: is {_kind(chunk)}; {{chunk_id, text, metadata}} is expected")
    chunk_id = _text(chunk, "chunk_id", where)
    metadata = chunk.get("metadata") or {}
    if not isinstance(metadata, dict):
        raise UsageProblem(f"{where}.metadata: is {_kind(metadata)}; an object of document fields is expected")
    return types_pb2.Chunk(
        chunk_id=chunk_id, text=_text(chunk, "text", where), document=_document(metadata, chunk_id, where)
    )


def _document(metadata: Mapping[str, Any], chunk_id: str, where: str) -> types_pb2.DocumentMetadata:
    """A passage without a ``document_id`` counts as a document of its own."""
    place = f"{where}.metadata"
    document = types_pb2.DocumentMetadata(document_id=_optional(metadata, "document_id", place) or chunk_id)
    for name in _TEXTS:
        setattr(document, name, _optional(metadata, name, place))
    for name in _DATES:
        day = _day(metadata, name, place)
        if day is not None:
            getattr(document, name).CopyFrom(day)
    authority = metadata.get("authority")
    if authority is not None:
        if isinstance(authority, bool) or not isinstance(authority, int) or not 1 <= authority <= 5:
            raise UsageProblem(f"{place}.authority: {authority!r} is no whole number from 1 to 5")
        document.authority = authority
    return document


def _text(record: Mapping[str, Any], name: str, where: str) -> str:
    value = record.get(name)
    if not isinstance(value, str):
        raise UsageProblem(f"{where}: {name}: {_found(record, name)}; text is expected")
    return _encodable(value, f"{where}: {name}")


def _optional(record: Mapping[str, Any], name: str, where: str) -> str:
    value = record.get(name)
    if value is None:
        return ""
    if not isinstance(value, str):
        raise UsageProblem(f"{where}.{name}: is {_kind(value)}; text is expected")
    return _encodable(value, f"{where}.{name}")


def _encodable(value: str, where: str) -> str:
    try:
        value.encode("utf-8")
    except UnicodeEncodeError:
        raise UsageProblem(f"{where}: holds half of a surrogate pair, which is no character") from None
    return value


def _day(record: Mapping[str, Any], name: str, where: str) -> date_pb2.Date | None:
    value = record.get(name)
    if value is None or value == "":
        return None
    try:
        day = date.fromisoformat(value)
        if value != day.isoformat():
            raise ValueError
    except (TypeError, ValueError):
        raise UsageProblem(f"{where}: {name}: {value!r} is no calendar day; write YYYY-MM-DD") from None
    return date_pb2.Date(year=day.year, month=day.month, day=day.day)


def _found(record: Mapping[str, Any], name: str) -> str:
    return f"is {_kind(record[name])}" if name in record else "is missing"


def _kind(value: object) -> str:
    kinds = {dict: "an object", list: "a list", str: "text", bool: "a truth value", type(None): "null"}
    return kinds.get(type(value), "a number")
