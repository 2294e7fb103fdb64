"""One part after another is stopped (SIGSTOP) or killed while questions are asked; what the user gets is observed.

python -m tests.faults        runs every scenario on a stack of its own and prints a table
"""

from __future__ import annotations

import signal
import time
from dataclasses import dataclass, field

import grpc
from google.rpc import error_details_pb2

from services.common.errors import status_of
from tests.stack import LocalStack, until
from trirag.orchestrator.v1 import orchestrator_pb2 as pb
from trirag.orchestrator.v1 import orchestrator_pb2_grpc

QUESTION = "What does error E4027 mean?"
OTHER_QUESTIONS = (
    "What does error E4072 mean?",
    "What does error ORA-01555 mean?",
    "How long is the access token of the order gateway valid?",
)
# Asked when Milvus is back: no cache holds them, which would answer before Milvus does and break the next scenario.
NEW_QUESTIONS = {
    signal.SIGSTOP: "Please tell me what error E4027 means.",
    signal.SIGKILL: "Can you tell me what error E4027 means?",
}
KNOWLEDGE_BASE = "runbooks"
DEADLINE_SECONDS = 12.0
RECOVERY_SECONDS = 60.0

# Envoy counters that tell who noticed: active checks, ejections, time-outs, refused connections, breaker.
STATS = (
    "health_check.failure",
    "outlier_detection.ejections_enforced_total",
    "upstream_rq_timeout",
    "upstream_rq_per_try_timeout",
    "upstream_cx_connect_fail",
    "upstream_rq_active_overflow",
    "upstream_rq_retry",
)
CLUSTER_OF = {"vllm": "llm", "milvus": "retrieval"}


@dataclass(frozen=True)
class Observation:
    """What one Ask came to. ``status`` is the answer's status or the gRPC code."""

    status: str
    method: str = ""
    warnings: tuple[str, ...] = ()
    degraded: bool = False
    text: str = ""
    retry_info: bool = False
    seconds: float = 0.0

    @property
    def words(self) -> str:
        """In one line."""
        marks = " degraded" if self.degraded else ""
        return f"{self.status} {self.method}{marks} {' '.join(self.warnings)}".strip()


@dataclass
class Report:
    """One scenario."""

    part: str
    fault: str
    before: Observation
    during: list[Observation] = field(default_factory=list)
    after: Observation | None = None
    recovery_seconds: float = 0.0
    stats: dict[str, int] = field(default_factory=dict)


def ask(stack: LocalStack, extractive: bool, question: str = QUESTION) -> Observation:
    """Asks once, through the edge."""
    began = time.monotonic()
    with grpc.insecure_channel(stack.url) as channel:
        stub = orchestrator_pb2_grpc.OrchestratorServiceStub(channel)
        request = pb.AskRequest(question=question, knowledge_bases=[KNOWLEDGE_BASE], extractive_only=extractive)
        try:
            answer = stub.Ask(request, timeout=DEADLINE_SECONDS).answer
        except grpc.RpcError as error:
            status = status_of(error)
            kind = error_details_pb2.RetryInfo.DESCRIPTOR
            retry = status is not None and any(d.Is(kind) for d in status.details)
            return Observation(
                error.code().name, text=error.details(), retry_info=retry, seconds=time.monotonic() - began
            )
    return Observation(
        pb.AnswerStatus.Name(answer.status).removeprefix("ANSWER_STATUS_"),
        pb.AnswerMethod.Name(answer.method).removeprefix("ANSWER_METHOD_"),
        tuple(w.code for w in answer.warnings),
        answer.degraded,
        answer.text,
        seconds=time.monotonic() - began,
    )


def questions(part: str, fault: signal.Signals) -> list[str]:
    """What is asked while a part is down. Without Milvus a cache may still answer what was searched before: so then
    every question is a new one."""
    if part != "milvus":
        return list(OTHER_QUESTIONS)
    return [f"{question} ({fault.name})" for question in OTHER_QUESTIONS]


def cluster_stats(stack: LocalStack, part: str) -> dict[str, int]:
    """The counters of the part's cluster."""
    prefix = f"cluster.{CLUSTER_OF.get(part, part)}."
    found = stack.envoy_stats("^" + prefix.replace(".", r"\."))
    return {name: found.get(prefix + name, 0) for name in STATS}


def _well(stack: LocalStack, extractive: bool) -> Observation:
    """An undegraded answer: what an earlier scenario broke may be well again before its own check and Envoy's know, and
    calls that went through already would stop again."""
    give_up = time.monotonic() + RECOVERY_SECONDS
    while True:
        stack.wait_well("perception", "retrieval", "validation")
        seen = ask(stack, extractive)
        if (seen.status, seen.degraded) == ("ANSWERED", False) or time.monotonic() > give_up:
            return seen
        time.sleep(0.2)


def play(stack: LocalStack, part: str, fault: signal.Signals, extractive: bool) -> Report:
    """Breaks a part, asks, mends it, waits until it is well by itself, and asks again."""
    report = Report(part, fault.name, _well(stack, extractive))
    counted = cluster_stats(stack, part)
    pid = stack.signal(part, fault)
    try:
        report.during = [ask(stack, extractive, question) for question in questions(part, fault)]
        now = cluster_stats(stack, part)
        report.stats = {name: now[name] - counted[name] for name in STATS if now[name] != counted[name]}
    finally:
        if fault == signal.SIGSTOP:
            stack.signal(part, signal.SIGCONT)
        else:
            until(lambda: stack.child_of_or_zero(part) not in (0, pid), f"{part} is not started again")
        stack.wait_well(part, *(("retrieval",) if part == "milvus" else ()))
    began = time.monotonic()
    question = NEW_QUESTIONS[fault] if part == "milvus" else QUESTION
    report.after = ask(stack, extractive, question)
    while (report.after.status, report.after.degraded) != (report.before.status, report.before.degraded):
        if time.monotonic() - began > RECOVERY_SECONDS:
            break
        time.sleep(0.2)
        report.after = ask(stack, extractive, question)
    report.recovery_seconds = time.monotonic() - began
    return report
