"""What happens in one Ask, in order. The servicer turns each into a message; the trace store keeps them all."""

from __future__ import annotations

import enum
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import date

from services.common.domain.question import ParsedQuestion
from services.common.domain.verdict import Sufficiency, Verdict
from services.orchestrator.domain.evidence import Evidence, RouteOutcome
from services.orchestrator.domain.plan import Plan, SearchFilters


@dataclass(frozen=True, slots=True)
class Ask:
    """One question as the caller put it."""

    question: str
    today: date
    as_of: date | None = None
    knowledge_bases: tuple[str, ...] = ()
    filters: SearchFilters = SearchFilters()
    time_zone: str = ""
    extractive_only: bool = False


class Status(enum.StrEnum):
    """How an Ask ended."""

    ANSWERED = "answered"
    REFUSED = "refused"
    CLARIFICATION_NEEDED = "clarification_needed"
    EVIDENCE_ONLY = "evidence_only"


class Method(enum.StrEnum):
    """Who wrote the answer."""

    GENERATED = "generated"
    EXTRACTIVE = "extractive"
    NONE = "none"


@dataclass(frozen=True, slots=True)
class Caution:
    """Something the user should know beside the answer."""

    code: str
    message: str


@dataclass(frozen=True, slots=True)
class StageTiming:
    """One stage: its search round, when it began after the Ask did, and how long it took, in milliseconds."""

    stage: str
    round: int
    start_ms: float
    duration_ms: float


@dataclass(frozen=True, slots=True)
class TokenUsage:
    """Tokens of the language model over all its calls."""

    prompt_tokens: int = 0
    completion_tokens: int = 0
    calls: int = 0

    def __add__(self, other: TokenUsage) -> TokenUsage:
        return TokenUsage(
            self.prompt_tokens + other.prompt_tokens,
            self.completion_tokens + other.completion_tokens,
            self.calls + other.calls,
        )


@dataclass(frozen=True, slots=True)
class Answer:
    """The answer. ``evidence`` in citation order; ``cited`` are the 1-based numbers that the text cites."""

    status: Status
    text: str
    evidence: tuple[Evidence, ...] = ()
    cited: frozenset[int] = frozenset()
    confidence: float = 0.0
    verdict: Verdict | None = None
    warnings: tuple[Caution, ...] = ()
    degraded: bool = False
    partial: bool = False
    method: Method = Method.NONE
    missing: tuple[str, ...] = ()
    contact: str = ""


@dataclass(frozen=True, slots=True)
class Parsed:
    """The question was parsed; None if perception was down."""

    parsed: ParsedQuestion | None
    degraded: bool


@dataclass(frozen=True, slots=True)
class Planned:
    """A round was planned."""

    round: int
    plan: Plan


@dataclass(frozen=True, slots=True)
class Searched:
    """A round was searched and fused with the rounds before."""

    round: int
    outcomes: tuple[RouteOutcome, ...]
    evidence: tuple[Evidence, ...]


@dataclass(frozen=True, slots=True)
class Judged:
    """The evidence was judged; None if validation was down. ``decision``: answer, search_again, refuse."""

    round: int
    sufficiency: Sufficiency | None
    decision: str


@dataclass(frozen=True, slots=True)
class Attempted:
    """A draft was written, or could not be (``error``)."""

    attempt: int
    method: Method
    strategy: str
    draft: str
    error: str = ""


@dataclass(frozen=True, slots=True)
class Validated:
    """A draft was judged; None if validation was down."""

    attempt: int
    verdict: Verdict | None
    decision: str


@dataclass(frozen=True, slots=True)
class Answered:
    """The end."""

    answer: Answer
    timings: Sequence[StageTiming] = field(default_factory=tuple)
    usage: TokenUsage = TokenUsage()
    latency_ms: float = 0.0
    policy_version: str = ""


Event = Parsed | Planned | Searched | Judged | Attempted | Validated | Answered
