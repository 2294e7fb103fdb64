"""Rerankers: the local one on features, and the port that a remote one fills."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Protocol

from services.common.domain.document import DocumentMetadata
from services.retrieval.domain.passages.cleaning import detect_language
from services.retrieval.domain.passages.codes import asked_codes, find_codes
from services.retrieval.domain.ports import ChunkRow
from services.retrieval.domain.ranking.answer_fit import Wanted, asks_when
from services.retrieval.domain.ranking.lexical import WordSegmenter, analyze, code_tokens
from services.retrieval.domain.ranking.rerank import (
    RerankCandidate,
    RerankQuery,
    RerankWeights,
    is_other_language,
    score_candidates,
)
from services.retrieval.domain.ranking.translation import Translator
from services.retrieval.domain.values.measures import Units, asked_measure
from services.retrieval.domain.values.named_days import asked_days
from services.retrieval.domain.versions.family_index import FamilyIndex

_NAME = re.compile(r"\b[A-Z][\w&'-]+(?:\s+(?:(?:of|the|and|for)\s+)?[A-Z0-9][\w&'-]*)*")


@dataclass(frozen=True, slots=True)
class Candidate:
    """A found passage, its document's title, and the scores and ranks of the component searches (rank 0: none).

    ``document`` tells which other candidates are versions of the same one.
    """

    row: ChunkRow
    title: str
    dense: float
    dense_rank: int
    keyword: float
    keyword_rank: int
    document: DocumentMetadata | None = None


@dataclass(frozen=True, slots=True)
class Reranked:
    """The score of a candidate and what it is made of."""

    score: float
    parts: Mapping[str, float]


class Reranker(Protocol):
    """Scores passages against a query; blocking. Raises Unavailable if it cannot in time."""

    def rerank(self, query: str, candidates: Sequence[Candidate]) -> list[Reranked]:
        """A score for each candidate, in order; a higher one is better."""
        ...


class FeatureReranker:
    """The local reranker: a weighted sum of features. A few milliseconds for a hundred passages."""

    def __init__(self, weights: RerankWeights, segmenter: WordSegmenter, translator: Translator, units: Units) -> None:
        self._units = units
        self._weights = weights
        self._segmenter = segmenter
        self._translator = translator
        self._title_tokens = lru_cache(maxsize=20_000)(self._analyze_title)

    def rerank(self, query: str, candidates: Sequence[Candidate]) -> list[Reranked]:
        """See ``Reranker``."""
        scored = score_candidates(self._weights, *self.read(query, candidates))
        return [
            Reranked(score, {name: values[name] for name in self._weights.weights if values.get(name)})
            for score, values in scored
        ]

    def read(self, query: str, candidates: Sequence[Candidate]) -> tuple[RerankQuery, list[RerankCandidate]]:
        """Query and candidates as the features are made from, for learning their weights."""
        asked = self._query(query)
        families = _families(candidates) if asked.wanted.periods else {}
        found = [self._candidate(candidate, families.get(candidate.row.document_id, "")) for candidate in candidates]
        if any(is_other_language(asked, candidate) for candidate in found):
            asked = replace(asked, senses=self._translator.senses(asked.tokens))
        return asked, found

    def _query(self, text: str) -> RerankQuery:
        codes = frozenset(code_tokens(code)[0] for code in asked_codes(text))
        spelt = frozenset(code_tokens(code)[0] for code in find_codes(text))
        words = [token for token in analyze(text, self._segmenter) if token not in spelt]
        return RerankQuery(
            tokens=tuple(words),
            codes=codes,
            numbers=frozenset(token for token in words if token.isdigit()) - _digits_of(codes),
            names=tuple(dict.fromkeys(match.group().casefold() for match in _NAME.finditer(text) if match.start() > 0)),
            language=_language(text),
            text=text,
            wanted=self._wanted(text),
        )

    def _wanted(self, text: str) -> Wanted:
        measure = asked_measure(text, self._units)
        things = frozenset(
            token for start in measure.counted for token in analyze(text[start : start + 24], self._segmenter)[:2]
        )
        return Wanted(measure.measures, things, asks_when(text), tuple(asked_days(text)), self._units)

    def _candidate(self, candidate: Candidate, family: str) -> RerankCandidate:
        row = candidate.row
        return RerankCandidate(
            key=f"{row.revision}:{row.ordinal}",
            tokens=tuple(row.lexical.split(" ")),
            title_tokens=self._title_tokens(" ".join((candidate.title, *row.heading_path))),
            text=f"{candidate.title}\n{row.text}",
            dense=candidate.dense,
            dense_rank=candidate.dense_rank,
            keyword=candidate.keyword,
            keyword_rank=candidate.keyword_rank,
            ordinal=row.ordinal,
            token_count=row.token_count,
            language=row.language,
            document_id=row.document_id,
            title=candidate.title,
            version=row.version,
            window=row.window,
            published_day=row.published_day,
            family=family,
        )

    def _analyze_title(self, title: str) -> frozenset[str]:
        return frozenset(analyze(title, self._segmenter))


def _families(candidates: Sequence[Candidate]) -> dict[str, str]:
    """For the documents of which there are other versions among the candidates one name for all of them."""
    documents = {one.document.document_id: one.document for one in candidates if one.document is not None}
    index = FamilyIndex(documents.values())
    names: dict[str, str] = {}
    for document_id in documents:
        if document_id not in names:
            members = sorted(documents.keys() & index.family([document_id]).keys())
            names.update(dict.fromkeys(members, members[0] if len(members) > 1 else ""))
    return names


def _digits_of(codes: Iterable[str]) -> frozenset[str]:
    """Numbers that stand only inside codes: the 5 and the 0 of "5.0" are no quantities."""
    return frozenset(part for code in codes for part in code.removeprefix("z").split("q") if part.isdigit())


def _language(query: str) -> str:
    """The language of a short text: Chinese by its script, else what is evident, else English for Latin letters."""
    found = detect_language(query)
    if found:
        return found
    return "en" if re.search("[A-Za-z]", query) else ""
