"""The policy as dataclasses. Conditions are CEL text; ``config/policy.yaml`` says what each means to its reader."""

from __future__ import annotations

import enum
from collections.abc import Mapping
from dataclasses import dataclass, field

from services.orchestrator.domain.plan import SearchKind

ALL_KNOWLEDGE_BASES = "*"


class QuerySource(enum.StrEnum):
    """Where a route takes its queries from."""

    QUESTION = "question"
    EACH_ENTITY = "each_entity"
    EACH_SIDE = "each_side"
    EACH_CODE = "each_code"
    EACH_PART = "each_part"
    EACH_REWRITE = "each_rewrite"
    TRANSLATION = "translation"
    BEST_PASSAGE = "best_passage"


class Strategy(enum.StrEnum):
    """How an answer is written."""

    WHOLE = "whole"
    PER_EVIDENCE = "per_evidence"
    EXTRACTIVE = "extractive"


@dataclass(frozen=True, slots=True)
class Boost:
    """Multiplies a route's weight while the condition holds."""

    when: str
    multiply: float


@dataclass(frozen=True, slots=True)
class Route:
    """One way to search. ``limit`` bounds the tasks that an ``each_…`` query makes.

    ``template`` builds the query of an ``each_…`` route: ``{item}`` is the item, ``{attributes}`` what is asked
    about it, ``{question}`` the whole question. The best ``seats`` hits surely reach the context.
    """

    id: str
    knowledge_base: str
    search: SearchKind
    query: QuerySource = QuerySource.QUESTION
    template: str = "{item}"
    when: str = "true"
    priority: int = 1
    weight: float = 1.0
    boosts: tuple[Boost, ...] = ()
    top_k: int = 10
    limit: int = 3
    rerank: bool = False
    include_superseded: str = "false"
    doc_types: tuple[str, ...] = ()
    languages: tuple[str, ...] = ()
    depends_on: str = ""
    seats: int = 1


@dataclass(frozen=True, slots=True)
class Override:
    """Changes every task while the condition holds."""

    id: str
    when: str
    search: SearchKind | None = None
    top_k: int | None = None
    rerank: bool | None = None


@dataclass(frozen=True, slots=True)
class Credibility:
    """Weights of the factors of a passage's credibility; ``influence`` in [0, 1] is how much of the rank score
    credibility can take away. ``recency_half_life_days`` halves the recency factor."""

    influence: float = 0.4
    recency: float = 0.3
    authority: float = 0.3
    number_density: float = 0.1
    validity: float = 0.2
    health: float = 0.1
    recency_half_life_days: float = 730.0


@dataclass(frozen=True, slots=True)
class ContextBudget:
    """Passages that reach the writer and the verifier."""

    max_passages: int = 8
    max_tokens: int = 1800
    min_tokens_per_passage: int = 60
    duplicate_similarity: float = 0.9
    rrf_k: int = 60


@dataclass(frozen=True, slots=True)
class SufficiencyRule:
    """First rule whose condition holds decides: ``answer``, ``search_again`` or ``refuse``."""

    id: str
    when: str
    then: str


@dataclass(frozen=True, slots=True)
class StrategyRule:
    """First rule whose condition holds chooses the generation strategy."""

    when: str
    use: Strategy


@dataclass(frozen=True, slots=True)
class Generation:
    """How the language model is used. ``per_evidence_min_confidence``: less sure sentences give way to quotations."""

    strategies: tuple[StrategyRule, ...] = (StrategyRule("true", Strategy.WHOLE),)
    max_statements: int = 6
    per_evidence_passages: int = 3
    per_evidence_min_confidence: float = 0.0
    max_tokens: int = 400
    temperature: float = 0.0
    timeout_seconds: float = 20.0


@dataclass(frozen=True, slots=True)
class Limits:
    """Bounds of one Ask. ``max_seconds`` holds where its caller has no deadline, or a later one."""

    max_rounds: int = 2
    max_attempts: int = 2
    max_tasks: int = 24
    max_seconds: float = 30.0
    reserve_seconds: float = 1.0
    search_timeout_seconds: float = 5.0
    call_timeout_seconds: float = 3.0
    min_confidence: float = 0.0


@dataclass(frozen=True, slots=True)
class Policy:
    """Everything a knowledge owner decides about answering. ``version`` is set by the loader."""

    routes: tuple[Route, ...]
    overrides: tuple[Override, ...] = ()
    credibility: Credibility = Credibility()
    context: ContextBudget = ContextBudget()
    sufficiency: tuple[SufficiencyRule, ...] = (SufficiencyRule("default", "true", "answer"),)
    generation: Generation = Generation()
    limits: Limits = Limits()
    contacts: Mapping[str, str | Mapping[str, str]] = field(default_factory=dict)
    version: str = ""
