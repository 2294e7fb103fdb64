"""ValidationService: protobuf in and out, nothing decided here."""

from __future__ import annotations

from datetime import UTC, date, datetime

import grpc

from services.common.converters.document import from_proto_chunk
from services.common.converters.question import from_proto_question
from services.common.converters.verdict import to_proto_sufficiency, to_proto_verdict
from services.common.dates import from_proto_date
from services.common.domain.document import Chunk
from services.common.domain.question import ParsedQuestion
from services.common.offload import BlockingPool
from services.validation.adapters.second_opinion import SecondOpinion
from services.validation.domain.config import ValidationConfig
from services.validation.validator import check_sufficiency, validate_answer
from trirag.validation.v1 import validation_pb2, validation_pb2_grpc

_Request = validation_pb2.ValidateAnswerRequest | validation_pb2.CheckSufficiencyRequest


class ValidationServicer(validation_pb2_grpc.ValidationServiceServicer):
    """Judges in threads, so that the event loop stays free for health checks."""

    def __init__(self, config: ValidationConfig, pool: BlockingPool, opinion: SecondOpinion | None = None) -> None:
        """``opinion`` is asked for statements in the grey zone; None: nobody is asked."""
        self._config = config
        self._pool = pool
        self._opinion = opinion

    async def ValidateAnswer(  # noqa: N802
        self, request: validation_pb2.ValidateAnswerRequest, context: grpc.aio.ServicerContext
    ) -> validation_pb2.ValidateAnswerResponse:
        """Judges an answer against the chunks it cites."""
        parsed, chunks, as_of = _read(request)
        return await self._pool.run(self._validate, request.question, parsed, request.answer, chunks, as_of)

    async def CheckSufficiency(  # noqa: N802
        self, request: validation_pb2.CheckSufficiencyRequest, context: grpc.aio.ServicerContext
    ) -> validation_pb2.CheckSufficiencyResponse:
        """Judges whether the chunks can carry an answer."""
        parsed, chunks, as_of = _read(request)
        return await self._pool.run(self._check, request.question, parsed, chunks, as_of)

    def _validate(
        self, question: str, parsed: ParsedQuestion | None, answer: str, chunks: tuple[Chunk, ...], as_of: date | None
    ) -> validation_pb2.ValidateAnswerResponse:
        verdict = validate_answer(question, parsed, answer, chunks, as_of, _today(parsed), self._config)
        if self._opinion is not None:
            verdict = self._opinion.review(verdict, chunks, self._config)
        return validation_pb2.ValidateAnswerResponse(verdict=to_proto_verdict(verdict))

    def _check(
        self, question: str, parsed: ParsedQuestion | None, chunks: tuple[Chunk, ...], as_of: date | None
    ) -> validation_pb2.CheckSufficiencyResponse:
        return to_proto_sufficiency(check_sufficiency(question, parsed, chunks, as_of, _today(parsed), self._config))


def _read(request: _Request) -> tuple[ParsedQuestion | None, tuple[Chunk, ...], date | None]:
    """The parse if there is one, the chunks, the day. Raises InvalidInput naming the field."""
    parsed = from_proto_question(request.parsed) if request.HasField("parsed") else None
    chunks = tuple(from_proto_chunk(chunk, f"chunks[{i}]") for i, chunk in enumerate(request.chunks))
    as_of = from_proto_date(request.as_of, "as_of") if request.HasField("as_of") else None
    return parsed, chunks, as_of


def _today(parsed: ParsedQuestion | None) -> date:
    """The day that Perception read the question on, so that both mean the same "today"."""
    return parsed.reference_date if parsed is not None else datetime.now(UTC).date()
