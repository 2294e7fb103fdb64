"""Chinese and English words for each other, from CC-CEDICT, as tokens of the keyword search."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property, lru_cache

from services.common import cedict
from services.retrieval.domain.ranking.lexical import ENGLISH_STOP_WORDS, WordSegmenter, decode_token, encode_token
from services.retrieval.domain.ranking.translation import Senses

_HAN_WORD = re.compile(r"[\u3400-\u9fff]+")
# A single character is part of too many words to tell anything of an English one.
_SHORTEST, _LONGEST = 2, 6
# Longer glosses explain rather than translate.
_MOST_GLOSS_WORDS, _MOST_TELLING_WORDS = 5, 3
# English writes a compound of so many words as one as well.
_COMPOUND = 2
# The dictionary's own abbreviations and labels.
_LABELS_TEXT = "sb sth one oneself used variant see old also etc esp fig lit abbr classifier particle surname idiom s"
_LABELS = frozenset(_LABELS_TEXT.split())


class CedictTranslator:
    """Translations by CC-CEDICT; finds none where the dictionary is not installed. Safe for several threads."""

    def __init__(self, segmenter: WordSegmenter) -> None:
        self._stem = segmenter.stem
        self._into_english = lru_cache(maxsize=16_384)(self._english)

    def warm(self) -> None:
        """Reads the dictionary, in about two seconds."""
        _ = self._chinese

    def senses(self, tokens: Sequence[str]) -> Senses:
        """See ``Translator``: glosses of Chinese words, and Chinese words for up to three English ones in a row."""
        found: dict[str, list[frozenset[str]]] = defaultdict(list)
        for token in dict.fromkeys(tokens):
            found[token] += self._into_english(token)
        for length in range(1, _MOST_TELLING_WORDS + 1):
            for start in range(len(tokens) - length + 1):
                run = tokens[start : start + length]
                words = [frozenset((encode_token(word),)) for word in self._chinese.get(" ".join(run), ())]
                for token in run:
                    found[token] += words
        return {token: senses for token, senses in found.items() if senses}

    def _english(self, token: str) -> tuple[frozenset[str], ...]:
        word = decode_token(token)
        raw = cedict.entries().get(word, "") if _HAN_WORD.fullmatch(word) else ""
        return tuple({frozenset(stems) for stems in self._glosses(raw)})

    def _glosses(self, raw: str) -> Iterator[list[str]]:
        """The glosses of an entry as stems of their telling words."""
        for words in cedict.gloss_words(raw, _MOST_GLOSS_WORDS):
            telling = [word for word in words if word not in _LABELS and word not in ENGLISH_STOP_WORDS]
            if 0 < len(telling) <= _MOST_TELLING_WORDS:
                yield [self._stem(word) if len(word) > _SHORTEST else word for word in telling]
            if len(words) == len(telling) == _COMPOUND and all(word.isalpha() for word in words):
                yield [self._stem("".join(words))]  # honey pot, honeypot

    @cached_property
    def _chinese(self) -> Mapping[str, tuple[str, ...]]:
        """Chinese words by the stems of a gloss, joined by spaces."""
        found: dict[str, dict[str, None]] = defaultdict(dict)
        for word, raw in cedict.entries().items():
            if _SHORTEST <= len(word) <= _LONGEST and _HAN_WORD.fullmatch(word):
                for stems in self._glosses(raw):
                    found[" ".join(stems)][word] = None
        return {gloss: tuple(words) for gloss, words in found.items()}
