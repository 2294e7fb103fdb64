"""Tables answer for the most, the least, and all of something."""

from __future__ import annotations

from dataclasses import replace

import pytest

from services.common.domain.question import Action, Origin, OriginKind, QuantityConstraint, ScoredAction
from services.orchestrator.domain.compose import ComposeInputs, compose
from tests.unit.orchestrator.builders import TODAY, chunk, evidence, in_year, parse

SERVERS = """| host | site | memory_gb | cores | commissioned |
| --- | --- | --- | --- | --- |
| db-07 | Rotterdam | 256 | 32 | 2024-05-14 |
| web-01 | Rotterdam | 32 | 8 | 2023-11-02 |
| ml-01 | Lyon | 512 | 64 | 2025-08-30 |
| all servers | | 800 | 104 | |
"""
REVENUE = """| Region | 2024 revenue (million EUR) | 2025 revenue (million EUR) |
| --- | --- | --- |
| North | 18.4 | 13.9 |
| West | 15.2 | 17.6 |
"""
TABLES = (chunk("servers#0", SERVERS, title="Servers"), chunk("sales#0", REVENUE, title="Sales"))


def quoted(question: str, superlative: str = "", most: int = 0, action: Action = Action.LOOKUP, **fields: object):
    quantity = QuantityConstraint("", "", superlative, most, Origin(OriginKind.RULE, "t")) if superlative else None
    parsed = parse(question, action, quantity=quantity, **fields)
    draft = compose(ComposeInputs(parsed, evidence(*TABLES), None, 6, "The sources disagree:", TODAY))
    return [s.text.split(";")[0].split(": ")[1] for s in draft.statements]


@pytest.mark.parametrize(
    ("question", "superlative", "most", "expected"),
    [
        ("Which server has the most memory?", "max", 0, ["ml-01"]),
        ("Which server has the fewest cores?", "min", 0, ["web-01"]),
        ("Which two servers have the most memory?", "max", 2, ["ml-01", "db-07"]),
        ("Which server in Rotterdam has the most memory?", "max", 0, ["db-07"]),
    ],
)
def test_the_extreme_row_is_quoted_and_not_the_first_one(question, superlative, most, expected):
    assert quoted(question, superlative, most) == expected


def test_the_year_chooses_between_two_columns_of_one_measure():
    assert quoted("Which region had the highest revenue in 2025?", "max", time=in_year(2025)) == ["West"]
    assert quoted("Which region had the highest revenue in 2024?", "max", time=in_year(2024)) == ["North"]


def test_a_table_that_does_not_tell_what_is_meant_answers_nothing():
    assert quoted("Which server is the oldest of all servers?", "max") == []


def test_all_rows_of_a_list_are_quoted_in_their_order():
    assert quoted("List the regions with their revenue.", action=Action.LIST) == ["North", "West"]


def test_a_row_is_no_sentence_before_the_steps():
    text = "| Task | Hours |\n| --- | --- |\n| Oil change | 2000 |\n\n"
    text += "1. Stop the pump.\n2. Drain the oil.\n3. Fill in oil.\n"
    parsed = parse("How do I change the oil?", Action.HOW_TO)
    parsed = replace(parsed, actions=(*parsed.actions, ScoredAction(Action.EXPLAIN, 0.7, parsed.actions[0].origin)))
    passages = evidence(chunk("pump#0", text, title="Oil change of the pump"))
    draft = compose(ComposeInputs(parsed, passages, None, 6, "The sources disagree:", TODAY))
    assert [s.text for s in draft.statements] == ["Stop the pump.", "Drain the oil.", "Fill in oil."]
