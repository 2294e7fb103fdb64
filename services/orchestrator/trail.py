"""The trail of an Ask: gathered while it runs, kept, listed."""

from __future__ import annotations

import time
import uuid
from dataclasses import dataclass, field
from datetime import UTC, datetime

from google.protobuf.timestamp_pb2 import Timestamp
from opentelemetry import trace as otel

from services.common.identity import Identity
from services.orchestrator.adapters.trace_store import TraceRecord
from trirag.orchestrator.v1 import orchestrator_pb2 as pb

_STATUS_PREFIX = "ANSWER_STATUS_"


def new_trace_id() -> str:
    """Unique for every Ask; with OpenTelemetry it begins with the trace id, so that the spans are found by it."""
    context = otel.get_current_span().get_span_context()
    return f"{context.trace_id:032x}-{context.span_id:016x}" if context.is_valid else uuid.uuid4().hex


@dataclass(slots=True)
class Trail:
    """What one Ask has told so far, and by which policy."""

    request: pb.AskRequest
    policy_version: str
    trace_id: str = field(default_factory=new_trace_id)
    messages: list[pb.AskStreamResponse] = field(default_factory=list)
    #: Reason of the failure; does not count once there is an answer.
    failure: str = "FAILED"
    _started: datetime = field(default_factory=lambda: datetime.now(UTC))
    _began: float = field(default_factory=time.perf_counter)

    def elapsed_ms(self) -> float:
        """Milliseconds since the Ask came."""
        return (time.perf_counter() - self._began) * 1000

    def record(self, identity: Identity) -> TraceRecord:
        """What the trace store keeps of it."""
        answer = self.messages[-1].answer.answer if self._answered else None
        stamp = Timestamp()
        stamp.FromDatetime(self._started)
        whole = pb.Trace(
            trace_id=self.trace_id,
            started_at=stamp,
            request=self.request,
            events=self.messages,
            subject=identity.subject,
            failure=self.failure if answer is None else "",
        )
        return TraceRecord(
            trace_id=self.trace_id,
            subject=identity.subject,
            groups=identity.groups,
            # Only an answer may be returned again; a failure is tried anew.
            request_id="" if answer is None else self.request.request_id,
            question=self.request.question,
            started_at=self._started,
            status=self.failure if answer is None else _status_word(answer.status),
            degraded=answer is not None and answer.degraded,
            latency_ms=self.elapsed_ms(),
            policy_version=self.policy_version,
            payload=whole.SerializeToString(),
        )

    @property
    def _answered(self) -> bool:
        return bool(self.messages) and self.messages[-1].HasField("answer")


def summary_of(record: TraceRecord) -> pb.TraceSummary:
    """One line of a list of trails."""
    stamp = Timestamp()
    stamp.FromDatetime(record.started_at)
    name = f"{_STATUS_PREFIX}{record.status}"
    known = name in pb.AnswerStatus.keys()  # noqa: SIM118 - not a dict
    return pb.TraceSummary(
        trace_id=record.trace_id,
        started_at=stamp,
        question=record.question,
        status=pb.AnswerStatus.Value(name) if known else pb.ANSWER_STATUS_UNSPECIFIED,
        latency_ms=record.latency_ms,
        degraded=record.degraded,
        failure="" if known else record.status,
    )


def _status_word(status: pb.AnswerStatus.ValueType) -> str:
    return pb.AnswerStatus.Name(status).removeprefix(_STATUS_PREFIX)
