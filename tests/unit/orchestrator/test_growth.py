"""Growth that no document states."""

from __future__ import annotations

from datetime import date

import pytest

from services.common.domain.question import Action, Origin, OriginKind, QuantityConstraint, Span, TimeConstraint
from services.common.domain.time import DayInterval, TimeRelation
from services.orchestrator.domain.compose import ComposeInputs, compose
from services.orchestrator.domain.growth import GrowthTexts, Period, asked_periods
from tests.unit.orchestrator.builders import RULE, TODAY, chunk, evidence, parse

TEXTS = {"en": GrowthTexts("From {earlier} to {later} up {percent}.", "down {percent}", "Q{quarter} {year}", "{year}")}
QUANTITY = QuantityConstraint("", "", "", 0, Origin(OriginKind.RULE, "t"))


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("By how much did revenue grow from Q3 to Q4 2024?", (Period(2024, 3), Period(2024, 4))),
        ("2024年第四季度的营业收入比第三季度增长了百分之几?", (Period(2024, 3), Period(2024, 4))),
        ("Revenue growth from Q4 2023 to Q1 2024?", (Period(2023, 4), Period(2024, 1))),
        ("How much did sales change between 2022 and 2023?", (Period(2022), Period(2023))),
        ("What was the revenue in Q3 2024?", None),
        ("How many in Q1, Q2 and Q3 2024 did it grow?", None),
        ("Did it grow from Q3 to Q4?", None),
    ],
)
def test_the_periods_asked_for(question, expected):
    assert asked_periods(parse(question, quantity=QUANTITY)) == expected


def test_growth_is_computed_from_two_quoted_figures():
    question = "By how much did the revenue grow from Q3 to Q4 2024?"
    time = TimeConstraint(
        TimeRelation.BETWEEN, DayInterval(date(2024, 7, 1), date(2024, 12, 31)), "Q3 to Q4 2024", Span(0, 0), RULE
    )
    parsed = parse(question, Action.QUANTIFY, quantity=QUANTITY, time=time)
    third = chunk("q3#1", "The revenue in Q3 2024 was EUR 130.0 million.", title="Note Q3 2024")
    fourth = chunk("q4#1", "The revenue in Q4 2024 was EUR 143.0 million.", title="Note Q4 2024")
    draft = compose(ComposeInputs(parsed, evidence(fourth, third), None, 6, "", TODAY, growth_texts=TEXTS))
    assert draft.render().splitlines() == [
        "The revenue in Q3 2024 was EUR 130.0 million [2].",
        "The revenue in Q4 2024 was EUR 143.0 million [1].",
        "From Q3 2024 to Q4 2024 up 10.0% [2][1].",
    ]


def test_figures_of_different_units_are_not_compared():
    parsed = parse(
        "By how much did output grow from 2022 to 2023?",
        quantity=QUANTITY,
        time=TimeConstraint(
            TimeRelation.BETWEEN, DayInterval(date(2022, 1, 1), date(2023, 12, 31)), "2022 to 2023", Span(0, 0), RULE
        ),
    )
    draft = compose(
        ComposeInputs(
            parsed,
            evidence(
                chunk("a#1", "The output in 2022 was 10 tonnes."), chunk("b#1", "The output in 2023 was 12 barrels.")
            ),
            None,
            6,
            "",
            TODAY,
            growth_texts=TEXTS,
        )
    )
    assert "%" not in draft.render()
