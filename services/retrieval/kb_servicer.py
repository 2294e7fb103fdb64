"""KnowledgeBaseService: protobuf in and out, and files put together from their parts."""

from __future__ import annotations

import base64
import binascii
import time
from collections import Counter
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import aclosing
from datetime import date
from typing import Any

from services.common.dates import from_proto_date
from services.common.errors import InvalidInput, NotFound
from services.common.identity import current_identity
from services.common.printable import printable
from services.retrieval.converters import (
    to_proto_document,
    to_proto_knowledge_base,
    to_proto_outcome,
    to_proto_summary,
)
from services.retrieval.domain.conflict.conflicts import ConflictKind
from services.retrieval.domain.quality.rejection import DocumentRejected, Reason
from services.retrieval.health_converters import to_proto_conflict
from services.retrieval.long_calls import LongCall, LongCalls
from services.retrieval.migration_rpcs import MigrationRpcs
from services.retrieval.report_rpcs import ReportRpcs
from services.retrieval.service.ingest import IngestEvent, IngestService
from services.retrieval.service.items import (
    BrokenItem,
    FileItem,
    IngestItem,
    IngestProgress,
    IngestStarted,
    IngestTally,
    TextItem,
)
from services.retrieval.service.knowledge_bases import KnowledgeBases
from services.retrieval.service.migrate import Migrations
from trirag.retrieval.v1 import knowledge_base_pb2 as kb_pb2
from trirag.retrieval.v1 import knowledge_base_pb2_grpc

_DEFAULT_PAGE = 100
_SUMMARY_CONFLICTS = 50


class KnowledgeBaseServicer(MigrationRpcs, ReportRpcs, knowledge_base_pb2_grpc.KnowledgeBaseServiceServicer):
    """Keeps the knowledge bases."""

    def __init__(
        self,
        ingest: IngestService,
        knowledge_bases: KnowledgeBases,
        max_file_bytes: int,
        write_group: str,
        migrations: Migrations,
        long_calls: LongCalls,
    ) -> None:
        """``write_group``: only its members may create, ingest, delete, cancel and migrate; empty: everyone may."""
        super().__init__(migrations)
        self._ingest = ingest
        self._knowledge_bases = knowledge_bases
        self._max_file_bytes = max_file_bytes
        self._write_group = write_group
        self._long_calls = long_calls

    async def CreateKnowledgeBase(  # noqa: N802 (names from the contract)
        self, request: kb_pb2.CreateKnowledgeBaseRequest, context: Any
    ) -> kb_pb2.CreateKnowledgeBaseResponse:
        """Creates an empty knowledge base."""
        self._writing()
        record = await self._knowledge_bases.create(request.name)
        return kb_pb2.CreateKnowledgeBaseResponse(knowledge_base=to_proto_knowledge_base(record))

    async def ListKnowledgeBases(  # noqa: N802
        self, request: kb_pb2.ListKnowledgeBasesRequest, context: Any
    ) -> kb_pb2.ListKnowledgeBasesResponse:
        """Lists them by name."""
        records = await self._knowledge_bases.list_all()
        return kb_pb2.ListKnowledgeBasesResponse(
            knowledge_bases=[to_proto_knowledge_base(record) for record in records]
        )

    async def DeleteKnowledgeBase(  # noqa: N802
        self, request: kb_pb2.DeleteKnowledgeBaseRequest, context: Any
    ) -> kb_pb2.DeleteKnowledgeBaseResponse:
        """Deletes one with all it holds."""
        self._writing()
        deleted = await self._knowledge_bases.delete(request.name)
        return kb_pb2.DeleteKnowledgeBaseResponse(deleted_documents=deleted)

    async def Ingest(  # noqa: N802
        self, request_iterator: AsyncIterator[kb_pb2.IngestRequest], context: Any
    ) -> AsyncIterator[kb_pb2.IngestResponse]:
        """Ingests a stream of documents."""
        self._writing()
        with self._long_calls.place(LongCall.INGEST):
            async with aclosing(self._events(request_iterator)) as events:
                async for event in events:
                    yield event

    async def _events(
        self, request_iterator: AsyncIterator[kb_pb2.IngestRequest]
    ) -> AsyncGenerator[kb_pb2.IngestResponse, None]:
        began = time.perf_counter()
        requests = aiter(request_iterator)
        first = await anext(requests, None)
        if first is None or first.WhichOneof("item") != "start":
            raise InvalidInput.of_field("start", "the first message of an ingest must be start", "MISSING_START")
        items = assemble(requests, self._max_file_bytes)
        base = first.start.knowledge_base
        groups = frozenset(current_identity().groups)
        start = first.start
        ingest = self._ingest.ingest(base, items, groups, start.expected_documents, start.job_id)
        async with aclosing(ingest) as events:
            async for event in events:
                yield await self._told(base, event, began)

    async def _told(self, base: str, event: IngestEvent, began: float) -> kb_pb2.IngestResponse:
        match event:
            case IngestStarted(job_id):
                return kb_pb2.IngestResponse(started=kb_pb2.IngestStarted(job_id=job_id))
            case IngestProgress(embedded, passages):
                return kb_pb2.IngestResponse(progress=kb_pb2.IngestProgress(embedded=embedded, passages=passages))
            case IngestTally():
                spent = (time.perf_counter() - began) * 1000
                shown = event.conflicts.conflicts[:_SUMMARY_CONFLICTS]
                concerned = {side.document_id for conflict in shown for side in (conflict.first, conflict.second)}
                titles = await self._knowledge_bases.titles(base, concerned)
                summary = to_proto_summary(event, spent)
                summary.conflicts.extend(to_proto_conflict(conflict, titles) for conflict in shown)
                for kind in ConflictKind:
                    summary.conflict_counts[kind.value] = event.conflicts.count(kind)
                return kb_pb2.IngestResponse(summary=summary)
            case _:
                return kb_pb2.IngestResponse(document=to_proto_outcome(event))

    async def ListDocuments(  # noqa: N802
        self, request: kb_pb2.ListDocumentsRequest, context: Any
    ) -> kb_pb2.ListDocumentsResponse:
        """Lists the documents that the caller may read."""
        size = request.page_size or _DEFAULT_PAGE
        groups = frozenset(current_identity().groups)
        after = _from_page_token(request.page_token)
        documents, last = await self._knowledge_bases.documents(request.knowledge_base, after, size, groups)
        return kb_pb2.ListDocumentsResponse(
            documents=[to_proto_document(document) for document in documents],
            next_page_token=base64.urlsafe_b64encode(last.encode()).decode() if last else "",
        )

    async def GetDocument(  # noqa: N802
        self, request: kb_pb2.GetDocumentRequest, context: Any
    ) -> kb_pb2.GetDocumentResponse:
        """Reads one document."""
        groups = frozenset(current_identity().groups)
        found = await self._knowledge_bases.document(request.knowledge_base, request.document_id, groups)
        if found is None:
            raise NotFound(
                "DOCUMENT_NOT_FOUND", f"{request.knowledge_base!r} has no document {request.document_id!r} to read"
            )
        document, text = found
        return kb_pb2.GetDocumentResponse(document=to_proto_document(document), text=text)

    async def DeleteDocument(  # noqa: N802
        self, request: kb_pb2.DeleteDocumentRequest, context: Any
    ) -> kb_pb2.DeleteDocumentResponse:
        """Deletes one document with every trace of it."""
        self._writing()
        groups = frozenset(current_identity().groups)
        deleted = await self._knowledge_bases.delete_document(request.knowledge_base, request.document_id, groups)
        return kb_pb2.DeleteDocumentResponse(deleted_chunks=deleted)

    async def RetireDocument(  # noqa: N802
        self, request: kb_pb2.RetireDocumentRequest, context: Any
    ) -> kb_pb2.RetireDocumentResponse:
        """Takes one document out of force, or back into force."""
        self._writing()
        groups = frozenset(current_identity().groups)
        day = from_proto_date(request.retired_at, "retired_at") if request.HasField("retired_at") else date.today()
        document = await self._knowledge_bases.retire_document(
            request.knowledge_base, request.document_id, None if request.undo else day, groups
        )
        return kb_pb2.RetireDocumentResponse(document=to_proto_document(document))


