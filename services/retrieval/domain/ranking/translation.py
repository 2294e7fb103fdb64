"""Words of a query met in a passage of another language, by a dictionary.

Dictionary-based cross-language retrieval (Pirkola 1998) without a weight for each translation: all translations of a
word are one word with many spellings, and how rare that word is among the candidates decides what it is worth.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol

Senses = Mapping[str, Sequence[frozenset[str]]]
"""For a token of the query the sets of tokens that say the same in the other language; one set met is enough."""


class Translator(Protocol):
    """Finds what the tokens of a query are in the other language."""

    def senses(self, tokens: Sequence[str]) -> Senses:
        """Translations of ``tokens``, which are in order, as tokens of passages; unknown ones are left out."""
        ...


class NoTranslator:
    """Knows no other language."""

    def senses(self, tokens: Sequence[str]) -> Senses:
        """Nothing."""
        return {}


def met_words(words: Sequence[str], passage: frozenset[str], senses: Senses) -> frozenset[str]:
    """The words of the query that ``passage`` has, as they are or translated."""
    return frozenset(
        word for word in words if word in passage or any(sense <= passage for sense in senses.get(word, ()))
    )


def in_other_words(words: frozenset[str], senses: Senses) -> frozenset[str]:
    """The words, and the translations of them that are single words."""
    return words.union(*(sense for word in words for sense in senses.get(word, ()) if len(sense) == 1))
