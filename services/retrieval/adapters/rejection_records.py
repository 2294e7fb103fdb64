"""Refused documents in the catalogue's database."""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Sequence

from sqlalchemy import delete, insert, or_, select

from services.retrieval.adapters import catalogue_schema as t
from services.retrieval.adapters.catalogue_database import CatalogueDatabase, lock_knowledge_base
from services.retrieval.adapters.job_records import JobRecords
from services.retrieval.domain.leases import JobLease
from services.retrieval.domain.ports import RejectedDocument

_PART = 400
# Of the column; an id is refused for being longer, and is stored cut.
_ID_LENGTH = 256


class RejectionRecords:
    """What the latest ingest of each source refused. Blocking, thread-safe; Unavailable while the database is down."""

    def __init__(self, database: CatalogueDatabase, jobs: JobRecords) -> None:
        self._database = database
        self._jobs = jobs

    def update(
        self,
        knowledge_base: str,
        stored: Sequence[tuple[str, str]],
        rejected: Sequence[RejectedDocument],
        lease: JobLease | None = None,
    ) -> None:
        """Strikes off what has been stored since, given by (origin, document_id), and notes what was refused.

        Raises FailedPrecondition (INGEST_TAKEN_OVER) if the job that it is for is another's by now.
        """
        table = t.rejected_documents
        mine = table.c.knowledge_base == knowledge_base
        latest = {origin_key(entry.origin): entry for entry in rejected}
        keys = [*latest, *(origin_key(origin) for origin, _ in stored)]
        ids = [document_id for _, document_id in stored if document_id]
        with self._database.writing() as connection:
            alive = lock_knowledge_base(connection, knowledge_base) is not None
            self._jobs.check(connection, lease)
            for start in range(0, max(len(keys), len(ids)), _PART):
                end = start + _PART
                match = or_(table.c.origin_key.in_(keys[start:end]), table.c.document_id.in_(ids[start:end]))
                connection.execute(delete(table).where(mine, match))
            # Nothing is noted for a knowledge base that was never made: there is no report to show it in.
            if latest and alive:
                rows = [
                    {
                        "knowledge_base": knowledge_base,
                        "origin_key": key,
                        # PostgreSQL's texts hold no NUL.
                        "origin": entry.origin.replace("\0", ""),
                        "document_id": entry.document_id.replace("\0", "")[:_ID_LENGTH],
                        "reason": entry.reason,
                        "message": entry.message.replace("\0", ""),
                        "access_groups": list(entry.access_groups),
                        "rejected_at": entry.rejected_at,
                    }
                    for key, entry in latest.items()
                ]
                connection.execute(insert(table), rows)

    def latest(self, knowledge_base: str, groups: Collection[str], limit: int) -> list[RejectedDocument]:
        """What a caller with ``groups`` may know of, by origin."""
        table = t.rejected_documents
        with self._database.reading() as connection:
            rows = connection.execute(
                select(table).where(table.c.knowledge_base == knowledge_base).order_by(table.c.origin)
            ).all()
        found = [
            RejectedDocument(
                r.origin, r.document_id, r.reason, r.message, r.rejected_at, access_groups=tuple(r.access_groups)
            )
            for r in rows
            if not r.access_groups or not set(groups).isdisjoint(r.access_groups)
        ]
        return found[:limit]


def origin_key(origin: str) -> str:
    """What tells sources apart in the table."""
    return hashlib.sha256(origin.encode("utf-8", "surrogatepass")).hexdigest()
