"""How alike two result lists are, and when that is enough."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from services.retrieval.domain.ranking.replay import Passage, SwitchRules, compare, jaccard, report

A, B, C, D = (Passage("d", 100 * n, 100 * n + 100) for n in range(4))
RULES = SwitchRules(top_k=2, minimum_mean=0.5, minimum_queries=2)


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ([], [], 1.0),
        ([A], [], 0.0),
        ([A, B], [B, A], 1.0),
        ([A, B], [B, C], 1 / 3),
        ([A, B, C], [D], 0.0),
        # Cut elsewhere: the most of it is the same passage, a fringe is not.
        ([Passage("d", 0, 100)], [Passage("d", 20, 300)], 1.0),
        ([Passage("d", 0, 100)], [Passage("d", 90, 190)], 0.0),
        ([Passage("d", 0, 100)], [Passage("e", 0, 100)], 0.0),
        # One long passage stands for one of the two that it was cut into, not for both.
        ([Passage("d", 0, 200)], [A, B], 1 / 2),
    ],
)
def test_jaccard(old: list[Passage], new: list[Passage], expected: float) -> None:
    assert jaccard(old, new) == pytest.approx(expected)
    assert jaccard(new, old) == pytest.approx(expected)


_spots = st.lists(st.integers(0, 30), max_size=12, unique=True)


@given(_spots, _spots)
def test_on_equal_cuts_it_is_the_jaccard_index_of_the_sets(one: list[int], two: list[int]) -> None:
    def passages(spots: list[int]) -> list[Passage]:
        return [Passage("d", 10 * spot, 10 * spot + 10) for spot in spots]

    union = set(one) | set(two)
    expected = len(set(one) & set(two)) / len(union) if union else 1.0
    assert jaccard(passages(one), passages(two)) == pytest.approx(expected)


def test_the_worst_comes_first_and_the_figures_are_over_all() -> None:
    found = report([compare("same", [A, B], [A, B]), compare("half", [A, B], [B, C])], 3, RULES)
    assert [c.query for c in found.worst] == ["half", "same"]
    assert found.mean == pytest.approx(2 / 3) and found.minimum == pytest.approx(1 / 3)
    assert (found.queries, found.skipped, found.same_first) == (2, 3, 0.5)
    assert found.objection() == ("", "")


def test_objections_name_figure_setting_and_remedy() -> None:
    few = report([compare("q", [A], [A])], 0, RULES).objection()
    assert few[0] == "TOO_FEW_QUERIES" and "only 1 queries" in few[1] and "--queries" in few[1]
    low = report([compare("q", [A], [B]), compare("r", [A], [B])], 0, RULES).objection()
    assert low[0] == "OVERLAP_TOO_LOW" and "0.000, below 0.500" in low[1]
    assert report([], 0, SwitchRules(minimum_queries=0)).objection() == ("", "")
