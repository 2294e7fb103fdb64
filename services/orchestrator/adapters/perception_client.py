"""Perception over gRPC, through the mesh."""

from __future__ import annotations

from datetime import date

import grpc

from services.common.converters.question import from_proto_question
from services.common.dates import to_proto_date
from services.common.domain.question import ParsedQuestion
from services.orchestrator.adapters.rpc import translated
from trirag.perception.v1 import perception_pb2, perception_pb2_grpc


class PerceptionClient:
    """Keeps the Perception port."""

    def __init__(self, channel: grpc.aio.Channel) -> None:
        self._stub = perception_pb2_grpc.PerceptionServiceStub(channel)

    async def parse(self, question: str, reference_date: date, time_zone: str, timeout: float) -> ParsedQuestion:
        """Raises PartUnavailable, or InvalidInput if perception refuses a field."""
        request = perception_pb2.ParseRequest(
            question=question, reference_date=to_proto_date(reference_date), time_zone=time_zone
        )
        try:
            response = await self._stub.Parse(request, timeout=timeout)
        except grpc.aio.AioRpcError as error:
            raise translated("perception", error, callers_own=True) from None
        return from_proto_question(response.parsed)
