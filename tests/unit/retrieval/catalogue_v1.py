"""The catalogue as programs before Alembic made it, by create_all: a frozen copy of its tables.

Nothing but the test of the upgrade uses it.
"""

from __future__ import annotations

from sqlalchemy import (
    JSON,
    BigInteger,
    Column,
    Engine,
    Float,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    String,
    Table,
    Text,
)

SCHEMA_VERSION = 1

metadata = MetaData()

schema_version = Table("retrieval_schema_version", metadata, Column("version", Integer, primary_key=True))

knowledge_bases = Table(
    "knowledge_bases",
    metadata,
    Column("name", String(64), primary_key=True),
    Column("collection", String(255), nullable=False),
    Column("embedder_name", String(255), nullable=False),
    Column("embedder_revision", String(255), nullable=False),
    Column("dimension", Integer, nullable=False),
    Column("max_tokens", Integer, nullable=False),
    Column("created_at", Float, nullable=False),
    Column("updated_at", Float, nullable=False),
    Column("write_count", BigInteger, nullable=False),
)

documents = Table(
    "documents",
    metadata,
    Column("knowledge_base", String(64), primary_key=True),
    Column("document_id", String(256), primary_key=True),
    Column("revision", String(32), nullable=False),
    Column("fingerprint", String(64), nullable=False),
    Column("metadata", JSON, nullable=False),
    Column("window_start", Integer, nullable=False),
    Column("window_end", Integer, nullable=False),
    Column("access_key", String(64), nullable=False),
    Column("chunk_count", Integer, nullable=False),
    Column("written_at_count", BigInteger, nullable=False),
    Column("ingested_at", Float, nullable=False),
    Column("figures", JSON, nullable=False),
    Column("signature", LargeBinary, nullable=False),
)

# Texts apart from the rest, so that listing documents never reads them.
texts = Table(
    "document_texts",
    metadata,
    Column("knowledge_base", String(64), primary_key=True),
    Column("document_id", String(256), primary_key=True),
    Column("text", Text, nullable=False),
    Column("pages", JSON, nullable=False),
)

# The write-ahead list: revisions whose rows are in the vector store, or may be, without being visible.
leftovers = Table(
    "leftover_revisions",
    metadata,
    Column("revision", String(32), primary_key=True),
    Column("knowledge_base", String(64), nullable=False),
    Column("collection", String(255), nullable=False),
    Column("chunk_count", Integer, nullable=False),
    Column("owner", String(128), nullable=False),
    Column("created_at", Float, nullable=False),
)

jobs = Table(
    "ingest_jobs",
    metadata,
    Column("job_id", String(32), primary_key=True),
    Column("knowledge_base", String(64), nullable=False),
    Column("state", String(16), nullable=False),
    Column("owner", String(128), nullable=False),
    Column("started_at", Float, nullable=False),
    Column("updated_at", Float, nullable=False),
    Column("counts", JSON, nullable=False),
)

Index("ix_documents_written", documents.c.knowledge_base, documents.c.written_at_count)
Index("ix_leftovers_kb", leftovers.c.knowledge_base)
Index("ix_jobs_kb", jobs.c.knowledge_base)


def make(engine: Engine, version: int = SCHEMA_VERSION) -> None:
    """What such a program did at its first start."""
    metadata.create_all(engine)
    with engine.begin() as connection:
        connection.execute(schema_version.insert().values(version=version))
