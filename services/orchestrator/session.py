"""State of one Ask: its clock, its timings, its warnings. No decision is made here."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import date

from services.common.domain.question import ParsedQuestion
from services.common.telemetry import stage_span
from services.orchestrator.domain.events import Ask, Caution, StageTiming, TokenUsage
from services.orchestrator.domain.evidence import Evidence, RouteOutcome
from services.orchestrator.domain.messages import Messages, Reason
from services.orchestrator.domain.planner import PlanInputs
from services.orchestrator.domain.policy import Limits, Policy
from services.orchestrator.domain.sentences import is_chinese


class Deadline:
    """The caller's deadline, with a reserve for what must follow."""

    def __init__(self, seconds: float) -> None:
        self._end = time.monotonic() + seconds

    @classmethod
    def of_call(cls, seconds: float | None, limits: Limits) -> Deadline:
        """That of a caller who waits ``seconds`` (None: says nothing), but not later than the policy allows.

        A caller who would wait longer is not refused: the answer comes sooner, with what there was time for.
        """
        return cls(limits.max_seconds if seconds is None else min(seconds, limits.max_seconds))

    def remaining(self, reserve: float = 0.0) -> float:
        """Seconds left beyond the reserve; never negative."""
        return max(0.0, self._end - reserve - time.monotonic())

    def bounded(self, limit: float, reserve: float = 0.0) -> float:
        """Timeout for a call that may take ``limit`` seconds at most."""
        return max(0.001, min(limit, self.remaining(reserve)))


@dataclass
class Session:
    """Everything that one Ask gathers on its way."""

    ask: Ask
    policy: Policy
    messages: Messages
    deadline: Deadline
    started: float = field(default_factory=time.perf_counter)
    timings: list[StageTiming] = field(default_factory=list)
    cautions: dict[str, Caution] = field(default_factory=dict)
    usage: TokenUsage = TokenUsage()
    degraded: bool = False
    partial: bool = False
    inputs: PlanInputs | None = None
    outcomes: list[RouteOutcome] = field(default_factory=list)
    evidence: tuple[Evidence, ...] = ()
    rounds: int = 0
    successors_of: list[str] = field(default_factory=list)

    @property
    def day(self) -> date:
        """The day asked about."""
        assert self.inputs is not None
        return self.ask.as_of or self.inputs.view.day or self.ask.today

    @property
    def parsed(self) -> ParsedQuestion:
        """The parse; there is one after perception, degraded or not."""
        assert self.inputs is not None
        return self.inputs.parsed

    @property
    def language(self) -> str:
        """Language of the answer: that of the question, as far as there are messages in it."""
        wanted = "zh" if is_chinese(self.ask.question) else self.parsed.language
        return wanted if wanted in self.messages.languages else self.messages.default_language

    @contextmanager
    def stage(self, name: str, round_number: int = 1) -> Iterator[None]:
        """Times a stage and gives it a span."""
        began = time.perf_counter()
        with stage_span(name, round=round_number):
            try:
                yield
            finally:
                ended = time.perf_counter()
                start_ms = (began - self.started) * 1000
                self.timings.append(StageTiming(name, round_number, start_ms, (ended - began) * 1000))

    def elapsed_ms(self) -> float:
        """Milliseconds since the Ask began."""
        return (time.perf_counter() - self.started) * 1000

    def caution(self, code: str, degraded: bool = False, reason: Reason | None = None, **details: str) -> None:
        """Adds a warning once, in the question's language; ``degraded`` marks the answer."""
        self.degraded = self.degraded or degraded
        key = code + "|".join(f"{k}={v}" for k, v in sorted(details.items()))
        if key not in self.cautions:
            language = self.language if self.inputs is not None else self.messages.default_language
            if reason is not None:
                details["reason"] = self.messages.text(language, f"reason_{reason}")
            self.cautions[key] = Caution(code, self.messages.text(language, code.lower(), **details))
