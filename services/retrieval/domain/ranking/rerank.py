"""Reranking by features: a linear score whose every part can be read, learnt from judged queries.

The weights are in config/rerank.yaml; bench/retrieval_rerank.py learns them. Features are computed over the
candidates of one query, so that their scales do not depend on the collection. Scoring takes two passes: the
second one credits documents that the leading passages of the first one name (domain/ranking/links.py).
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date

from services.common.domain.time import DayInterval
from services.retrieval.domain.ranking.answer_fit import Version, Wanted, date_fit, has_value, in_force_then
from services.retrieval.domain.ranking.links import Linkable, named_by, softmax
from services.retrieval.domain.ranking.translation import Senses, in_other_words, met_words
from services.retrieval.domain.versions.families import Window

LINKED = "linked"
"""The feature of the second pass."""
IN_FORCE_THEN = "in_force_then"
"""The feature that only questions asked of every version can show."""

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
    "translated",
    "translated_rarest",
    "units",
    "date_fit",
    IN_FORCE_THEN,
    LINKED,
)
"""What a score is made of, each in [0, 1] but ``dense``, which is ten times the cosine less the best one's.

Dense and keyword scores are not worth the same for every query, hence the interactions. A passage in another language
than the query's has few of its words, and being first of a list that one of them made says nothing: ``keyword_rank`` is
0 there, the ``_other`` features repeat the dense ones, and ``translated`` is the coverage by the words or their
translations. ``keyword_lead`` is how far the best keyword hit is ahead of the next. ``units``, ``date_fit`` and
``in_force_then`` tell whether the passage has the form of an answer (domain/ranking/answer_fit.py). ``linked`` is the
chance that a passage which names this one's title answers the query, shared among the passages of the document.
"""

_RANK_OFFSET = 10.0
# Length in tokens at which a passage is neither short nor long.
_USUAL_LENGTH = 120.0


@dataclass(frozen=True, slots=True)
class RerankQuery:
    """A query as the reranker reads it: its tokens in order, codes, numbers, names and language.

    ``senses`` translate its tokens; they are used for passages in another language only.
    """

    tokens: tuple[str, ...]
    codes: frozenset[str] = frozenset()
    numbers: frozenset[str] = frozenset()
    names: tuple[str, ...] = ()
    language: str = ""
    text: str = ""
    senses: Senses = field(default_factory=dict)
    wanted: Wanted = field(default_factory=Wanted)


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
    window: Window = field(default_factory=Window)
    published_day: int = 0
    family: str = ""


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
    """The candidates as domain/ranking/links.py reads them."""
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
    others = [is_other_language(query, candidate) for candidate in candidates]
    translated = _translated(query, words, sets, others)
    forms = _forms(query, candidates, others)
    result = []
    for candidate, tokens, other, (by_sense, rarest_by_sense), form in zip(
        candidates, sets, others, translated, forms, strict=True
    ):
        text = candidate.text.casefold()
        dense, dense_rank = 10.0 * (candidate.dense - best_dense), _reciprocal(candidate.dense_rank)
        pairs = frozenset(zip(candidate.tokens, candidate.tokens[1:], strict=False)) if query_pairs else frozenset()
        result.append(
            {
                "dense": dense,
                "dense_rank": dense_rank,
                "keyword_rank": 0.0 if other else _reciprocal(candidate.keyword_rank),
                "coverage": sum(idf[word] for word in words if word in tokens) / total,
                "rarest": float(rarest in tokens),
                "title_coverage": sum(idf[word] for word in words if word in candidate.title_tokens) / total,
                "pairs": len(query_pairs & pairs) / max(1, len(query_pairs)),
                "codes": _code_share(query.codes, tokens, candidate.version),
                "numbers": _share(query.numbers, tokens),
                "names": sum(name in text for name in query.names) / max(1, len(query.names)),
                "first": float(candidate.ordinal == 0),
                "length": candidate.token_count / (candidate.token_count + _USUAL_LENGTH),
                "dense_other": dense if other else 0.0,
                "dense_rank_other": dense_rank if other else 0.0,
                "keyword_lead": 1.0 - next_keyword / best_keyword if 0.0 < best_keyword == candidate.keyword else 0.0,
                "translated": by_sense,
                "translated_rarest": rarest_by_sense,
                **form,
                LINKED: 0.0,
            }
        )
    return result


def _forms(query: RerankQuery, candidates: Sequence[RerankCandidate], others: Sequence[bool]) -> list[dict[str, float]]:
    """Whether each passage has the form of an answer (domain/ranking/answer_fit.py)."""
    wanted = query.wanted
    translated = in_other_words(wanted.things, query.senses)
    versions = [Version(one.family, one.window, one.published_day) for one in candidates]
    return [
        {
            "units": has_value(wanted, one.text, one.tokens, translated if other else wanted.things),
            "date_fit": date_fit(wanted, one.text, _days_of(one) if wanted.periods else ()),
            IN_FORCE_THEN: then,
        }
        for one, other, then in zip(candidates, others, in_force_then(wanted, versions), strict=True)
    ]


def _days_of(candidate: RerankCandidate) -> list[DayInterval]:
    """When the document was published and took effect, as far as it is known."""
    numbers = (candidate.published_day, candidate.window.start)
    days = [date.fromordinal(number) for number in numbers if 0 < number <= date.max.toordinal()]
    return [DayInterval(day, day) for day in days]


def is_other_language(query: RerankQuery, candidate: RerankCandidate) -> bool:
    """True if both languages are known and differ: a query such as "2.1.11" is in every language."""
    return bool(query.language and candidate.language) and query.language != candidate.language


def _translated(
    query: RerankQuery, words: Sequence[str], sets: Sequence[frozenset[str]], others: Sequence[bool]
) -> list[tuple[float, float]]:
    """For passages in another language their coverage by translations, and whether they meet the rarest word that any
    of them meets; zeros for the others.

    A word is as rare as it is among the passages of another language, whichever of its translations they have.
    """
    found = [
        met_words(words, tokens, query.senses) if other else frozenset[str]()
        for tokens, other in zip(sets, others, strict=True)
    ]
    idf = _pool_idf(words, [met for met, other in zip(found, others, strict=True) if other])
    total = sum(idf.values()) or 1.0
    known = [word for word in words if any(word in met for met in found)]
    rarest = max(known, key=lambda word: idf[word], default=None)
    return [(sum(idf[word] for word in words if word in met) / total, float(rarest in met)) for met in found]


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
