"""What a text must have for a pattern to match at all: a quick look that spares most patterns' search.

A text is reduced to its *grams*: every one, two and three characters that stand side by side, in ASCII lower case,
and a mark if it has a capital. From a pattern's parse tree follow *needs*: sets of grams of which any match
contains at least one each. A pattern whose needs a text does not meet cannot match there or in any stretch of it,
so leaving it out changes no result. (The same idea lets code search engines answer regular expressions from an
index of trigrams.)
"""

from __future__ import annotations

import re
from functools import lru_cache
from re import _constants as c  # type: ignore[attr-defined]
from re import _parser as sre  # type: ignore[attr-defined]
from typing import Any

Needs = tuple[frozenset[str], ...]

# Stands among a text's grams for "has an ASCII capital"; no text has it, for U+FFFF is no character.
CAPITAL = "\uffff"
_LONGEST_GRAM = 3
# Further sets seldom rule out a text that the best ones let through.
_MOST_NEEDS = 3
# A class of more characters says little, and a set of more grams takes as long to look up as a search.
_WIDEST_CLASS = 24
_MOST_GRAMS = 160
_LOWER = {upper: upper + 32 for upper in range(ord("A"), ord("Z") + 1)}
_UPPER = frozenset(range(ord("A"), ord("Z") + 1))
_DIGITS = frozenset(range(ord("0"), ord("9") + 1))
# Rough shares of the characters of English text; others are rarer.
_SHARES = {" ": 0.18} | dict(zip("etaoinshrdlcumwfgypbvkjxqz", (
    0.1, 0.075, 0.065, 0.062, 0.057, 0.057, 0.053, 0.05, 0.05, 0.035, 0.033, 0.023, 0.023, 0.02, 0.02, 0.018, 0.017,
    0.016, 0.016, 0.012, 0.008, 0.006, 0.002, 0.002, 0.001, 0.001,
), strict=True))  # fmt: skip
_RARE = 0.004
_Item = tuple[Any, Any]


def grams(text: str) -> frozenset[str]:
    """The grams of ``text``."""
    low = text.translate(_LOWER)
    found = set(low)
    for size in range(2, _LONGEST_GRAM + 1):
        found.update(low[at : at + size] for at in range(len(low) - size + 1))
    if any("A" <= char <= "Z" for char in text):
        found.add(CAPITAL)
    return frozenset(found)


def met(needs: Needs, text_grams: frozenset[str]) -> bool:
    """False if a pattern with these needs cannot match in a text with these grams."""
    return not any(map(text_grams.isdisjoint, needs))


def needs_of(parsed: sre.SubPattern, flags: int) -> Needs:
    """The needs of a parsed pattern, the most telling first; empty if nothing is certain."""
    folds, ascii_only = bool(flags & re.IGNORECASE), bool(flags & re.ASCII)
    if folds and not ascii_only:  # other alphabets fold in ways of their own (ſ is an s)
        return ()
    found = _sequence(list(parsed), folds, ascii_only)
    return tuple(sorted(dict.fromkeys(found), key=_share)[:_MOST_NEEDS])


def _share(need: frozenset[str]) -> float:
    """Roughly how often a place of a text has one of these grams."""
    return sum(_gram_share(gram) for gram in need)


@lru_cache(maxsize=4096)
def _gram_share(gram: str) -> float:
    share = 1.0
    for char in gram:
        share *= _SHARES.get(char, _RARE)
    return 0.5 if gram == CAPITAL else share


def _sequence(items: list[_Item], folds: bool, ascii_only: bool) -> list[frozenset[str]]:
    """The needs of items that follow one another. ``folds``: case is ignored."""
    found: list[frozenset[str]] = []
    run = ""
    for op, arg in items:
        if op is c.LITERAL:
            run += chr(arg).translate(_LOWER)
            if not folds and arg in _UPPER:
                found.append(frozenset((CAPITAL,)))
            continue
        if op is c.AT:
            continue  # a boundary takes no character: what stands around it is side by side
        found.extend(_of_run(run))
        run = ""
        found.extend(_item(op, arg, folds, ascii_only))
    found.extend(_of_run(run))
    return found


def _of_run(run: str) -> list[frozenset[str]]:
    """The rarest gram of characters that stand side by side."""
    if not run:
        return []
    size = min(len(run), _LONGEST_GRAM)
    pieces = [run[at : at + size] for at in range(len(run) - size + 1)]
    return [frozenset((min(pieces, key=_gram_share),))]


def _item(op: Any, arg: Any, folds: bool, ascii_only: bool) -> list[frozenset[str]]:
    if op is c.SUBPATTERN:
        _, added, removed, inner = arg
        if added & re.UNICODE:
            return []
        folds = (folds or bool(added & re.IGNORECASE)) and not removed & re.IGNORECASE
        return _sequence(list(inner), folds, ascii_only)
    if op is c.BRANCH:
        return _branch([_sequence(list(branch), folds, ascii_only) for branch in arg[1]])
    if op in (c.MAX_REPEAT, c.MIN_REPEAT, c.POSSESSIVE_REPEAT):
        least, _, inner = arg
        return _sequence(list(inner), folds, ascii_only) if least else []
    if op is c.ATOMIC_GROUP:
        return _sequence(list(arg), folds, ascii_only)
    if op is c.ASSERT:  # what must stand before or behind stands in the text, too
        return _sequence(list(arg[1]), folds, ascii_only)
    if op is c.IN:
        return _class(arg, folds, ascii_only)
    return []  # negations, any character, references to groups, conditions


def _branch(alternatives: list[list[frozenset[str]]]) -> list[frozenset[str]]:
    """One of the alternatives matches, so one gram of their best needs is there."""
    if not all(alternatives):
        return []
    union = frozenset().union(*(min(needs, key=_share) for needs in alternatives))
    return [union] if len(union) <= _MOST_GRAMS else []


def _class(items: list[_Item], folds: bool, ascii_only: bool) -> list[frozenset[str]]:
    codes: set[int] = set()
    for op, arg in items:
        if op is c.LITERAL:
            codes.add(arg)
        elif op is c.RANGE and (arg[1] - arg[0] < _WIDEST_CLASS or (arg[0] in _UPPER and arg[1] in _UPPER)):
            codes.update(range(arg[0], arg[1] + 1))
        elif op is c.CATEGORY and arg is c.CATEGORY_DIGIT and ascii_only:
            codes |= _DIGITS
        else:
            return []
    if not folds and codes and codes <= _UPPER:
        return [frozenset((CAPITAL,))] + ([_chars(codes)] if len(codes) <= _WIDEST_CLASS else [])
    return [_chars(codes)] if 0 < len(codes) <= _WIDEST_CLASS else []


def _chars(codes: set[int]) -> frozenset[str]:
    return frozenset(chr(code).translate(_LOWER) for code in codes)
