"""Which codes of a question are editions, and which are places in them."""

from __future__ import annotations

import pytest

from services.orchestrator.domain.editions import sorted_out


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
