"""The local reranker: features that a reader can check by hand."""

from __future__ import annotations

from pathlib import Path

import pytest

from services.common.errors import FailedPrecondition
from services.retrieval.adapters.rerank_config import load_rerank_weights
from services.retrieval.domain.ranking.rerank import (
    FEATURES,
    RerankCandidate,
    RerankQuery,
    RerankWeights,
    rerank_features,
    score_candidates,
)


def _candidate(key: str, words: str, dense: float = 0.8, **other: object) -> RerankCandidate:
    values: dict[str, object] = {
        "title_tokens": frozenset(), "text": words, "dense_rank": 1, "keyword": 0.0, "keyword_rank": 0, "ordinal": 1,
        "token_count": 120, "language": "en", **other,
    }  # fmt: skip
    return RerankCandidate(key=key, tokens=tuple(words.split()), dense=dense, **values)  # type: ignore[arg-type]


def test_every_feature_is_given_and_bounded() -> None:
    query = RerankQuery(("pump", "pressur"), frozenset({"ze4027"}), frozenset({"3"}), ("boeing",), "en")
    rows = rerank_features(
        query, [_candidate("a", "pump ze4027 3", keyword=4.0, keyword_rank=1), _candidate("b", "x", 0.7)]
    )
    for row in rows:
        assert set(row) == set(FEATURES)
        assert all(
            0 <= value <= 1 for name, value in row.items() if name not in ("dense", "dense_other", "dense_spread")
        )
    assert (rows[0]["codes"], rows[0]["numbers"], rows[0]["keyword_rank"]) == (1.0, 1.0, 1.0)
    assert rows[0]["dense"] == 0.0
    assert rows[1]["dense"] == pytest.approx(-1.0)
    assert rows[1]["keyword_rank"] == 0.0


def test_a_word_that_few_candidates_have_counts_more() -> None:
    query = RerankQuery(("common", "rare"))
    rows = rerank_features(query, [_candidate(str(n), "common") for n in range(9)] + [_candidate("r", "rare")])
    assert rows[9]["coverage"] > rows[0]["coverage"]
    assert (rows[9]["rarest"], rows[0]["rarest"]) == (1.0, 0.0)


def test_words_in_the_order_of_the_query_make_pairs() -> None:
    query = RerankQuery(("a", "b", "c"))
    rows = rerank_features(query, [_candidate("x", "a b c"), _candidate("y", "c b a")])
    assert (rows[0]["pairs"], rows[1]["pairs"]) == (1.0, 0.0)


def test_in_another_language_the_dense_score_counts_again() -> None:
    query = RerankQuery(("a",), language="zh")
    first, second = rerank_features(query, [_candidate("en", "a", 0.7), _candidate("zh", "a", 0.8, language="zh")])
    assert first["dense_other"] == pytest.approx(first["dense"])
    assert second["dense_other"] == 0.0


def test_a_code_that_is_the_version_is_met_by_every_passage_of_the_document() -> None:
    query = RerankQuery(("password",), frozenset({"z5q0"}))
    names = {"of it": "5.0.0", "says it": "4.0.3", "neither": "4.0.3", "longer": "5.01"}
    rows = rerank_features(
        query, [_candidate(n, "z5q0" if n == "says it" else "password", version=v) for n, v in names.items()]
    )
    assert [row["codes"] for row in rows] == [1.0, 1.0, 0.0, 0.0]


def test_the_best_keyword_hit_is_credited_with_its_lead() -> None:
    query = RerankQuery(("word",))
    rows = rerank_features(query, [_candidate("a", "word", keyword=4.0), _candidate("b", "word", keyword=1.0)])
    assert [row["keyword_lead"] for row in rows] == [0.75, 0.0]
    assert rerank_features(query, [_candidate("a", "word")])[0]["keyword_lead"] == 0.0


def test_the_second_pass_credits_what_the_leading_passages_name() -> None:
    query = RerankQuery(("ada",), text="Where was Ada's employer founded?")
    leading = _candidate("p", "ada", 0.9, document_id="p", title="Ada", text="Ada works for Acme Works.")
    named = _candidate("q", "works", 0.5, document_id="q", title="Acme Works", text="Founded in Ghent.")
    other = _candidate("r", "works", 0.6, document_id="r", title="Bolt Works", text="Founded in Bonn.")
    scored = score_candidates(RerankWeights({"dense": 2.0, "linked": 9.0}), query, [leading, named, other])
    assert scored[1][1]["linked"] == pytest.approx(1.0, abs=0.01)
    assert scored[1][0] > scored[2][0]
    assert scored[2][1]["linked"] == 0.0


def test_the_score_is_the_weighted_sum_and_nothing_gives_nothing() -> None:
    assert RerankWeights({"dense": 2.0, "codes": 3.0}).score({"dense": -1.0, "codes": 1.0}) == 1.0
    assert rerank_features(RerankQuery(()), []) == []


def test_the_shipped_weights_load_and_name_every_feature(repository: Path) -> None:
    assert set(load_rerank_weights(repository / "config" / "rerank.yaml").weights) == set(FEATURES)


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("weights: {densé: 1}", "densé"),
        ("weights: [", "YAML"),
        ("weights: {dense: x}", "dense"),
        ("", "weights: Field required"),
    ],
)
def test_a_wrong_file_is_named_with_its_problem(tmp_path: Path, text: str, word: str) -> None:
    path = tmp_path / "rerank.yaml"
    path.write_text(text, "utf-8")
    with pytest.raises(FailedPrecondition) as caught:
        load_rerank_weights(path)
    assert str(path) in caught.value.message
    assert word in caught.value.message
