"""Reranking by features: a linear score whose every part can be read, learnt from judged queries.

The weights are in config/rerank.yaml; bench/retrieval_rerank.py learns them. Features are computed over the
candidates of one query, so that their scales do not depend on the collection.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

FEATURES = (
    "dense",
    "dense_rank",
    "keyword",
    "keyword_rank",
    "coverage",
    "rarest",
    "title_coverage",
    "pairs",
    "codes",
    "numbers",
    "names",
    "first",
    "length",
    "same_language",
    "dense_other",
    "dense_rank_other",
)
"""What a score is made of, each in [0, 1] but ``dense``, which is ten times the cosine less the best one's.

The ``_other`` features repeat the dense ones for passages in another language than the query's, where words
say little.
"""

_RANK_OFFSET = 10.0
# Length in tokens at which a passage is neither short nor long.
_USUAL_LENGTH = 120.0


@dataclass(frozen=True, slots=True)
class RerankQuery:
    """A query as the reranker reads it: its tokens in order, codes, numbers, names and language."""

    tokens: tuple[str, ...]
    codes: frozenset[str] = frozenset()
    numbers: frozenset[str] = frozenset()
    names: tuple[str, ...] = ()
    language: str = ""


@dataclass(frozen=True, slots=True)
class RerankCandidate:
    """A passage as the reranker reads it. ``dense`` is a cosine, ``keyword`` a BM25 score; ranks from 1, 0: none."""

    key: str
    tokens: tuple[str, ...]
    title_tokens: frozenset[str]
    text: str
    dense: float
    dense_rank: int
    keyword: float
    keyword_rank: int
    ordinal: int
    token_count: int
    language: str


@dataclass(frozen=True, slots=True)
class RerankWeights:
    """Weight of each feature; a feature that is not named counts 0."""

    weights: Mapping[str, float] = field(default_factory=dict)

    def score(self, features: Mapping[str, float]) -> float:
        """The weighted sum."""
        return sum(weight * features.get(name, 0.0) for name, weight in self.weights.items())


def rerank_features(query: RerankQuery, candidates: Sequence[RerankCandidate]) -> list[dict[str, float]]:
    """The features of every candidate, in order."""
    if not candidates:
        return []
    words = tuple(dict.fromkeys(query.tokens))
    sets = [frozenset(candidate.tokens) for candidate in candidates]
    idf = _pool_idf(words, sets)
    total = sum(idf.values()) or 1.0
    rarest = max(words, key=lambda word: idf[word], default="")
    best_dense = max(candidate.dense for candidate in candidates)
    best_keyword = max(candidate.keyword for candidate in candidates) or 1.0
    query_pairs = frozenset(zip(query.tokens, query.tokens[1:], strict=False))
    result = []
    for candidate, tokens in zip(candidates, sets, strict=True):
        text = candidate.text.casefold()
        dense = 10.0 * (candidate.dense - best_dense)
        same_language = float(bool(query.language) and query.language == candidate.language)
        pairs = frozenset(zip(candidate.tokens, candidate.tokens[1:], strict=False)) if query_pairs else frozenset()
        result.append(
            {
                "dense": dense,
                "dense_rank": _reciprocal(candidate.dense_rank),
                "keyword": candidate.keyword / best_keyword,
                "keyword_rank": _reciprocal(candidate.keyword_rank),
                "coverage": sum(idf[word] for word in words if word in tokens) / total,
                "rarest": float(rarest in tokens),
                "title_coverage": sum(idf[word] for word in words if word in candidate.title_tokens) / total,
                "pairs": len(query_pairs & pairs) / max(1, len(query_pairs)),
                "codes": _share(query.codes, tokens),
                "numbers": _share(query.numbers, tokens),
                "names": sum(name in text for name in query.names) / max(1, len(query.names)),
                "first": float(candidate.ordinal == 0),
                "length": candidate.token_count / (candidate.token_count + _USUAL_LENGTH),
                "same_language": same_language,
                "dense_other": dense * (1.0 - same_language),
                "dense_rank_other": _reciprocal(candidate.dense_rank) * (1.0 - same_language),
            }
        )
    return result


def _pool_idf(words: Sequence[str], sets: Sequence[frozenset[str]]) -> dict[str, float]:
    """How rare each word is among the candidates: those share the query's topic, so what is rare decides."""
    count = len(sets)
    return {word: math.log1p(count / (0.5 + sum(word in tokens for tokens in sets))) for word in words}


def _reciprocal(rank: int) -> float:
    return (_RANK_OFFSET + 1.0) / (_RANK_OFFSET + rank) if rank else 0.0


def _share(wanted: frozenset[str], tokens: frozenset[str]) -> float:
    return len(wanted & tokens) / len(wanted) if wanted else 0.0
