"""The calls of KnowledgeBaseService that report: health, and the jobs of ingests."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import aclosing
from typing import Any

from services.common.identity import current_identity
from services.retrieval.converters import to_proto_job
from services.retrieval.health_converters import to_proto_report
from services.retrieval.long_calls import LongCall, LongCalls
from services.retrieval.service.ingest import IngestService
from services.retrieval.service.knowledge_bases import KnowledgeBases
from services.retrieval.write_guard import WriteGuard
from trirag.retrieval.v1 import knowledge_base_pb2 as pb


class ReportRpcs(WriteGuard):
    """Mixed into the servicer."""

    _ingest: IngestService
    _knowledge_bases: KnowledgeBases
    _long_calls: LongCalls

    async def GetHealthReport(  # noqa: N802 (names from the contract)
        self, request: pb.GetHealthReportRequest, context: Any
    ) -> pb.GetHealthReportResponse:
        """Figures, findings, each document, what was refused, and what conflicts."""
        groups = frozenset(current_identity().groups)
        return to_proto_report(await self._knowledge_bases.health(request.knowledge_base, groups))

    async def ListIngestJobs(  # noqa: N802
        self, request: pb.ListIngestJobsRequest, context: Any
    ) -> pb.ListIngestJobsResponse:
        """Lists the ingests of a knowledge base."""
        jobs = await self._knowledge_bases.jobs(request.knowledge_base)
        return pb.ListIngestJobsResponse(jobs=[to_proto_job(job) for job in jobs])

    async def WatchIngestJob(  # noqa: N802
        self, request: pb.WatchIngestJobRequest, context: Any
    ) -> AsyncIterator[pb.WatchIngestJobResponse]:
        """Follows an ingest to its end."""
        with self._long_calls.place(LongCall.WATCH):
            async with aclosing(self._knowledge_bases.watch_job(request.job_id)) as jobs:
                async for job in jobs:
                    yield pb.WatchIngestJobResponse(job=to_proto_job(job))

    async def CancelIngestJob(  # noqa: N802
        self, request: pb.CancelIngestJobRequest, context: Any
    ) -> pb.CancelIngestJobResponse:
        """Ends a running ingest."""
        self._writing()
        await self._knowledge_bases.cancel_job(request.job_id)
        self._ingest.end(request.job_id)
        return pb.CancelIngestJobResponse()
