"""Statements on the same thing with different values are found; others are not."""

from __future__ import annotations

import pytest

from services.retrieval.domain.conflicts import conflicting, statements


def _pairs(first: str, second: str) -> list[tuple[tuple[str, ...], tuple[str, ...]]]:
    found = conflicting([*statements("a", first), *statements("b", second)])
    return [(pair.first.values, pair.second.values) for pair in found]


@pytest.mark.parametrize(
    ("first", "second", "values"),
    [
        (
            "Employees get 15 days of annual leave per year.",
            "Employees get 20 days of annual leave per year.",
            (("15",), ("20",)),
        ),
        ("员工每年享有15天带薪年休假。", "员工每年享有20天带薪年休假。", (("15",), ("20",))),
        (
            "The typical cruise speed of the A320 fleet is 440 kt.",
            "The typical cruise speed of the A320 fleet is **450 kt**.",
            (("440",), ("450",)),
        ),
    ],
)
def test_different_values_for_the_same_thing(first: str, second: str, values: tuple) -> None:
    assert _pairs(first, second) == [values]


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("Employees get 15 days of annual leave per year.", "Employees get 15 days of annual leave per year."),
        ("Employees get 15 days of annual leave per year.", "The pump runs at 20 bar in normal operation today."),
        ("Employees get 15 days of annual leave per year.", "Employees get annual leave per year as agreed."),
        ("See 3.", "See 4."),
    ],
)
def test_no_conflict(first: str, second: str) -> None:
    assert _pairs(first, second) == []


def test_a_document_does_not_conflict_with_itself() -> None:
    text = "Employees get 15 days of annual leave per year. Employees get 20 days of annual leave per year."
    assert conflicting(statements("a", text)) == []
