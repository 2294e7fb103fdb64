"""Titles of documents, read through KnowledgeBaseService over a real socket."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import grpc

from services.common.offload import BlockingPool
from services.perception.adapters.knowledge_base_titles import TitleSource
from services.perception.adapters.watcher import follow_titles
from services.perception.bootstrap import Models
from services.perception.interpreters import Interpreters, PackSources
from trirag.common.v1 import types_pb2
from trirag.retrieval.v1 import knowledge_base_pb2 as pb
from trirag.retrieval.v1 import knowledge_base_pb2_grpc

TITLES = {"hr": ["travel and expense rules", "差旅费管理办法", "Notes"], "it": ["blue falcon runbook"]}


class Shelf(knowledge_base_pb2_grpc.KnowledgeBaseServiceServicer):
    """Two knowledge bases, one document a page."""

    def __init__(self) -> None:
        self.down = False
        self.asked = asyncio.Semaphore(0)

    async def ListKnowledgeBases(self, request, context):  # noqa: N802
        self.asked.release()
        if self.down:
            await context.abort(grpc.StatusCode.UNAVAILABLE, "the store is down")
        return pb.ListKnowledgeBasesResponse(knowledge_bases=[pb.KnowledgeBase(name=name) for name in TITLES])

    async def ListDocuments(self, request, context):  # noqa: N802
        at = int(request.page_token or 0)
        titles = TITLES[request.knowledge_base]
        document = pb.Document(metadata=types_pb2.DocumentMetadata(title=titles[at]))
        return pb.ListDocumentsResponse(
            documents=[document], next_page_token=str(at + 1) if at + 1 < len(titles) else ""
        )


@asynccontextmanager
async def serving(shelf: Shelf) -> AsyncIterator[str]:
    server = grpc.aio.server()
    knowledge_base_pb2_grpc.add_KnowledgeBaseServiceServicer_to_server(shelf, server)
    port = server.add_insecure_port("127.0.0.1:0")
    await server.start()
    yield f"127.0.0.1:{port}"
    await server.stop(None)


async def test_every_page_of_every_base_is_read() -> None:
    async with serving(Shelf()) as address, TitleSource(address) as source:
        assert await source.titles() == sorted((base, title) for base, titles in TITLES.items() for title in titles)


async def test_titles_become_names_and_stay_through_an_outage(packs: Path, models: Models) -> None:
    interpreters = Interpreters(PackSources(packs), models)
    interpreters.load()
    bare = interpreters.of().version
    shelf, pool = Shelf(), BlockingPool(1)
    async with serving(shelf) as address:
        task = asyncio.create_task(follow_titles(interpreters, address, 0.01, pool))
        async with asyncio.timeout(60):
            await shelf.asked.acquire()
            await shelf.asked.acquire()  # a second look: the first one has been used
            shelf.down = True
            await shelf.asked.acquire()
            await shelf.asked.acquire()
        task.cancel()
    pool.close()
    assert interpreters.of().version != bare
    names = {name.name for base in interpreters.of().names._by_key.values() for _, name in base}
    assert {"travel and expense rules", "差旅费管理办法", "blue falcon runbook"} <= names
    assert "Notes" not in names
