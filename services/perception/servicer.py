"""PerceptionService: protobuf in and out, nothing decided here."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date

import grpc

from services.common.converters.question import to_proto_question
from services.common.dates import from_proto_date, today_in
from services.common.offload import BlockingPool
from services.perception.domain.pipeline import Interpreter
from trirag.perception.v1 import parsed_question_pb2, perception_pb2, perception_pb2_grpc


class PerceptionServicer(perception_pb2_grpc.PerceptionServiceServicer):
    """Parses in threads, so that the event loop stays free for health checks."""

    def __init__(self, interpreter_of: Callable[[str], Interpreter], pool: BlockingPool) -> None:
        """``interpreter_of`` gives the interpreter in force for a tenant."""
        self._interpreter_of = interpreter_of
        self._pool = pool

    async def Parse(  # noqa: N802
        self, request: perception_pb2.ParseRequest, context: grpc.aio.ServicerContext
    ) -> perception_pb2.ParseResponse:
        """Parses one question."""
        reference = _reference_day(request, "")
        parsed = await self._pool.run(_parse, self._interpreter_of(request.tenant), request.question, reference)
        return perception_pb2.ParseResponse(parsed=parsed)

    async def BatchParse(  # noqa: N802
        self, request: perception_pb2.BatchParseRequest, context: grpc.aio.ServicerContext
    ) -> perception_pb2.BatchParseResponse:
        """Parses several questions with one set of rules, in their order."""
        days = [_reference_day(r, f"requests[{i}].") for i, r in enumerate(request.requests)]
        interpreters = {r.tenant: self._interpreter_of(r.tenant) for r in request.requests}
        parsed = [
            await self._pool.run(_parse, interpreters[r.tenant], r.question, day)
            for r, day in zip(request.requests, days, strict=True)
        ]
        return perception_pb2.BatchParseResponse(parsed=parsed)


def _parse(interpreter: Interpreter, question: str, day: date) -> parsed_question_pb2.ParsedQuestion:
    return to_proto_question(interpreter.parse(question, day))


def _reference_day(request: perception_pb2.ParseRequest, prefix: str) -> date:
    """The day given, else today in the time zone given, else today in UTC."""
    if request.HasField("reference_date"):
        return from_proto_date(request.reference_date, f"{prefix}reference_date")
    return today_in(request.time_zone, f"{prefix}time_zone")
