"""Passages of different documents that speak of the same thing with different numbers or dates."""

from __future__ import annotations

import re
import unicodedata
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from services.retrieval.domain.plain import plain_text
from services.retrieval.domain.structure import sentence_spans

_NUMBER = re.compile(r"(?<![A-Za-z0-9.])[$€£¥]?\d+(?:[.,]\d+)*\s?%?")
# What names a period or a thing rather than a value: 2024, Q2, A320, E4027. It must be equal on both sides.
_KEY = re.compile(r"(?<![A-Za-z0-9.])(?:(?:19|20)\d\d(?![\d.,])|(?=[A-Za-z-]*\d)[A-Za-z][A-Za-z0-9-]*\d[A-Za-z0-9-]*)")
_WORD = re.compile(r"[A-Za-z][A-Za-z'-]+|[\u3400-\u9fff]")
_MIN_WORDS, _MAX_WORDS = 5, 60
# Sentences must share this share of their words (Jaccard) to count as speaking of the same thing.
_SAME_THING = 0.75
# A word that more sentences than this share is no reason to compare them.
_COMMON = 40


@dataclass(frozen=True, slots=True)
class Statement:
    """A sentence with numbers: its ``words``, its ``values`` as written, and ``keys`` such as years and codes."""

    document_id: str
    sentence: str
    words: frozenset[str]
    values: tuple[str, ...]
    keys: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class ConflictPair:
    """Two sentences that differ in nothing but their values, of two documents."""

    first: Statement
    second: Statement
    likeness: float


def statements(document_id: str, text: str) -> list[Statement]:
    """The sentences of ``text`` that state numbers, each once."""
    found: dict[str, Statement] = {}
    plain = unicodedata.normalize("NFKC", plain_text(text))
    for start, end in sentence_spans(plain, 0, len(plain)):
        sentence = " ".join(plain[start:end].split())
        keys = frozenset(_KEY.findall(sentence))
        rest = _KEY.sub(" ", sentence)
        values = tuple(re.sub(r"[\s,]", "", match.group()) for match in _NUMBER.finditer(rest))
        words = frozenset(word.lower() for word in _WORD.findall(_NUMBER.sub(" ", rest)))
        # A Chinese character carries about half a word.
        weight = sum(1.0 if word.isascii() else 0.5 for word in words)
        if values and _MIN_WORDS <= weight <= _MAX_WORDS:
            found.setdefault(sentence, Statement(document_id, sentence, words, values, keys))
    return list(found.values())


def conflicting(all_statements: Iterable[Statement]) -> list[ConflictPair]:
    """Pairs of statements of different documents on the same thing with as many, but different, values.

    Best first; each pair of documents contributes at most five.
    """
    items = list(all_statements)
    by_word: dict[str, list[int]] = defaultdict(list)
    for index, item in enumerate(items):
        for word in item.words:
            by_word[word].append(index)
    pairs: dict[tuple[int, int], float] = {}
    for index, item in enumerate(items):
        for other in _neighbours(index, item, by_word):
            if items[other].document_id == item.document_id or (index, other) in pairs:
                continue
            likeness = len(item.words & items[other].words) / len(item.words | items[other].words)
            if likeness >= _SAME_THING and _differ(item, items[other]):
                pairs[(index, other)] = likeness
    ordered = sorted(pairs.items(), key=lambda entry: (-entry[1], entry[0]))
    return _bounded([ConflictPair(items[a], items[b], likeness) for (a, b), likeness in ordered])


def _neighbours(index: int, item: Statement, by_word: Mapping[str, Sequence[int]]) -> set[int]:
    found: set[int] = set()
    for word in item.words:
        places = by_word[word]
        if len(places) <= _COMMON:
            found.update(place for place in places if place > index)
    return found


def _differ(first: Statement, second: Statement) -> bool:
    """As many values, and at least one of them different: what only one of them says is no conflict."""
    return first.keys == second.keys and len(first.values) == len(second.values) and first.values != second.values


def _bounded(pairs: Sequence[ConflictPair]) -> list[ConflictPair]:
    taken: dict[tuple[str, str], int] = defaultdict(int)
    kept = []
    for pair in pairs:
        key = (pair.first.document_id, pair.second.document_id)
        if taken[key] < 5:
            taken[key] += 1
            kept.append(pair)
    return kept
