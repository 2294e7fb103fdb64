"""Which vectors of the embedding cache each revision uses, to be forgotten when the last of them is gone."""

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Creates the table; the service fills in what is stored already."""
    op.create_table(
        "passage_keys",
        sa.Column("knowledge_base", sa.String(64), primary_key=True),
        sa.Column("revision", sa.String(32), primary_key=True),
        sa.Column("embedder", sa.String(512), primary_key=True),
        sa.Column("document_id", sa.String(256), nullable=False),
        sa.Column("keys", sa.LargeBinary, nullable=False),
    )


def downgrade() -> None:
    """Drops it."""
    op.drop_table("passage_keys")
