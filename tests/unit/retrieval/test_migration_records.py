"""Side collections, the switch, and recorded queries in the catalogue."""

from __future__ import annotations

import time
from collections.abc import Iterator
from datetime import date
from pathlib import Path

import pytest

from services.common.domain.document import DocumentMetadata
from services.common.domain.time import DayInterval
from services.common.errors import FailedPrecondition, Unavailable
from services.retrieval.adapters import migration_records
from services.retrieval.adapters.catalogue import Catalogue
from services.retrieval.adapters.leftovers import StaleWrite
from services.retrieval.adapters.migration_records import MigrationRecords
from services.retrieval.adapters.query_records import QueryRecords
from services.retrieval.domain.documents import StoredDocument
from services.retrieval.domain.embedding import EmbedderIdentity
from services.retrieval.domain.filters import ChunkFilter
from services.retrieval.domain.ports import (
    FORMER,
    KnowledgeBaseRecord,
    Publication,
    RecordedQuery,
    SideCollection,
)
from services.retrieval.domain.ranking.replay import Passage
from services.retrieval.domain.versions.families import Window
from tests.unit.retrieval.test_catalogue import publish

OLD, NEW = EmbedderIdentity("old", "1", 8, 512), EmbedderIdentity("new", "2", 16, 256)


@pytest.fixture
def catalogue_url(tmp_path: Path) -> str:
    """The tests of PostgreSQL give another one."""
    return f"sqlite:///{tmp_path / 'catalogue.db'}"


@pytest.fixture
def catalogue(catalogue_url: str) -> Iterator[Catalogue]:
    made = Catalogue(catalogue_url)
    made.add_knowledge_base("kb", "c_old", OLD)
    publish(made, "kb", made.write_count("kb"), [publication("a", "ra"), publication("b", "rb")])
    yield made
    made.close()


@pytest.fixture
def records(catalogue: Catalogue) -> MigrationRecords:
    return MigrationRecords(catalogue)


def publication(document_id: str, revision: str) -> Publication:
    document = StoredDocument(DocumentMetadata(document_id, "kb"), revision, "f" * 64, Window(1, 2), 3, 1.5)
    return Publication(document, "text", (), b"")


def base(catalogue: Catalogue) -> KnowledgeBaseRecord:
    record = catalogue.knowledge_base("kb")
    assert record is not None
    return record


def filled(catalogue: Catalogue, records: MigrationRecords) -> SideCollection:
    side, _ = records.claim_shadow(base(catalogue), NEW, "c_new")
    records.begin(side, {"ra": 5, "rb": 6})
    records.finish(side, ["ra", "rb"])
    return side


def test_the_switch_and_the_way_back_change_collection_embedder_counts_and_fingerprints(
    catalogue: Catalogue, records: MigrationRecords
) -> None:
    side = filled(catalogue, records)
    records.save_report(side, {"mean": 0.7})
    count = catalogue.write_count("kb")
    assert records.switch(side, count, {"a": "renewed"}, keep_former=True) == []
    record = base(catalogue)
    assert (record.collection, record.embedder, record.write_count) == ("c_new", NEW, count + 1)
    _, documents = catalogue.documents("kb")
    assert {key: d.chunk_count for key, d in documents.items()} == {"a": 5, "b": 6}
    assert [documents["a"].fingerprint, documents["b"].fingerprint] == ["renewed", "f" * 64]
    sides = records.sides("kb")
    assert set(sides) == {FORMER} and sides[FORMER].report == {"mean": 0.7}
    assert records.held("c_new") == {} and {r: h.chunk_count for r, h in records.held("c_old").items()} == {
        "ra": 3,
        "rb": 3,
    }
    former = records.claim_former(record)
    records.switch(former, catalogue.write_count("kb"), {}, keep_former=True)
    assert (base(catalogue).collection, base(catalogue).embedder) == ("c_old", OLD)
    assert {d.chunk_count for d in catalogue.documents("kb")[1].values()} == {3}
    assert records.sides("kb")[FORMER].collection == "c_new"


