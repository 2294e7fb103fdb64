"""Windows of validity: of two versions in force by their dates, the newer one wins on every day."""

from __future__ import annotations

from dataclasses import replace
from datetime import date, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from services.common.domain.document import DocumentMetadata
from services.retrieval.domain.documents import StoredDocument
from services.retrieval.domain.ingest_config import HealthThresholds
from services.retrieval.domain.quality.findings import collect_findings
from services.retrieval.domain.quality.minhash import signature
from services.retrieval.domain.versions.families import NEVER, newer, own_window, validity_windows
from services.retrieval.domain.versions.family_index import FamilyIndex
from services.retrieval.domain.versions.version_marks import compare_numbers, version_number


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


def test_documents_that_replace_one_another_in_a_round_stay_in_force() -> None:
    around = [_doc("a", supersedes="c"), _doc("b", supersedes="a"), _doc("c", supersedes="b")]
    assert _in_force(around, "2026-11-30") == {"a", "b", "c"}
    before = [*around, _doc("old"), _doc("d", supersedes="old")]
    assert _in_force(before, "2026-11-30") == {"a", "b", "c", "d"}
    dated = [
        _doc("a", "2018-01-01", supersedes="c"),
        _doc("b", "2020-01-01", supersedes="a"),
        _doc("c", "2024-01-01", supersedes="b"),
    ]
    assert _in_force(dated, "2026-11-30") == {"c"}


def test_versions_with_the_same_title_are_a_family_only_if_dated_and_versioned() -> None:
    common = {"title": "Fleet handbook", "language": "en", "doc_type": "manual"}
    old = _doc("old", "2022-01-01", version="2022", **common)
    new = _doc("new", "2025-01-01", version="2025", **common)
    assert _in_force([old, new], "2026-01-01") == {"new"}
    undated = [DocumentMetadata("p1", title="Super Bowl 50"), DocumentMetadata("p2", title="Super Bowl 50")]
    assert _in_force(undated, "2026-01-01") == {"p1", "p2"}


def _file(name: str, modified: float = 0.0, start: str = "", **other: object) -> DocumentMetadata:
    title = str(other.pop("title", "Leave policy"))
    return _doc(name, start, title=title, file_name=name, file_modified=modified, **other)


@pytest.mark.parametrize(
    ("older", "newer_name"),
    [
        ("leave.md", "leave_v2.md"),
        ("leave_v1.9.docx", "leave_v2.0.docx"),
        ("leave_v2.docx", "leave-rev10.docx"),
        ("请假制度.md", "请假制度_修订.md"),
        ("请假制度（第二版）.docx", "请假制度（第三版）.docx"),
        ("请假制度_修订版.md", "请假制度_定稿.md"),
        ("leave_draft.md", "leave.md"),
        ("leave_old.md", "leave.md"),
        ("leave.md", "leave_final.md"),
        ("请假制度_征求意见稿.md", "请假制度.md"),
    ],
)
def test_marks_of_file_names_order_versions_whatever_came_first(older: str, newer_name: str) -> None:
    first, second = _file(older), _file(newer_name)
    for documents in ([first, second], [second, first]):
        assert _in_force(documents, "2026-01-01") == {newer_name}


def test_dates_go_before_versions_before_marks_before_the_time_of_modification() -> None:
    dated = [
        _file("a_v9.md", 9.0, title="Rules of visits", version="1", start="2024-01-01"),
        _file("a_v1.md", 1.0, title="Rules of visits", version="2", start="2020-01-01"),
    ]
    assert newer(*dated) == 1
    versioned = [
        _file("a_v9.md", 9.0, title="Rules of visits", version="4.0.3"),
        _file("a_v1.md", 1.0, title="Rules of visits", version="4.1"),
    ]
    assert newer(*versioned) == -1 and _in_force(versioned, "2026-01-01") == {"a_v1.md"}
    assert newer(_file("a_v2.md", 1.0), _file("a_v1.md", 9.0)) == 1
    copies = [_file("a_final.md", 5.0), _file("a (1)_final.md", 9.0)]
    assert newer(*copies) == -1 and _in_force(copies, "2026-01-01") == {"a (1)_final.md"}


def test_the_time_of_modification_alone_makes_no_versions() -> None:
    notes = [_file("one/readme.md", 1.0), _file("two/readme.md", 9.0)]
    assert _in_force(notes, "2026-01-01") == {"one/readme.md", "two/readme.md"}


