"""What is done when the documents of an ingest are stored: conflicts looked for, refusals noted for the report."""

from __future__ import annotations

import time

import structlog

from services.common.errors import NotFound, Unavailable
from services.retrieval.adapters.rejection_records import RejectionRecords
from services.retrieval.domain.conflict.conflicts import ConflictReport
from services.retrieval.domain.leases import JobLease
from services.retrieval.domain.ports import RejectedDocument
from services.retrieval.service.conflict_watch import ConflictWatch
from services.retrieval.service.items import IngestTally
from services.retrieval.service.snapshot import Snapshots, may_read

log = structlog.get_logger("ingest")

# Refusals of one ingest that are kept for the report.
_NOTED = 1_000


class IngestAftermath:
    """Reports on an ingest. Blocking, thread-safe."""

    def __init__(self, snapshots: Snapshots, watch: ConflictWatch, rejections: RejectionRecords) -> None:
        self._snapshots = snapshots
        self._watch = watch
        self._rejections = rejections

    def conflicts(self, knowledge_base: str, tally: IngestTally, groups: frozenset[str]) -> ConflictReport:
        """What the documents just stored contradict among those that a caller with ``groups`` may read.

        A report and no gate: where it cannot be made, the ingest is done as well.
        """
        if not tally.written:
            return ConflictReport()
        try:
            snapshot = self._snapshots.get(knowledge_base)
            readable = {key: d for key, d in snapshot.documents.items() if may_read(d, groups)}
            return self._watch.find(snapshot, readable, frozenset(tally.written))
        except (NotFound, Unavailable) as error:
            log.warning("conflicts not looked for", knowledge_base=knowledge_base, reason=error.message)
        except Exception:
            log.exception("conflicts not looked for", knowledge_base=knowledge_base)
        return ConflictReport()

    def note(self, knowledge_base: str, tally: IngestTally, lease: JobLease) -> None:
        """Keeps what was refused until the same source or document is stored.

        Raises:
            FailedPrecondition: INGEST_TAKEN_OVER.
            Unavailable: the catalogue does not answer.
        """
        now = time.time()
        refused = [
            RejectedDocument(o.origin, o.document_id, o.reason, o.message, now, o.access_groups)
            for o in tally.rejected[:_NOTED]
        ]
        if refused or tally.stored:
            self._rejections.update(knowledge_base, tally.stored, refused, lease)
