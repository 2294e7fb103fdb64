"""Files that differ only in their ending are documents of their own, each under an id that it keeps."""

from __future__ import annotations

from dataclasses import replace
from datetime import date
from typing import Any
from unittest.mock import Mock

from services.retrieval.domain.documents import PreparedDocument, StoredDocument
from services.retrieval.domain.ingest_config import IngestConfig
from services.retrieval.domain.versions.families import Window
from services.retrieval.service.ingest_run import IngestRun
from services.retrieval.service.items import DocumentOutcome, FileItem, IngestItem, IngestTally, Outcome, TextItem
from services.retrieval.service.prepare import Preparer


def file(path: str, text: str = "", **fields: str) -> FileItem:
    return FileItem(path, (text or f"# {path}\n\nThe pump of {path} runs at 12 bar.").encode(), fields, 1.0)


class Base:
    """A knowledge base by document id."""

    def __init__(self) -> None:
        self.stored: dict[str, StoredDocument] = {}

    def ingest(self, *items: IngestItem) -> list[tuple[str, str, str]]:
        """Origin, id, and outcome or reason of each, in order."""
        known = dict(self.stored)
        preparer = Preparer("kb", IngestConfig(), lambda text: len(text) // 4, known.get, "m")
        some: Any = Mock()
        run = IngestRun(some, some, some, preparer, IngestTally("j"), 0.0)
        told = []
        for item in items:
            for prepared in preparer.prepare(item):
                checked = run.unless_repeated(prepared)
                if isinstance(checked, DocumentOutcome):
                    told.append((checked.origin, checked.document_id, checked.reason or checked.outcome.value))
                    continue
                key = checked.metadata.document_id
                told.append((checked.origin, key, (Outcome.REPLACED if key in known else Outcome.CREATED).value))
                self.put(checked)
        return told

    def put(self, prepared: PreparedDocument) -> None:
        """Stores it as it is."""
        self.stored[prepared.metadata.document_id] = StoredDocument(
            prepared.metadata, "r", prepared.fingerprint, Window(1, 2), len(prepared.chunks), 1.0
        )


def test_each_keeps_its_id_when_it_is_ingested_again_together_or_alone() -> None:
    base = Base()
    assert base.ingest(file("d/a.csv"), file("d/a.md"), file("d/a.txt")) == [
        ("d/a.csv", "d/a", "created"),
        ("d/a.md", "d/a.md", "created"),
        ("d/a.txt", "d/a.txt", "created"),
    ]
    assert base.ingest(file("d/a.csv"), file("d/a.md")) == [
        ("d/a.csv", "d/a", "unchanged"),
        ("d/a.md", "d/a.md", "unchanged"),
    ]
    assert base.ingest(file("d/a.md", "Now it is another text.")) == [("d/a.md", "d/a.md", "replaced")]
    assert base.ingest(file("d/a.csv", "Now it is another text.")) == [("d/a.csv", "d/a", "replaced")]


def test_ids_stay_as_they_are_where_nothing_clashes() -> None:
    base = Base()
    assert base.ingest(file("a.md"), file("b.md"), file("c/a.md")) == [
        ("a.md", "a", "created"),
        ("b.md", "b", "created"),
        ("c/a.md", "c/a", "created"),
    ]
    # Converted to another format, it is the same document.
    assert base.ingest(file("a.txt")) == [("a.txt", "a", "replaced")]
    # One that is refused has no id to clash with.
    assert base.ingest(file("b.csv", " "), file("b.txt"))[1] == ("b.txt", "b", "replaced")


def test_an_id_that_was_given_twice_is_refused_as_before() -> None:
    base = Base()
    told = base.ingest(
        file("a.md", document_id="a"),
        file("a.txt", document_id="a"),
        TextItem("row", "A text of its own.", {"document_id": "a"}),
    )
    assert [outcome for _, _, outcome in told] == ["created", "DUPLICATE_DOCUMENT_ID", "DUPLICATE_DOCUMENT_ID"]


def test_an_id_of_another_document_is_not_taken() -> None:
    base = Base()
    assert base.ingest(file("other.md", document_id="a.txt")) == [("other.md", "a.txt", "created")]
    assert base.ingest(file("a.md"), file("a.txt"))[1] == ("a.txt", "a", "DUPLICATE_DOCUMENT_ID")
    assert base.ingest(file("b.md"), file("x.md", document_id="b.txt"), file("b.txt"))[2][2] == "DUPLICATE_DOCUMENT_ID"


def test_a_retirement_of_the_other_file_is_not_its_own() -> None:
    base = Base()
    base.ingest(file("a.md"))
    retired = base.stored["a"]
    base.stored["a"] = replace(retired, metadata=replace(retired.metadata, retired_at=date(2024, 1, 1)))
    assert base.ingest(file("a.md"), file("a.txt"))[1] == ("a.txt", "a.txt", "created")
    assert base.stored["a.txt"].metadata.retired_at is None
    assert base.ingest(file("a.txt")) == [("a.txt", "a.txt", "unchanged")]