def test_a_switch_that_would_lose_anything_is_not_made(catalogue: Catalogue, records: MigrationRecords) -> None:
    side = filled(catalogue, records)
    count = catalogue.write_count("kb")
    publish(catalogue, "kb", count, [publication("c", "rc")])
    with pytest.raises(StaleWrite):  # the state that was copied is not the present one
        records.switch(side, count, {}, keep_former=True)
    with pytest.raises(StaleWrite):  # c is missing
        records.switch(side, count + 1, {}, keep_former=True)
    records.begin(side, {"rc": 1})
    with pytest.raises(StaleWrite):  # c may be there in part
        records.switch(side, count + 1, {}, keep_former=True)
    assert base(catalogue).collection == "c_old" and catalogue.write_count("kb") == count + 1
    records.finish(side, ["rc"])
    records.switch(side, count + 1, {}, keep_former=True)
    assert base(catalogue).collection == "c_new"


def test_a_writer_that_read_the_state_before_the_switch_is_overtaken(
    catalogue: Catalogue, records: MigrationRecords
) -> None:
    side = filled(catalogue, records)
    count = catalogue.write_count("kb")
    records.switch(side, count, {}, keep_former=True)
    with pytest.raises(StaleWrite):
        publish(catalogue, "kb", count, [publication("c", "rc")])


def test_writers_wait_only_while_a_migration_closes(catalogue: Catalogue, records: MigrationRecords) -> None:
    side = filled(catalogue, records)
    records.alive(side, closing=60.0)
    with pytest.raises(Unavailable) as refused:
        publish(catalogue, "kb", catalogue.write_count("kb"), [publication("c", "rc")])
    assert refused.value.reason == "KNOWLEDGE_BASE_SWITCHING" and refused.value.retry_after
    records.release(side)
    publish(catalogue, "kb", catalogue.write_count("kb"), [publication("c", "rc")])


def test_a_shadow_is_continued_for_the_same_embedder_and_given_up_for_another(
    catalogue: Catalogue, records: MigrationRecords
) -> None:
    filled(catalogue, records)
    again, swept = records.claim_shadow(base(catalogue), NEW, "c_unused")
    assert again.collection == "c_new" and not swept and set(records.held("c_new")) == {"ra", "rb"}
    third = EmbedderIdentity("third", "", 4, 512)
    other, swept = records.claim_shadow(base(catalogue), third, "c_third")
    assert other.collection == "c_third" and [ref.collection for ref in swept] == ["c_new"]
    assert records.held("c_new") == {}
    assert [ref.collection for ref in catalogue.leftovers.listed()] == ["c_new"]


def test_one_process_at_a_time_and_a_dead_one_is_taken_over(
    catalogue: Catalogue, records: MigrationRecords, catalogue_url: str
) -> None:
    side, _ = records.claim_shadow(base(catalogue), NEW, "c_new")
    other_catalogue = Catalogue(catalogue_url)
    other = MigrationRecords(other_catalogue)
    assert other.running(side) and not records.running(side)
    with pytest.raises(FailedPrecondition) as running:
        other.claim_shadow(base(catalogue), NEW, "c_other")
    assert running.value.reason == "MIGRATION_RUNNING" and running.value.retry_after
    catalogue.leases.release()
    assert not other.running(side)
    taken, _ = other.claim_shadow(base(catalogue), NEW, "c_other")
    assert taken.collection == "c_new"
    other.begin(taken, {"ra": 1})
    for attempt in (lambda: records.alive(side), lambda: records.finish(side, ["ra"])):
        with pytest.raises(FailedPrecondition, match="taken over"):
            attempt()
    assert not other.held("c_new")["ra"].whole
    other_catalogue.close()


