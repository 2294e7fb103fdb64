"""What ingests refused, for the health report."""

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Creates the table."""
    op.create_table(
        "rejected_documents",
        sa.Column("knowledge_base", sa.String(64), primary_key=True),
        sa.Column("origin_key", sa.String(64), primary_key=True),
        sa.Column("origin", sa.Text, nullable=False),
        sa.Column("document_id", sa.String(256), nullable=False),
        sa.Column("reason", sa.String(64), nullable=False),
        sa.Column("message", sa.Text, nullable=False),
        sa.Column("access_groups", sa.JSON, nullable=False),
        sa.Column("rejected_at", sa.Float, nullable=False),
    )


def downgrade() -> None:
    """Drops it."""
    op.drop_table("rejected_documents")
