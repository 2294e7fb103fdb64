"""Who is at work on what, and when another may take over.

A process holds a lease in the catalogue under an id drawn at its start, and renews it; what it works on bears the id.
Once the lease has run out another process may put its own id in the place of that one. The lease only tells *when*:
that nobody goes on writing what it has lost is decided by the rows themselves, in the transactions that write them.
So a clock that goes wrong costs a step that is done again, never a document.
"""

from __future__ import annotations

import enum
from dataclasses import dataclass

from services.common.errors import FailedPrecondition

LEASE_SECONDS = 15.0
"""A process that was silent for so long counts as gone."""

RENEWALS = 3
"""A lease is renewed so many times before it would run out."""

COME_BACK_SECONDS = 150.0
"""So long an interrupted ingest may be gone on with by its client: the command line tries for two minutes to come back
(cli/resume.py)."""

HEARTBEAT_SECONDS = 5.0
"""A migration says at least this often that it goes on."""

SILENCE_SECONDS = 12 * HEARTBEAT_SECONDS
"""A migration of a live process that was silent for so long has ended and could not say so: the catalogue was down."""

TAKEN_OVER = "INGEST_TAKEN_OVER"


@dataclass(frozen=True, slots=True)
class JobLease:
    """The right to write for a job. ``token`` grows each time that the job is taken up; only the latest one counts."""

    job_id: str
    token: int


@dataclass(frozen=True, slots=True)
class Hold:
    """Another process holds a job: until when by the catalogue's clock, in epoch seconds, and how long that is."""

    expires_at: float
    seconds_left: float


class Standing(enum.Enum):
    """What the catalogue says to whoever runs a job."""

    RUNNING = enum.auto()
    CANCELLED = enum.auto()
    LOST = enum.auto()


def ingest_taken_over(job_id: str) -> FailedPrecondition:
    """What ends an ingest whose job was taken up by another call while its process stood still."""
    return FailedPrecondition(
        TAKEN_OVER,
        f"the ingest {job_id} was taken up by another call, which goes on with it; `trirag kb watch {job_id}` follows",
        metadata={"job_id": job_id},
    )
