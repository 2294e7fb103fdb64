"""What a search is asked and what it answers."""

from __future__ import annotations

import enum
from dataclasses import dataclass

from services.common.domain.document import Chunk
from services.retrieval.domain.filters import ChunkFilter

DEFAULT_TOP_K = 10


class SearchType(enum.StrEnum):
    """How a task searches."""

    DENSE = "dense"
    KEYWORD = "keyword"
    HYBRID = "hybrid"
    TWO_STAGE = "two_stage"


class TaskStatus(enum.StrEnum):
    """Outcome of one task."""

    OK = "ok"
    NOT_FOUND = "not_found"
    UNAVAILABLE = "unavailable"
    TIMEOUT = "timeout"
    INVALID = "invalid"
    FAILED_PRECONDITION = "failed_precondition"


@dataclass(frozen=True, slots=True)
class Diversity:
    """How hits differ from each other; by default they are the best ones, whatever they repeat.

    ``max_per_document`` 0 is any number. ``novelty`` in [0, 1] is what a hit's unlikeness to the ones before it
    weighs against its score. ``merge_same_text`` shows a text that several versions or copies share once.
    """

    max_per_document: int = 0
    novelty: float = 0.0
    merge_same_text: bool = False


@dataclass(frozen=True, slots=True)
class SearchTask:
    """One search. ``condition`` has no access keys yet: they come from the caller's identity.

    ``every_version`` lifts the default of what is in force today.
    """

    task_id: str
    query: str
    knowledge_base: str
    condition: ChunkFilter
    type: SearchType = SearchType.HYBRID
    top_k: int = DEFAULT_TOP_K
    every_version: bool = False
    rerank: bool = False
    expand_parent: bool = False
    diversity: Diversity = Diversity()


@dataclass(frozen=True, slots=True)
class Component:
    """One part of a hit's score; ``rank`` counts from 1, 0 where there is none."""

    name: str
    score: float
    rank: int = 0


@dataclass(frozen=True, slots=True)
class Hit:
    """A found passage with what its score is made of; ``also_in`` are chunks that it stands for."""

    chunk: Chunk
    score: float
    rank: int
    components: tuple[Component, ...]
    version_choice: str
    also_in: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class TaskResult:
    """Result of one task; ``message`` says why where the status is not OK, ``embedding_model`` is a label."""

    task_id: str
    status: TaskStatus
    message: str = ""
    hits: tuple[Hit, ...] = ()
    latency_ms: float = 0.0
    filter_description: str = ""
    cached: bool = False
    embedding_model: str = ""
