"""Who may change knowledge bases."""

from __future__ import annotations

from typing import Any

import pytest

from services.common.errors import PermissionDenied
from services.common.identity import ANONYMOUS, Identity, acting_as
from services.retrieval.kb_servicer import KnowledgeBaseServicer
from services.retrieval.long_calls import LongCalls
from trirag.retrieval.v1 import knowledge_base_pb2 as pb

WRITER = Identity("ada", ("hr", "writers"))


class RecordingKnowledgeBases:
    """Records what would be deleted."""

    def __init__(self) -> None:
        self.deleted: list[str] = []

    async def delete(self, name: str) -> int:
        self.deleted.append(name)
        return 1


def servicer(write_group: str) -> tuple[KnowledgeBaseServicer, RecordingKnowledgeBases]:
    bases: Any = RecordingKnowledgeBases()
    ingest: Any = None
    return KnowledgeBaseServicer(ingest, bases, 1, write_group, ingest, LongCalls(64)), bases


async def test_only_members_of_the_write_group_delete():
    service, bases = servicer("writers")
    request = pb.DeleteKnowledgeBaseRequest(name="company")
    with acting_as(ANONYMOUS), pytest.raises(PermissionDenied, match="writers"):
        await service.DeleteKnowledgeBase(request, None)
    assert bases.deleted == []
    with acting_as(WRITER):
        await service.DeleteKnowledgeBase(request, None)
    assert bases.deleted == ["company"]


async def test_an_ingest_is_refused_before_anything_is_read():
    service, _ = servicer("writers")

    async def requests():
        raise AssertionError("the stream was read")
        yield

    with acting_as(ANONYMOUS), pytest.raises(PermissionDenied):
        async for _ in service.Ingest(requests(), None):
            pass


async def test_without_a_write_group_everyone_may_write():
    service, bases = servicer("")
    with acting_as(ANONYMOUS):
        await service.DeleteKnowledgeBase(pb.DeleteKnowledgeBaseRequest(name="company"), None)
    assert bases.deleted == ["company"]
