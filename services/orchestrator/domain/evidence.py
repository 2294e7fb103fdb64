"""Passages as the orchestrator handles them: hits of several searches, fused into numbered sources."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from services.common.domain.document import Chunk


@dataclass(frozen=True, slots=True)
class Hit:
    """One hit of one task; ``rank`` counts from 1. ``components`` are raw scores by name: dense, keyword, rerank."""

    chunk: Chunk
    rank: int
    score: float
    components: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class RouteOutcome:
    """What one task of a plan brought. ``status``: OK, NOT_FOUND, UNAVAILABLE, TIMEOUT, INVALID, FAILED_PRECONDITION.

    Tasks of one ``group`` made the same search in different knowledge bases; together they have ``seats`` in the
    context. ``narrowed``: only documents of some languages were searched, so that the best of them need not be good.
    """

    task_id: str
    knowledge_base: str
    weight: float
    status: str
    message: str = ""
    hits: tuple[Hit, ...] = ()
    latency_ms: float = 0.0
    group: str = ""
    seats: int = 1
    narrowed: bool = False

    @property
    def unsearched(self) -> bool:
        """Nobody knows what the documents say: down, late, or its index does not fit."""
        return self.status not in ("OK", "NOT_FOUND", "INVALID")

    @property
    def ok(self) -> bool:
        """The task was searched; it may still have found nothing."""
        return self.status == "OK"


@dataclass(frozen=True, slots=True)
class Evidence:
    """A passage in the context. ``weight`` and every factor of ``credibility`` are in [0, 1].

    ``excerpt`` is what the writer is shown: the passage, or its best part if the budget does not hold it whole.
    """

    chunk: Chunk
    weight: float
    credibility: Mapping[str, float] = field(default_factory=dict)
    excerpt: str = ""
