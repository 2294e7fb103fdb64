"""Events and answers."""

from __future__ import annotations

from collections.abc import Sequence

from services.common.converters.document import to_proto_chunk
from services.common.converters.question import to_proto_question
from services.common.converters.verdict import to_proto_sufficiency, to_proto_verdict
from services.orchestrator.converters.plan import to_proto_plan
from services.orchestrator.domain import events as domain
from services.orchestrator.domain.evidence import Evidence, RouteOutcome
from trirag.orchestrator.v1 import orchestrator_pb2 as pb

STATUS = {s: pb.AnswerStatus.Value(f"ANSWER_STATUS_{s.name}") for s in domain.Status}
METHOD = {m: pb.AnswerMethod.Value(f"ANSWER_METHOD_{m.name}") for m in domain.Method}


def to_proto_event(event: domain.Event, trace_id: str, elapsed_ms: float, request_id: str) -> pb.AskStreamResponse:
    """One message of the stream."""
    message = pb.AskStreamResponse(trace_id=trace_id, elapsed_ms=round(elapsed_ms, 3))
    match event:
        case domain.Parsed():
            parsed = None if event.parsed is None else to_proto_question(event.parsed)
            message.parsed.CopyFrom(pb.ParsedEvent(parsed=parsed, degraded=event.degraded))
        case domain.Planned():
            message.planned.CopyFrom(pb.PlannedEvent(round=event.round, plan=to_proto_plan(event.plan)))
        case domain.Searched():
            message.searched.CopyFrom(
                pb.SearchedEvent(
                    round=event.round,
                    routes=[_route(o) for o in event.outcomes],
                    sources=_sources(event.evidence, frozenset()),
                )
            )
        case domain.Judged():
            sufficiency = None if event.sufficiency is None else to_proto_sufficiency(event.sufficiency)
            message.sufficiency.CopyFrom(
                pb.SufficiencyEvent(round=event.round, sufficiency=sufficiency, decision=event.decision)
            )
        case domain.Attempted():
            message.attempt.CopyFrom(
                pb.AttemptEvent(
                    attempt=event.attempt,
                    method=METHOD[event.method],
                    strategy=event.strategy,
                    draft=event.draft,
                    error=event.error,
                )
            )
        case domain.Validated():
            verdict = None if event.verdict is None else to_proto_verdict(event.verdict)
            message.validated.CopyFrom(
                pb.ValidatedEvent(attempt=event.attempt, verdict=verdict, decision=event.decision)
            )
        case domain.Answered():
            message.answer.CopyFrom(to_proto_response(event, trace_id, request_id))
    return message


def to_proto_response(answered: domain.Answered, trace_id: str, request_id: str) -> pb.AskResponse:
    """The answer with its timings."""
    answer, usage = answered.answer, answered.usage
    return pb.AskResponse(
        trace_id=trace_id,
        answer=pb.Answer(
            status=STATUS[answer.status],
            text=answer.text,
            sources=_sources(answer.evidence, answer.cited),
            confidence=answer.confidence,
            verdict=None if answer.verdict is None else to_proto_verdict(answer.verdict),
            warnings=[pb.Warning(code=w.code, message=w.message) for w in answer.warnings],
            degraded=answer.degraded,
            partial=answer.partial,
            method=METHOD[answer.method],
            missing=answer.missing,
            contact=answer.contact,
        ),
        timings=[
            pb.StageTiming(
                stage=t.stage, round=t.round, start_ms=round(t.start_ms, 3), duration_ms=round(t.duration_ms, 3)
            )
            for t in answered.timings
        ],
        usage=pb.TokenUsage(
            prompt_tokens=usage.prompt_tokens, completion_tokens=usage.completion_tokens, calls=usage.calls
        ),
        latency_ms=round(answered.latency_ms, 3),
        policy_version=answered.policy_version,
        request_id=request_id,
    )


def _route(outcome: RouteOutcome) -> pb.RouteOutcome:
    return pb.RouteOutcome(
        task_id=outcome.task_id,
        knowledge_base=outcome.knowledge_base,
        status=outcome.status,
        message=outcome.message,
        hit_count=len(outcome.hits),
        latency_ms=outcome.latency_ms,
    )


def _sources(evidence: Sequence[Evidence], cited: frozenset[int]) -> list[pb.Source]:
    return [
        pb.Source(
            number=number,
            chunk=to_proto_chunk(item.chunk),
            weight=item.weight,
            credibility=dict(item.credibility),
            cited=number in cited,
        )
        for number, item in enumerate(evidence, start=1)
    ]
