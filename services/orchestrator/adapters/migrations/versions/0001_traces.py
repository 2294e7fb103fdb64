"""The table of trails."""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Creates it."""
    op.create_table(
        "traces",
        sa.Column("trace_id", sa.String(64), primary_key=True),
        sa.Column("subject", sa.String(256), nullable=False),
        sa.Column("groups", sa.Text, nullable=False),
        sa.Column("request_id", sa.String(128)),
        sa.Column("question", sa.Text, nullable=False),
        sa.Column("started_at", sa.DateTime(timezone=True), nullable=False, index=True),
        sa.Column("status", sa.String(32), nullable=False),
        sa.Column("degraded", sa.Boolean, nullable=False),
        sa.Column("latency_ms", sa.Float, nullable=False),
        sa.Column("policy_version", sa.String(32), nullable=False),
        sa.Column("payload", sa.LargeBinary, nullable=False),
        sa.UniqueConstraint("subject", "request_id", name="uq_traces_subject_request_id"),
    )


def downgrade() -> None:
    """Drops it."""
    op.drop_table("traces")