def test_one_that_ended_and_could_not_say_so_is_taken_over_after_a_while(
    catalogue: Catalogue, records: MigrationRecords, catalogue_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    records.claim_shadow(base(catalogue), NEW, "c_new")
    other_catalogue = Catalogue(catalogue_url)
    monkeypatch.setattr(migration_records, "SILENCE_SECONDS", -1.0)
    taken, _ = MigrationRecords(other_catalogue).claim_shadow(base(catalogue), NEW, "c_other")
    assert taken.collection == "c_new"
    other_catalogue.close()


def test_hosts_whose_clocks_differ_wait_for_one_another(
    catalogue_url: str, catalogue: Catalogue, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All go by the clock of the database."""
    now = 1_000_000.0
    one, two = (Catalogue(catalogue_url, now=lambda _: now) for _ in range(2))
    side, _ = MigrationRecords(one).claim_shadow(base(catalogue), NEW, "c_new")
    for skew in (-7200.0, 7200.0):
        monkeypatch.setattr(time, "time", lambda skew=skew: now + skew)
        MigrationRecords(one).alive(side, closing=60.0)
        monkeypatch.setattr(time, "time", lambda skew=skew: now - skew)
        assert MigrationRecords(two).running(MigrationRecords(two).sides("kb")["shadow"])
        with pytest.raises(Unavailable):
            two.publish("kb", two.write_count("kb"), [])
    now += 61.0
    one.leases.renew()
    two.leases.renew()
    assert not MigrationRecords(two).running(MigrationRecords(two).sides("kb")["shadow"])  # silent for too long
    two.publish("kb", two.write_count("kb"), [])
    one.close()
    two.close()


def test_deleting_takes_side_collections_and_recorded_queries_along(
    catalogue: Catalogue, records: MigrationRecords
) -> None:
    side = filled(catalogue, records)
    queries = QueryRecords(catalogue.database)
    born = base(catalogue).created_at
    queries.save("kb", born, [query("q", 1.0)], 10)
    records.claim_shadow(base(catalogue), EmbedderIdentity("third", "", 4, 512), "c_third")
    _, swept = catalogue.remove_knowledge_base("kb")
    assert {ref.collection for ref in swept} == {"c_old", "c_third"}
    assert {ref.collection for ref in catalogue.leftovers.listed()} == {"c_old", "c_new", "c_third"}
    assert records.sides("kb") == {} and records.held("c_new") == {} and queries.latest("kb", 10) == []
    for attempt in (lambda: records.alive(side), lambda: records.switch(side, 1, {}, keep_former=True)):
        with pytest.raises(FailedPrecondition) as deleted:
            attempt()
        assert deleted.value.reason == "KNOWLEDGE_BASE_DELETED"
    queries.save("kb", born, [query("late", 2.0)], 10)
    catalogue.add_knowledge_base("kb", "c_again", OLD)
    queries.save("kb", born, [query("later", 3.0)], 10)
    assert queries.latest("kb", 10) == []


def query(text: str, at: float, condition: ChunkFilter | None = None) -> RecordedQuery:
    return RecordedQuery(text, condition or ChunkFilter(("public",)), "old@1", (Passage("a", 0, 9),), at)


def test_the_latest_queries_are_kept_each_once_as_they_were_asked(catalogue: Catalogue) -> None:
    queries = QueryRecords(catalogue.database)
    born = base(catalogue).created_at
    full = ChunkFilter(
        access_keys=("public", "g-1"), in_force_on=date(2024, 2, 29), doc_types=("law",), languages=("zh",),
        document_ids=("d",), min_authority=2, published=DayInterval(None, date(2020, 1, 1)), heading="第一章",
        versions=("5",),
    )  # fmt: skip
    asked = query("第三条说什么？", 5.0, full)
    queries.save("kb", born, [query("a", 1.0), query("b", 2.0), query("a", 3.0), asked], 3)
    assert [found.query for found in queries.latest("kb", 10)] == ["第三条说什么？", "a", "b"]
    assert queries.latest("kb", 1) == [asked]
    queries.save("kb", born, [query("c", 6.0), query("nul \0", 7.0)], 3)
    assert [found.query for found in queries.latest("kb", 10)] == ["nul ", "c", "第三条说什么？"]
    now = time.time()
    queries.save("kb", born, [query(f"many {n}", now + n) for n in range(20)], 3)
    assert [found.query for found in queries.latest("kb", 10)] == ["many 19", "many 18", "many 17"]
