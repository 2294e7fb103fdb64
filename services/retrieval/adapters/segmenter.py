"""jieba for Chinese words, Snowball for English stems."""

from __future__ import annotations

import logging
from collections.abc import Iterable
from functools import cache, lru_cache
from typing import Any

import snowballstemmer


@cache
def _jieba() -> Any:
    """jieba's tokenizer with its own dictionary, which it loads on first use and nobody changes."""
    import jieba

    jieba.setLogLevel(logging.WARNING)
    return jieba.Tokenizer()


class Segmenter:
    """Chinese words by jieba's search mode, English stems by Snowball's Porter2; safe for several threads.

    The dictionary takes about a second to load, once in a process: ``warm`` does it before the first request.
    """

    def __init__(self) -> None:
        self._tokenizer = _jieba()
        self._stem = lru_cache(maxsize=100_000)(self._stem_word)

    def warm(self) -> None:
        """Loads the dictionary."""
        self._tokenizer.initialize()

    def segment(self, text: str) -> Iterable[str]:
        """Words of a run of Chinese characters, long words also by the shorter ones within."""
        return [str(word) for word in self._tokenizer.cut_for_search(text) if word.strip()]

    def words(self, text: str) -> list[str]:
        """Words of a run of Chinese characters, each character in one of them."""
        return [str(word) for word in self._tokenizer.cut(text) if word.strip()]

    def stem(self, word: str) -> str:
        """Stem of a lower-case English word."""
        return self._stem(word)

    @staticmethod
    def _stem_word(word: str) -> str:
        # A stemmer keeps the word it works on in itself, so threads may not share one.
        return str(snowballstemmer.stemmer("english").stemWord(word))
