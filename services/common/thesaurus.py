"""CC-CEDICT as a thesaurus of English: words that translate the same Chinese words are near-synonyms."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from itertools import combinations

from services.common import cedict

_COMMON_TEXT = (
    "to be of in a the an one's for and or with by as on at from surname fig lit idiom esp do up "
    "who what which that this it"
)
TOO_COMMON = cedict.UNTELLING | frozenset(_COMMON_TEXT.split())
"""Words of glosses that tell nothing of what is translated."""

_LEAST_SHARED_ENTRIES = 2
_MAX_GLOSSES_OF_AN_ENTRY = 8
_LONGEST_WORD = 4


def near_words(entries: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """Pairs of English words that share at least two entries of the dictionary as one-word translations."""
    shared: Counter[tuple[str, str]] = Counter()
    for word, raw in entries.items():
        if len(word) > _LONGEST_WORD:
            continue
        heads = sorted({g for g in (_head(gloss) for gloss in re.split(r"[/;,]", raw)) if g})
        if 2 <= len(heads) <= _MAX_GLOSSES_OF_AN_ENTRY:
            shared.update(combinations(heads, 2))
    for pair, entries_shared in shared.items():
        if entries_shared >= _LEAST_SHARED_ENTRIES:
            yield pair


def _head(gloss: str) -> str:
    """The gloss if it is one plain word ("to fetch" counts), else nothing."""
    plain = gloss.strip().removeprefix("to ")
    return plain if plain.isascii() and plain.isalpha() and plain.islower() and plain not in TOO_COMMON else ""
