"""What a text must have for a pattern to match at all: a quick look that spares most patterns' search.

A text is reduced to its *grams*: every one, two and three characters that stand side by side, in ASCII lower case,
and a mark if it has a capital. From the strings that every match holds follow *needs*: sets of grams of which any match
contains at least one each. A pattern whose needs a text does not meet cannot match there or in any stretch of it,
so leaving it out changes no result.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from re import _parser as sre  # type: ignore[attr-defined]

from services.common.domain.regex_needs import Looking, Strings, needed_strings, share, share_of

Needs = tuple[frozenset[str], ...]

# Stands among a text's grams for "has an ASCII capital"; no text has it, for U+FFFF is no character.
CAPITAL = "\uffff"
_CAPITAL = frozenset((CAPITAL,))
_CAPITAL_SHARE = 0.5
_LONGEST_GRAM = 3
# Further sets seldom rule out a text that the best ones let through.
_MOST_NEEDS = 3
# A set of more grams takes as long to look up as a search.
_MOST_GRAMS = 160
_LOWER = {upper: upper + 32 for upper in range(ord("A"), ord("Z") + 1)}


def grams(text: str) -> frozenset[str]:
    """The grams of ``text``."""
    low = text.translate(_LOWER)
    found = set(low)
    for size in range(2, _LONGEST_GRAM + 1):
        found.update(low[at : at + size] for at in range(len(low) - size + 1))
    if _has_capital(text):
        found.add(CAPITAL)
    return frozenset(found)


def met(needs: Needs, text_grams: frozenset[str]) -> bool:
    """False if a pattern with these needs cannot match in a text with these grams."""
    return not any(map(text_grams.isdisjoint, needs))


def needs_of(parsed: sre.SubPattern, flags: int) -> Needs:
    """The needs of a parsed pattern, the most telling first; empty if nothing is certain."""
    flags |= parsed.state.flags  # (?i) at its beginning
    found = [need for strings in needed_strings(parsed, flags, _LOOKING) for need in _needs(strings)]
    useful = [need for need in dict.fromkeys(found) if len(need) <= _MOST_GRAMS]
    return tuple(sorted(useful, key=_need_share)[:_MOST_NEEDS])


@lru_cache(maxsize=4096)
def _as_written(character: str, flags: int) -> str | None:
    """Lower case where case does not count. Other alphabets fold in ways of their own (ſ is an s)."""
    if not flags & re.IGNORECASE:
        return character
    if flags & re.ASCII:
        return character.translate(_LOWER)
    return character if character.lower() == character.upper() else None


# A gram says as much of a stretch as three of its characters: joining what stands side by side gains nothing.
_LOOKING = Looking(_as_written, joined=1)


def _needs(strings: Strings) -> Iterator[frozenset[str]]:
    """What follows from a match that holds one of ``strings``."""
    if all(map(_has_capital, strings)):
        yield _CAPITAL
    yield frozenset(map(_telling_gram, strings))


@lru_cache(maxsize=16384)
def _telling_gram(string: str) -> str:
    """The rarest gram of a string."""
    low = string.translate(_LOWER)
    size = min(len(low), _LONGEST_GRAM)
    return min((low[at : at + size] for at in range(len(low) - size + 1)), key=share_of)


def _need_share(need: frozenset[str]) -> float:
    return _CAPITAL_SHARE if need is _CAPITAL else share(need)


def _has_capital(text: str) -> bool:
    return any("A" <= character <= "Z" for character in text)
