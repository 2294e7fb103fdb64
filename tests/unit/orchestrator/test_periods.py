"""Periods that sentences state."""

from __future__ import annotations

from datetime import date

import pytest

from services.common.domain.time import DayInterval
from services.orchestrator.domain.periods import periods_in


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "From January 1, 2014 through December 31, 2014, the threshold amount is $53,500.",
            [DayInterval(date(2014, 1, 1), date(2014, 12, 31))],
        ),
        ("Prior to July 21, 2011, the threshold amount is $25,000.", [DayInterval(None, date(2011, 7, 20))]),
        ("Effective 1 May 2024 the limit is 10 kg.", [DayInterval(date(2024, 5, 1), None)]),
        ("本办法自2025年1月1日起施行。", [DayInterval(date(2025, 1, 1), None)]),
        ("2024年1月1日至2024年6月30日,补贴为100元。", [DayInterval(date(2024, 1, 1), date(2024, 6, 30))]),
        ("The report was published on 3 March 2024.", []),
        ("On 31 February 2024 nothing happened.", []),
        ("The limit is 10 kg.", []),
    ],
)
def test_periods(text, expected):
    assert periods_in(text) == expected
