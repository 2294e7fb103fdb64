"""After a deletion nothing of the document is left in the service's directory and log."""

from __future__ import annotations

from pathlib import Path

from tests.integration.retrieval.parts import MilvusServer, RetrievalProcess, document
from trirag.retrieval.v1 import knowledge_base_pb2 as kb_pb2
from trirag.retrieval.v1 import migration_pb2


def test_the_data_directory_and_the_log_hold_nothing_of_a_deleted_document(service: RetrievalProcess) -> None:
    secret = "QVX-8812-KEPT-NOWHERE"
    texts = [f"## Part {n}\n\n{secret} stands in part {n}. " + "It goes on. " * 60 for n in range(6)]
    service.ingest("erased", [document("\n\n".join(texts), document_id="gone"), document("Other.", document_id="kept")])
    service.search("erased", f"what of {secret[:8]}")
    folder = service.process.log.parent
    assert _holding(folder, secret)
    service.bases.DeleteDocument(kb_pb2.DeleteDocumentRequest(knowledge_base="erased", document_id="gone"), timeout=10)
    assert _holding(folder, secret) == []


def test_a_migration_to_the_same_model_rids_the_local_store_of_deleted_rows(
    service: RetrievalProcess, milvus: MilvusServer
) -> None:
    secret = "QVX-9923-MERGED-AWAY"
    service.ingest(
        "merged", [document(f"{secret} stands here.", document_id="gone"), document("Other.", document_id="kept")]
    )
    service.bases.DeleteDocument(kb_pb2.DeleteDocumentRequest(knowledge_base="merged", document_id="gone"), timeout=10)
    result = list(service.migrate("merged", "openai", force=True))[-1].result
    assert result.outcome == migration_pb2.MIGRATION_OUTCOME_SWITCHED
    service.bases.DropMigration(migration_pb2.DropMigrationRequest(name="merged"), timeout=10)
    assert _holding(milvus.process.log.parent, secret) == []


def _holding(folder: Path, text: str) -> list[str]:
    needle = text.encode()
    return [str(path) for path in folder.rglob("*") if path.is_file() and needle in path.read_bytes()]
