"""Lists the titles of all documents of all knowledge bases, for the gazetteer."""

from __future__ import annotations

import grpc

from services.common.channel import open_channel
from trirag.retrieval.v1 import knowledge_base_pb2 as pb
from trirag.retrieval.v1 import knowledge_base_pb2_grpc

_PAGE = 1000
_TIMEOUT_SECONDS = 10.0


class TitleSource:
    """Reads titles through KnowledgeBaseService. Use as an async context manager."""

    def __init__(self, target: str) -> None:
        self._target = target
        self._channel: grpc.aio.Channel | None = None

    async def __aenter__(self) -> TitleSource:
        self._channel = open_channel(self._target, propagate=False)
        return self

    async def __aexit__(self, *_: object) -> None:
        if self._channel is not None:
            await self._channel.close()

    async def titles(self) -> list[tuple[str, str]]:
        """(knowledge base, title) of every document, sorted.

        Raises:
            grpc.aio.AioRpcError: if the service does not answer.
        """
        stub = knowledge_base_pb2_grpc.KnowledgeBaseServiceStub(self._channel)
        bases = await stub.ListKnowledgeBases(pb.ListKnowledgeBasesRequest(), timeout=_TIMEOUT_SECONDS)
        found: set[tuple[str, str]] = set()
        for base in bases.knowledge_bases:
            token = ""
            while True:
                request = pb.ListDocumentsRequest(knowledge_base=base.name, page_size=_PAGE, page_token=token)
                page = await stub.ListDocuments(request, timeout=_TIMEOUT_SECONDS)
                found.update((base.name, document.metadata.title) for document in page.documents)
                token = page.next_page_token
                if not token:
                    break
        return sorted(found)
