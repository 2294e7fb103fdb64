"""What is a reference to a provision, and what only looks like one."""

from __future__ import annotations

import pytest

from services.validation.domain.reading.references import find_references


@pytest.mark.parametrize(
    ("text", "labels"),
    [
        ("See Schedule B and Annex 3.", ["annex B", "annex 3"]),
        ("Under Art. 5 and section 4.2 it applies.", ["article 5", "section 4.2"]),
        ("The visit is scheduled for May; schedule a call.", []),
        ("The tabled motion, a figured bass, ruled out.", []),
        ("按3.1条须请引航员，3.4条另设例外。", ["article 3.1", "article 3.4"]),
        ("第 3.2 条适用，第五条不适用。", ["article 3.2", "article 5"]),
        ("3.5条件不足，1.2条约。", []),
    ],
)
def test_references(text: str, labels: list[str]) -> None:
    assert [reference.label() for reference in find_references(text)] == labels