async def assemble(requests: AsyncIterator[kb_pb2.IngestRequest], max_bytes: int) -> AsyncIterator[IngestItem]:
    """Items from messages: parts of a file are put together, and one too large is dropped as it comes in."""
    path, parts, size = "", bytearray(), 0
    fields: dict[str, str] = {}
    modified = 0.0
    open_file = False
    nameless: Counter[str] = Counter()
    async for request in requests:
        kind = request.WhichOneof("item")
        if open_file and (kind != "file" or request.file.path != path):
            yield _incomplete(path, fields)
            open_file = False
        if kind == "document":
            document = request.document
            origin = document.origin or document.metadata.fields.get("document_id", "") or "document"
            if not document.origin:
                # Two documents of one id that do not say where they come from are two, and not one sent again.
                nameless[origin] += 1
                origin += f" ({nameless[origin]})" if nameless[origin] > 1 else ""
            yield TextItem(printable(origin), document.text, dict(document.metadata.fields))
        elif kind == "file":
            if not open_file:
                path, parts, size, open_file = request.file.path, bytearray(), 0, True
                fields, modified = {}, 0.0
            fields.update(request.file.metadata.fields)
            if request.file.HasField("modified_at"):
                modified = request.file.modified_at.ToMilliseconds() / 1000
            size += len(request.file.content)
            if size <= max_bytes:
                parts += request.file.content
            if request.file.last_part:
                open_file = False
                if size > max_bytes:
                    yield _too_large(path, size, max_bytes, fields)
                else:
                    yield FileItem(path, bytes(parts), fields, modified)
                parts = bytearray()
        else:
            raise InvalidInput.of_field(
                kind or "item", "a file or a document is expected after start", "BAD_INGEST_ITEM"
            )
    if open_file:
        yield _incomplete(path, fields)


def _incomplete(path: str, fields: dict[str, str]) -> BrokenItem:
    rejection = DocumentRejected(Reason.INCOMPLETE_FILE, "the last part of the file did not come; send it again")
    return BrokenItem(printable(path), rejection, fields)


def _too_large(path: str, size: int, limit: int, fields: dict[str, str]) -> BrokenItem:
    message = (
        f"the file has {size / 1048576:.1f} MiB, at most {limit / 1048576:.0f} MiB are read; split it, "
        "or raise limits.file_mib in config/ingest.yaml"
    )
    return BrokenItem(printable(path), DocumentRejected(Reason.TOO_LARGE, message), fields)


def _from_page_token(token: str) -> str:
    try:
        return base64.urlsafe_b64decode(token.encode()).decode() if token else ""
    except (binascii.Error, ValueError):
        raise InvalidInput.of_field(
            "page_token", "is not a token of an earlier page; leave it empty to start", "BAD_PAGE_TOKEN"
        ) from None
