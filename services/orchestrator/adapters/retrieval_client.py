"""Retrieval over gRPC, through the mesh."""

from __future__ import annotations

import time
from collections.abc import Sequence

import grpc

from services.common.converters.document import from_proto_chunk
from services.common.dates import to_proto_date
from services.orchestrator.adapters.rpc import translated
from services.orchestrator.domain.evidence import Hit, RouteOutcome
from services.orchestrator.domain.plan import PlanTask, SearchKind
from services.orchestrator.ports import PartUnavailable
from trirag.retrieval.v1 import knowledge_base_pb2, knowledge_base_pb2_grpc, retrieval_pb2, retrieval_pb2_grpc

KINDS = {
    SearchKind.DENSE: retrieval_pb2.SEARCH_TYPE_DENSE,
    SearchKind.KEYWORD: retrieval_pb2.SEARCH_TYPE_KEYWORD,
    SearchKind.HYBRID: retrieval_pb2.SEARCH_TYPE_HYBRID,
    SearchKind.TWO_STAGE: retrieval_pb2.SEARCH_TYPE_TWO_STAGE,
}
LIST_TTL_SECONDS = 5.0


class RetrievalClient:
    """Keeps the Retrieval port. The list of knowledge bases is kept for a few seconds, longer if it cannot be had."""

    def __init__(self, channel: grpc.aio.Channel) -> None:
        self._search = retrieval_pb2_grpc.RetrievalServiceStub(channel)
        self._bases = knowledge_base_pb2_grpc.KnowledgeBaseServiceStub(channel)
        self._known: tuple[str, ...] | None = None
        self._known_at = 0.0

    async def search(self, tasks: Sequence[PlanTask], timeout: float) -> list[RouteOutcome]:
        """Raises PartUnavailable if the service did not answer; tasks that failed have their own status."""
        request = retrieval_pb2.SearchRequest(tasks=[to_proto_task(t) for t in tasks])
        try:
            response = await self._search.Search(request, timeout=timeout)
        except grpc.aio.AioRpcError as error:
            raise translated("retrieval", error) from None
        by_id = {r.task_id: r for r in response.results}
        return [_outcome(task, by_id.get(task.task_id)) for task in tasks]

    async def knowledge_bases(self, timeout: float) -> tuple[str, ...]:
        """Raises PartUnavailable if there is no list yet and the service does not answer."""
        if self._known is not None and time.monotonic() - self._known_at < LIST_TTL_SECONDS:
            return self._known
        try:
            response = await self._bases.ListKnowledgeBases(
                knowledge_base_pb2.ListKnowledgeBasesRequest(), timeout=timeout
            )
        except grpc.aio.AioRpcError as error:
            failure = translated("retrieval", error)
            if self._known is not None and isinstance(failure, PartUnavailable):
                return self._known
            raise failure from None
        self._known, self._known_at = tuple(k.name for k in response.knowledge_bases), time.monotonic()
        return self._known


def to_proto_task(task: PlanTask) -> retrieval_pb2.SearchTask:
    """The search of a plan task."""
    filters = task.filters
    return retrieval_pb2.SearchTask(
        task_id=task.task_id,
        query=task.query,
        type=KINDS[task.search],
        knowledge_base=task.knowledge_base,
        top_k=task.top_k,
        rerank=task.rerank,
        filter=retrieval_pb2.SearchFilter(
            doc_types=filters.doc_types,
            languages=filters.languages,
            document_ids=filters.document_ids,
            min_authority=filters.min_authority,
            in_force_on=to_proto_date(filters.in_force_on),
            include_superseded=filters.include_superseded,
        ),
    )


def _outcome(task: PlanTask, result: retrieval_pb2.TaskResult | None) -> RouteOutcome:
    if result is None:
        return RouteOutcome(task.task_id, task.knowledge_base, task.weight, "UNAVAILABLE", "no result for the task")
    return RouteOutcome(
        task.task_id,
        task.knowledge_base,
        task.weight,
        retrieval_pb2.TaskStatus.Name(result.status).removeprefix("TASK_STATUS_"),
        result.message,
        tuple(_hit(h, position) for position, h in enumerate(result.hits, start=1)),
        result.latency_ms,
        task.group,
        task.seats,
        bool(task.filters.languages),
    )


def _hit(hit: retrieval_pb2.Hit, position: int) -> Hit:
    components = {c.name: c.score for c in hit.components}
    return Hit(from_proto_chunk(hit.chunk), hit.rank or position, hit.score, components)
