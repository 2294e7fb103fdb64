"""OrchestratorService: protobuf in and out, nothing else decided here."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from dataclasses import dataclass
from datetime import datetime
from itertools import repeat

import grpc
from sqlalchemy.exc import SQLAlchemyError

from services.common.converters.question import to_proto_question
from services.common.errors import InvalidInput, NotFound, TriragError, Unavailable
from services.common.identity import Identity, current_identity, current_request_id
from services.orchestrator.adapters.policy_file import WatchedFile
from services.orchestrator.adapters.trace_store import TraceRecord, TraceStore
from services.orchestrator.converters.events import to_proto_event
from services.orchestrator.converters.plan import to_proto_plan
from services.orchestrator.converters.request import from_proto_ask, from_proto_explain
from services.orchestrator.domain.events import Parsed
from services.orchestrator.domain.messages import Messages
from services.orchestrator.domain.policy import Policy
from services.orchestrator.loop import AskLoop
from services.orchestrator.metrics import AskMetrics
from services.orchestrator.session import Deadline, Session
from services.orchestrator.trail import Trail, summary_of
from trirag.orchestrator.v1 import orchestrator_pb2 as pb
from trirag.orchestrator.v1 import orchestrator_pb2_grpc

DEFAULT_PAGE = 20
# Trails that the caller may not read are passed over; after so many reads the page ends short of its size.
READ_AT_ONCE = 200
MOST_FURTHER_READS = 20
# Time between the end of the loop and the caller's deadline: the answer must still travel.
REPLY_SECONDS = 0.05
STORE_RETRY_SECONDS = 2.0


@dataclass(frozen=True, slots=True)
class _Running:
    """An Ask with a request_id that is being answered."""

    request: pb.AskRequest
    response: asyncio.Future[pb.AskResponse]


class OrchestratorServicer(orchestrator_pb2_grpc.OrchestratorServiceServicer):
    """Answers, explains, and tells how it came to its answers."""

    def __init__(
        self,
        loop: AskLoop,
        policy: WatchedFile[Policy],
        messages: WatchedFile[Messages],
        store: TraceStore,
        metrics: AskMetrics,
    ) -> None:
        self._loop = loop
        self._policy = policy
        self._messages = messages
        self._store = store
        self._metrics = metrics
        self._in_flight: dict[tuple[Identity, str], _Running] = {}

    async def Ask(self, request: pb.AskRequest, context: grpc.aio.ServicerContext) -> pb.AskResponse:  # noqa: N802
        """Answers a question; with a request_id that was answered before, returns that answer."""
        if not request.request_id:
            return await self._answer(request, context)
        key = (current_identity(), request.request_id)
        while (running := self._in_flight.get(key)) is not None:
            _refuse_another_question(running.request, request)
            try:
                return _replayed(await asyncio.shield(running.response))
            except asyncio.CancelledError:
                if (task := asyncio.current_task()) is not None and task.cancelling():
                    raise
        # Taken before the store is asked: of two calls at once, one must see the other.
        running = _Running(request, asyncio.get_running_loop().create_future())
        self._in_flight[key] = running
        try:
            response = await self._stored(request)
            if response is None:
                response = await self._answer(request, context)
            running.response.set_result(response)
            return response
        finally:
            # Whoever waits for a call that failed or was cut off asks anew.
            running.response.cancel()
            del self._in_flight[key]

    async def AskStream(  # noqa: N802
        self, request: pb.AskStreamRequest, context: grpc.aio.ServicerContext
    ) -> AsyncIterator[pb.AskStreamResponse]:
        """Tells every step; the last message is the answer."""
        async for message in self._events(request.ask, context):
            yield message

    async def _answer(self, request: pb.AskRequest, context: grpc.aio.ServicerContext) -> pb.AskResponse:
        response = pb.AskResponse()
        async for message in self._events(request, context):
            if message.HasField("answer"):
                response = message.answer
        return response

    async def _events(
        self, request: pb.AskRequest, context: grpc.aio.ServicerContext
    ) -> AsyncIterator[pb.AskStreamResponse]:
        ask, policy = from_proto_ask(request), self._policy.value
        trail, request_id = Trail(request, policy.version), request.request_id or current_request_id()
        try:
            async for event in self._loop.run(ask, policy, self._messages.value, _seconds_left(context)):
                self._metrics.observe(event)
                message = to_proto_event(event, trail.trace_id, trail.elapsed_ms(), request_id)
                trail.messages.append(message)
                yield message
        except TriragError as error:
            trail.failure = error.reason
            raise
        finally:
            self._store.put(trail.record(current_identity()))

    async def _stored(self, request: pb.AskRequest) -> pb.AskResponse | None:
        """The answer that an earlier call with this request_id was given, if the caller may still see it."""
        identity = current_identity()
        try:
            record = await self._store.by_request_id(identity.subject, request.request_id)
        except SQLAlchemyError:
            return None  # without the store, answering twice is better than not answering
        if record is None or not record.readable_by(identity.groups):
            return None
        trail = pb.Trace.FromString(record.payload)
        _refuse_another_question(trail.request, request)
        return _replayed(trail.events[-1].answer)

    async def ExplainPlan(  # noqa: N802
        self, request: pb.ExplainPlanRequest, context: grpc.aio.ServicerContext
    ) -> pb.ExplainPlanResponse:
        """Parses and plans; nothing is retrieved."""
        policy = self._policy.value
        deadline = Deadline.of_call(_seconds_left(context), policy.limits)
        session = Session(from_proto_explain(request), policy, self._messages.value, deadline)
        event: Parsed = await self._loop.gatherer.perceive(session)
        plan = self._loop.gatherer.first_plan(session)
        return pb.ExplainPlanResponse(
            parsed=None if event.parsed is None else to_proto_question(event.parsed),
            plan=to_proto_plan(plan),
            policy_version=policy.version,
            degraded=event.degraded,
        )

    async def GetTrace(  # noqa: N802
        self, request: pb.GetTraceRequest, context: grpc.aio.ServicerContext
    ) -> pb.GetTraceResponse:
        """Reads one trail whole."""
        try:
            record = await self._store.get(request.trace_id)
        except SQLAlchemyError:
            raise _store_down() from None
        if record is None or not record.readable_by(current_identity().groups):
            raise NotFound("TRACE_NOT_FOUND", f"there is no trace {request.trace_id}, or you may not read it")
        return pb.GetTraceResponse(trace=pb.Trace.FromString(record.payload))

    async def ListTraces(  # noqa: N802
        self, request: pb.ListTracesRequest, context: grpc.aio.ServicerContext
    ) -> pb.ListTracesResponse:
        """Lists trails that the caller may read, newest first."""
        try:
            found, token = await self._readable(request.page_size or DEFAULT_PAGE, _read_token(request.page_token))
        except SQLAlchemyError:
            raise _store_down() from None
        return pb.ListTracesResponse(traces=[summary_of(record) for record in found], next_page_token=token)

    async def _readable(self, size: int, before: tuple[datetime, str] | None) -> tuple[list[TraceRecord], str]:
        """The next trails that the caller may read, and the token of what follows; empty if nothing does."""
        groups = current_identity().groups
        found: list[TraceRecord] = []
        for count in (size, *repeat(READ_AT_ONCE, MOST_FURTHER_READS)):
            records = await self._store.page(count, before)
            for record in records:
                before = (record.started_at, record.trace_id)
                if record.readable_by(groups):
                    found.append(record)
                if len(found) == size:
                    return found, _written_token(before)
            if len(records) < count:
                return found, ""
        return found, "" if before is None else _written_token(before)


def _seconds_left(context: grpc.aio.ServicerContext) -> float | None:
    """What the caller's deadline leaves for the work; None if there is no deadline."""
    remaining = context.time_remaining()
    return None if remaining is None else max(0.0, remaining - REPLY_SECONDS)


def _refuse_another_question(earlier: pb.AskRequest, request: pb.AskRequest) -> None:
    if earlier != request:
        raise InvalidInput.of_field("request_id", "was used for another question; use a new one", "REQUEST_ID_REUSED")


def _replayed(response: pb.AskResponse) -> pb.AskResponse:
    copy = pb.AskResponse()
    copy.CopyFrom(response)
    copy.replayed = True
    return copy


def _written_token(last: tuple[datetime, str]) -> str:
    return f"{last[0].isoformat()}|{last[1]}"


def _read_token(token: str) -> tuple[datetime, str] | None:
    if not token:
        return None
    try:
        written, trace_id = token.split("|")
        moment = datetime.fromisoformat(written)
        if moment.tzinfo is None:  # cannot be compared with the moments that are kept
            raise ValueError(written)
        return moment, trace_id
    except ValueError:
        raise InvalidInput.of_field("page_token", "is not a token of an earlier page", "BAD_PAGE_TOKEN") from None


def _store_down() -> Unavailable:
    return Unavailable("TRACE_STORE_UNAVAILABLE", "the trace store does not answer", retry_after=STORE_RETRY_SECONDS)
