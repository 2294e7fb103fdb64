"""What a question asks for as concepts, each a set of terms any of which will do; across languages by glossary."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from services.orchestrator.domain.sentences import terms

# Gives English stems for the Chinese words of a text, one set a word; empty where nothing is known.
Gloss = Callable[[str], list[frozenset[str]]]


def no_gloss(_text: str) -> list[frozenset[str]]:
    """For use without a dictionary: matching stays within each language."""
    return []


@dataclass(frozen=True, slots=True)
class Concepts:
    """The concepts of a text with their weights (inverse frequency over the evidence's sentences)."""

    weights: Mapping[frozenset[str], float]

    @property
    def total(self) -> float:
        """Weight of all concepts."""
        return sum(self.weights.values())

    def matched(self, given: frozenset[str]) -> float:
        """Weight of the concepts that a set of terms covers."""
        return sum(w for concept, w in self.weights.items() if concept & given)


class Vocabulary:
    """Term statistics over the sentences of the evidence."""

    def __init__(self, sentence_terms: Iterable[frozenset[str]], gloss: Gloss) -> None:
        rows = list(sentence_terms)
        counts = Counter(t for row in rows for t in row)
        self._size = len(rows) or 1
        self._counts = counts
        self._gloss = gloss

    def weight(self, alternatives: frozenset[str]) -> float:
        """Inverse sentence frequency of the most frequent alternative."""
        seen = max((self._counts[t] for t in alternatives), default=0)
        return math.log(1 + self._size / max(seen, 0.5))

    def concepts(self, text: str) -> Concepts:
        """The concepts of a question or a part of one.

        A Chinese word counts through its English glosses, too, if the evidence holds one of them: then its
        character pairs are not asked for a second time.
        """
        weights: dict[frozenset[str], float] = {}
        glossed = [frozenset(t for t in g if t in self._counts) for g in self._gloss(text)]
        foreign = [g for g in glossed if g]
        own = terms(text)
        if foreign:
            own = frozenset(t for t in own if t in self._counts or t.isascii())
        for concept in [*(frozenset({t}) for t in own), *foreign]:
            weights[concept] = self.weight(concept)
        return Concepts(weights)
