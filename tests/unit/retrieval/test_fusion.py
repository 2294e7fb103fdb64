"""Rank fusion and weighted fusion."""

from __future__ import annotations

from services.retrieval.domain.ranking.fusion import reciprocal_rank_fusion, weighted_fusion


def test_rrf_adds_reciprocal_ranks() -> None:
    fused = dict(reciprocal_rank_fusion({"dense": ["a", "b"], "keyword": ["b", "c"]}, k=60))
    assert fused["b"] == 1 / 62 + 1 / 61
    assert fused["a"] == 1 / 61
    assert fused["c"] == 1 / 62


def test_rrf_prefers_what_both_lists_hold_and_breaks_ties_the_same_way() -> None:
    order = [key for key, _ in reciprocal_rank_fusion({"dense": ["x", "a"], "keyword": ["y", "a"]})]
    assert order == ["a", "x", "y"]


def test_rrf_weights_lists() -> None:
    order = [key for key, _ in reciprocal_rank_fusion({"dense": ["a"], "keyword": ["b"]}, {"keyword": 2.0})]
    assert order == ["b", "a"]


def test_weighted_fusion_normalises_each_list() -> None:
    fused = weighted_fusion(
        {"dense": {"a": 0.9, "b": 0.8}, "keyword": {"b": 20.0, "c": 10.0}}, {"dense": 0.4, "keyword": 0.6}
    )
    assert fused == [("b", 0.6), ("a", 0.4), ("c", 0.0)]


def test_weighted_fusion_of_equal_scores_and_of_nothing() -> None:
    assert weighted_fusion({"dense": {"a": 0.5}, "keyword": {}}, {}) == [("a", 1.0)]
