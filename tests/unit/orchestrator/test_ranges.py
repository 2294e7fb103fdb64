"""Brackets: which one a number of the question falls into."""

from __future__ import annotations

import pytest

from services.orchestrator.domain.ranges import fit


@pytest.mark.parametrize(
    ("question", "sentence", "expected"),
    [
        ("工龄满12年有几天年假?", "累计工龄满10年不满20年的，年休假10天。", 1),
        ("工龄满12年有几天年假?", "累计工龄满1年不满10年的，年休假5天。", -1),
        ("工龄满20年有几天年假?", "累计工龄满10年不满20年的，年休假10天。", -1),
        ("工龄满20年有几天年假?", "满20年以上的，年休假15天。", 1),
        ("a flight of 1,800 km", "Flights of 1,500 to 3,500 km give EUR 400.", 1),
        ("a flight of 800 km", "Flights of 1,500 to 3,500 km give EUR 400.", -1),
        ("after 12 years of service", "From 10 years but less than 20 years: 28 days.", 1),
        ("after 3 years of service", "Less than 5 years of service: 25 days.", 1),
        ("after 7 years of service", "At least 10 years of service: 28 days.", -1),
        ("how many days of leave?", "Less than 5 years of service: 25 days.", 0),
        ("after 7 years", "Leave is 25 days.", 0),
    ],
)
def test_brackets(question, sentence, expected):
    assert fit(question, sentence) == expected
