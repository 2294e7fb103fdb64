"""Meanings of words by jieba and CC-CEDICT."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property, lru_cache

from services.common import cedict
from services.common.thesaurus import TOO_COMMON, near_words
from services.retrieval.domain.conflict.wording import stem

_MOST_GLOSS_WORDS, _MOST_TELLING_WORDS = 4, 2
# Verbs of glosses that say little by themselves: 上课 is "to go to class" and "to attend class".
_LIGHT_TEXT = "attend use give become within without someone something sb's person matter etc cl"
_LIGHT = TOO_COMMON | frozenset(_LIGHT_TEXT.split())

# Of a gloss of one word, or of one before its explanation: Beijing, capital of the country.
_FIRST_WORD = re.compile(r"(?:(?<=/)|^)[A-Za-z]{3,}(?=[/,]|$| \()")
# Of a gloss that tells what is done: to set off.
_VERB = re.compile(r"(?:(?<=/)|(?<=, )|(?<=; )|^)to ([a-z]{3,})(?![a-z'])")
_THING = re.compile(r"(?:(?<=/)|(?<=, )|(?<=; )|^)([a-z]{3,})(?=[/,;]|$| \()")
_LEAST_VERB, _MORE_OFTEN = 2, 2
_CLASSIFIERS = re.compile(r"/?CL:[^/]*")
_ADDED = re.compile(r"(?<=[a-z]) (?:for|in|with|by|from|on|at|to) [^/;,]*")


class CedictMeanings:
    """Finds nothing where the dictionary is not installed. The dictionary is read at first use, in two seconds."""

    def __init__(self, words: Callable[[str], Sequence[str]]) -> None:
        """``words`` cuts Chinese text."""
        self._cut = words
        self.words = lru_cache(maxsize=16_384)(self._words)
        self.senses = lru_cache(maxsize=65_536)(self._senses)
        self.heads = lru_cache(maxsize=65_536)(self._heads)

    def near(self, word: str) -> frozenset[str]:
        """See ``Meanings``."""
        return self._near.get(word, frozenset())

    def is_verb(self, word: str) -> bool:
        """See ``Meanings``: what the dictionary writes with "to", an English word twice as often as without."""
        if word.isascii():
            return word in self._verbs
        raw = _bare(cedict.entries().get(word, ""))
        return bool(raw) and all(gloss.startswith(("to ", "(")) for gloss in raw.split("/") if gloss)

    @cached_property
    def _verbs(self) -> frozenset[str]:
        told: dict[str, int] = defaultdict(int)
        for raw in cedict.entries().values():
            for match in _VERB.finditer(raw):
                told[stem(match[1])] += 1
            for match in _THING.finditer(raw):
                told[stem(match[1])] -= _MORE_OFTEN
        return frozenset(word for word, count in told.items() if count >= _LEAST_VERB)

    def is_name(self, word: str) -> bool:
        """See ``Meanings``: what the dictionary writes with a capital."""
        if word.isascii():
            return word in self._names
        raw = cedict.entries().get(word, "")
        return bool(raw) and all(gloss[:1].isupper() for gloss in raw.split("/"))

    @cached_property
    def _names(self) -> frozenset[str]:
        words = {match.group() for raw in cedict.entries().values() for match in _FIRST_WORD.finditer(raw)}
        return frozenset(stem(w.lower()) for w in words if w[0].isupper() and w.lower() not in words)

    def _words(self, text: str) -> tuple[str, ...]:
        return tuple(part for word in self._cut(text) for part in self._parts(word))

    def _parts(self, word: str) -> Iterator[str]:
        """A word that the dictionary does not have, as those that it has: 使用寿命 is 使用 and 寿命."""
        entries = cedict.entries()
        position = 0
        while position < len(word):
            end = next((e for e in range(len(word), position + 1, -1) if word[position:e] in entries), position + 1)
            yield word[position:end]
            position = end

    def _senses(self, word: str) -> frozenset[str]:
        return frozenset("+".join(sorted({*telling})) for telling, _ in self._glosses(word))

    def _heads(self, word: str) -> frozenset[str]:
        """The verb of "to borrow books", the noun of "passenger cabin"."""
        return frozenset(
            telling[0 if is_verb else -1]
            for telling, is_verb in self._glosses(word)
            if len(telling) == _MOST_TELLING_WORDS
        )

    def _glosses(self, word: str) -> Iterator[tuple[list[str], bool]]:
        raw = cedict.entries().get(word)
        for words in cedict.gloss_words(_bare(raw), _MOST_GLOSS_WORDS) if raw else ():
            telling = [stem(word) for word in words if word not in _LIGHT]
            if 0 < len(telling) <= _MOST_TELLING_WORDS:
                yield telling, words[0] == "to"

    @cached_property
    def _near(self) -> Mapping[str, frozenset[str]]:
        found: dict[str, set[str]] = defaultdict(set)
        for first, second in near_words(cedict.entries()):
            a, b = stem(first), stem(second)
            if a != b:
                found[a].add(b)
                found[b].add(a)
        return {word: frozenset(others) for word, others in found.items()}


def _bare(raw: str) -> str:
    """Glosses without classifiers and without what a preposition adds: 房租 is "rent for a room or house"."""
    return _ADDED.sub("", _CLASSIFIERS.sub("", raw))
