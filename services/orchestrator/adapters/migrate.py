"""Brings the trace store's schema up to date with Alembic, once at a time."""

from __future__ import annotations

from pathlib import Path

from sqlalchemy import make_url

from services.common.schema_upgrade import upgrade_schema
from services.orchestrator.adapters.trace_store import open_engine

MIGRATIONS = Path(__file__).parent / "migrations"
# Any number will do, as long as every process of this store takes the same one.
ADVISORY_LOCK = 7_466_125_001


def migrate(url: str) -> None:
    """Upgrades to the newest schema; several processes may call it at once.

    Raises:
        SQLAlchemyError: the store is down or refuses.
        OSError: the folder of a SQLite file cannot be made.
    """
    database = make_url(url).database
    if url.startswith("sqlite") and database:
        Path(database).parent.mkdir(parents=True, exist_ok=True)
    engine = open_engine(url)
    try:
        upgrade_schema(engine, MIGRATIONS, ADVISORY_LOCK)
    finally:
        engine.dispose()
