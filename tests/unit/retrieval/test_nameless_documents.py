"""Documents of a stream that do not say where they come from are told apart by their place in it."""

from __future__ import annotations

from services.retrieval.kb_servicer import assemble
from trirag.retrieval.v1 import knowledge_base_pb2 as kb_pb2


async def test_two_nameless_documents_of_one_id_have_two_origins() -> None:
    async def stream():
        for document_id, origin in (("a", ""), ("a", ""), ("", ""), ("b", "x.jsonl:3"), ("b", "x.jsonl:3")):
            fields = {"document_id": document_id} if document_id else {}
            metadata = kb_pb2.IngestMetadata(fields=fields)
            yield kb_pb2.IngestRequest(document=kb_pb2.IngestDocument(metadata=metadata, text="A text.", origin=origin))

    origins = [item.origin async for item in assemble(stream(), 1_000)]
    assert origins == ["a", "a (2)", "document", "x.jsonl:3", "x.jsonl:3"]
