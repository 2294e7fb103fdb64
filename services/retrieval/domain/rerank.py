"""Reranking by features: a linear score whose every part can be read, learnt from judged queries.

The weights are in config/rerank.yaml; bench/retrieval_rerank.py learns them. Features are computed over the
candidates of one query, so that their scales do not depend on the collection. Scoring takes two passes: the
second one credits documents that the leading passages of the first one name (domain/links.py).
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from services.retrieval.domain.links import Linkable, named_by, softmax

LINKED = "linked"
"""The feature of the second pass."""

FEATURES = (
    "dense",
    "dense_rank",
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
    "dense_other",
    "dense_rank_other",
    "keyword_lead",
    LINKED,
)
"""What a score is made of, each in [0, 1] but ``dense``, which is ten times the cosine less the best one's.

Dense and keyword scores are not worth the same for every query, hence the interactions: the ``_other`` features
repeat the dense ones for passages in another language than the query's, where words say little; ``keyword_lead`` is
how far the best keyword hit is ahead of the next. ``linked`` is the chance that a passage which names this one's
title answers the query, shared among the passages of the document.
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
    text: str = ""


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
    document_id: str = ""
    title: str = ""
    version: str = ""


@dataclass(frozen=True, slots=True)
class RerankWeights:
    """Weight of each feature; a feature that is not named counts 0."""

    weights: Mapping[str, float] = field(default_factory=dict)

    def score(self, features: Mapping[str, float]) -> float:
        """The weighted sum."""
        return sum(weight * features.get(name, 0.0) for name, weight in self.weights.items())


def score_candidates(
    weights: RerankWeights, query: RerankQuery, candidates: Sequence[RerankCandidate]
) -> list[tuple[float, dict[str, float]]]:
    """Score and features of every candidate, in order: both passes."""
    rows = rerank_features(query, candidates)
    add_links(query, candidates, rows, [weights.score(row) for row in rows])
    return [(weights.score(row), row) for row in rows]


def add_links(
    query: RerankQuery,
    candidates: Sequence[RerankCandidate],
    rows: Sequence[dict[str, float]],
    scores: Sequence[float],
) -> None:
    """Fills ``linked`` in ``rows`` from the scores of the first pass."""
    for row, value in zip(rows, named_by(query.text, linkables(candidates), softmax(scores)), strict=True):
        row[LINKED] = value


def linkables(candidates: Sequence[RerankCandidate]) -> list[Linkable]:
    """The candidates as domain/links.py reads them."""
    return [Linkable(candidate.document_id, candidate.title, candidate.text) for candidate in candidates]


def rerank_features(query: RerankQuery, candidates: Sequence[RerankCandidate]) -> list[dict[str, float]]:
    """The features of the first pass of every candidate, in order; ``linked`` is 0."""
    if not candidates:
        return []
    words = tuple(dict.fromkeys(query.tokens))
    sets = [frozenset(candidate.tokens) for candidate in candidates]
    idf = _pool_idf(words, sets)
    total = sum(idf.values()) or 1.0
    rarest = max(words, key=lambda word: idf[word], default="")
    best_dense = max(candidate.dense for candidate in candidates)
    best_keyword, next_keyword = sorted((0.0, 0.0, *(candidate.keyword for candidate in candidates)))[:-3:-1]
    query_pairs = frozenset(zip(query.tokens, query.tokens[1:], strict=False))
    coverages = [sum(idf[word] for word in words if word in tokens) / total for tokens in sets]
    result = []
    for candidate, tokens, coverage in zip(candidates, sets, coverages, strict=True):
        text = candidate.text.casefold()
        dense, dense_rank = 10.0 * (candidate.dense - best_dense), _reciprocal(candidate.dense_rank)
        other = float(not query.language or query.language != candidate.language)
        pairs = frozenset(zip(candidate.tokens, candidate.tokens[1:], strict=False)) if query_pairs else frozenset()
        result.append(
            {
                "dense": dense,
                "dense_rank": dense_rank,
                "keyword_rank": _reciprocal(candidate.keyword_rank),
                "coverage": coverage,
                "rarest": float(rarest in tokens),
                "title_coverage": sum(idf[word] for word in words if word in candidate.title_tokens) / total,
                "pairs": len(query_pairs & pairs) / max(1, len(query_pairs)),
                "codes": _code_share(query.codes, tokens, candidate.version),
                "numbers": _share(query.numbers, tokens),
                "names": sum(name in text for name in query.names) / max(1, len(query.names)),
                "first": float(candidate.ordinal == 0),
                "length": candidate.token_count / (candidate.token_count + _USUAL_LENGTH),
                "dense_other": dense * other,
                "dense_rank_other": dense_rank * other,
                "keyword_lead": 1.0 - next_keyword / best_keyword if 0.0 < best_keyword == candidate.keyword else 0.0,
                LINKED: 0.0,
            }
        )
    return result


def _pool_idf(words: Sequence[str], sets: Sequence[frozenset[str]]) -> dict[str, float]:
    """How rare each word is among the candidates: those share the query's topic, so what is rare decides."""
    count = len(sets)
    return {word: math.log1p(count / (0.5 + sum(word in tokens for tokens in sets))) for word in words}


def _reciprocal(rank: int) -> float:
    return (_RANK_OFFSET + 1.0) / (_RANK_OFFSET + rank) if rank else 0.0


def _code_share(wanted: frozenset[str], tokens: frozenset[str], version: str) -> float:
    """The share of codes that a passage has. One that is its document's version, or the beginning of it, is had by
    every passage of the document: ASVS 5.0 is no reason to prefer the passages that say "5.0"."""
    if not wanted:
        return 0.0
    own = version.casefold().removeprefix("v").replace(".", "q")
    met = sum(code in tokens or (bool(own) and f"z{own}q".startswith(f"{code}q")) for code in wanted)
    return met / len(wanted)


def _share(wanted: frozenset[str], tokens: frozenset[str]) -> float:
    return len(wanted & tokens) / len(wanted) if wanted else 0.0
