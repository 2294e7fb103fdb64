"""Messages that several tests print."""

from __future__ import annotations

from google.type import date_pb2

from trirag.common.v1 import types_pb2
from trirag.orchestrator.v1 import orchestrator_pb2, plan_pb2
from trirag.perception.v1 import parsed_question_pb2
from trirag.retrieval.v1 import retrieval_pb2
from trirag.validation.v1 import validation_pb2

CHUNK_TEXT = "The typical cruise speed of the A320 is 447 kt. It carries 180 passengers."


def chunk(number: int = 1, text: str = CHUNK_TEXT) -> types_pb2.Chunk:
    """A passage of a dated, versioned document."""
    document = types_pb2.DocumentMetadata(
        document_id=f"handbook-{number}",
        title="Fleet Handbook",
        version="2025",
        effective_from=date_pb2.Date(year=2025, month=7, day=1),
    )
    return types_pb2.Chunk(
        chunk_id=f"handbook-{number}#0", document=document, text=text, heading_path=["Fleet", "Speed"]
    )


def verdict() -> validation_pb2.Verdict:
    """An invalid verdict: the number of statement 0 differs from its source."""
    pb = validation_pb2
    link = pb.EvidenceLink(
        citation=1,
        chunk_id="handbook-1#0",
        span=types_pb2.TextSpan(start=0, end=47),
        score=0.61,
        matched=[types_pb2.TextSpan(start=12, end=24)],
    )
    statements = [
        pb.StatementVerdict(
            index=0, text="The A320 cruises at 440 kt [1].", citations=[1], is_claim=True, evidence=[link]
        ),
        pb.StatementVerdict(index=1, text="Ask the fleet office for more."),
    ]
    issue = pb.Issue(
        type=pb.ISSUE_TYPE_NUMBER_MISMATCH,
        severity=pb.SEVERITY_BLOCK,
        statement_index=0,
        check_id="number",
        message="440 kt is not what [1] says",
        found="440 kt",
        expected="447 kt",
        remedy=pb.Remedy(kind=pb.REMEDY_KIND_REGENERATE),
    )
    return pb.Verdict(valid=False, confidence=0.9, statements=statements, issues=[issue])


def parsed() -> parsed_question_pb2.ParsedQuestion:
    """A comparison with a time constraint, every field with its rule."""
    pb = parsed_question_pb2
    rule = pb.Origin(
        kind=pb.ORIGIN_KIND_RULE, rule_id="en.compare.verb", file="en.yaml", line=12, matched_text="Compare"
    )
    return pb.ParsedQuestion(
        question="Compare A320 and B737 in 2023",
        language="en",
        actions=[pb.ScoredAction(action=pb.ACTION_COMPARE, score=0.9, origin=rule)],
        codes=[pb.Mention(text="A320", type="model_number", canonical="A320", origin=rule)],
        sides=[pb.Mention(text="A320", origin=rule), pb.Mention(text="B737", origin=rule)],
        time=pb.TimeConstraint(
            relation=pb.TIME_RELATION_IN,
            interval=types_pb2.DayInterval(
                start=date_pb2.Date(year=2023, month=1, day=1), end=date_pb2.Date(year=2023, month=12, day=31)
            ),
            text="in 2023",
            origin=rule,
        ),
        parts=[pb.Part(text="Compare A320 and B737 in 2023", action=pb.ACTION_COMPARE)],
        reference_date=date_pb2.Date(year=2026, month=11, day=30),
        rules_version="abc",
    )


def plan() -> plan_pb2.Plan:
    """One keyword search and the condition that made it."""
    search = retrieval_pb2.SearchTask(
        task_id="t1",
        query="A320 speed",
        type=retrieval_pb2.SEARCH_TYPE_KEYWORD,
        knowledge_base="fleet",
        filter=retrieval_pb2.SearchFilter(in_force_on=date_pb2.Date(year=2024, month=5, day=1)),
    )
    task = plan_pb2.PlanTask(search=search, weight=0.45, priority=1, route_id="codes", reasons=["a code is named"])
    decision = plan_pb2.RuleDecision(rule_id="codes", condition="size(codes) > 0", matched=True)
    return plan_pb2.Plan(tasks=[task], decisions=[decision], policy_version="f00d", generation_strategy="whole")


def response() -> orchestrator_pb2.AskResponse:
    """A verified answer with one source."""
    pb = orchestrator_pb2
    answer = pb.Answer(
        status=pb.ANSWER_STATUS_ANSWERED,
        text="The A320 cruises at 447 kt [1].",
        sources=[pb.Source(number=1, chunk=chunk(), weight=0.8, cited=True), pb.Source(number=2, chunk=chunk(2))],
        confidence=0.83,
        method=pb.ANSWER_METHOD_EXTRACTIVE,
        degraded=True,
        warnings=[pb.Warning(code="LLM_UNAVAILABLE", message="the language model is down")],
    )
    return pb.AskResponse(
        trace_id="tr-1",
        answer=answer,
        timings=[pb.StageTiming(stage="search", round=2, duration_ms=12.0)],
        latency_ms=812.0,
    )


def events() -> list[orchestrator_pb2.AskStreamResponse]:
    """Every kind of step, the answer last."""
    pb = orchestrator_pb2
    sufficiency = validation_pb2.CheckSufficiencyResponse(
        label=validation_pb2.SUFFICIENCY_LABEL_INSUFFICIENT,
        score=0.4,
        needs=[validation_pb2.Need(need_id="n1", description="speed of the B737", kind="side", queries=["B737 speed"])],
    )
    routes = [
        pb.RouteOutcome(task_id="t1", knowledge_base="fleet", status="OK", hit_count=3),
        pb.RouteOutcome(task_id="t2", knowledge_base="faq", status="UNAVAILABLE", message="the store is down"),
    ]
    attempt = pb.AttemptEvent(attempt=1, method=pb.ANSWER_METHOD_GENERATED, strategy="whole", draft="440 kt [1].")
    steps: list[dict[str, object]] = [
        {"parsed": pb.ParsedEvent(parsed=parsed())},
        {"planned": pb.PlannedEvent(round=1, plan=plan())},
        {"searched": pb.SearchedEvent(round=1, routes=routes, sources=[pb.Source(number=1, chunk=chunk())])},
        {"sufficiency": pb.SufficiencyEvent(round=1, sufficiency=sufficiency, decision="search_again")},
        {"attempt": attempt},
        {"validated": pb.ValidatedEvent(attempt=1, verdict=verdict(), decision="compose")},
        {"answer": response()},
    ]
    return [pb.AskStreamResponse(trace_id="tr-1", elapsed_ms=10.0 * i, **step) for i, step in enumerate(steps)]
