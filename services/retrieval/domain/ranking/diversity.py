"""Choosing hits that differ: repeats merged, documents capped, and novelty weighed against the score."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

from services.retrieval.domain.search import Diversity

_WHITE_SPACE = re.compile(r"\s+")


@dataclass(frozen=True, slots=True)
class Option:
    """A candidate as far as choosing goes; ``tokens`` are its words, ``since`` its version's first day in force."""

    key: str
    document_id: str
    passage: str
    text: str
    tokens: frozenset[str]
    score: float
    since: int


@dataclass(frozen=True, slots=True)
class Choice:
    """A chosen candidate by its position, and the positions of those that it stands for."""

    index: int
    stands_for: tuple[int, ...] = field(default=())


def choose(options: Sequence[Option], diversity: Diversity, limit: int, one_a_passage: bool = False) -> list[Choice]:
    """At most ``limit`` of ``options``, which come best first.

    With ``one_a_passage`` a passage (a parent that several chunks share) is shown once, by its best chunk. Of chunks
    with the same text the one of the version that is in force last is shown, at the place of the best one.
    """
    choices = [Choice(index) for index in range(len(options))]
    if diversity.merge_same_text:
        texts = [_WHITE_SPACE.sub("", option.text) for option in options]
        choices = _merged(choices, texts, [-option.since for option in options])
    if one_a_passage:
        choices = _merged(choices, [option.passage for option in options], [0] * len(options))
    if diversity.novelty > 0.0:
        return _by_marginal_relevance(choices, options, diversity, limit)
    return _capped(choices, options, diversity.max_per_document)[:limit]


def _merged(choices: Sequence[Choice], keys: Sequence[str], preference: Sequence[int]) -> list[Choice]:
    """One choice for each key; a lower preference stands for the others, an earlier place where they are equal."""
    groups: dict[str, list[Choice]] = {}
    for choice in choices:
        groups.setdefault(keys[choice.index], []).append(choice)
    result = []
    for group in groups.values():
        best = min(group, key=lambda choice: preference[choice.index])
        others = [index for one in group for index in (one.index, *one.stands_for) if index != best.index]
        result.append(Choice(best.index, tuple(others)))
    return result


def _capped(choices: Sequence[Choice], options: Sequence[Option], most: int) -> list[Choice]:
    if not most:
        return list(choices)
    taken: Counter[str] = Counter()
    kept = []
    for choice in choices:
        document_id = options[choice.index].document_id
        if taken[document_id] < most:
            taken[document_id] += 1
            kept.append(choice)
    return kept


def _by_marginal_relevance(
    choices: Sequence[Choice], options: Sequence[Option], diversity: Diversity, limit: int
) -> list[Choice]:
    """Maximal marginal relevance (Carbonell and Goldstein 1998); scores spread over [0, 1], likeness by words."""
    scores = [options[choice.index].score for choice in choices]
    low, spread = min(scores, default=0.0), (max(scores, default=0.0) - min(scores, default=0.0)) or 1.0
    left = {position: (score - low) / spread for position, score in enumerate(scores)}
    likeness = dict.fromkeys(left, 0.0)
    taken: Counter[str] = Counter()
    chosen: list[Choice] = []
    while left and len(chosen) < limit:
        best = max(left, key=lambda n: ((1.0 - diversity.novelty) * left[n] - diversity.novelty * likeness[n], -n))
        del left[best]
        option = options[choices[best].index]
        if diversity.max_per_document and taken[option.document_id] >= diversity.max_per_document:
            continue
        taken[option.document_id] += 1
        chosen.append(choices[best])
        for position in left:
            other = options[choices[position].index]
            likeness[position] = max(likeness[position], _jaccard(option.tokens, other.tokens))
    return chosen


def _jaccard(left: frozenset[str], right: frozenset[str]) -> float:
    union = len(left | right)
    return len(left & right) / union if union else 0.0
