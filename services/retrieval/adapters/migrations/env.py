"""Alembic runs this with the connection that upgrade_schema() opened."""

from alembic import context

from services.retrieval.adapters.catalogue_schema import VERSION_TABLE, metadata

connection = context.config.attributes["connection"]
# DDL inside the transaction on SQLite too, which can: an upgrade that is killed leaves nothing half made.
context.configure(connection=connection, target_metadata=metadata, version_table=VERSION_TABLE, transactional_ddl=True)
with context.begin_transaction():
    context.run_migrations()
