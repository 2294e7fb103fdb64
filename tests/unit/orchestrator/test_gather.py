"""What a dependent search asks for."""

from __future__ import annotations

from services.orchestrator.gather import wording

ROWS = (
    "# V2\n\nText of version 4.0.3.\n\n| # | Description |\n|---|---|\n"
    "| **2.1.1** | Verify that passwords are long. |\n"
    "| **2.1.10** | Verify that there is no rotation of passwords. |"
)


def test_the_wording_is_that_of_the_codes_row():
    other = "The document of version 4.0.3 lists many requirements."
    assert wording([other, ROWS], ["2.1.1"]) == "Verify that passwords are long."


def test_without_the_code_the_best_passage_speaks():
    assert wording(["The first passage.", "Another."], ["9.9.9"]) == "The first passage."
