"""Leases of processes, and a token for each time that a job is taken up.

Programs before this took no lease. During a rolling update some may still be at work: what they have begun counts as
held for as long as such an update may take; ``leftovers.py`` looks after what they begin later.
"""

import time

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None

_UPDATE_SECONDS = 300.0


def upgrade() -> None:
    """Creates the table, adds the column, and grants leases to those that know of none."""
    op.create_table(
        "leases",
        sa.Column("owner", sa.String(128), primary_key=True),
        sa.Column("expires_at", sa.Float, nullable=False),
    )
    op.add_column("ingest_jobs", sa.Column("token", sa.Integer, nullable=False, server_default="0"))
    # The clock that leases run by: PostgreSQL's own, for the clocks of its clients may differ.
    own_clock = op.get_bind().dialect.name == "postgresql"
    now = "CAST(EXTRACT(EPOCH FROM clock_timestamp()) AS FLOAT)" if own_clock else f"{time.time()}"
    op.execute(
        sa.text(
            f"INSERT INTO leases (owner, expires_at) SELECT owner, {now} + {_UPDATE_SECONDS} FROM ("  # noqa: S608
            "SELECT owner FROM leftover_revisions UNION "
            "SELECT owner FROM ingest_jobs WHERE state IN ('running', 'cancelling') UNION "
            "SELECT owner FROM side_collections WHERE owner <> '') AS at_work"
        )
    )


def downgrade() -> None:
    """Drops them."""
    op.drop_column("ingest_jobs", "token")
    op.drop_table("leases")
