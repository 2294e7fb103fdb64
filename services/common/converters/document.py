"""Documents and chunks."""

from __future__ import annotations

from datetime import date
from typing import Literal

from services.common.converters.basics import from_proto_span, to_proto_span
from services.common.dates import from_proto_date, to_proto_date
from services.common.domain.document import DEFAULT_AUTHORITY, Chunk, DocumentMetadata
from trirag.common.v1 import types_pb2


def to_proto_metadata(metadata: DocumentMetadata) -> types_pb2.DocumentMetadata:
    """Every field has its namesake; ``effective_to`` of a retired document is its last day in force."""
    return types_pb2.DocumentMetadata(
        document_id=metadata.document_id,
        knowledge_base=metadata.knowledge_base,
        title=metadata.title,
        source_uri=metadata.source_uri,
        language=metadata.language,
        doc_type=metadata.doc_type,
        authority=metadata.authority,
        version=metadata.version,
        published_at=to_proto_date(metadata.published_at),
        effective_from=to_proto_date(metadata.effective_from),
        effective_to=to_proto_date(metadata.last_day),
        updated_at=to_proto_date(metadata.updated_at),
        supersedes=metadata.supersedes,
        access_groups=metadata.access_groups,
        checksum=metadata.checksum,
        content_health=metadata.content_health,
        extracted_fields=metadata.extracted_fields,
    )


def from_proto_metadata(message: types_pb2.DocumentMetadata, field: str = "document") -> DocumentMetadata:
    """Raises InvalidInput for a date that does not exist."""

    def day(name: Literal["published_at", "effective_from", "effective_to", "updated_at"]) -> date | None:
        return from_proto_date(getattr(message, name), f"{field}.{name}") if message.HasField(name) else None

    return DocumentMetadata(
        document_id=message.document_id,
        knowledge_base=message.knowledge_base,
        title=message.title,
        source_uri=message.source_uri,
        language=message.language,
        doc_type=message.doc_type or "other",
        authority=message.authority or DEFAULT_AUTHORITY,
        version=message.version,
        published_at=day("published_at"),
        effective_from=day("effective_from"),
        effective_to=day("effective_to"),
        updated_at=day("updated_at"),
        supersedes=message.supersedes,
        access_groups=tuple(message.access_groups),
        checksum=message.checksum,
        content_health=message.content_health,
        extracted_fields=tuple(message.extracted_fields),
    )


def to_proto_chunk(chunk: Chunk) -> types_pb2.Chunk:
    """Every field has its namesake."""
    return types_pb2.Chunk(
        chunk_id=chunk.chunk_id,
        document=to_proto_metadata(chunk.document),
        text=chunk.text,
        ordinal=chunk.ordinal,
        heading_path=chunk.heading_path,
        span=to_proto_span(chunk.span),
        page=chunk.page,
        entities=chunk.entities,
        number_density=chunk.number_density,
        token_count=chunk.token_count,
        parent_id=chunk.parent_id,
    )


def from_proto_chunk(message: types_pb2.Chunk, field: str = "chunk") -> Chunk:
    """Raises InvalidInput for a date that does not exist."""
    return Chunk(
        chunk_id=message.chunk_id,
        document=from_proto_metadata(message.document, f"{field}.document"),
        text=message.text,
        ordinal=message.ordinal,
        heading_path=tuple(message.heading_path),
        span=from_proto_span(message.span),
        page=message.page,
        entities=tuple(message.entities),
        number_density=message.number_density,
        token_count=message.token_count,
        parent_id=message.parent_id,
    )
