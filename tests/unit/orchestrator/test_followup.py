"""What a dependent search asks for."""

from __future__ import annotations

from services.common.domain.document import Chunk
from services.orchestrator.domain.evidence import Hit, RouteOutcome
from services.orchestrator.domain.followup import resolved, wording
from services.orchestrator.domain.plan import PlanTask, SearchKind
from tests.unit.orchestrator.builders import chunk

ROWS = (
    "# V2\n\nText of version 4.0.3.\n\n| # | Description |\n|---|---|\n"
    "| **2.1.1** | Verify that passwords are long. |\n"
    "| **2.1.10** | Verify that there is no rotation of passwords. |"
)


def test_the_wording_is_that_of_the_codes_row():
    other = "The document of version 4.0.3 lists many requirements."
    assert wording([other, ROWS], ["2.1.1"]) == "Verify that passwords are long."


def test_the_row_of_a_code_goes_before_rows_that_refer_to_it():
    referring = "| # | Description |\n|---|---|\n| 1.4.3 | [DELETED, DUPLICATE OF 2.1.1] |"
    assert wording([referring, ROWS], ["2.1.1"]) == "Verify that passwords are long."


def test_without_the_code_there_is_no_wording():
    assert wording(["The first passage.", "Another."], ["9.9.9"]) == ""


def resolve(*chunks: Chunk) -> tuple[list[str], list[str]]:
    task = PlanTask("t2", "successor", "?", "kb", SearchKind.HYBRID, 5, 0.7, 3, depends_on=("t1",))
    hits = tuple(Hit(c, rank, 1.0) for rank, c in enumerate(chunks, 1))
    tasks, places = resolved([task], [RouteOutcome("t1", "kb", 0.6, "OK", hits=hits)], ["v4.0.3", "2.1.1"])
    return [t.query for t in tasks], places


def test_a_dependent_search_asks_for_the_place_in_the_edition_that_is_named():
    new = chunk("new#1", "| # | D |\n|---|---|\n| 2.1.1 | Verify something else entirely. |", version="5.0.0")
    old = chunk("old#1", ROWS, version="4.0.3")
    told = ["Verify that passwords are long."]
    assert resolve(new, old) == (told, told)


def test_the_best_passage_is_searched_for_but_is_no_place():
    assert resolve(chunk("a#1", "The  first passage.")) == (["The first passage."], [])
