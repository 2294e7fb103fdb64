"""Validation over gRPC, through the mesh."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date

import grpc

from services.common.converters.document import to_proto_chunk
from services.common.converters.question import to_proto_question
from services.common.converters.verdict import from_proto_sufficiency, from_proto_verdict
from services.common.dates import to_proto_date
from services.common.domain.document import Chunk
from services.common.domain.question import ParsedQuestion
from services.common.domain.verdict import Sufficiency, Verdict
from services.orchestrator.adapters.rpc import translated
from trirag.validation.v1 import validation_pb2, validation_pb2_grpc


class ValidationClient:
    """Keeps the Validation port."""

    def __init__(self, channel: grpc.aio.Channel) -> None:
        self._stub = validation_pb2_grpc.ValidationServiceStub(channel)

    async def check_sufficiency(
        self, question: str, parsed: ParsedQuestion, chunks: Sequence[Chunk], as_of: date | None, timeout: float
    ) -> Sufficiency:
        """Raises PartUnavailable."""
        request = validation_pb2.CheckSufficiencyRequest(
            question=question,
            parsed=to_proto_question(parsed),
            chunks=[to_proto_chunk(c) for c in chunks],
            as_of=to_proto_date(as_of),
        )
        try:
            return from_proto_sufficiency(await self._stub.CheckSufficiency(request, timeout=timeout))
        except grpc.aio.AioRpcError as error:
            raise translated("validation", error) from None

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
        request = validation_pb2.ValidateAnswerRequest(
            question=question,
            parsed=to_proto_question(parsed),
            answer=answer,
            chunks=[to_proto_chunk(c) for c in chunks],
            as_of=to_proto_date(as_of),
        )
        try:
            return from_proto_verdict((await self._stub.ValidateAnswer(request, timeout=timeout)).verdict)
        except grpc.aio.AioRpcError as error:
            raise translated("validation", error) from None
