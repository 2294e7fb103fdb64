"""Alembic runs this with the connection that migrate() opened."""

from alembic import context

from services.orchestrator.adapters import policy_history  # noqa: F401 (its table)
from services.orchestrator.adapters.trace_store import METADATA

connection = context.config.attributes["connection"]
context.configure(connection=connection, target_metadata=METADATA)
with context.begin_transaction():
    context.run_migrations()
