"""Refused documents in the catalogue: cut to their columns, written by several at once, deleted with the document."""

from __future__ import annotations

import threading

from services.retrieval.adapters.catalogue import Catalogue
from services.retrieval.adapters.query_records import QueryRecords
from services.retrieval.adapters.rejection_records import RejectionRecords
from services.retrieval.domain.filters import ChunkFilter
from services.retrieval.domain.ports import RecordedQuery, RejectedDocument
from tests.unit.retrieval.test_catalogue import _publication, catalogue, catalogue_url, publish  # noqa: F401


def _refused(origin: str, document_id: str) -> RejectedDocument:
    return RejectedDocument(origin, document_id, "INVALID_METADATA", "too long", 1.0, ())


def test_an_id_refused_for_its_length_is_cut(catalogue: Catalogue) -> None:  # noqa: F811
    records = RejectionRecords(catalogue.database, catalogue.jobs)
    records.update("kb", [], [_refused("long.md", "\0x" * 300)])
    [found] = records.latest("kb", (), 10)
    assert found.document_id == "x" * 256


def test_deleting_a_document_deletes_its_refusals_and_a_new_version_does_not(catalogue: Catalogue) -> None:  # noqa: F811
    records = RejectionRecords(catalogue.database, catalogue.jobs)
    for revision, document_id in (("r1", "a"), ("r2", "b")):
        publish(catalogue, "kb", catalogue.write_count("kb"), [_publication(document_id, revision)])
    records.update("kb", [], [_refused("a.md", "a"), _refused("b.md", "b")])
    publish(catalogue, "kb", catalogue.write_count("kb"), [_publication("b", "r3")], ["a"])
    assert [entry.document_id for entry in records.latest("kb", (), 10)] == ["b"]


def test_several_write_the_same_rows_at_once(catalogue: Catalogue) -> None:  # noqa: F811
    rejections, queries = RejectionRecords(catalogue.database, catalogue.jobs), QueryRecords(catalogue.database)
    record = catalogue.knowledge_base("kb")
    assert record is not None
    together = threading.Barrier(3)
    problems: list[Exception] = []

    def write() -> None:
        together.wait(30)
        try:
            for _ in range(20):
                rejections.update("kb", [], [_refused(f"{n}.md", str(n)) for n in range(5)])
                asked = [RecordedQuery(f"q{n}", ChunkFilter(("public",)), "m", (), 1.0) for n in range(5)]
                queries.save("kb", record.created_at, asked, 10)
        except Exception as error:
            problems.append(error)

    writers = [threading.Thread(target=write) for _ in range(3)]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join(60)
    assert problems == []
    assert len(rejections.latest("kb", (), 10)) == 5 and len(queries.latest("kb", 10)) == 5
