"""Questions that name their day, and the weight that only they show."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from bench.retrieval_dated import DATED, dated_queries
from services.retrieval.domain.ranking.rerank import FEATURES, IN_FORCE_THEN
from services.retrieval.domain.values.named_days import asked_days


@pytest.mark.parametrize("name", DATED)
def test_every_question_names_its_day(shared_data: Path, name: str) -> None:
    queries = dated_queries(shared_data, name)
    assert len(queries) >= 20
    for query in queries:
        assert query.as_of is not None
        assert any(days.contains(query.as_of) for days in asked_days(query.text)), query.text


def test_the_weight_of_the_day_is_learnt_last_and_changes_no_other() -> None:
    pytest.importorskip("scipy", reason="scipy learns the weights")
    from bench.rerank_learning import Judged, learn

    def row(feature: str) -> Judged:
        features = np.zeros((2, len(FEATURES)))
        features[0, FEATURES.index(feature)] = 1.0
        ranks = np.array([1, 2], dtype=np.int64)
        return Judged(0, frozenset({"d"}), features, np.array([[True, False]]), ranks, ranks, passages=np.ones(2))

    sets, dated = [[row("coverage"), row(IN_FORCE_THEN)]], [[row(IN_FORCE_THEN)]]
    without, with_dated = learn(sets), learn(sets, dated)
    last = FEATURES.index(IN_FORCE_THEN)
    assert without[last] == 0.0 < without[FEATURES.index("coverage")]
    assert with_dated[last] > 1.0
    assert np.delete(with_dated, last) == pytest.approx(np.delete(without, last))
