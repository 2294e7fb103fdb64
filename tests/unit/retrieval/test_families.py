"""Windows of validity: of two versions in force by their dates, the newer one wins on every day."""

from __future__ import annotations

from datetime import date, timedelta

from hypothesis import given
from hypothesis import strategies as st

from services.common.domain.document import DocumentMetadata
from services.retrieval.domain.documents import StoredDocument
from services.retrieval.domain.families import NEVER, own_window, validity_windows
from services.retrieval.domain.family_index import FamilyIndex
from services.retrieval.domain.findings import collect_findings
from services.retrieval.domain.ingest_config import HealthThresholds


def _doc(document_id: str, start: str = "", end: str = "", supersedes: str = "", **other: object) -> DocumentMetadata:
    return DocumentMetadata(
        document_id=document_id,
        effective_from=date.fromisoformat(start) if start else None,
        effective_to=date.fromisoformat(end) if end else None,
        supersedes=supersedes,
        **other,  # type: ignore[arg-type]
    )


def _in_force(documents: list[DocumentMetadata], day: str) -> set[str]:
    windows = validity_windows(documents)
    return {key for key, window in windows.items() if window.contains(date.fromisoformat(day))}


def test_an_overlap_is_won_by_the_newer_version() -> None:
    rev4 = _doc("r4", "2013-04-30", "2021-09-22")
    rev5 = _doc("r5", "2020-09-23", supersedes="r4")
    for documents in ([rev4, rev5], [rev5, rev4]):
        assert _in_force(documents, "2020-09-22") == {"r4"}
        assert _in_force(documents, "2020-09-23") == {"r5"}
        assert _in_force(documents, "2030-01-01") == {"r5"}


def test_a_version_without_an_end_is_closed_by_its_successor() -> None:
    documents = [
        _doc("a", "2018-01-01"),
        _doc("b", "2020-01-01", supersedes="a"),
        _doc("c", "2024-01-01", supersedes="b"),
    ]
    assert _in_force(documents, "2019-12-31") == {"a"}
    assert _in_force(documents, "2023-12-31") == {"b"}
    assert _in_force(documents, "2026-01-01") == {"c"}
    assert _in_force(documents, "2017-01-01") == set()


def test_a_successor_not_yet_in_force_changes_nothing_today() -> None:
    documents = [_doc("a", "2018-01-01"), _doc("b", "2030-01-01", supersedes="a")]
    assert _in_force(documents, "2026-11-30") == {"a"}


def test_a_note_cannot_put_a_regulation_out_of_force() -> None:
    rule = _doc("rule", "2020-01-01", authority=5)
    note = _doc("note", "2022-01-01", supersedes="rule", authority=1)
    assert _in_force([rule, note], "2026-11-30") == {"rule", "note"}
    undated = _doc("undated", supersedes="rule", authority=1)
    assert _in_force([rule, undated], "2026-11-30") == {"rule", "undated"}
    equal = _doc("equal", "2022-01-01", supersedes="rule", authority=5)
    assert _in_force([rule, equal], "2026-11-30") == {"equal"}


def test_a_copied_title_of_less_authority_neither_replaces_nor_hides_the_true_successor() -> None:
    def version(document_id: str, year: int, authority: int) -> DocumentMetadata:
        return _doc(document_id, f"{year}-01-01", title="Leave policy", version=str(year), authority=authority)

    old, copy, new = version("old", 2020, 4), version("copy", 2022, 1), version("new", 2024, 4)
    assert _in_force([old, copy], "2023-01-01") == {"old", "copy"}
    assert _in_force([old, copy, new], "2026-11-30") == {"new"}


def test_gaps_between_versions_stay_gaps() -> None:
    documents = [_doc("a", "2018-01-01", "2018-12-31"), _doc("b", "2020-01-01", supersedes="a")]
    assert _in_force(documents, "2019-06-01") == set()


def test_a_successor_without_any_date_replaces_outright() -> None:
    assert validity_windows([_doc("a"), _doc("b", supersedes="a")])["a"] == NEVER


def test_contradictory_links_are_left_out() -> None:
    documents = [_doc("a", "2020-01-01", supersedes="b"), _doc("b", "2010-01-01", supersedes="a")]
    assert _in_force(documents, "2015-01-01") == {"b"}
    assert _in_force(documents, "2021-01-01") == {"a"}
    assert _in_force([_doc("x", supersedes="x")], "2020-01-01") == {"x"}


def test_versions_with_the_same_title_are_a_family_only_if_dated_and_versioned() -> None:
    common = {"title": "Fleet handbook", "language": "en", "doc_type": "manual"}
    old = _doc("old", "2022-01-01", version="2022", **common)
    new = _doc("new", "2025-01-01", version="2025", **common)
    assert _in_force([old, new], "2026-01-01") == {"new"}
    undated = [DocumentMetadata("p1", title="Super Bowl 50"), DocumentMetadata("p2", title="Super Bowl 50")]
    assert _in_force(undated, "2026-01-01") == {"p1", "p2"}


def test_the_index_finds_the_whole_family_also_through_a_missing_member() -> None:
    index = FamilyIndex([_doc("b", supersedes="a"), _doc("c", supersedes="b"), _doc("z")])
    assert set(index.family(["a"])) == {"b", "c"}
    index.remove("b")
    assert set(index.family(["b"])) == {"c"}


@given(st.lists(st.integers(0, 3000), min_size=1, max_size=6, unique=True), st.integers(-100, 3200))
def test_of_a_chain_exactly_one_version_is_in_force_once_the_first_began(starts: list[int], offset: int) -> None:
    base = date(2015, 1, 1)
    days = sorted(starts)
    documents = [
        DocumentMetadata(f"v{i}", effective_from=base + timedelta(days=d), supersedes=f"v{i - 1}" if i else "")
        for i, d in enumerate(days)
    ]
    day = base + timedelta(days=offset)
    found = _in_force(documents, day.isoformat())
    expected = [f"v{i}" for i, d in enumerate(days) if d <= offset]
    assert found == ({expected[-1]} if expected else set())


def test_a_claim_to_replace_what_outranks_it_is_reported() -> None:
    rule = _doc("rule", "2020-01-01", authority=5)
    note = _doc("note", "2022-01-01", supersedes="rule", authority=1)
    stored = [StoredDocument(m, "r", "f", own_window(m), 1, 0.0) for m in (rule, note)]
    found = collect_findings(stored, {}, HealthThresholds())
    assert [(f.kind, f.document_ids) for f in found if f.kind == "OUTRANKED_SUCCESSOR"] == [
        ("OUTRANKED_SUCCESSOR", ("note", "rule"))
    ]
