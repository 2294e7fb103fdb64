"""The catalogue's schema: what Alembic makes is what the code expects, from nothing and from an old catalogue."""

from __future__ import annotations

import time
from dataclasses import replace
from pathlib import Path

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from sqlalchemy import create_engine, inspect, text

from services.common.errors import FailedPrecondition
from services.retrieval.adapters.catalogue import Catalogue
from services.retrieval.adapters.catalogue_schema import VERSION_TABLE, metadata
from tests.unit.retrieval import catalogue_v1 as v1


@pytest.fixture
def catalogue_url(tmp_path: Path) -> str:
    """The tests of PostgreSQL give another one."""
    return f"sqlite:///{tmp_path / 'catalogue.db'}"


def differences(url: str) -> list[object]:
    """Between the database and the tables that the code expects."""
    engine = create_engine(url)
    with engine.connect() as connection:
        context = MigrationContext.configure(connection, opts={"version_table": VERSION_TABLE, "compare_type": True})
        found = list(compare_metadata(context, metadata))
    engine.dispose()
    return found


def fill_old(url: str) -> None:
    """A catalogue of the time before Alembic, with a document in it."""
    engine = create_engine(url)
    v1.make(engine)
    with engine.begin() as connection:
        connection.execute(
            v1.knowledge_bases.insert().values(
                name="kb", collection="kb_kb_c1", embedder_name="m", embedder_revision="1", dimension=8,
                max_tokens=512, created_at=1.0, updated_at=2.0, write_count=7,
            )
        )  # fmt: skip
        described = {
            "document_id": "d", "knowledge_base": "kb", "title": "T", "source_uri": "", "language": "en",
            "doc_type": "", "authority": 3, "version": "", "published_at": None, "effective_from": "2024-01-01",
            "effective_to": None, "updated_at": None, "supersedes": "", "access_groups": [], "checksum": "",
            "extracted_fields": [],
        }  # fmt: skip
        connection.execute(
            v1.documents.insert().values(
                knowledge_base="kb", document_id="d", revision="r1", fingerprint="f", metadata=described,
                window_start=1, window_end=2, access_key="public", chunk_count=3, written_at_count=7, ingested_at=1.5,
                figures={}, signature=b"s",
            )
        )  # fmt: skip
        connection.execute(
            v1.texts.insert().values(knowledge_base="kb", document_id="d", text="the text", pages=[[0, 1]])
        )
    engine.dispose()


def test_a_new_catalogue_has_the_tables_that_the_code_expects(catalogue_url: str) -> None:
    Catalogue(catalogue_url).close()
    Catalogue(catalogue_url).close()
    assert differences(catalogue_url) == []


def test_an_old_catalogue_is_upgraded_and_keeps_what_it_holds(catalogue_url: str) -> None:
    fill_old(catalogue_url)
    catalogue = Catalogue(catalogue_url)
    try:
        record = catalogue.knowledge_base("kb")
        assert record is not None and (record.collection, record.write_count) == ("kb_kb_c1", 7)
        document = catalogue.document("kb", "d")
        assert document is not None and document.revision == "r1" and document.metadata.title == "T"
        stored = catalogue.text("kb", "d")
        assert stored is not None and stored.text == "the text"
    finally:
        catalogue.close()
    assert differences(catalogue_url) == []
    engine = create_engine(catalogue_url)
    assert v1.schema_version.name not in inspect(engine).get_table_names()
    engine.dispose()


def test_what_an_older_program_is_at_work_on_is_left_to_it_for_a_while(catalogue_url: str) -> None:
    fill_old(catalogue_url)
    engine = create_engine(catalogue_url)
    mine = {"knowledge_base": "kb", "owner": "host:1:aa"}
    with engine.begin() as connection:
        connection.execute(
            v1.leftovers.insert().values(revision="r2", collection="kb_kb_c1", chunk_count=3, created_at=1.0, **mine)
        )
        connection.execute(
            v1.jobs.insert().values(job_id="j", state="running", started_at=1.0, updated_at=1.0, counts={}, **mine)
        )
    engine.dispose()
    now = Catalogue(catalogue_url)
    assert [job.state for job in now.jobs.latest("kb")] == ["running"] and now.leftovers.listed() == []
    now.close()
    later = Catalogue(catalogue_url, now=lambda _: time.time() + 3600)
    assert [job.state for job in later.jobs.latest("kb")] == ["failed"]
    assert [ref.revision for ref in later.leftovers.listed()] == ["r2"]
    later.close()


def test_what_an_older_program_begins_during_an_update_is_not_swept_while_it_writes(catalogue_url: str) -> None:
    """It publishes without looking whether its lines are still there."""
    now = Catalogue(catalogue_url)
    begun = {"r1": time.time(), "r2": time.time() - 3600}
    rows = [
        {
            "revision": revision, "collection": "c", "chunk_count": 3, "knowledge_base": "kb",
            "owner": "host:1:aa", "created_at": at,
        }
        for revision, at in begun.items()
    ]  # fmt: skip
    with now.database.writing() as connection:
        connection.execute(v1.leftovers.insert(), rows)
    [late] = now.leftovers.listed()
    assert late.revision == "r2"
    assert now.leftovers.claim([late, replace(late, revision="r1")]) == [late]
    now.close()


def test_a_catalogue_of_an_unknown_version_is_refused_in_words(catalogue_url: str) -> None:
    engine = create_engine(catalogue_url)
    v1.make(engine, version=9)
    with pytest.raises(FailedPrecondition, match="schema version 9"):
        Catalogue(catalogue_url)
    with engine.begin() as connection:
        connection.execute(v1.schema_version.update().values(version=1))
    Catalogue(catalogue_url).close()
    with engine.begin() as connection:
        connection.execute(text(f"UPDATE {VERSION_TABLE} SET version_num = '9999'"))
    engine.dispose()
    with pytest.raises(FailedPrecondition, match="9999"):
        Catalogue(catalogue_url)