@pytest.mark.parametrize(
    ("one", "two"),
    [
        (_file("report_2023-01.md"), _file("report_2023-02.md")),
        (_file("leave_v1.md", title="Leave"), _file("pump_v2.md", title="Leave")),
        (_file("leave_v1.md", title="Leave of staff"), _file("leave_v2.md", title="Leave of guests")),
        (_doc("a", "2023-01-01", title="Notice"), _doc("b", "2024-01-01", title="Notice")),
        (_doc("a", title="Pumps", version="1"), _doc("b", title="Pumps", version="2", language="zh")),
    ],
)
def test_what_only_looks_alike_stays_apart(one: DocumentMetadata, two: DocumentMetadata) -> None:
    assert _in_force([one, two], "2026-01-01") == {one.document_id, two.document_id}


def test_a_draft_of_the_next_version_replaces_nothing() -> None:
    documents = [_file("leave_v1.0.md"), _file("leave_v2.0_draft.md")]
    assert "leave_v1.0.md" in _in_force(documents, "2026-01-01")


def test_a_draft_whose_mark_stands_behind_its_number_replaces_nothing() -> None:
    final = _doc("a", "2025-09-01", title="Remote work", file_name="remote-work-v2.md")
    draft = _doc("b", "2027-01-01", title="Remote work", file_name="remote-work-v3-draft.md")
    assert "a" in _in_force([final, draft], "2027-06-01")


def test_a_version_known_by_its_publication_is_not_in_force_before_it() -> None:
    old = _doc("a", title="Notes 4.1", version="4.1", published_at=date(2025, 6, 12))
    new = _doc("b", title="Notes 4.2", version="4.2", published_at=date(2026, 2, 3))
    for documents in ([old, new], [new, old]):
        assert _in_force(documents, "2025-08-01") == {"a"}
        assert _in_force(documents, "2026-02-03") == {"b"}
    assert _in_force([new], "2025-08-01") == {"b"}  # a text that replaces nothing may tell of days before it


def test_a_retired_version_ends_and_what_it_replaced_stays_replaced() -> None:
    old = _doc("old", "2020-01-01")
    new = _doc("new", "2022-01-01", supersedes="old", retired_at=date(2024, 6, 1))
    assert _in_force([old, new], "2024-05-31") == {"new"}
    assert _in_force([old, new], "2024-06-01") == set()


def test_versions_that_nothing_orders_are_reported() -> None:
    pair = [_file("leave_final.md"), _file("leave (1)_final.md")]
    stored = [StoredDocument(m, "r", "f", own_window(m), 1, 0.0) for m in pair]
    found = [f for f in collect_findings(stored, {}, HealthThresholds()) if f.kind == "UNDECIDED_VERSIONS"]
    assert [f.document_ids for f in found] == [("leave (1)_final.md", "leave_final.md")]


@pytest.mark.parametrize(
    ("smaller", "larger"),
    [
        ("4.0.3", "4.0.10"),
        ("Rev 4", "Rev 5"),
        ("第二版", "第十版"),
        ("2.0-rc1", "2.0"),
        ("2.0-rc1", "2.0-rc2"),
        ("1.9", "2.0-rc1"),
        ("2019", "2024"),
        ("v1", "v1.1"),
    ],
)
def test_version_numbers_compare_as_people_read_them(smaller: str, larger: str) -> None:
    assert compare_numbers(version_number(smaller), version_number(larger)) == -1
    assert compare_numbers(version_number(larger), version_number(smaller)) == 1


def test_a_year_and_a_number_cannot_be_compared() -> None:
    assert compare_numbers(version_number("2019"), version_number("4.0.3")) == 0


@given(st.permutations([_file("leave.md"), _file("leave_v2.md"), _file("leave_v3_draft.md"), _file("leave_v3.md")]))
def test_the_order_of_upload_never_matters(documents: list[DocumentMetadata]) -> None:
    assert _in_force(list(documents), "2026-01-01") == {"leave_v3.md"}


def test_a_large_family_by_title_stays_cheap_and_right() -> None:
    days = [date(2000, 1, 1) + timedelta(days=30 * n) for n in range(200)]
    documents = [_doc(f"d{n}", day.isoformat(), title="Price list of parts") for n, day in enumerate(days)]
    assert _in_force(documents, days[120].isoformat()) == {"d120"}


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


def test_versions_are_no_near_duplicates() -> None:
    text = " ".join(f"word{n}" for n in range(100))
    signatures = {"keys_v1.md": signature(text), "keys_v2.md": signature(text + " more")}

    def near_duplicates(*documents: DocumentMetadata) -> int:
        windows = validity_windows(documents)
        stored = [StoredDocument(d, "r", "f", windows[d.document_id], 1, 0.0) for d in documents]
        found = collect_findings(stored, signatures, HealthThresholds())
        return sum(finding.kind == "NEAR_DUPLICATE" for finding in found)

    one, two = _file("keys_v1.md", checksum="1"), _file("keys_v2.md", checksum="2")
    assert near_duplicates(replace(one, title="Another"), two) == 1
    assert near_duplicates(one, two) == 0
