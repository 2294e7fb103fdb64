"""Short ways to build parses, chunks, verdicts and fakes for the orchestrator's tests."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import date
from pathlib import Path

from services.common.domain.document import Chunk, DocumentMetadata
from services.common.domain.question import (
    Action,
    Mention,
    Origin,
    OriginKind,
    ParsedQuestion,
    ScoredAction,
    Span,
    TimeConstraint,
)
from services.common.domain.time import DayInterval, TimeRelation
from services.common.domain.verdict import (
    Issue,
    IssueType,
    Lock,
    Need,
    Remedy,
    RemedyKind,
    Severity,
    Sufficiency,
    SufficiencyLabel,
    Verdict,
)
from services.orchestrator.adapters.cel import evaluate_condition
from services.orchestrator.adapters.policy_file import parse_messages, parse_policy
from services.orchestrator.domain.events import Ask, Event, TokenUsage
from services.orchestrator.domain.evidence import Evidence, Hit, RouteOutcome
from services.orchestrator.domain.plan import PlanTask
from services.orchestrator.domain.planner import Planner
from services.orchestrator.domain.policy import Policy
from services.orchestrator.domain.prompts import Prompt
from services.orchestrator.gather import Gatherer
from services.orchestrator.loop import AskLoop
from services.orchestrator.ports import PartUnavailable
from services.orchestrator.write import AnswerWriter

TODAY = date(2026, 11, 30)
RULE = Origin(OriginKind.RULE, "test")
CONFIG = Path(__file__).resolve().parents[3] / "config"
MESSAGES = parse_messages((CONFIG / "messages.yaml").read_text(encoding="utf-8"))
POLICY = parse_policy((CONFIG / "policy.yaml").read_text(encoding="utf-8"))


def mention(text: str, kind: str = "model_number") -> Mention:
    return Mention(text, kind, Span(0, len(text)), text, RULE)


def in_year(year: int, text: str = "") -> TimeConstraint:
    interval = DayInterval(date(year, 1, 1), date(year, 12, 31))
    return TimeConstraint(TimeRelation.IN, interval, text or f"in {year}", Span(0, 0), RULE)


def parse(question: str, action: Action = Action.LOOKUP, **fields: object) -> ParsedQuestion:
    base = ParsedQuestion(question, "en", (ScoredAction(action, 0.9, RULE),), TODAY, "r1")
    return replace(base, **fields)


def chunk(chunk_id: str, text: str, **document: object) -> Chunk:
    values = {"document_id": chunk_id.split("#")[0], "knowledge_base": "kb", "title": chunk_id, **document}
    return Chunk(chunk_id, DocumentMetadata(**values), text)


def evidence(*chunks: Chunk) -> tuple[Evidence, ...]:
    return tuple(Evidence(c, 1.0 - 0.1 * i, excerpt=c.text) for i, c in enumerate(chunks))


def valid(confidence: float = 0.9) -> Verdict:
    return Verdict(True, confidence, (), ())


def invalid(answer: str, part: str, kind: RemedyKind = RemedyKind.DROP_STATEMENT, **remedy: object) -> Verdict:
    """A verdict that blocks the statement which contains ``part``."""
    start = answer.index(part)
    issue = Issue(
        IssueType.NUMBER_MISMATCH,
        Lock.TRACEABILITY,
        Severity.BLOCK,
        0,
        "numbers",
        f"wrong number in {part!r}",
        Remedy(kind, **remedy),
        Span(start, start + len(part)),
    )
    return Verdict(False, 0.2, (), (issue,))


def enough(score: float = 0.9) -> Sufficiency:
    return Sufficiency(SufficiencyLabel.SUFFICIENT, score, (), ())


def lacking(query: str) -> Sufficiency:
    need = Need("n1", f"something about {query}", "entity", (), (query,))
    return Sufficiency(SufficiencyLabel.INSUFFICIENT, 0.1, (need,), ())


class FakePerception:
    def __init__(self, parsed: ParsedQuestion | PartUnavailable) -> None:
        self.parsed = parsed
        self.timeouts: list[float] = []

    async def parse(self, question: str, reference_date: date, time_zone: str, timeout: float) -> ParsedQuestion:
        self.timeouts.append(timeout)
        if isinstance(self.parsed, PartUnavailable):
            raise self.parsed
        return self.parsed


class FakeRetrieval:
    """``find`` maps a task to chunks, to a status such as UNAVAILABLE, or to an exception."""

    def __init__(self, find: Callable[[PlanTask], Sequence[Chunk] | str | Exception]) -> None:
        self.find = find
        self.calls: list[list[PlanTask]] = []

    async def search(self, tasks: Sequence[PlanTask], timeout: float) -> list[RouteOutcome]:
        self.calls.append(list(tasks))
        outcomes = []
        for task in tasks:
            found = self.find(task)
            if isinstance(found, Exception):
                raise found
            if isinstance(found, str):
                outcomes.append(RouteOutcome(task.task_id, task.knowledge_base, task.weight, found, "down"))
            else:
                hits = tuple(Hit(c, i, 1.0) for i, c in enumerate(found, start=1))
                outcomes.append(RouteOutcome(task.task_id, task.knowledge_base, task.weight, "OK", hits=hits))
        return outcomes

    async def knowledge_bases(self, timeout: float) -> tuple[str, ...]:
        return ("kb",)


class FakeValidation:
    """``judge`` sees the answer's text; ``sufficiencies`` are given one by one, the last one again and again."""

    def __init__(
        self,
        judge: Callable[[str], Verdict | PartUnavailable],
        sufficiencies: Sequence[Sufficiency | PartUnavailable] = (),
    ) -> None:
        self.judge = judge
        self.sufficiencies = list(sufficiencies) or [enough()]
        self.answers: list[str] = []
        self.as_of: list[date | None] = []

    async def check_sufficiency(self, question, parsed, chunks, as_of, timeout) -> Sufficiency:
        result = self.sufficiencies.pop(0) if len(self.sufficiencies) > 1 else self.sufficiencies[0]
        if isinstance(result, PartUnavailable):
            raise result
        return result

    async def validate_answer(self, question, parsed, answer, chunks, as_of, timeout) -> Verdict:
        self.answers.append(answer)
        self.as_of.append(as_of)
        verdict = self.judge(answer)
        if isinstance(verdict, PartUnavailable):
            raise verdict
        return verdict


class FakeWriter:
    """Replies one by one; an exception is raised. The last reply comes again and again."""

    def __init__(self, *replies: str | Exception, model: str = "test-7b") -> None:
        self.replies = list(replies)
        self.model = model
        self.prompts: list[Prompt] = []
        self.running = 0
        self.most_running = 0

    async def complete(self, prompt: Prompt, max_tokens: int, temperature: float, timeout: float):
        self.prompts.append(prompt)
        self.running += 1
        self.most_running = max(self.most_running, self.running)
        await asyncio.sleep(0)
        self.running -= 1
        reply = self.replies.pop(0) if len(self.replies) > 1 else self.replies[0]
        if isinstance(reply, Exception):
            raise reply
        return reply, TokenUsage(10, 5, 1)


def loop(perception, retrieval, validation, writer) -> AskLoop:
    gatherer = Gatherer(Planner(evaluate_condition), perception, retrieval, validation, writer.model)
    return AskLoop(gatherer, AnswerWriter(writer, validation))


async def run(ask_loop: AskLoop, question: str, policy: Policy = POLICY, **fields: object) -> list[Event]:
    ask = Ask(question, TODAY, **fields)
    return [event async for event in ask_loop.run(ask, policy, MESSAGES, 30.0)]
