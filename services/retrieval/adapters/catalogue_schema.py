"""Tables of the catalogue. SQLite by default, PostgreSQL by URL.

They are made and changed by the revisions in ``migrations/versions``, which a test holds against what stands here.
"""

from __future__ import annotations

from sqlalchemy import (
    JSON,
    BigInteger,
    Boolean,
    Column,
    Float,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    String,
    Table,
    Text,
)

# A name of its own, so that the catalogue may share a database with the trace store.
VERSION_TABLE = "retrieval_alembic_version"

metadata = MetaData()

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

# `owner` is the process at work on it; `token` grows each time that a job is taken up.
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
    Column("token", Integer, nullable=False, server_default="0"),
)

# Processes and until when they hold what bears their id in a column `owner`; one that is not here holds nothing.
leases = Table(
    "leases",
    metadata,
    Column("owner", String(128), primary_key=True),
    Column("expires_at", Float, nullable=False),
)

# What the latest ingest of each source refused; `access_groups` are those that its metadata named.
rejected_documents = Table(
    "rejected_documents",
    metadata,
    Column("knowledge_base", String(64), primary_key=True),
    Column("origin_key", String(64), primary_key=True),
    Column("origin", Text, nullable=False),
    Column("document_id", String(256), nullable=False),
    Column("reason", String(64), nullable=False),
    Column("message", Text, nullable=False),
    Column("access_groups", JSON, nullable=False),
    Column("rejected_at", Float, nullable=False),
)

# Collections beside the one that is searched: `shadow` is being filled by a migration, `former` is what was in use
# before the last one. `owner` is the process that works on it, empty for none.
side_collections = Table(
    "side_collections",
    metadata,
    Column("knowledge_base", String(64), primary_key=True),
    Column("role", String(16), primary_key=True),
    Column("collection", String(255), nullable=False),
    Column("embedder_name", String(255), nullable=False),
    Column("embedder_revision", String(255), nullable=False),
    Column("dimension", Integer, nullable=False),
    Column("max_tokens", Integer, nullable=False),
    Column("owner", String(128), nullable=False),
    Column("started_at", Float, nullable=False),
    Column("updated_at", Float, nullable=False),
    Column("closing_until", Float, nullable=False),
    Column("report", JSON, nullable=True),
)

# What those collections hold: revisions whose rows are all there, or (not `whole`) may be there in part.
side_revisions = Table(
    "side_revisions",
    metadata,
    Column("collection", String(255), primary_key=True),
    Column("revision", String(32), primary_key=True),
    Column("knowledge_base", String(64), nullable=False),
    Column("chunk_count", Integer, nullable=False),
    Column("whole", Boolean, nullable=False),
)

# The latest queries of each knowledge base with the nearest passages of that time, for replay before a switch.
recorded_queries = Table(
    "recorded_queries",
    metadata,
    Column("knowledge_base", String(64), primary_key=True),
    Column("query_key", String(64), primary_key=True),
    Column("query", Text, nullable=False),
    Column("condition", JSON, nullable=False),
    Column("embedder", String(512), nullable=False),
    Column("passages", JSON, nullable=False),
    Column("recorded_at", Float, nullable=False),
)

# The vectors of the embedding cache that a revision uses, by the label of the embedder: keys, one behind the other. A
# line whose revision no document has any more is what is left to be forgotten.
passage_keys = Table(
    "passage_keys",
    metadata,
    Column("knowledge_base", String(64), primary_key=True),
    Column("revision", String(32), primary_key=True),
    Column("embedder", String(512), primary_key=True),
    Column("document_id", String(256), nullable=False),
    Column("keys", LargeBinary, nullable=False),
)

Index("ix_documents_written", documents.c.knowledge_base, documents.c.written_at_count)
Index("ix_leftovers_kb", leftovers.c.knowledge_base)
Index("ix_jobs_kb", jobs.c.knowledge_base)
Index("ix_side_revisions_kb", side_revisions.c.knowledge_base)
Index("ix_recorded_queries_age", recorded_queries.c.knowledge_base, recorded_queries.c.recorded_at)
