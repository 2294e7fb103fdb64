"""What a side collection lacks."""

from __future__ import annotations

from services.common.domain.document import DocumentMetadata
from services.retrieval.domain.documents import StoredDocument, fingerprint, renewed_fingerprint
from services.retrieval.domain.shadow import Held, batches, difference
from services.retrieval.domain.versions.families import Window


def stored(document_id: str, revision: str, chunks: int = 1) -> StoredDocument:
    return StoredDocument(DocumentMetadata(document_id, "kb"), revision, "f", Window(1, 2), chunks, 0.0)


def test_what_is_missing_and_what_is_too_much() -> None:
    documents = {d.metadata.document_id: d for d in (stored("a", "ra"), stored("b", "rb2"), stored("c", "rc"))}
    held = {"ra": Held(1, True), "rb1": Held(1, True), "rc": Held(1, False)}
    found = difference(documents, held)
    assert [d.metadata.document_id for d in found.missing] == ["b", "c"]
    assert found.surplus == ("rb1", "rc")
    whole = {document.revision: Held(1, True) for document in documents.values()}
    assert difference(documents, whole) == difference({}, {})


def test_groups_are_bounded_and_a_large_document_is_one() -> None:
    sizes = [10, 60, 10, 200, 1, 1, 1]
    found = list(batches([stored(str(n), str(n), size) for n, size in enumerate(sizes)], 64, 2))
    assert [[d.chunk_count for d in group] for group in found] == [[10], [60], [10], [200], [1, 1], [1]]


def test_a_fingerprint_moves_with_the_embedder_unless_the_pipeline_has_moved_on() -> None:
    metadata = DocumentMetadata("a", "kb", title="T")
    old, new = (fingerprint(metadata, (), settings) for settings in ("cut|old", "cut|new"))
    assert renewed_fingerprint(old, metadata, (), "cut|old", "cut|new") == new
    assert renewed_fingerprint(new, metadata, (), "cut|new", "cut|old") == old
    assert renewed_fingerprint("made by an older pipeline", metadata, (), "cut|old", "cut|new") == (
        "made by an older pipeline"
    )
