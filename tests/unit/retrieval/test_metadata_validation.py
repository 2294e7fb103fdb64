"""Metadata fields are validated all at once, each problem naming field, value and remedy."""

from __future__ import annotations

from datetime import date

import pytest

from services.retrieval.domain.metadata import fields_from_json, id_from_path, read_metadata
from services.retrieval.domain.quality.rejection import DocumentRejected, Reason


def _read(**fields: str):
    return read_metadata(fields, knowledge_base="kb")


def test_a_full_record_is_read() -> None:
    metadata = _read(
        document_id="d1", title="T", language="EN", doc_type="manual", authority="4", version="2.0",
        effective_from="2024-01-01", effective_to="2024-12-31", access_groups="hr, finance,hr",
    )  # fmt: skip
    assert metadata.authority == 4
    assert metadata.language == "en"
    assert metadata.effective_from == date(2024, 1, 1)
    assert metadata.access_groups == ("finance", "hr")


def test_missing_authority_is_three_and_blank_values_count_as_missing() -> None:
    metadata = _read(document_id="d1", published_at="  ")
    assert metadata.authority == 3
    assert metadata.published_at is None


@pytest.mark.parametrize("value", ["2024-13-01", "2024-02-30", "01.02.2024", "2024", "20240101", "2024-1-1"])
def test_a_malformed_date_is_named_with_field_and_value(value: str) -> None:
    with pytest.raises(DocumentRejected) as caught:
        _read(document_id="d", effective_from=value)
    assert caught.value.reason is Reason.INVALID_METADATA
    assert "effective_from" in caught.value.message
    assert value in caught.value.message
    assert "YYYY-MM-DD" in caught.value.message


def test_every_problem_is_named_at_once() -> None:
    with pytest.raises(DocumentRejected) as caught:
        _read(document_id="d", authority="9", doc_type="novel", titel="x", language="english language")
    for word in ("authority", "'9'", "doc_type", "novel", "'titel'", "did you mean title", "language"):
        assert word in caught.value.message
    assert caught.value.document_id == "d"


def test_an_interval_that_ends_before_it_starts_is_refused() -> None:
    with pytest.raises(DocumentRejected, match="effective_to: 2023-12-31 lies before"):
        _read(effective_from="2024-01-01", effective_to="2023-12-31")


def test_control_characters_have_no_place_in_an_id() -> None:
    with pytest.raises(DocumentRejected, match="document_id"):
        _read(document_id="a\nb")


def test_ids_from_paths_are_printable_unique_and_bounded() -> None:
    assert id_from_path("a/b.md") == "a/b"
    assert "\n" not in id_from_path("line\nbreak 😀.md")
    long_a, long_b = "x/" * 200 + "a.md", "y/" * 200 + "a.md"
    assert len(id_from_path(long_a)) <= 256
    assert id_from_path(long_a) != id_from_path(long_b)


def test_json_values_become_text_or_are_refused_by_name() -> None:
    fields = fields_from_json({"authority": 4, "access_groups": ["a", "b"], "version": None})
    assert fields == {"authority": "4", "access_groups": "a,b"}
    with pytest.raises(DocumentRejected, match="title: dict"):
        fields_from_json({"title": {"en": "x"}})


def test_a_document_does_not_replace_itself() -> None:
    with pytest.raises(DocumentRejected) as refused:
        read_metadata({"document_id": "leave-2025", "supersedes": "leave-2025"}, knowledge_base="kb")
    assert "supersedes: names the document itself" in str(refused.value)
