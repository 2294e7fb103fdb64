"""Which codes of a question are editions, and which are places in them."""

from __future__ import annotations

import pytest

from services.orchestrator.domain.editions import pattern_of, sorted_out


@pytest.mark.parametrize(
    ("codes", "versions", "places"),
    [
        (["v4.0.3", "2.1.1"], [], ("2.1.1",)),  # marked as a version
        (["4.0.3", "2.1.1"], ["4.0.3", "5.0.0"], ("2.1.1",)),  # the version of a document at hand
        (["4.0.3", "2.1.1"], ["5.0.0"], ("4.0.3", "2.1.1")),
        (["v4.0.3"], ["4.0.3"], ("v4.0.3",)),  # nothing else to look for
        (["V2", "E4027"], [], ("V2", "E4027")),  # a chapter or a valve, no version
    ],
)
def test_places(codes: list[str], versions: list[str], places: tuple[str, ...]) -> None:
    assert sorted_out(codes, versions).places == places


def test_a_named_edition_is_met_however_it_is_written() -> None:
    named = sorted_out(["v4.0.3", "2.1.1"], [])
    assert named.of_edition("4.0.3") and named.of_edition("V4.0.3")
    assert not named.of_edition("5.0.0") and not named.of_edition("")


def test_without_an_edition_every_document_may_be_meant() -> None:
    assert sorted_out(["2.1.1"], ["5.0.0"]).of_edition("5.0.0")


@pytest.mark.parametrize(
    ("code", "text", "found"),
    [
        ("2.1.1", "| 2.1.1 | Verify", True),
        ("2.1.1", "| 2.1.12 | Verify", False),
        ("2.1.1", "| 12.1.1 | Verify", False),
        ("2.1.1", "as in 2.1.1.", True),
        ("第4.1.3条", "| 4.1.3 | 验证", True),
        ("E4027", "故障E4027出现", True),
        ("E4027", "E40271", False),
        ("第5条", "5 days", False),
    ],
)
def test_a_code_is_found_where_it_stands_whole(code: str, text: str, found: bool) -> None:
    assert bool(pattern_of(code).search(text)) is found
