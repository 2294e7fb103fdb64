"""The migration calls of KnowledgeBaseService: protobuf in and out."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import aclosing
from typing import Any

from services.retrieval.converters import to_timestamp
from services.retrieval.domain.ports import FORMER, SHADOW
from services.retrieval.domain.ranking.replay import Report
from services.retrieval.long_calls import LongCall, LongCalls
from services.retrieval.service.migrate import Migrations
from services.retrieval.service.migration_events import Ended, MigrationStatus, Progress, SideStatus
from services.retrieval.write_guard import WriteGuard
from trirag.retrieval.v1 import migration_pb2 as pb


class MigrationRpcs(WriteGuard):
    """Mixed into the servicer."""

    _long_calls: LongCalls

    def __init__(self, migrations: Migrations) -> None:
        self._migrations = migrations

    async def MigrateKnowledgeBase(  # noqa: N802 (names from the contract)
        self, request: pb.MigrateKnowledgeBaseRequest, context: Any
    ) -> AsyncIterator[pb.MigrateKnowledgeBaseResponse]:
        """Moves a knowledge base to another embedder."""
        self._writing()
        events = self._migrations.migrate(
            request.name, request.embedder, list(request.queries), dry_run=request.dry_run, force=request.force
        )
        with self._long_calls.place(LongCall.MIGRATION):
            async with aclosing(events):
                async for event in events:
                    if isinstance(event, Progress):
                        yield pb.MigrateKnowledgeBaseResponse(progress=_progress(event))
                    elif isinstance(event, Report):
                        yield pb.MigrateKnowledgeBaseResponse(report=_report(event))
                    else:
                        yield pb.MigrateKnowledgeBaseResponse(result=_result(event))

    async def RollbackKnowledgeBase(  # noqa: N802
        self, request: pb.RollbackKnowledgeBaseRequest, context: Any
    ) -> AsyncIterator[pb.RollbackKnowledgeBaseResponse]:
        """Returns to the collection before the last migration."""
        self._writing()
        events = self._migrations.rollback(request.name)
        with self._long_calls.place(LongCall.MIGRATION):
            async with aclosing(events):
                async for event in events:
                    if isinstance(event, Progress):
                        yield pb.RollbackKnowledgeBaseResponse(progress=_progress(event))
                    elif isinstance(event, Ended):
                        yield pb.RollbackKnowledgeBaseResponse(result=_result(event))

    async def GetMigration(  # noqa: N802
        self, request: pb.GetMigrationRequest, context: Any
    ) -> pb.GetMigrationResponse:
        """How a knowledge base stands. Its report quotes what users asked, so it is for those who may write."""
        self._writing()
        return _status(await self._migrations.status(request.name))

    async def DropMigration(  # noqa: N802
        self, request: pb.DropMigrationRequest, context: Any
    ) -> pb.DropMigrationResponse:
        """Drops the collections beside the one in use."""
        self._writing()
        return pb.DropMigrationResponse(dropped_collections=await self._migrations.drop(request.name))


def _progress(event: Progress) -> pb.MigrationProgress:
    phase = pb.MigrationPhase.Value(f"MIGRATION_PHASE_{event.phase.name}")
    return pb.MigrationProgress(phase=phase, done=event.done, total=event.total)


def _report(report: Report) -> pb.MigrationReport:
    return pb.MigrationReport(
        queries=report.queries,
        top_k=report.rules.top_k,
        mean_overlap=report.mean,
        minimum_overlap=report.minimum,
        same_first_share=report.same_first,
        required_mean_overlap=report.rules.minimum_mean,
        required_queries=report.rules.minimum_queries,
        comparisons=[
            pb.QueryComparison(query=c.query, overlap=c.overlap, same_first=c.same_first, recorded=c.recorded)
            for c in report.worst
        ],
        skipped_queries=report.skipped,
    )


def _result(event: Ended) -> pb.MigrationResult:
    return pb.MigrationResult(
        outcome=pb.MigrationOutcome.Value(f"MIGRATION_OUTCOME_{event.outcome.name}"),
        former_model=event.former,
        model=event.model,
        document_count=event.document_count,
        objection=event.objection,
    )


def _status(status: MigrationStatus) -> pb.GetMigrationResponse:
    return pb.GetMigrationResponse(
        embedding_model=status.record.embedder.label,
        dimension=status.record.embedder.dimension,
        shadow=_side(status.sides.get(SHADOW)),
        former=_side(status.sides.get(FORMER)),
        report=_report(status.report) if status.report else None,
        embedders=status.embedders,
        recorded_queries=status.recorded_queries,
    )


def _side(status: SideStatus | None) -> pb.SideCollection | None:
    if status is None:
        return None
    side = status.side
    return pb.SideCollection(
        embedding_model=side.embedder.label,
        dimension=side.embedder.dimension,
        held_documents=status.held,
        missing_documents=status.missing,
        running=status.running,
        started_at=to_timestamp(side.started_at),
        updated_at=to_timestamp(side.updated_at),
    )
