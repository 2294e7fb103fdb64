"""What the loop needs of the world. Adapters keep these promises; tests keep them with fakes."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from typing import Protocol

from services.common.domain.document import Chunk
from services.common.domain.question import ParsedQuestion
from services.common.domain.verdict import Sufficiency, Verdict
from services.orchestrator.domain.events import TokenUsage
from services.orchestrator.domain.evidence import RouteOutcome
from services.orchestrator.domain.messages import Reason
from services.orchestrator.domain.plan import PlanTask
from services.orchestrator.domain.prompts import Prompt


class PartUnavailable(Exception):
    """A part did not answer: down, cut off by its circuit breaker, or out of time.

    ``detail`` is what the part itself said, for logs and trails.
    """

    def __init__(self, part: str, reason: Reason, detail: str = "") -> None:
        super().__init__(f"{part}: {detail or reason}")
        self.part = part
        self.reason = reason
        self.detail = detail or reason.value.replace("_", " ")


class Perception(Protocol):
    """Parses questions."""

    async def parse(self, question: str, reference_date: date, time_zone: str, timeout: float) -> ParsedQuestion:
        """Raises PartUnavailable."""
        ...


class Retrieval(Protocol):
    """Searches knowledge bases."""

    async def search(self, tasks: Sequence[PlanTask], timeout: float) -> list[RouteOutcome]:
        """One call for all tasks. Raises PartUnavailable if no task could be tried at all."""
        ...

    async def knowledge_bases(self, timeout: float) -> tuple[str, ...]:
        """Names of all knowledge bases. Raises PartUnavailable."""
        ...


class Validation(Protocol):
    """Judges evidence and answers."""

    async def check_sufficiency(
        self,
        question: str,
        parsed: ParsedQuestion,
        chunks: Sequence[Chunk],
        as_of: date | None,
        timeout: float,
    ) -> Sufficiency:
        """Raises PartUnavailable."""
        ...

    async def validate_answer(
        self,
        question: str,
        parsed: ParsedQuestion,
        answer: str,
        chunks: Sequence[Chunk],
        as_of: date | None,
        timeout: float,
    ) -> Verdict:
        """Raises PartUnavailable."""
        ...


class Writer(Protocol):
    """The language model."""

    @property
    def model(self) -> str:
        """Name of the model; empty if none is configured."""
        ...

    async def complete(
        self, prompt: Prompt, max_tokens: int, temperature: float, timeout: float
    ) -> tuple[str, TokenUsage]:
        """The reply's text. Raises PartUnavailable."""
        ...
