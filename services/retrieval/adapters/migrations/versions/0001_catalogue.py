"""Knowledge bases, documents, texts, leftovers and jobs."""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Creates the tables."""
    op.create_table(
        "knowledge_bases",
        sa.Column("name", sa.String(64), primary_key=True),
        sa.Column("collection", sa.String(255), nullable=False),
        sa.Column("embedder_name", sa.String(255), nullable=False),
        sa.Column("embedder_revision", sa.String(255), nullable=False),
        sa.Column("dimension", sa.Integer, nullable=False),
        sa.Column("max_tokens", sa.Integer, nullable=False),
        sa.Column("created_at", sa.Float, nullable=False),
        sa.Column("updated_at", sa.Float, nullable=False),
        sa.Column("write_count", sa.BigInteger, nullable=False),
    )
    op.create_table(
        "documents",
        sa.Column("knowledge_base", sa.String(64), primary_key=True),
        sa.Column("document_id", sa.String(256), primary_key=True),
        sa.Column("revision", sa.String(32), nullable=False),
        sa.Column("fingerprint", sa.String(64), nullable=False),
        sa.Column("metadata", sa.JSON, nullable=False),
        sa.Column("window_start", sa.Integer, nullable=False),
        sa.Column("window_end", sa.Integer, nullable=False),
        sa.Column("access_key", sa.String(64), nullable=False),
        sa.Column("chunk_count", sa.Integer, nullable=False),
        sa.Column("written_at_count", sa.BigInteger, nullable=False),
        sa.Column("ingested_at", sa.Float, nullable=False),
        sa.Column("figures", sa.JSON, nullable=False),
        sa.Column("signature", sa.LargeBinary, nullable=False),
    )
    op.create_table(
        "document_texts",
        sa.Column("knowledge_base", sa.String(64), primary_key=True),
        sa.Column("document_id", sa.String(256), primary_key=True),
        sa.Column("text", sa.Text, nullable=False),
        sa.Column("pages", sa.JSON, nullable=False),
    )
    op.create_table(
        "leftover_revisions",
        sa.Column("revision", sa.String(32), primary_key=True),
        sa.Column("knowledge_base", sa.String(64), nullable=False),
        sa.Column("collection", sa.String(255), nullable=False),
        sa.Column("chunk_count", sa.Integer, nullable=False),
        sa.Column("owner", sa.String(128), nullable=False),
        sa.Column("created_at", sa.Float, nullable=False),
    )
    op.create_table(
        "ingest_jobs",
        sa.Column("job_id", sa.String(32), primary_key=True),
        sa.Column("knowledge_base", sa.String(64), nullable=False),
        sa.Column("state", sa.String(16), nullable=False),
        sa.Column("owner", sa.String(128), nullable=False),
        sa.Column("started_at", sa.Float, nullable=False),
        sa.Column("updated_at", sa.Float, nullable=False),
        sa.Column("counts", sa.JSON, nullable=False),
    )
    op.create_index("ix_documents_written", "documents", ["knowledge_base", "written_at_count"])
    op.create_index("ix_leftovers_kb", "leftover_revisions", ["knowledge_base"])
    op.create_index("ix_jobs_kb", "ingest_jobs", ["knowledge_base"])


def downgrade() -> None:
    """Drops the tables."""
    for table in ("ingest_jobs", "leftover_revisions", "document_texts", "documents", "knowledge_bases"):
        op.drop_table(table)
