"""What a round searches, and why."""

from __future__ import annotations

import enum
from dataclasses import dataclass
from datetime import date


class SearchKind(enum.StrEnum):
    """How a task searches; the names of the retrieval contract."""

    DENSE = "dense"
    KEYWORD = "keyword"
    HYBRID = "hybrid"
    TWO_STAGE = "two_stage"


@dataclass(frozen=True, slots=True)
class SearchFilters:
    """Structured filters of a task; ``in_force_on`` None means today."""

    doc_types: tuple[str, ...] = ()
    languages: tuple[str, ...] = ()
    document_ids: tuple[str, ...] = ()
    min_authority: int = 0
    in_force_on: date | None = None
    include_superseded: bool = False


@dataclass(frozen=True, slots=True)
class PlanTask:
    """One search. ``weight`` is in [0, 1]; ``priority`` 1 is the most important.

    A task with ``depends_on`` takes its query from the best passage of that task.
    """

    task_id: str
    route_id: str
    query: str
    knowledge_base: str
    search: SearchKind
    top_k: int
    weight: float
    priority: int
    filters: SearchFilters = SearchFilters()
    rerank: bool = False
    depends_on: tuple[str, ...] = ()
    reasons: tuple[str, ...] = ()
    seats: int = 1

    @property
    def group(self) -> str:
        """Equal for the tasks that make the same search in different knowledge bases."""
        return f"{self.route_id}|{self.search.value}|{self.query}"


@dataclass(frozen=True, slots=True)
class RuleDecision:
    """A condition of the policy and how it came out."""

    rule_id: str
    condition: str
    matched: bool


@dataclass(frozen=True, slots=True)
class Plan:
    """Everything that one round searches, most important first.

    ``left_out`` are knowledge bases that the policy would search and that its limit of tasks leaves no search for.
    """

    tasks: tuple[PlanTask, ...]
    policy_version: str
    generation_strategy: str
    decisions: tuple[RuleDecision, ...] = ()
    left_out: tuple[str, ...] = ()

    def stages(self) -> tuple[tuple[PlanTask, ...], ...]:
        """Tasks that can run together: first those that depend on nothing, then those that depend on them."""
        first = tuple(t for t in self.tasks if not t.depends_on)
        rest = tuple(t for t in self.tasks if t.depends_on)
        return tuple(stage for stage in (first, rest) if stage)
