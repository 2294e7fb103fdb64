"""Migrations between embedders: collections beside the one in use, what they hold, and recorded queries.

The table in which programs before Alembic kept a version number goes; such a program would make it again, and find
everything it needs.
"""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Creates three tables."""
    op.create_table(
        "side_collections",
        sa.Column("knowledge_base", sa.String(64), primary_key=True),
        sa.Column("role", sa.String(16), primary_key=True),
        sa.Column("collection", sa.String(255), nullable=False),
        sa.Column("embedder_name", sa.String(255), nullable=False),
        sa.Column("embedder_revision", sa.String(255), nullable=False),
        sa.Column("dimension", sa.Integer, nullable=False),
        sa.Column("max_tokens", sa.Integer, nullable=False),
        sa.Column("owner", sa.String(128), nullable=False),
        sa.Column("started_at", sa.Float, nullable=False),
        sa.Column("updated_at", sa.Float, nullable=False),
        sa.Column("closing_until", sa.Float, nullable=False),
        sa.Column("report", sa.JSON, nullable=True),
    )
    op.create_table(
        "side_revisions",
        sa.Column("collection", sa.String(255), primary_key=True),
        sa.Column("revision", sa.String(32), primary_key=True),
        sa.Column("knowledge_base", sa.String(64), nullable=False),
        sa.Column("chunk_count", sa.Integer, nullable=False),
        sa.Column("whole", sa.Boolean, nullable=False),
    )
    op.create_table(
        "recorded_queries",
        sa.Column("knowledge_base", sa.String(64), primary_key=True),
        sa.Column("query_key", sa.String(64), primary_key=True),
        sa.Column("query", sa.Text, nullable=False),
        sa.Column("condition", sa.JSON, nullable=False),
        sa.Column("embedder", sa.String(512), nullable=False),
        sa.Column("passages", sa.JSON, nullable=False),
        sa.Column("recorded_at", sa.Float, nullable=False),
    )
    op.create_index("ix_side_revisions_kb", "side_revisions", ["knowledge_base"])
    op.create_index("ix_recorded_queries_age", "recorded_queries", ["knowledge_base", "recorded_at"])
    op.execute("DROP TABLE IF EXISTS retrieval_schema_version")


def downgrade() -> None:
    """Drops them."""
    for table in ("recorded_queries", "side_revisions", "side_collections"):
        op.drop_table(table)
