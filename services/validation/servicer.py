"""ValidationService: protobuf in and out, nothing decided here."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, date, datetime

import grpc

from services.common.converters.document import from_proto_chunk
from services.common.converters.question import from_proto_question
from services.common.converters.verdict import to_proto_sufficiency, to_proto_verdict
from services.common.dates import from_proto_date
from services.common.domain.document import Chunk
from services.common.domain.question import ParsedQuestion
from services.common.offload import BlockingPool
from services.validation.domain.config import ValidationConfig
from services.validation.validator import check_sufficiency, validate_answer
from trirag.common.v1 import types_pb2
from trirag.validation.v1 import validation_pb2, validation_pb2_grpc

Request = validation_pb2.ValidateAnswerRequest | validation_pb2.CheckSufficiencyRequest


class ValidationServicer(validation_pb2_grpc.ValidationServiceServicer):
    """Judges in threads, so that the event loop stays free for health checks."""

    def __init__(self, config: ValidationConfig, pool: BlockingPool) -> None:
        self._config = config
        self._pool = pool

    async def ValidateAnswer(  # noqa: N802
        self, request: validation_pb2.ValidateAnswerRequest, context: grpc.aio.ServicerContext
    ) -> validation_pb2.ValidateAnswerResponse:
        """Judges an answer against the evidence it cites."""
        parsed, chunks, as_of = _parsed(request), _chunks(request.chunks), _as_of(request)
        verdict = await self._pool.run(
            validate_answer, request.question, parsed, request.answer, chunks, as_of, _today(), self._config
        )
        return validation_pb2.ValidateAnswerResponse(verdict=to_proto_verdict(verdict))

    async def CheckSufficiency(  # noqa: N802
        self, request: validation_pb2.CheckSufficiencyRequest, context: grpc.aio.ServicerContext
    ) -> validation_pb2.CheckSufficiencyResponse:
        """Judges whether the evidence can carry an answer."""
        parsed, chunks, as_of = _parsed(request), _chunks(request.chunks), _as_of(request)
        judged = await self._pool.run(
            check_sufficiency, request.question, parsed, chunks, as_of, _today(), self._config
        )
        return to_proto_sufficiency(judged)


def _parsed(request: Request) -> ParsedQuestion | None:
    return from_proto_question(request.parsed) if request.HasField("parsed") else None


def _chunks(messages: Sequence[types_pb2.Chunk]) -> list[Chunk]:
    return [from_proto_chunk(m, f"chunks[{i}]") for i, m in enumerate(messages)]


def _as_of(request: Request) -> date | None:
    return from_proto_date(request.as_of, "as_of") if request.HasField("as_of") else None


def _today() -> date:
    return datetime.now(UTC).date()
