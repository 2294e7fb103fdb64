"""RetrievalService: protobuf in and out, nothing else."""

from __future__ import annotations

from collections import Counter
from typing import Any

from services.common.converters.document import to_proto_chunk
from services.common.errors import InvalidInput
from services.common.identity import current_identity
from services.retrieval.converters import from_proto_task, to_proto_result
from services.retrieval.service.search import SearchService
from trirag.retrieval.v1 import retrieval_pb2, retrieval_pb2_grpc


class RetrievalServicer(retrieval_pb2_grpc.RetrievalServiceServicer):
    """Search over knowledge bases."""

    def __init__(self, search: SearchService, embedding_model: str) -> None:
        self._search = search
        self._embedding_model = embedding_model

    async def Search(  # noqa: N802 (name from the contract)
        self, request: retrieval_pb2.SearchRequest, context: Any
    ) -> retrieval_pb2.SearchResponse:
        """Runs the tasks concurrently."""
        repeated = [task_id for task_id, n in Counter(task.task_id for task in request.tasks).items() if n > 1]
        if repeated:
            raise InvalidInput.of_field(
                "tasks", f"task_id {repeated[0]!r} is used twice; each must be unique", "REPEATED_TASK_ID"
            )
        tasks = [from_proto_task(task, f"tasks[{index}]") for index, task in enumerate(request.tasks)]
        groups = frozenset(current_identity().groups)
        results = await self._search.search(tasks, groups, context.time_remaining())
        return retrieval_pb2.SearchResponse(
            results=[to_proto_result(result) for result in results], embedding_model=self._embedding_model
        )

    async def GetChunks(  # noqa: N802
        self, request: retrieval_pb2.GetChunksRequest, context: Any
    ) -> retrieval_pb2.GetChunksResponse:
        """Reads chunks by id."""
        groups = frozenset(current_identity().groups)
        found = await self._search.chunks(request.knowledge_base, list(request.chunk_ids), groups)
        wanted = list(dict.fromkeys(request.chunk_ids))
        return retrieval_pb2.GetChunksResponse(
            chunks=[to_proto_chunk(found[identifier]) for identifier in wanted if identifier in found],
            missing=[identifier for identifier in wanted if identifier not in found],
        )
