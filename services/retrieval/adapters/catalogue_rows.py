"""Rows of the catalogue's tables, in and out."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict
from datetime import date
from typing import Any

from services.common.domain.document import DocumentMetadata
from services.retrieval.domain.documents import StoredDocument
from services.retrieval.domain.embedding import EmbedderIdentity
from services.retrieval.domain.filters import access_key
from services.retrieval.domain.ports import KnowledgeBaseRecord, Publication
from services.retrieval.domain.versions.families import Window

_DATE_FIELDS = ("published_at", "effective_from", "effective_to", "updated_at", "retired_at")


def to_record(row: Any) -> KnowledgeBaseRecord:
    """A row of ``knowledge_bases``, counts left out."""
    embedder = EmbedderIdentity(row.embedder_name, row.embedder_revision, row.dimension, row.max_tokens)
    return KnowledgeBaseRecord(row.name, row.collection, embedder, row.created_at, row.updated_at, int(row.write_count))


def to_stored(row: Any) -> StoredDocument:
    """A row of ``documents``."""
    return StoredDocument(
        metadata=_metadata_from_json(row.metadata),
        revision=row.revision,
        fingerprint=row.fingerprint,
        window=Window(row.window_start, row.window_end),
        chunk_count=row.chunk_count,
        ingested_at=row.ingested_at,
        figures=row.figures,
    )


def document_row(knowledge_base: str, publication: Publication, write_count: int) -> dict[str, Any]:
    """Values for ``documents``."""
    document = publication.document
    return {
        "knowledge_base": knowledge_base,
        "document_id": document.metadata.document_id,
        "revision": document.revision,
        "fingerprint": document.fingerprint,
        "metadata": _metadata_to_json(document.metadata),
        "window_start": document.window.start,
        "window_end": document.window.end,
        "access_key": access_key(document.metadata.access_groups),
        "chunk_count": document.chunk_count,
        "written_at_count": write_count,
        "ingested_at": document.ingested_at,
        "figures": dict(document.figures),
        "signature": publication.signature,
    }


def text_row(knowledge_base: str, publication: Publication) -> dict[str, Any]:
    """Values for ``document_texts``."""
    return {
        "knowledge_base": knowledge_base,
        "document_id": publication.document.metadata.document_id,
        "text": publication.text,
        "pages": [[page.start, page.page] for page in publication.pages],
    }


def _metadata_to_json(metadata: DocumentMetadata) -> dict[str, Any]:
    values = asdict(metadata)
    for name in _DATE_FIELDS:
        values[name] = values[name].isoformat() if values[name] else None
    loaded: dict[str, Any] = json.loads(json.dumps(values))
    return loaded


def _metadata_from_json(values: Mapping[str, Any]) -> DocumentMetadata:
    fields = dict(values)
    for name in _DATE_FIELDS:
        written = fields.get(name)  # rows of earlier programs lack retired_at
        fields[name] = date.fromisoformat(written) if written else None
    fields["access_groups"] = tuple(fields["access_groups"])
    fields["extracted_fields"] = tuple(fields["extracted_fields"])
    for name in ("alike", "perhaps_alike"):
        fields[name] = tuple((key, checksum) for key, checksum in fields.get(name, ()))
    return DocumentMetadata(**fields)
